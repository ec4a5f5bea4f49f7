// Package alertspage is the page of current and past alerts.
package alertspage

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// filter says which alerts are listed.
type filter int

// Filters, in the order of their segments.
const (
	all filter = iota
	active
	past
	rules // instead of alerts, the rules that raise them
)

// alertsPage lists current and past alerts.
type alertsPage struct {
	desk    *desk.Desk
	filters *kit.Segments
	status  *kit.Text
	list    *fyne.Container
	cards   []*alertCard
	tools   *fyne.Container
	head    *fyne.Container
	scroll  *container.Scroll
	rules   *rulesList
}

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := &alertsPage{desk: d, list: kit.Stack(8), status: kit.NewCaption("", 2)}
	p.filters = kit.NewSegments(p.choose, "All", "Active", "Past", "Rules")
	monitor := kit.NewButtonWithIcon("Monitor", kit.PulseIcon(), func() { d.Show(desk.PageMonitor) })
	p.tools = kit.Row(10, p.filters.Object, container.New(kit.ScaledWidth{Width: 112}, monitor))
	title := kit.NewFlow(2, kit.NewTitle("Alerts"), p.status)
	p.head = container.New(&kit.ToolsLayout{MinWidth: 240}, title, p.tools)
	p.scroll = container.NewVScroll(p.list)
	p.rules = newRulesList(d, p.scroll.Refresh)
	body := container.New(kit.HeadedLayout{Gap: 12}, p.head, p.scroll)
	p.fill()
	return desk.View{Object: kit.Inset(body, 18, 14), Update: p.update, Badge: p.badge}
}

func (p *alertsPage) badge() string {
	if n := len(p.desk.Model.Active); n > 0 {
		return fmt.Sprint(n)
	}
	return ""
}

func (p *alertsPage) update(c desk.Change) {
	switch {
	case c.Has(desk.ChangedAlerts):
		p.fill()
	case c.Has(desk.ChangedTick):
		for _, card := range p.cards {
			card.tellTime(p.desk.Model.Latest.Time)
		}
	}
}

// choose lists all alerts, the active ones, or the past ones.
func (p *alertsPage) choose(i int) {
	p.filters.Show(i)
	p.fill()
}

// fill rebuilds the list.
func (p *alertsPage) fill() {
	m := p.desk.Model
	p.tellCounts()
	p.list.Objects, p.cards = nil, nil
	if filter(p.filters.At) == rules {
		p.rules.fill()
		p.list.Add(p.rules.object)
		p.list.Refresh()
		p.scroll.Refresh()
		return
	}
	var list []monitor.Alert
	if f := filter(p.filters.At); f != past {
		list = append(list, m.Active...)
	}
	if f := filter(p.filters.At); f != active {
		list = append(list, m.Past...)
	}
	for _, a := range list {
		card := newAlertCard(a)
		card.tellTime(m.Latest.Time)
		p.cards = append(p.cards, card)
		p.list.Add(card.object)
	}
	if len(list) == 0 {
		p.list.Add(p.nothing())
	}
	p.list.Refresh()
}

// tellCounts shows the number of alerts, in the head and on the segments.
func (p *alertsPage) tellCounts() {
	m := p.desk.Model
	renamed := false
	for i, s := range []struct {
		name string
		n    int
	}{{"All", len(m.Active) + len(m.Past)}, {"Active", len(m.Active)}, {"Past", len(m.Past)}} {
		if s.n > 0 {
			s.name = fmt.Sprintf("%s (%d)", s.name, s.n)
		}
		renamed = p.filters.Rename(i, s.name) || renamed
	}
	if renamed {
		p.head.Refresh()
	}
	p.status.Set("What can skew a measurement: other programs, memory, heat, throttling, pool, leaks.")
}

// nothing is shown if the list is empty.
func (p *alertsPage) nothing() fyne.CanvasObject {
	words := "No alerts since Assay started."
	switch f := filter(p.filters.At); {
	case f == past:
		words = "No past alerts since Assay started."
	case len(p.desk.Model.Past) > 0:
		words = "No active alerts."
	}
	icon := shape(theme.NewSuccessThemedResource(theme.ConfirmIcon()))
	more := kit.NewCaption("Assay checks every reading, even when nothing runs. Alerts appear here, in the status bar and "+
		"on the charts.", 2)
	return kit.NewPanel(kit.Stack(6, kit.Row(8, icon, kit.NewHeading(words).Whole()), more), 14)
}

// severityShape is the icon of an alert: shape and color both show the severity.
func severityShape(a monitor.Alert) fyne.CanvasObject {
	return shape(view.SeverityIcon(a))
}

// shape is an icon, vertically centered in its line.
func shape(r fyne.Resource) fyne.CanvasObject {
	return container.NewCenter(container.NewGridWrap(fyne.NewSize(18, 18), widget.NewIcon(r)))
}
