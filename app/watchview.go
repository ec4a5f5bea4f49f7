package app

import (
	"slices"
	"time"

	"assay/app/bundle"
	"assay/monitor"
	"assay/monitor/leak"
	"assay/monitor/target"
)

// WatchMark is a mark in a program's output.
type WatchMark struct {
	At   time.Time
	Text string
}

// Watch is the state of a watch.
type Watch struct {
	RunID    string
	Dir      string // of the bundle
	Running  bool
	Began    time.Time
	Latest   monitor.Snapshot
	Info     bundle.Watch // with its verdicts so far
	Verdicts []WatchState
	Marks    []WatchMark
	WarmUp   time.Duration
	Now      time.Duration // how long the program has been watched
}

// WatchState is one kind of reading so far.
type WatchState struct {
	bundle.WatchVerdict
	Reading monitor.Reading
	Early   bool // too early for growth to mean much
	Shaped  leak.Shape
}

// Current is the watch in progress, or the last one; false before the first.
func (w *Watches) Current() (Watch, bool) {
	s := w.session
	s.mu.Lock()
	a := s.lastWatch
	s.mu.Unlock()
	if a == nil {
		return Watch{}, false
	}
	return a.look(), true
}

// Run returns what the watch in progress, or the last one, has recorded so far; nil before the first.
func (w *Watches) Run() *bundle.Run {
	s := w.session
	s.mu.Lock()
	a := s.lastWatch
	s.mu.Unlock()
	if a == nil {
		return nil
	}
	return a.bundle.Run()
}

// Processes lists the running programs of this user.
func (w *Watches) Processes() ([]target.Process, error) { return target.List() }

// WatchOf returns the watch that a run recorded.
func WatchOf(r *bundle.Run) Watch {
	w := Watch{RunID: r.Meta.ID, Dir: r.Dir, Began: r.Meta.Started, Info: *r.Meta.Watch, WarmUp: time.Duration(r.Meta.Watch.WarmUp * float64(time.Second))}
	if n := len(r.Snapshots); n > 0 {
		w.Latest = r.Snapshots[n-1]
	}
	w.Now = max(0, r.Meta.Watched())
	for i := range r.Meta.Watch.Verdicts {
		w.Verdicts = append(w.Verdicts, WatchState{WatchVerdict: r.Meta.Watch.Verdicts[i]})
	}
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind == bundle.Marked {
			w.Marks = append(w.Marks, WatchMark{e.Time, e.Text})
		}
	}
	return w
}

// look copies the state of the watch.
func (a *activeWatch) look() Watch {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := Watch{
		Running: !a.finished, Began: a.began, Latest: a.latest, Info: a.info, Marks: slices.Clone(a.marks),
		WarmUp: a.warmUp(a.latest.Time.Sub(a.began)), Now: max(0, a.latest.Time.Sub(a.began)),
	}
	if a.bundle != nil {
		w.RunID, w.Dir = a.bundle.ID(), a.bundle.Dir()
	}
	for _, j := range a.kinds {
		w.Verdicts = append(w.Verdicts, WatchState{
			WatchVerdict: j.Record(a.began), Reading: j.Last, Shaped: j.Verdict.Shape, Early: !a.finished && j.leakID == "",
		})
	}
	return w
}

func (a *activeWatch) publish() { a.session.publish(WatchUpdate{a.look()}) }
