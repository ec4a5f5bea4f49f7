package desk

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"assay/app/bundle"
	"assay/internal/plain"
)

// Runs is the library as last read.
type Runs struct {
	List   []bundle.Summary // newest first
	Known  bool             // the list has been read
	Busy   bool             // the list is being read
	Read   int              // bundles read so far, out of All, if that takes long; 0: none yet
	All    int
	again  bool    // it changed during the read
	Err    error   // why it could not be read
	Done   []*Undo // actions on runs that can be undone, the latest last
	Wanted string  // folder of the run opened last, for the list of runs to choose; empty: none
	turn   turn

	following bool      // a check for other processes' runs is in progress
	looked    time.Time // time of the last check
	reads     int       // number of requested reads
}

// Undo is an action that can be undone.
type Undo struct {
	words   string // a sentence
	trashed string // the run that is in the trash; empty: none
	back    func() error
	then    func() // runs after the undo; nil: nothing
	remedy  string // what to do if undoing fails
}

// turn is the state of a move to the trash or back.
type turn int

const (
	still  turn = iota // no move in progress
	moving             // a move is in progress
	moved              // moved, but the list is not yet reread
)

// Moving reports whether a move to the trash or back is in progress, or the list was not reread since. Until then a
// repeated key or a second click must not act on another run.
func (r *Runs) Moving() bool { return r.turn != still }

// Told describes the last action that can be undone; empty: none.
func (r *Runs) Told() string {
	if len(r.Done) == 0 {
		return ""
	}
	last, trashed := r.Done[len(r.Done)-1], 0
	for _, u := range r.Done {
		if u.trashed != "" {
			trashed++
		}
	}
	if last.trashed == "" || trashed == 1 {
		return last.words
	}
	return fmt.Sprintf("%d runs moved to the trash, most recently %s.", trashed, last.trashed)
}

// ReadLibrary reads the list of runs in the background.
func (d *Desk) ReadLibrary() {
	r := &d.Model.Runs
	r.reads++
	if r.Busy {
		r.again = true
		return
	}
	r.Busy, r.Read, r.All = true, 0, 0
	d.Redraw(ChangedLibrary)
	d.Background(func() func() {
		list, err := d.Library.ListTelling(d.life, d.tellReading())
		return func() {
			r.List, r.Err, r.Known, r.Busy = list, err, true, false
			d.Model.Showing.letGo(list)
			if r.turn == moved && !r.again {
				r.turn = still
			}
			d.Redraw(ChangedLibrary)
			if r.again {
				r.again = false
				d.ReadLibrary()
			}
		}
	})
}

// followEvery is how often a visible list of runs checks the folder for changes by others.
const followEvery = 3 * time.Second

// FollowLibrary checks from time to time whether the list has changed, for instance through another process, and redraws only
// if it has. It does not check during a measurement.
func (d *Desk) FollowLibrary() {
	r := &d.Model.Runs
	if !r.Known || r.Busy || r.following || r.Moving() || d.Model.Busy() != nil || d.now().Sub(r.looked) < followEvery {
		return
	}
	r.following = true
	reads := r.reads
	d.Background(func() func() {
		list, err := d.Library.List(d.life)
		return func() {
			r.following, r.looked = false, d.now()
			same := reflect.DeepEqual(list, r.List) && fmt.Sprint(err) == fmt.Sprint(r.Err)
			if reads != r.reads || r.Moving() || same {
				return
			}
			r.List, r.Err = list, err
			d.Model.Showing.letGo(list)
			d.Redraw(ChangedLibrary)
		}
	})
}

// tellReading returns a function that occasionally reports the progress of reading the library. It may be called on any
// goroutine.
func (d *Desk) tellReading() func(read, all int) {
	told := time.Now()
	return func(read, all int) {
		if time.Since(told) < redrawInterval {
			return
		}
		told = time.Now()
		d.Post(func() {
			if r := &d.Model.Runs; r.Busy {
				r.Read, r.All = read, all
				d.Redraw(ChangedLibrary)
			}
		})
	}
}

// refreshLibrary rereads the list if it was read before.
func (d *Desk) refreshLibrary() {
	if d.Model.Runs.Known || d.Model.Runs.Busy {
		d.ReadLibrary()
	}
}

// ListOpened lists a run that was opened, wherever it is stored, and makes the list of runs choose it.
func (d *Desk) ListOpened(dir string) {
	d.Library.Add(dir)
	d.Model.Runs.Wanted = dir
	d.ReadLibrary()
}

// LoadRun reads a run in the background; then is called with it.
func (d *Desk) LoadRun(dir string, then func(*bundle.Run)) {
	done := d.Await("Reading " + filepath.Base(dir) + ".")
	d.Background(func() func() {
		run, err := bundle.Load(dir)
		return func() {
			done()
			if err != nil {
				d.Fail("Cannot open the run", withRemedy(err, "It may have been moved or deleted outside Assay: reload the list with History, Refresh."))
				return
			}
			then(run)
		}
	})
}

// DeleteRun moves a run to the system's trash, which can be undone. It does nothing while another move is in progress.
func (d *Desk) DeleteRun(s *bundle.Summary) {
	if d.Model.Runs.Moving() {
		return
	}
	id, dir := s.ID, s.Dir
	d.move(func() func() {
		deleted, err := d.Library.Delete(dir)
		return func() {
			if err != nil {
				d.Fail("Cannot delete", withRemedy(err, "Move it manually: Help, Show Runs opens its folder."))
				return
			}
			gone := d.Model.Showing.forget(dir)
			d.Model.setTrashed(dir, true)
			d.compare()
			d.offerUndo(&Undo{
				words: "The run " + id + " moved to the trash.", trashed: id, back: func() error { return d.Library.Restore(deleted) },
				then: func() {
					d.Model.setTrashed(dir, false)
					d.bringBack(gone)
				},
				remedy: "The run is still in the trash; restore it from there.",
			})
			d.Redraw(ChangedShown)
		}
	})
}

// move deletes or restores a run in the background, and then reads the list.
func (d *Desk) move(f func() (then func())) {
	r := &d.Model.Runs
	r.turn = moving
	d.Redraw(ChangedLibrary)
	d.Background(func() func() {
		then := f()
		return func() {
			r.turn = moved
			then()
			d.ReadLibrary()
		}
	})
}

// offerUndo makes the latest action the first to be undone.
func (d *Desk) offerUndo(u *Undo) { d.Model.Runs.Done = append(d.Model.Runs.Done, u) }

// setTrashed records that a run was moved to the trash or restored.
func (m *Model) setTrashed(dir string, in bool) {
	for _, o := range m.Outcomes {
		if o.Run != nil && o.Run.Dir == dir {
			o.Trashed = in
		}
	}
}

// SetLabels sets a run's tags and note, which can be undone; then is called with the error, if any.
func (d *Desk) SetLabels(s *bundle.Summary, labels bundle.Labels, then func(error)) {
	id, dir, before := s.ID, s.Dir, s.Labels
	d.Background(func() func() {
		err := d.Library.SetLabels(dir, labels)
		return func() {
			if err == nil {
				d.offerUndo(&Undo{
					words: "Saved tags and note of " + id + ".", back: func() error { return d.Library.SetLabels(dir, before) },
				})
				d.ReadLibrary()
			}
			then(err)
		}
	})
}

// UndoLast undoes the last action on a run, and then offers the previous one. The offer stays until the undo succeeds. It
// does nothing while a move is in progress.
func (d *Desk) UndoLast() {
	r := &d.Model.Runs
	if len(r.Done) == 0 || r.Moving() {
		return
	}
	u := r.Done[len(r.Done)-1]
	d.move(func() func() {
		err := u.back()
		return func() { d.undone(u, err) }
	})
}

// undone handles the outcome of an undo. A failed one goes behind the earlier actions.
func (d *Desk) undone(u *Undo, err error) {
	r := &d.Model.Runs
	at := slices.Index(r.Done, u)
	if at >= 0 {
		r.Done = slices.Delete(r.Done, at, at+1)
	}
	switch {
	case err != nil:
		if at >= 0 { // not dismissed in the meantime
			r.Done = slices.Insert(r.Done, 0, u)
		}
		d.Fail("Cannot undo", withRemedy(err, u.remedy))
	case u.then != nil:
		u.then()
	}
}

// ForgetUndo removes all offers to undo.
func (d *Desk) ForgetUndo() {
	d.Model.Runs.Done = nil
	d.Redraw(ChangedLibrary)
}

// Life ends when the window closes.
func (d *Desk) Life() context.Context { return d.life }

// StateWords is a run's state for people.
func StateWords(s *bundle.Summary) string {
	return plain.Capitalized(string(s.State))
}
