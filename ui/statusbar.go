package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/monitor"
)

// statusBar is the line at the bottom: engine, heat, pressure, alerts, and what Assay itself costs.
type statusBar struct {
	engine, machine, alerts, cost *text
	object                        fyne.CanvasObject
}

func newStatusBar() *statusBar {
	b := &statusBar{
		engine: newCaption("Looking for engines…", 1), machine: newCaption("", 1).whole(),
		alerts: newCaption("", 1).whole(), cost: newCaption("", 1).whole(),
	}
	right := row(18, b.machine, b.alerts, b.cost)
	line := container.NewBorder(nil, nil, nil, right, b.engine)
	body := container.NewBorder(newFlatLine(), nil, nil, nil, inset(line, 14, 5))
	b.object = stackOf(newFill(colorSidebar, 0), body)
	return b
}

// newFlatLine is a thin horizontal line.
func newFlatLine() fyne.CanvasObject {
	return container.New(fixedHeight{1}, newFill(theme.ColorNameSeparator, 0))
}

// fixedHeight stacks objects in a row of one height.
type fixedHeight struct{ height float32 }

func (l fixedHeight) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(1, l.height) }

func (l fixedHeight) Layout(o []fyne.CanvasObject, size fyne.Size) {
	for _, c := range o {
		c.Move(fyne.Position{})
		c.Resize(size)
	}
}

// update redraws what changed.
func (b *statusBar) update(m *model, c change) {
	if c.has(changedEngines | changedRun) {
		b.engine.set(engineText(m))
	}
	if c.has(changedTick) && !m.latest.Time.IsZero() {
		b.machine.set("Thermal: " + short(&m.latest, monitor.ThermalState) + "   Memory pressure: " + short(&m.latest, monitor.MemoryPressure))
		b.cost.set("Assay: " + short(&m.latest, monitor.ProcessCPU) + " CPU, " + short(&m.latest, monitor.ProcessRSS))
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
		return deviceText(o.meta.Engine.Engine, o.meta.Engine.Device, o.meta.Engine.Simulated)
	}
	var missing []string
	for _, e := range m.engines {
		if e.Available {
			return deviceText(e.Title, e.Info.Device, e.Info.Simulated)
		}
		missing = append(missing, e.Title+" not available: "+e.Reason)
	}
	if len(m.engines) == 0 {
		return "Looking for engines…"
	}
	return strings.Join(missing, "; ")
}

func deviceText(engine, device string, simulated bool) string {
	parts := []string{"Engine: " + engine, device}
	if simulated {
		parts = append(parts, "simulated: its times are not a device's")
	}
	return strings.Join(parts, " · ")
}
