package ui

import (
	"assay/ui/desk"
	"assay/ui/kit"
	"runtime"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// window is the desk with its pages around it.
type window struct {
	*desk.Desk
	menu     *menu
	rail     *rail
	pages    []desk.Page
	views    []desk.View
	at       int       // the page in front
	drawn    time.Time // of the last tick that was drawn
	status   *statusBar
	front    *fyne.Container // holds every page: one that is hidden follows a change of the look too
	quitting bool
	closed   chan struct{} // once quitting has waited
	patience time.Duration // how long quitting waits for the session
}

// newWindow builds the window's content. It must be called on the UI goroutine.
func newWindow(a fyne.App, w fyne.Window, s desk.Session, do func(func())) *window {
	d := &window{Desk: desk.New(a, w, s, do), pages: pages(), patience: 10 * time.Second, closed: make(chan struct{})}
	d.Redraw, d.Show = d.update, d.showNamed
	d.menu = newMenu(d, runtime.GOOS == "darwin")
	d.rail = newRail(d.pages, d.showPage)
	d.status = newStatusBar()
	d.front = container.NewStack()
	for _, p := range d.pages {
		v := p.Build(d.Desk)
		v.Object.Hide()
		d.front.Add(v.Object)
		d.views = append(d.views, v)
	}
	body := kit.Edged(kit.Edged(d.front, kit.AtLeft, kit.Edged(d.rail.object, kit.AtRight, kit.NewLine())), kit.AtBottom, d.status.object)
	w.SetMainMenu(d.menu.main)
	w.SetPadded(false)
	w.SetContent(body)
	w.SetCloseIntercept(d.quit)
	d.showPage(0)
	d.update(desk.ChangedAll)
	return d
}

// listen starts to take updates from the session.
func (d *window) listen() {
	d.Listen()
	d.Background(func() func() {
		found := d.Session.Engines() // opens them, which may take a while
		return func() {
			d.Model.Engines = found
			d.update(desk.ChangedEngines)
		}
	})
}

// idleRedraw is the time between redraws for the monitor's ticks while no run goes on.
const idleRedraw = 2 * time.Second

// update redraws what changed on the page in front, the status bar and the badges.
func (d *window) update(c desk.Change) {
	if c == 0 || d.quitting || len(d.views) < len(d.pages) || c == desk.ChangedTick && !d.tickDue() {
		return
	}
	if c.Has(desk.ChangedRun | desk.ChangedProgress | desk.ChangedChoice | desk.ChangedDraft) {
		d.Model.Notice = "" // something else has been done since
	}
	d.views[d.at].Update(c)
	d.status.update(d.Model, c)
	d.updateMenu()
	for i, v := range d.views {
		if v.Badge != nil && d.rail.badges[i].Content != v.Badge() {
			d.rail.badges[i].Set(v.Badge())
			d.rail.object.Refresh()
		}
	}
}

// updateMenu enables what can be done now.
func (d *window) updateMenu() {
	busy := d.Model.Busy()
	d.menu.update(busy == nil && d.Model.Problem() == "", busy != nil && busy.Phase != desk.Stopping, d.Model.Outcome().Run != nil)
}

// tickDue reports whether the last tick is to be drawn now; what is not drawn is drawn with the next.
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
	d.at = i
	d.rail.Show(i)
	for k, v := range d.views {
		kit.Show(v.Object, k == i)
	}
	d.front.Refresh()
	d.views[i].Update(desk.ChangedAll)
}

// showNamed brings a page to the front by its name.
func (d *window) showNamed(name string) {
	for i, p := range d.pages {
		if p.Name == name {
			d.showPage(i)
		}
	}
}

// do has the pages carry out a command of the menu.
func (d *window) do(c desk.Command) {
	for _, v := range d.views {
		if v.Do != nil {
			v.Do(c)
		}
	}
}

func (d *window) setAppearance(a kit.Appearance) {
	d.Settings.SetAppearance(a)
	d.App.Settings().SetTheme(kit.NewLook(a))
	d.menu.mark(a)
}

// quit ends what may call the window, then the application.
func (d *window) quit() {
	if d.quitting {
		return
	}
	d.Settings.SetSize(d.Window.Canvas().Size())
	d.Say("Closing: a run that is going on is stopped, and what it measured is kept.")
	d.quitting = true
	d.Shut()
	go func() {
		d.closeSession()
		fyne.Do(d.App.Quit) // the last call to the UI goroutine
		close(d.closed)
	}()
}

// closeSession ends the run and the monitor, and gives up on them after a while.
func (d *window) closeSession() {
	done := make(chan struct{})
	go func() {
		_ = d.Session.Close() // its caller closes it again and sees the error
		d.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(d.patience):
	}
}
