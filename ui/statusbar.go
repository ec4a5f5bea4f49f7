package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// statusBar is the line at the bottom: engine, heat, pressure, alerts, and what Assay itself costs.
type statusBar struct {
	engine, heat, pressure, alerts, cost *kit.Text
	object                               fyne.CanvasObject
}

func newStatusBar() *statusBar {
	b := &statusBar{
		engine: kit.NewCaption("Looking for engines…", 1), heat: kit.NewCaption("", 1).Whole(), pressure: kit.NewCaption("", 1).Whole(),
		alerts: kit.NewCaption("", 1).Whole(), cost: kit.NewCaption("", 1).Whole(),
	}
	right := kit.Row(18, b.heat, b.pressure, b.alerts, b.cost)
	line := container.NewBorder(nil, nil, nil, right, b.engine)
	body := kit.Edged(kit.Inset(line, 14, 5), kit.AtTop, kit.NewLine())
	b.object = kit.StackOf(kit.NewFill(kit.ColorSidebar, 0), body)
	return b
}

// update redraws what changed.
func (b *statusBar) update(m *desk.Model, c desk.Change) {
	if c.Has(desk.ChangedEngines | desk.ChangedRun) {
		b.engine.Set(engineText(m))
	}
	if c.Has(desk.ChangedTick) && !m.Latest.Time.IsZero() {
		s := &m.Latest
		b.heat.Set("Thermal: " + short(s, monitor.ThermalState))
		b.pressure.Set("Memory pressure: " + pressure(s))
		b.cost.Set("Assay: " + short(s, monitor.ProcessCPU) + " CPU, " + short(s, monitor.ProcessRSS))
	}
	if c.Has(desk.ChangedAlerts) {
		b.tellAlerts(m.Active)
	}
	b.object.Refresh()
}

func (b *statusBar) tellAlerts(active []monitor.Alert) {
	if len(active) == 0 {
		b.alerts.SetColored("No alerts", kit.ColorSecondary)
		return
	}
	b.alerts.SetColored(view.Counted(len(active), "alert"), view.SeverityColor(view.Worst(active)))
}

// pressure is the level that macOS states, or the part of the time that Linux stalls for memory.
func pressure(s *monitor.Snapshot) string {
	if text, ok := view.Known(s, monitor.MemoryPressureLevel); ok {
		return text
	}
	return short(s, monitor.MemoryPressure)
}

// short is a reading for the bar, without the reason where there is none.
func short(s *monitor.Snapshot, metric string) string {
	if text, ok := view.Known(s, metric); ok {
		return text
	}
	return "not available"
}

// engineText names the engine that ran last, or else the one that would run.
func engineText(m *desk.Model) string {
	if o := m.Outcomes[m.Current]; o != nil && o.Meta.Engine.Engine != "" {
		return deviceText(engineTitle(m, o.Meta.Engine.Engine), o.Meta.Engine.Device, o.Meta.Engine.Simulated)
	}
	if e := app.Automatic(m.Engines); e != nil {
		return deviceText(e.Title, e.Info.Device, e.Info.Simulated)
	}
	var missing []string
	for _, e := range m.Engines {
		missing = append(missing, e.Title+" not available: "+e.Reason)
	}
	if len(m.Engines) == 0 {
		return "Looking for engines…"
	}
	return strings.Join(missing, "; ")
}

// engineTitle is an engine's title, or its name if no engine of that name was listed.
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
		parts = append(parts, "simulated: its times are not a device's")
	}
	return strings.Join(parts, " · ")
}
