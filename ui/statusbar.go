package ui

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/internal/si"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// statusBar is the line at the bottom: engine, heat, pressure, alerts, and Assay's own cost. Each has an explanation.
type statusBar struct {
	engine, heat, pressure, alerts, cost *kit.Text
	engineTerm, costTerm                 *kit.Term
	layout                               *barLayout
	object                               fyne.CanvasObject
}

func newStatusBar(hints *kit.Hints) *statusBar {
	b := &statusBar{
		engine: kit.NewCaption("Looking for engines…", 1).Whole(), heat: kit.NewCaption("", 1).Steady(), pressure: kit.NewCaption("", 1).Steady(),
		alerts: kit.NewCaption("", 1).Steady(), cost: kit.NewCaption("", 1).Steady(),
	}
	b.cost.Align = fyne.TextAlignTrailing
	b.layout = &barLayout{}
	term := func(t *kit.Text, about string) *kit.Term { return kit.NewTerm(t, about, hints) }
	b.costTerm, b.engineTerm = term(b.cost, costAbout), term(b.engine, engineAbout)
	line := container.New(b.layout,
		b.engineTerm,
		term(b.heat, "The system’s thermal state. From Serious on, macOS throttles the chip and times get longer."),
		term(b.pressure, "Memory pressure: macOS’s own level, or the share of time in which Linux "+
			"stalls a process for lack of memory."),
		term(b.alerts, "Active alerts. The Alerts page has details."),
		b.costTerm)
	body := kit.Edged(kit.Inset(line, barPad, 5), kit.AtTop, kit.NewLine())
	b.object = kit.StackOf(kit.NewFill(kit.ColorSidebar, 0), body)
	return b
}

// setWidth sets the bar's future width.
func (b *statusBar) setWidth(width float32) { b.layout.width = width - 2*barPad }

const (
	barPad = 14
	barGap = 18
)

// barLayout puts the first object at the left and the others at the right, or below it, in as many lines as needed, if
// they do not fit.
type barLayout struct{ width float32 }

// lines returns how many of the others are on each line below the first; empty if all fit on one line.
func (l *barLayout) lines(o []fyne.CanvasObject) (counts []int) {
	x := o[0].MinSize().Width
	for _, c := range o[1:] {
		x += barGap + c.MinSize().Width
	}
	if x <= l.width {
		return nil
	}
	x = l.width
	for _, c := range o[1:] {
		width := c.MinSize().Width
		if x += barGap + width; x > l.width {
			counts, x = append(counts, 0), width
		}
		counts[len(counts)-1]++
	}
	return counts
}

// MinSize is part of fyne.Layout.
func (l *barLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(minWidth/2, float32(1+len(l.lines(o)))*o[0].MinSize().Height)
}

// Layout is part of fyne.Layout.
func (l *barLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	high := o[0].MinSize().Height
	place := func(c fyne.CanvasObject, x, y float32) float32 {
		width := min(size.Width, c.MinSize().Width)
		c.Move(fyne.NewPos(x, y))
		c.Resize(fyne.NewSize(width, high))
		return width + barGap
	}
	place(o[0], 0, 0)
	counts, rest, y := l.lines(o), o[1:], high
	if counts == nil {
		counts, y = []int{len(rest)}, 0
	}
	for _, n := range counts {
		x := size.Width + barGap
		for _, c := range rest[:n] {
			x -= c.MinSize().Width + barGap
		}
		if y > 0 {
			x = 0
		}
		for _, c := range rest[:n] {
			x += place(c, max(0, x), y)
		}
		rest, y = rest[n:], y+high
	}
}

const engineAbout = "Engine of the current or next run. Choose it on the Run page or in Settings."

const costAbout = "Assay’s own cost: CPU time as a share of one core, and memory."

// update redraws what changed.
func (b *statusBar) update(d *desk.Desk, c desk.Change) {
	m := d.Model
	if c.Has(desk.ChangedEngines | desk.ChangedRun | desk.ChangedChoice) {
		b.engine.Set(engineText(m))
		b.engineTerm.Explain(engineReason(m))
	}
	if c.Has(desk.ChangedTick) && !m.Latest.Time.IsZero() {
		s := &m.Latest
		b.heat.Set("Heat: " + short(s, monitor.ThermalState))
		b.pressure.Set("Memory pressure: " + pressure(s))
		b.tellCost(d)
	}
	if c.Has(desk.ChangedAlerts) {
		b.tellAlerts(m.Active)
	}
	b.object.Refresh()
}

// tellCost shows the cost of the process, and the window's part of it.
func (b *statusBar) tellCost(d *desk.Desk) {
	s := &d.Model.Latest
	words := "Assay: " + short(s, monitor.ProcessCPU) + " CPU, " + short(s, monitor.ProcessRSS)
	about := costAbout
	if n, seconds, ok := d.Cost(); ok {
		words += ", " + view.Quantity(seconds, "s") + " an update"
		about += fmt.Sprintf(" Its window has handled %s so far, in %s each on average plus painting.",
			si.Counted(n, "update"), view.Quantity(seconds, "s"))
	}
	b.cost.Set(words)
	b.costTerm.Explain(about)
}

func (b *statusBar) tellAlerts(active []monitor.Alert) {
	if len(active) == 0 {
		b.alerts.SetColored("No alerts", kit.ColorSecondary)
		return
	}
	b.alerts.SetColored(si.Counted(len(active), "alert"), view.SeverityColor(view.Worst(active)))
}

// pressure returns the level reported by macOS, or the share of time that Linux stalls for memory.
func pressure(s *monitor.Snapshot) string {
	if text, ok := view.Known(s, monitor.MemoryPressureLevel); ok {
		return text
	}
	return short(s, monitor.MemoryPressure)
}

// short returns a reading for the bar, without the reason if it is not available.
func short(s *monitor.Snapshot, metric string) string {
	if text, ok := view.Known(s, metric); ok {
		return text
	}
	return "not available"
}

// engineText names the engine of the run in progress, else that of the next run, or if unknown of the last run.
func engineText(m *desk.Model) string {
	last := m.Outcomes[m.Current]
	if last != nil && last.Phase.Busy() && last.Meta.Engine.Engine != "" {
		return ranText(m, last)
	}
	if e := m.NextEngine(); e != nil && e.Available {
		text := deviceText(e.Title, e.Info.Device, e.Info.Simulated)
		if fallback(m, e) != "" {
			text += " · fallback"
		}
		return text
	}
	switch {
	case len(m.Engines) > 0:
		return missingText(m)
	case last != nil && last.Meta.Engine.Engine != "":
		return ranText(m, last)
	}
	return "Looking for engines…"
}

// fallback says why the next run is on a processor although the user has not chosen one; empty: it is not.
func fallback(m *desk.Model, e *app.EngineState) string {
	if e.Info.GPU || e.Name == m.Engine {
		return ""
	}
	return app.WhyAutomatic(m.Engines)
}

// engineReason says why the next run uses its engine.
func engineReason(m *desk.Model) string {
	e := m.NextEngine()
	switch {
	case e == nil || !e.Available:
		return engineAbout
	case e.Name == m.Engine:
		return engineAbout + " Chosen by you."
	}
	if why := app.WhyAutomatic(m.Engines); why != "" {
		return engineAbout + " Chosen automatically: " + why + "."
	}
	return engineAbout + " Chosen automatically: it is the first of the engines."
}

// ranText names the engine of a run.
func ranText(m *desk.Model, o *desk.Outcome) string {
	e := o.Meta.Engine
	text := deviceText(engineTitle(m, e.Engine), e.Device, e.Simulated)
	if o.Meta.Fallback() != "" {
		text += " · fallback"
	}
	return text
}

// missingText says why the chosen engine cannot run, or why none can.
func missingText(m *desk.Model) string {
	var missing []string
	for _, e := range m.Engines {
		if why := e.Title + " not available: " + e.Reason; e.Name == m.Engine {
			return "Engine: " + why
		} else if !e.Available {
			missing = append(missing, why)
		}
	}
	return strings.Join(missing, "; ")
}

// engineTitle returns an engine's title, or its name if no engine of that name was listed.
func engineTitle(m *desk.Model, name string) string {
	for _, e := range m.Engines {
		if e.Name == name {
			return e.Title
		}
	}
	return name
}

func deviceText(engine, device string, simulated bool) string {
	parts := []string{"Engine: " + engine, device}
	if simulated {
		parts = append(parts, "simulated: times are not from real hardware")
	}
	return strings.Join(parts, " · ")
}
