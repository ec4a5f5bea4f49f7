package desk

import (
	"assay/app"
	"assay/app/bundle"
	"assay/monitor/target"
)

// WatchService watches other programs for leaks. Starting, and listing processes, may take a while: call them through
// Background.
type WatchService interface {
	Start(app.WatchRequest) error
	Stop()
	// Current is the watch in progress, or the last one; false before the first.
	Current() (app.Watch, bool)
	// Run returns what it has recorded so far; nil before the first.
	Run() *bundle.Run
	Processes() ([]target.Process, error)
}

// StartWatch starts to watch a program; done is called with nil, or with the error that prevented it.
func (d *Desk) StartWatch(r app.WatchRequest, done func(error)) {
	watches := d.Session.Watches
	d.Background(func() func() {
		err := watches.Start(r)
		return func() { done(err) }
	})
}

// StopWatch ends the watch in progress, and the program if Assay started it. That may take seconds.
func (d *Desk) StopWatch() { d.Session.Watches.Stop() }

// OpenRun brings a run to the front: its results, or what was seen of a watched program.
func (d *Desk) OpenRun(r *bundle.Run) {
	if r.Meta.Watch == nil {
		d.ShowRun(r)
		d.Show(PageResults)
		return
	}
	w := app.WatchOf(r)
	d.Model.Watch, d.Model.WatchRun = &w, r
	d.Redraw(ChangedWatch)
	d.Show(PageWatch)
}

// watched takes the state of a watch. An opened watch gives way to one that has begun since.
func (m *Model) watched(w app.Watch) Change {
	if m.WatchRun != nil && !w.Running {
		return 0
	}
	m.Watch, m.WatchRun = &w, nil
	return ChangedWatch
}
