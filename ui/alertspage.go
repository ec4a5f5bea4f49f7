package ui

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/monitor"
)

// alertsPage lists what is wrong now and what was.
type alertsPage struct {
	desk *desk
	list *fyne.Container
}

func newAlertsPage(d *desk) view {
	p := &alertsPage{desk: d, list: column(8)}
	body := inset(p.list, 20, 0)
	head := inset(column(4, newTitle("Alerts"), newCaption(
		"What may spoil a measurement or the machine: memory, swap, heat, throttling, the pool, leaks.", 2)), 20, 16)
	p.fill()
	return view{object: container.NewBorder(head, nil, nil, nil, container.NewVScroll(body)), update: p.update, badge: p.badge}
}

func (p *alertsPage) badge() string {
	if n := len(p.desk.model.active); n > 0 {
		return fmt.Sprint(n)
	}
	return ""
}

func (p *alertsPage) update(c change) {
	if c.has(changedAlerts) {
		p.fill()
	}
}

// fill makes the list anew.
func (p *alertsPage) fill() {
	m := p.desk.model
	p.list.Objects = []fyne.CanvasObject{newHeading("Now")}
	if len(m.active) == 0 {
		p.list.Add(newPanel(newCaption("Nothing is wrong. An alert shows here as soon as it is raised.", 2), 12))
	}
	for _, a := range m.active {
		p.list.Add(alertCard(a))
	}
	if len(m.past) > 0 {
		p.list.Add(inset(newHeading("Before"), 0, 6))
	}
	for _, a := range m.past {
		p.list.Add(alertCard(a))
	}
	p.list.Refresh()
}

// alertCard shows one alert: how severe in words and colour, what, why, and when.
func alertCard(a monitor.Alert) fyne.CanvasObject {
	color := colorSecondary
	if a.Active() {
		color = severityColor(a.Severity)
	}
	severity := newCaption(severityWord(a.Severity), 1).whole()
	severity.color, severity.style.Bold = color, true
	icon := widget.NewIcon(severityIcon(a))
	left := row(6, container.NewGridWrap(fyne.NewSize(16, 16), icon), severity, newHeading(a.Title).whole())
	head := container.NewBorder(nil, nil, left, newCaption(alertTime(a), 1).whole())
	return newPanel(column(4, head, newBody(a.Cause, 4)), 12)
}

func alertTime(a monitor.Alert) string {
	if a.Active() {
		return "since " + clock(a.Raised)
	}
	lasted := a.Cleared.Sub(a.Raised).Round(time.Second).Seconds()
	return fmt.Sprintf("%s – %s, %s", clock(a.Raised), clock(a.Cleared), duration(lasted))
}

func severityWord(s monitor.Severity) string {
	switch s {
	case monitor.SeverityCritical:
		return "Critical"
	case monitor.SeverityWarning:
		return "Warning"
	}
	return "Note"
}

func severityColor(s monitor.Severity) fyne.ThemeColorName {
	switch s {
	case monitor.SeverityCritical:
		return theme.ColorNameError
	case monitor.SeverityWarning:
		return theme.ColorNameWarning
	}
	return theme.ColorNamePrimary
}

func severityIcon(a monitor.Alert) fyne.Resource {
	switch {
	case !a.Active():
		return theme.NewDisabledResource(theme.ConfirmIcon())
	case a.Severity == monitor.SeverityCritical:
		return theme.NewErrorThemedResource(theme.ErrorIcon())
	case a.Severity == monitor.SeverityWarning:
		return theme.NewWarningThemedResource(theme.WarningIcon())
	}
	return theme.NewPrimaryThemedResource(theme.InfoIcon())
}

// worst is the highest severity of a list.
func worst(list []monitor.Alert) monitor.Severity {
	severity := monitor.SeverityInfo
	for _, a := range list {
		switch {
		case a.Severity == monitor.SeverityCritical:
			return a.Severity
		case a.Severity == monitor.SeverityWarning:
			severity = a.Severity
		}
	}
	return severity
}
