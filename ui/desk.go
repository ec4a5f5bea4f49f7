package ui

import (
	"fmt"
	"log"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"

	"assay/app"
	"assay/monitor"
	"assay/workloads"
)

// session is what the window needs of app.Session.
type session interface {
	Subscribe(func(app.Update)) (cancel func())
	Workloads() []workloads.Workload
	Engines() []app.EngineState
	History() []monitor.Snapshot
	Alerts() []monitor.Alert
	Version() string
	RunsDir() string
	StartRun(app.Request) error
	Stop()
	Close() error
}

// desk is the window: its pages, the model they show, and what the user can do.
type desk struct {
	app      fyne.App
	window   fyne.Window
	session  session
	settings settings
	files    chooser
	model    *model
	hop      *hop
	menu     *menu
	rail     *rail
	views    []view
	at       int       // the page in front
	drawn    time.Time // of the last tick that was drawn
	run      *runPage
	status   *statusBar
	front    *fyne.Container
	cancel   func() // ends the subscription
	work     sync.WaitGroup
	quitting bool
	closed   chan struct{} // once quitting has waited
	patience time.Duration // how long quitting waits for the session
}

// newDesk builds the window's content. It must be called on the UI goroutine.
func newDesk(a fyne.App, w fyne.Window, s session) *desk {
	d := &desk{app: a, window: w, session: s, settings: settings{a.Preferences()}, patience: 10 * time.Second, closed: make(chan struct{})}
	d.files = choosing{newChooser(w), d.settings}
	d.model = newModel(s.Workloads())
	d.model.active = s.Alerts()
	d.model.chosen = d.settings.workload(d.model.workloads)
	d.hop = newHop(fyne.Do, d.deliver)
	list := pages()
	d.menu = newMenu(d, list, runtime.GOOS == "darwin")
	d.rail = newRail(list, d.showPage)
	d.status = newStatusBar()
	for _, p := range list {
		d.views = append(d.views, p.build(d))
	}
	d.front = container.NewStack()
	body := edged(edged(d.front, atLeft, edged(d.rail.object, atRight, newLine())), atBottom, d.status.object)
	w.SetMainMenu(d.menu.main)
	w.SetPadded(false)
	w.SetContent(body)
	w.SetCloseIntercept(d.quit)
	d.showPage(0)
	d.update(changedAll)
	return d
}

// listen starts to take updates from the session.
func (d *desk) listen() {
	d.cancel = d.session.Subscribe(d.hop.push)
	d.work.Go(func() {
		found := d.session.Engines() // opens them, which may take a while
		d.hop.call(func() {
			d.model.engines = found
			d.update(changedEngines)
		})
	})
}

// deliver takes what the hop brings, in order, and redraws once.
func (d *desk) deliver(items []any) {
	var c change
	for _, i := range items {
		if f, ok := i.(func()); ok {
			f()
			continue
		}
		c |= d.model.apply(i)
	}
	d.update(c)
}

// idleRedraw is the time between redraws for the monitor's ticks while no run goes on.
const idleRedraw = 2 * time.Second

// update redraws what changed on the page in front, the status bar and the badges.
func (d *desk) update(c change) {
	if c == 0 || d.quitting || c == changedTick && !d.tickDue() {
		return
	}
	d.views[d.at].update(c)
	d.status.update(d.model, c)
	for i, v := range d.views {
		if v.badge != nil && d.rail.badges[i].content != v.badge() {
			d.rail.badges[i].set(v.badge())
			d.rail.object.Refresh()
		}
	}
}

// tickDue reports whether the last tick is to be drawn now; what is not drawn is drawn with the next.
func (d *desk) tickDue() bool {
	at := d.model.latest.Time
	if since := at.Sub(d.drawn); d.model.busy() == nil && since >= 0 && since < idleRedraw-100*time.Millisecond {
		return false
	}
	d.drawn = at
	return true
}

// showPage brings a page to the front.
func (d *desk) showPage(i int) {
	d.at = i
	d.rail.show(i)
	d.front.Objects = []fyne.CanvasObject{d.views[i].object}
	d.front.Refresh()
	d.views[i].update(changedAll)
}

// choose chooses a workload.
func (d *desk) choose(i int) {
	d.model.chosen = i
	d.settings.setWorkload(d.model.workload().Name)
	d.update(changedChoice)
}

func (d *desk) setQuick(on bool) {
	d.settings.setQuick(on)
	d.run.form().setQuick(on)
}

func (d *desk) resetForm() {
	if d.model.busy() == nil {
		d.run.form().set(nil, d.settings.quick())
	}
}

func (d *desk) setAppearance(a appearance) {
	d.settings.setAppearance(a)
	d.app.Settings().SetTheme(newLook(a))
	d.menu.mark(a)
}

// startRun runs the chosen workload with what the form holds.
func (d *desk) startRun() {
	if d.model.busy() != nil || d.quitting || d.modal() || d.run.head.problem() != "" {
		return
	}
	w := d.model.workload()
	values, err := d.run.form().values()
	if err != nil {
		return // problem() has told already
	}
	request := app.Request{
		Jobs: []app.Job{{Workload: w.Name, Params: values}}, Engine: d.run.head.engineName(), Quick: d.settings.quick(),
	}
	replaced := d.model.begin()
	d.run.showSegment(1)
	d.update(changedRun | changedResults)
	d.work.Go(func() { // opening an engine may take a while
		if err := d.session.StartRun(request); err != nil {
			d.hop.call(func() { d.refused(w.Name, replaced, err) })
		}
	})
}

// modal reports whether a dialog is open: shortcuts do nothing below it.
func (d *desk) modal() bool { return d.window.Canvas().Overlays().Top() != nil }

// refused shows why a run could not start.
func (d *desk) refused(name string, replaced *outcome, err error) {
	d.model.refuse(name, replaced, err.Error())
	d.run.showSegment(0)
	d.update(changedRun | changedResults)
}

// stopRun stops the run that is going on.
func (d *desk) stopRun() {
	if o := d.model.busy(); o != nil && o.phase != stopping {
		o.phase = stopping
		d.session.Stop()
		d.update(changedRun)
	}
}

// exportCSV asks where to, and writes the chosen workload's last run there.
func (d *desk) exportCSV() {
	run := d.model.outcome().run
	if run == nil || d.modal() {
		return
	}
	q := question{title: "Export CSV", name: run.Meta.ID + ".csv", types: []string{"csv"}}
	d.files.save(q, func(path string, err error) {
		if err != nil {
			d.fail("Choose a file", err)
			return
		}
		d.export(run, path)
	})
}

// export writes a run to a file and says so.
func (d *desk) export(run *app.Run, path string) {
	if err := app.Export(run, d.model.workloads, "csv", path); err != nil {
		d.fail("Export", err)
		return
	}
	d.settings.setFolder(filepath.Dir(path))
	d.run.head.say(fmt.Sprintf("Exported %s to %s", counted(len(run.Results), "result"), homely(path)))
}

// fail shows an error that the user can do something about, and notes it in the log.
func (d *desk) fail(what string, err error) {
	log.Printf("%s: %v", what, err)
	dialog.ShowError(fmt.Errorf("%s: %w", strings.ToLower(what), err), d.window)
}

// quit ends what may call the window, then the application.
func (d *desk) quit() {
	if d.quitting {
		return
	}
	d.quitting = true
	d.settings.setSize(d.window.Canvas().Size())
	d.run.head.say("Closing: a run that is going on is stopped, and what it measured is kept.")
	if d.cancel != nil {
		d.cancel()
	}
	d.hop.close()
	go func() {
		d.closeSession()
		fyne.Do(d.app.Quit) // the last call to the UI goroutine
		close(d.closed)
	}()
}

// closeSession ends the run and the monitor, and gives up on them after a while.
func (d *desk) closeSession() {
	done := make(chan struct{})
	go func() {
		_ = d.session.Close() // its caller closes it again and sees the error
		d.work.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(d.patience):
	}
}
