// Package alertspage is the page of what is wrong now, and what was.
package alertspage

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// alertsPage lists what is wrong now and what was.
type alertsPage struct {
	desk *desk.Desk
	list *fyne.Container
}

func New(d *desk.Desk) desk.View {
	p := &alertsPage{desk: d, list: kit.Column(8)}
	body := kit.Inset(p.list, 20, 0)
	head := kit.Inset(kit.Column(4, kit.NewTitle("Alerts"), kit.NewCaption(
		"What may spoil a measurement or the machine: memory, swap, heat, throttling, the pool, leaks.", 2)), 20, 16)
	p.fill()
	return desk.View{Object: container.NewBorder(head, nil, nil, nil, container.NewVScroll(body)), Update: p.update, Badge: p.badge}
}

func (p *alertsPage) badge() string {
	if n := len(p.desk.Model.Active); n > 0 {
		return fmt.Sprint(n)
	}
	return ""
}

func (p *alertsPage) update(c desk.Change) {
	if c.Has(desk.ChangedAlerts) {
		p.fill()
	}
}

// fill makes the list anew.
func (p *alertsPage) fill() {
	m := p.desk.Model
	p.list.Objects = []fyne.CanvasObject{kit.NewHeading("Now")}
	if len(m.Active) == 0 {
		p.list.Add(kit.NewPanel(kit.NewCaption("Nothing is wrong. An alert shows here as soon as it is raised.", 2), 12))
	}
	for _, a := range m.Active {
		p.list.Add(alertCard(a))
	}
	if len(m.Past) > 0 {
		p.list.Add(kit.Inset(kit.NewHeading("Before"), 0, 6))
	}
	for _, a := range m.Past {
		p.list.Add(alertCard(a))
	}
	p.list.Refresh()
}

// alertCard shows one alert: how severe in words and colour, what, why, and when.
func alertCard(a monitor.Alert) fyne.CanvasObject {
	color := kit.ColorSecondary
	if a.Active() {
		color = view.SeverityColor(a.Severity)
	}
	severity := kit.NewCaption(view.SeverityWord(a.Severity), 1).Whole()
	severity.Color, severity.Style.Bold = color, true
	icon := widget.NewIcon(view.SeverityIcon(a))
	left := kit.Row(6, container.NewGridWrap(fyne.NewSize(16, 16), icon), severity, kit.NewHeading(a.Title).Whole())
	head := container.NewBorder(nil, nil, left, kit.NewCaption(alertTime(a), 1).Whole())
	return kit.NewPanel(kit.Column(4, head, kit.NewBody(a.Cause, 4)), 12)
}

func alertTime(a monitor.Alert) string {
	if a.Active() {
		return "since " + view.Clock(a.Raised)
	}
	lasted := a.Cleared.Sub(a.Raised).Round(time.Second).Seconds()
	return fmt.Sprintf("%s – %s, %s", view.Clock(a.Raised), view.Clock(a.Cleared), view.Duration(lasted))
}
