// Package monitorpage is the page of live charts of the engine and the machine, now and since the run began.
package monitorpage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// monitorPage is a head that chooses what is shown, and the grid of charts.
type monitorPage struct {
	desk    *desk.Desk
	windows *kit.Segments
	pause   *kit.Button
	status  *kit.Text
	grid    *view.LiveGrid
	waiting *kit.Text // while there is nothing to draw yet
}

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := &monitorPage{desk: d, grid: view.NewLiveGrid(d.Model.Record), status: kit.NewCaption("", 2)}
	d.Pace(p.grid)
	p.windows = kit.NewSegments(p.choose, windows()...)
	p.pause = kit.NewButtonWithIcon("Pause", theme.MediaPauseIcon(), p.toggle)
	tools := kit.Row(10, p.windows.Object, container.New(kit.ScaledWidth{Width: 112}, p.pause))
	title := kit.NewFlow(2, kit.NewTitle("Monitor"), p.status)
	head := container.New(&kit.ToolsLayout{MinWidth: 240}, title, tools)
	p.waiting = kit.NewBody("Waiting for the first reading.", 1)
	p.waiting.Color, p.waiting.Align = kit.ColorSecondary, fyne.TextAlignCenter
	object := kit.Inset(container.New(kit.HeadedLayout{Gap: 12}, head, kit.StackOf(p.grid.Object, p.waiting)), 18, 14)
	p.recall()
	p.grid.SetBands(monitor.PoolReuse, d.Settings.ReuseBands())
	p.tell()
	return desk.View{Object: object, Update: p.update, Live: true, Key: p.key}
}

// windows are the time spans of the charts, in the order of view.Window.
func windows() []string { return []string{"1 min", "10 min", "Whole Run"} }

// choose chooses how far back the charts reach.
func (p *monitorPage) choose(i int) {
	p.desk.Settings.SetChoice(windowChoice, windows()[i])
	p.show(i)
}

// windowChoice is the name of that choice in the settings.
const windowChoice = "monitor.window"

// recall restores the last choice, at first or after the settings were cleared.
func (p *monitorPage) recall() {
	if i := p.desk.Settings.Choice(windowChoice, windows()...); i != int(p.grid.Window()) || i != p.windows.At {
		p.show(i)
	}
}

func (p *monitorPage) show(i int) {
	p.windows.Show(i)
	p.grid.Show(view.Window(i))
}

// toggle pauses or resumes the charts.
func (p *monitorPage) toggle() {
	p.grid.Pause(!p.grid.Paused())
	p.tell()
}

// key pauses with Space.
func (p *monitorPage) key(e *fyne.KeyEvent) bool {
	if e.Name == fyne.KeySpace {
		p.toggle()
	}
	return e.Name == fyne.KeySpace
}

// update redraws what changed.
func (p *monitorPage) update(c desk.Change) {
	if c.Has(desk.ChangedLook) {
		p.recall()
		p.grid.SetBands(monitor.PoolReuse, p.desk.Settings.ReuseBands())
	}
	if c.Has(desk.ChangedTick | desk.ChangedRun | desk.ChangedAlerts) {
		p.grid.Update()
	}
	if c.Has(desk.ChangedTick | desk.ChangedRun | desk.ChangedProgress) {
		p.tell()
	}
}

// tell shows what the charts show, and labels the button with its action.
func (p *monitorPage) tell() {
	name, icon := "Pause", theme.MediaPauseIcon()
	if p.grid.Paused() {
		name, icon = "Resume", theme.MediaPlayIcon()
	}
	if p.pause.Text != name {
		p.pause.SetIcon(icon)
		p.pause.SetText(name)
	}
	kit.Able(p.pause, !p.grid.Empty())
	kit.Show(p.waiting, p.desk.Model.Latest.Time.IsZero())
	p.status.Set(p.sentence())
}

// sentence says what is going on.
func (p *monitorPage) sentence() string {
	m := p.desk.Model
	if at, ok := p.grid.PausedAt(); ok {
		return "Paused at " + view.Clock(at) + ". Readings continue; Resume or Space shows them."
	}
	switch {
	case m.Latest.Time.IsZero():
		return "The engine and the machine, live."
	case p.grid.Empty():
		return "No readings on this system; the reasons are below."
	}
	o := m.Busy()
	if o == nil {
		return "No run. Hover over a chart for values and sources. Space pauses."
	}
	words := m.Title(m.Current) + " is running"
	if c := o.Progress.Case; c != "" {
		words += ": " + c + ", " + string(o.Progress.Measure.Phase)
	}
	return words + "."
}
