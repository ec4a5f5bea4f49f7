package ui

import (
	"runtime"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/report"
	"assay/ui/desk"
	"assay/ui/kit"
)

// window is the desk with its pages around it.
type window struct {
	*desk.Desk
	menu     *menu
	rail     *rail
	pages    []desk.Page
	views    []desk.View
	at       int       // the page in front
	drawn    time.Time // time of the last tick that was drawn
	status   *statusBar
	notice   *kit.Notice
	front    *fyne.Container     // contains every page: hidden ones also follow a change of the look
	rooms    []*container.Scroll // of the pages in front
	body     *fyne.Container
	layout   *frameLayout
	quitting bool
	closed   chan struct{} // closed once quitting has waited
	timeout  time.Duration // how long quitting waits for the session
	settled  *settler      // nil: releases nothing
}

// newWindow builds the window's content. It must be called on the UI goroutine.
func newWindow(a fyne.App, w fyne.Window, s desk.Session, settings desk.Settings, do func(func())) *window {
	d := &window{Desk: desk.New(a, w, s, settings, do), pages: pages(), timeout: 10 * time.Second, closed: make(chan struct{})}
	d.Redraw, d.Show = d.update, d.showNamed
	d.menu = newMenu(d, runtime.GOOS == "darwin")
	d.rail = newRail(d.pages, d.showPage, d.Hints)
	d.status = newStatusBar(d.Hints)
	d.notice = kit.NewNotice(d.Dismiss, d.TakeBack)
	d.front = container.NewStack()
	for _, p := range d.pages {
		v := p.Build(d.Desk)
		d.addPage(v.Object)
		d.views = append(d.views, v)
	}
	w.SetMainMenu(d.menu.main)
	w.SetPadded(false)
	w.SetContent(d.frame())
	w.SetCloseIntercept(d.quit)
	w.Canvas().SetOnTypedKey(d.scrollByKey)
	w.SetOnDropped(func(_ fyne.Position, files []fyne.URI) { d.dropped(files) })
	d.showPage(max(0, d.pageNamed(d.Settings.Page())))
	d.update(desk.ChangedAll)
	return d
}

// listen starts receiving updates from the session.
func (d *window) listen() {
	d.Listen()
	d.FindEngines()
}

// idleRedraw is the time between redraws for the monitor's ticks between runs.
const idleRedraw = 2 * time.Second

// update redraws what changed on the visible page, the status bar and the badges.
func (d *window) update(c desk.Change) {
	if c == 0 || d.quitting || len(d.views) < len(d.pages) || c == desk.ChangedTick && !d.tickDue() {
		return
	}
	if c.Has(desk.ChangedLook) {
		d.Window.SetMainMenu(d.menu.main) // a menu drawn by Fyne changed its height, and only this makes Fyne lay out what is below
	}
	c |= d.dropNotice(c)
	d.views[d.at].Update(c)
	if c.Has(desk.ChangedNotice) && d.notice.Tell(d.Model.Notice, d.Model.Wrong, d.Model.Back != nil) {
		d.body.Refresh()
	}
	switch busy := d.Model.Busy() != nil; {
	case busy && c.Has(desk.ChangedRun) || c.Has(desk.ChangedTuning):
		d.settled.work()
	case c.Has(desk.ChangedRun):
		d.settle()
	}
	d.status.update(d.Desk, c)
	d.updateMenu()
	for i, v := range d.views {
		if v.Badge != nil && d.rail.badges[i].Content != v.Badge() {
			d.rail.badges[i].Set(v.Badge())
			d.rail.object.Refresh()
		}
	}
}

// dropNotice removes a notice after the next action. An error stays until the user acts on it.
func (d *window) dropNotice(c desk.Change) desk.Change {
	since := desk.ChangedChoice | desk.ChangedDraft
	if !d.Model.Wrong {
		since |= desk.ChangedRun
	}
	if d.Model.Notice == "" || c.Has(desk.ChangedNotice) || !c.Has(since) {
		return 0
	}
	d.Model.ClearNotice()
	return desk.ChangedNotice
}

// updateMenu enables the available items.
func (d *window) updateMenu() {
	d.menu.mark(d.Settings.Appearance())
	busy := d.Model.Busy()
	d.menu.update(busy == nil, busy != nil && busy.Phase != desk.Stopping, busy == nil && d.Model.NoCapture() == "", !d.subject().None())
}

// subject returns the run to export now: the one shown by the visible page, or the chosen workload's last.
func (d *window) subject() desk.Subject {
	if of := d.views[d.at].Subject; of != nil {
		return of()
	}
	return desk.Subject{Run: d.Model.Outcome().Whole()}
}

// export exports the run of the page in front.
func (d *window) export(f report.Format) { d.ExportSubject(d.subject(), f) }

// tickDue reports whether to draw the last tick now; a skipped one is drawn with the next.
func (d *window) tickDue() bool {
	at := d.Model.Latest.Time
	if since := at.Sub(d.drawn); d.Model.Busy() == nil && !d.views[d.at].Live && since >= 0 && since < idleRedraw-100*time.Millisecond {
		return false
	}
	d.drawn = at
	return true
}

// showPage brings a page to the front.
func (d *window) showPage(i int) {
	if i != d.at {
		d.leave()
	}
	d.at = i
	d.SetFront(d.pages[i].Name)
	d.Hints.Clear()
	d.rail.Show(i)
	for k, room := range d.rooms {
		kit.Show(room, k == i)
	}
	d.front.Refresh()
	d.views[i].Update(desk.ChangedAll)
	d.updateMenu()
	d.settle()
}

// goTo brings a page to the front for a shortcut, unless a dialog is open.
func (d *window) goTo(i int) {
	if i >= 0 && !d.Modal() {
		d.showPage(i)
	}
}

// leave ends the activity of the page in front. Its focused control loses the focus, or keys would act on a hidden
// control; the rail keeps it, for the arrows.
func (d *window) leave() {
	canvas := d.Window.Canvas()
	if o, ok := canvas.Focused().(*kit.Option); !ok || !slices.Contains(d.rail.Options, o) {
		canvas.Unfocus()
	}
	if left := d.views[d.at].Left; left != nil {
		left()
	}
}

// settle releases memory after new content was drawn.
func (d *window) settle() { d.settled.again() }

// showNamed brings a page to the front by its name.
func (d *window) showNamed(name string) {
	if i := d.pageNamed(name); i >= 0 {
		d.showPage(i)
	}
}

// pageNamed returns the index of a page; -1 if there is none of that name.
func (d *window) pageNamed(name string) int {
	return slices.IndexFunc(d.pages, func(p desk.Page) bool { return p.Name == name })
}

// do runs a menu command on the pages.
func (d *window) do(c desk.Command) {
	if d.Modal() {
		return
	}
	for _, v := range d.views {
		if v.Do != nil {
			v.Do(c)
		}
	}
}

// quit ends everything that may call the window, then the application.
func (d *window) quit() {
	if d.quitting {
		return
	}
	d.leave() // this saves typed text
	d.Settings.SetSize(d.Window.Canvas().Size())
	d.Say("Closing: stopping the run; its results are kept.")
	d.quitting = true
	d.Shut()
	go func() {
		d.closeSession()
		fyne.Do(d.App.Quit) // the last call to the UI goroutine
		close(d.closed)
	}()
}

// closeSession ends the run and the monitor, with a timeout.
func (d *window) closeSession() {
	done := make(chan struct{})
	go func() {
		_ = d.Session.Close() // its caller closes it again and sees the error
		d.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(d.timeout):
	}
}
