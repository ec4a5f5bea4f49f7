package desk

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"assay/app"
)

// Runs is the library as it was read last.
type Runs struct {
	List  []app.RunSummary // newest first
	Known bool             // it has been read
	Busy  bool             // it is being read
	Read  int              // bundles read so far, of All, where that takes long; 0: not yet
	All   int
	again bool  // it has changed meanwhile
	Err   error // why it could not be read
	Undo  *Undo // what was done last to a run and can be undone; nil: nothing
}

// Undo is something that was done and can be undone.
type Undo struct {
	Done   string // a sentence
	back   func() error
	then   func() // once it is undone; nil: nothing more
	remedy string // where that fails
	going  bool   // it is being undone
}

// ReadLibrary reads the list of runs in the background.
func (d *Desk) ReadLibrary() {
	r := &d.Model.Runs
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
			d.Redraw(ChangedLibrary)
			if r.again {
				r.again = false
				d.ReadLibrary()
			}
		}
	})
}

// tellReading tells how far reading the library is, now and then. What it returns is called on any goroutine.
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

// refreshLibrary reads the list again, if somebody has asked for it before.
func (d *Desk) refreshLibrary() {
	if d.Model.Runs.Known || d.Model.Runs.Busy {
		d.ReadLibrary()
	}
}

// LoadRun reads a run in the background; then is called with it.
func (d *Desk) LoadRun(dir string, then func(*app.Run)) {
	done := d.Await("Reading " + filepath.Base(dir) + ".")
	d.Background(func() func() {
		run, err := app.Load(dir)
		return func() {
			done()
			if err != nil {
				d.Fail("Cannot open the run", withRemedy(err, "It may have been moved or deleted outside Assay: History, Refresh reads the list anew."))
				return
			}
			then(run)
		}
	})
}

// DeleteRun moves a run to the system's bin, which can be undone.
func (d *Desk) DeleteRun(s *app.RunSummary) {
	id, dir := s.ID, s.Dir
	d.Background(func() func() {
		deleted, err := d.Library.Delete(dir)
		return func() {
			if err != nil {
				d.Fail("Cannot delete", withRemedy(err, "It can be moved by hand: Help, Show Runs opens its folder."))
				return
			}
			gone := d.Model.Showing.forget(dir)
			d.Model.bin(dir, true)
			d.compare()
			d.Model.Runs.Undo = &Undo{
				Done: "The run " + id + " is in the bin.", back: func() error { return d.Library.Restore(deleted) },
				then: func() {
					d.Model.bin(dir, false)
					d.bringBack(gone)
				},
				remedy: "The run is still in the bin, and can be put back from there by hand.",
			}
			d.Redraw(ChangedShown)
			d.ReadLibrary()
		}
	})
}

// bin notes that a run went to the bin, or came back.
func (m *Model) bin(dir string, in bool) {
	for _, o := range m.Outcomes {
		if o.Run != nil && o.Run.Dir == dir {
			o.Binned = in
		}
	}
}

// SetLabels gives a run its tags and its note, which can be undone; then is called with what is wrong with them, if
// anything is.
func (d *Desk) SetLabels(s *app.RunSummary, labels app.Labels, then func(error)) {
	id, dir, before := s.ID, s.Dir, s.Labels
	d.Background(func() func() {
		err := d.Library.SetLabels(dir, labels)
		return func() {
			if err == nil {
				d.Model.Runs.Undo = &Undo{
					Done: "The tags and the note of " + id + " are saved.", back: func() error { return d.Library.SetLabels(dir, before) },
				}
				d.ReadLibrary()
			}
			then(err)
		}
	})
}

// UndoLast undoes what was done last to a run. The offer stands until that worked.
func (d *Desk) UndoLast() {
	u := d.Model.Runs.Undo
	if u == nil || u.going {
		return
	}
	u.going = true
	d.Background(func() func() {
		err := u.back()
		return func() { d.undone(u, err) }
	})
}

// undone takes what came of undoing.
func (d *Desk) undone(u *Undo, err error) {
	u.going = false
	switch {
	case err != nil:
		d.Fail("Cannot undo", withRemedy(err, u.remedy))
	case d.Model.Runs.Undo == u:
		d.ForgetUndo()
	}
	if err == nil && u.then != nil {
		u.then()
	}
	d.ReadLibrary()
}

// ForgetUndo takes the offer to undo away.
func (d *Desk) ForgetUndo() {
	d.Model.Runs.Undo = nil
	d.Redraw(ChangedLibrary)
}

// Life ends when the window closes.
func (d *Desk) Life() context.Context { return d.life }

// StateWords is a run's state for people.
func StateWords(s *app.RunSummary) string {
	words := string(s.State)
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}
