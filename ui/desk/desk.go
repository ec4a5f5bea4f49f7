// Package desk is what the window's pages work with: the model they show, as plain data, and the actions available to the user.
package desk

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/workloads"
)

// Desk is what a page works with: the model it shows, and what the user can do. It is used on the UI goroutine only.
type Desk struct {
	App      fyne.App
	Window   fyne.Window
	Session  Session
	Settings Settings
	Files    native.Chooser
	opens    int          // requests to open weights so far
	Hints    *kit.Hints   // explanations of terms
	Library  *app.Library // of the session's runs
	Model    *Model

	Redraw func(Change)      // redraws what changed, everywhere
	Show   func(name string) // brings a page to the front

	queue  *uiQueue
	work   sync.WaitGroup  // background work
	cancel func()          // ends the subscription
	life   context.Context // of background reads
	end    func()          // ends it
	shut   bool

	pace    pace        // of live tuning
	alarm   *time.Timer // for its next start
	told    notifier    // on the desktop
	refusal string      // of a run, as last shown in a notice
	now     func() time.Time
}

// New makes the desk of a window. Its user sets Redraw and Show; do queues a function for the UI goroutine.
func New(a fyne.App, w fyne.Window, s Session, settings Settings, do func(func())) *Desk {
	d := &Desk{
		App: a, Window: w, Session: s, Settings: settings, Hints: kit.NewHints(), now: time.Now,
	}
	d.AskBy(native.NewChooser(w))
	d.Library = s.Library
	d.life, d.end = context.WithCancel(context.Background())
	d.Model = newModel(s.Workloads())
	d.Model.Active = s.Alerts()
	d.Model.recall(s.History())
	if w, ok := s.Watches.Current(); ok {
		d.Model.Watch = &w
	}
	d.Model.Chosen = d.Settings.workload(d.Model.Workloads)
	d.Model.Quick, d.Model.Engine = d.Settings.quick(), d.Settings.engine()
	d.Model.Live = d.Settings.live()
	d.Model.Recent = d.Settings.recent(d.Model.Workloads)
	d.recallDrafts()
	d.recallRules()
	d.queue = newUIQueue(do, d.deliver)
	return d
}

// AskBy sets the chooser that asks for files; it starts in the folder of the last file.
func (d *Desk) AskBy(c native.Chooser) { d.Files = choosing{c, d.Settings} }

// Listen starts receiving updates from the session.
func (d *Desk) Listen() {
	subscribed, hushed := d.Session.Subscribe(d.queue.push), d.Session.OnQuiet(d.queue.quiet)
	d.cancel = func() { hushed(); subscribed() }
	d.recallBaseline()
	d.recallLast()
	d.recallScrapes()
}

// Unlisten stops receiving updates until Listen. It may be called on any goroutine but the session's.
func (d *Desk) Unlisten() {
	if d.cancel != nil {
		d.cancel()
		d.cancel = nil
	}
}

// Post runs f on the UI goroutine, along with the updates. It may be called on any goroutine.
func (d *Desk) Post(f func()) { d.queue.call(f) }

// Pace delays a chart's hover updates to the next redraw of the window, during a run.
func (d *Desk) Pace(c Paced) { c.PaceBy(func() bool { return d.Model.Busy() != nil }, d.Post) }

// Paced is a widget that follows the pointer immediately if not busy, and otherwise when the posted function runs.
type Paced interface {
	PaceBy(busy func() bool, post func(func()))
}

// Shut stops everything that may call the window: after it returns no other goroutine calls it, and nothing can be
// started.
func (d *Desk) Shut() {
	d.shut = true
	if d.alarm != nil {
		d.alarm.Stop()
	}
	d.end()
	d.Unlisten()
	d.queue.close()
}

// Settle waits for background work and applies pending updates at once. It is called on the UI goroutine.
func (d *Desk) Settle() {
	d.work.Wait()
	d.queue.drain()
}

// Wait waits for all background work. It may be called on any goroutine.
func (d *Desk) Wait() { d.work.Wait() }

// Cost is the number of deliveries from the session and their mean time on the UI goroutine, in seconds, without painting;
// ok is false before the first.
func (d *Desk) Cost() (redraws int, seconds float64, ok bool) { return d.queue.cost() }

// Take applies updates on the UI goroutine, in order, and then redraws what they changed.
func (d *Desk) Take(updates ...app.Update) {
	items := make([]any, len(updates))
	for i, u := range updates {
		items[i] = u
	}
	d.deliver(items)
}

// deliver applies what the queue delivers, in order, and redraws once.
func (d *Desk) deliver(items []any) {
	var c Change
	for _, i := range items {
		switch i := i.(type) {
		case func():
			i()
		case app.TuneUpdate:
			c |= d.tuned(i)
		case app.ABUpdate:
			c |= d.compared(i)
		case app.Update:
			c |= d.take(i)
		}
	}
	if c != 0 {
		d.Session.Redrawn()
	}
	d.Redraw(c)
}

// Background runs f on another goroutine, and the function it returns on the UI goroutine. Once the window closes it does
// nothing: the window is already waiting for all background work.
func (d *Desk) Background(f func() (then func())) {
	if d.shut {
		return
	}
	d.work.Go(func() {
		if then := f(); then != nil {
			d.queue.callHeld(then)
		}
	})
}

// Choose chooses a workload.
func (d *Desk) Choose(i int) {
	d.Model.Chosen = i
	d.Settings.setWorkload(d.Model.Workload().Name)
	d.Redraw(ChangedChoice)
}

// SetEngine chooses the engine of the next run by its name, "auto" for the first that opens.
func (d *Desk) SetEngine(name string) {
	d.Model.Engine = name
	d.Settings.setEngine(name)
	d.Redraw(ChangedChoice | ChangedEngines)
}

// TakeEngines sets the engines that were found. A stored choice that is not among them is dropped: its runs would be
// rejected, and no page could show the choice.
func (d *Desk) TakeEngines(found []app.EngineState) {
	m, first := d.Model, len(d.Model.Engines) == 0
	m.Engines = found
	if first {
		d.recallPool()
	}
	known := slices.ContainsFunc(found, func(e app.EngineState) bool { return e.Name == m.Engine })
	if !known && m.Engine != anyEngine {
		d.SetEngine(anyEngine)
		return
	}
	d.Redraw(ChangedEngines)
}

// Start runs a workload with the given values on the chosen engine, regardless of the Run page. Model.Refused has the
// reason if it cannot start.
func (d *Desk) Start(workload string, values workloads.Values) { d.start(workload, values, nil) }

// start starts a run; refused, if not nil, is called with the reason why it cannot start.
func (d *Desk) start(workload string, values workloads.Values, refused func(why string)) {
	if d.Model.Busy() != nil || d.shut || d.Modal() {
		return
	}
	request := d.sampled(app.Request{
		Jobs: []bundle.Job{{Workload: workload, Params: values}}, Engine: d.Model.Engine, Quick: d.Model.Quick,
	})
	d.begin(workload, func() (app.Request, error) { return request, nil }, refused)
}

// begin starts a run of a workload, with a request that may take a while to make.
func (d *Desk) begin(workload string, request func() (app.Request, error), refused func(why string)) {
	d.dropMoved()
	replaced := d.Model.begin(workload)
	d.Redraw(ChangedRun | ChangedResults)
	d.Background(func() func() { // opening an engine may take a while
		asked, err := request()
		if err == nil {
			err = d.Session.Runs.Start(asked)
		}
		if err != nil {
			return func() {
				if errors.Is(err, context.Canceled) { // stopped before it began
					d.Model.forget(workload, replaced)
					d.Redraw(ChangedRun | ChangedResults)
					return
				}
				d.refused(workload, replaced, err)
				if refused != nil {
					refused(err.Error())
				}
			}
		}
		return func() { d.clearTuning(workload) } // the run measures again; the points can be restored
	})
}

// Modal reports whether a dialog is open: it disables shortcuts.
func (d *Desk) Modal() bool { return d.Window.Canvas().Overlays().Top() != nil }

// refused shows why a run could not start.
func (d *Desk) refused(name string, replaced *Outcome, err error) {
	d.Model.refuse(name, replaced, err.Error())
	d.Redraw(ChangedRun | ChangedResults)
}

// StopRun stops the run in progress.
func (d *Desk) StopRun() {
	if o := d.Model.Busy(); o != nil && o.Phase != Stopping {
		o.Phase = Stopping
		d.Session.Runs.Stop()
		d.Redraw(ChangedRun)
	}
}

// GoOn ends a run's pause.
func (d *Desk) GoOn() { d.Session.Runs.GoOn() }

// ExportCSV asks for a file and writes the chosen workload's whole last run there.
func (d *Desk) ExportCSV() { d.Export(d.Model.Outcome().Whole(), report.CSV()) }
