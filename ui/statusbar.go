package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/monitor"
)

// statusBar is the line at the bottom: engine, heat, pressure, alerts, and what Assay itself costs.
type statusBar struct {
	engine, heat, pressure, alerts, cost *text
	object                               fyne.CanvasObject
}

func newStatusBar() *statusBar {
	b := &statusBar{
		engine: newCaption("Looking for engines…", 1), heat: newCaption("", 1).whole(), pressure: newCaption("", 1).whole(),
		alerts: newCaption("", 1).whole(), cost: newCaption("", 1).whole(),
	}
	right := row(18, b.heat, b.pressure, b.alerts, b.cost)
	line := container.NewBorder(nil, nil, nil, right, b.engine)
	body := edged(inset(line, 14, 5), atTop, newLine())
	b.object = stackOf(newFill(colorSidebar, 0), body)
	return b
}

// update redraws what changed.
func (b *statusBar) update(m *model, c change) {
	if c.has(changedEngines | changedRun) {
		b.engine.set(engineText(m))
	}
	if c.has(changedTick) && !m.latest.Time.IsZero() {
		s := &m.latest
		b.heat.set("Thermal: " + short(s, monitor.ThermalState))
		b.pressure.set("Memory pressure: " + pressure(s))
		b.cost.set("Assay: " + short(s, monitor.ProcessCPU) + " CPU, " + short(s, monitor.ProcessRSS))
	}
	if c.has(changedAlerts) {
		b.tellAlerts(m.active)
	}
	b.object.Refresh()
}

func (b *statusBar) tellAlerts(active []monitor.Alert) {
	if len(active) == 0 {
		b.alerts.setColored("No alerts", colorSecondary)
		return
	}
	b.alerts.setColored(counted(len(active), "alert"), severityColor(worst(active)))
}

// pressure is the level that macOS states, or the part of the time that Linux stalls for memory.
func pressure(s *monitor.Snapshot) string {
	if text, ok := known(s, monitor.MemoryPressureLevel); ok {
		return text
	}
	return short(s, monitor.MemoryPressure)
}

// short is a reading for the bar, without the reason where there is none.
func short(s *monitor.Snapshot, metric string) string {
	if text, ok := known(s, metric); ok {
		return text
	}
	return "not available"
}

// engineText names the engine that ran last, or else the one that would run.
func engineText(m *model) string {
	if o := m.outcomes[m.current]; o != nil && o.meta.Engine.Engine != "" {
		return deviceText(engineTitle(m, o.meta.Engine.Engine), o.meta.Engine.Device, o.meta.Engine.Simulated)
	}
	if e := app.Automatic(m.engines); e != nil {
		return deviceText(e.Title, e.Info.Device, e.Info.Simulated)
	}
	var missing []string
	for _, e := range m.engines {
		missing = append(missing, e.Title+" not available: "+e.Reason)
	}
	if len(m.engines) == 0 {
		return "Looking for engines…"
	}
	return strings.Join(missing, "; ")
}

// engineTitle is an engine's title, or its name if no engine of that name was listed.
func engineTitle(m *model, name string) string {
	for _, e := range m.engines {
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
