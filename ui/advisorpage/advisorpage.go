// Package advisorpage is the page of advice: what could be improved in the run shown, checklists, and flows that look for a cause.
package advisorpage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/advice"
	"assay/ui/desk"
	"assay/ui/kit"
)

// part is one of the parts of the page: what it can measure, and what it shows.
type part struct {
	title string
	about string
	// name names what it measures; empty: each piece has its own button.
	name   string
	action string
	start  func()
	fill   func(*page, *part) []fyne.CanvasObject
}

// page shows one part at a time.
type page struct {
	desk  *desk.Desk
	parts []part
	at    int
	tabs  *kit.Segments
	about *kit.Text
	start *kit.Button
	stop  *kit.Button
	list  *fyne.Container
	view  *container.Scroll // of the list
	head  *fyne.Container
}

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := &page{desk: d, list: kit.Stack(8), about: kit.NewCaption("", 2)}
	p.parts = p.allParts()
	var names []string
	for _, part := range p.parts {
		names = append(names, part.title)
	}
	p.tabs = kit.NewSegments(p.choose, names...)
	p.tabs.Show(0)
	p.start = kit.NewButton("Measure", func() { p.part().start() })
	p.stop = kit.NewButton("Stop", d.StopAdvice)
	p.view = container.NewVScroll(p.list)
	title := kit.NewFlow(2, kit.NewTitle("Advisor"), p.about)
	p.head = container.New(&kit.ToolsLayout{MinWidth: 240}, title, kit.Row(8, p.start, p.stop))
	body := container.New(kit.HeadedLayout{Gap: 12}, kit.NewFlow(8, p.head, kit.Row(0, p.tabs.Object)), p.view)
	p.fill()
	return desk.View{Object: kit.Inset(body, 18, 14), Update: p.update}
}

// allParts are the advice about the run shown, the checklists and the flows.
func (p *page) allParts() []part {
	all := []part{{
		title: "Advice", about: "What could be better about the run shown on Results, the largest gain first. Rules without evidence are not shown.", fill: (*page).advice,
	}}
	lists, flows := advice.Checklists(), advice.Flows()
	for i := range lists {
		l := &lists[i]
		all = append(all, part{
			title: l.Title, about: l.About, name: l.Name, action: "Measure Now", start: func() { p.desk.Check(l) },
			fill: func(p *page, _ *part) []fyne.CanvasObject { return p.checklist(l) },
		})
	}
	for i := range flows {
		f := &flows[i]
		all = append(all, part{
			title: f.Title, about: f.Symptom + " Each step measures and shows what it saw, up to a verdict.", name: f.Name, action: "Find the Cause",
			start: func() { p.desk.Walk(f, false) },
			fill:  func(p *page, _ *part) []fyne.CanvasObject { return p.flow(f) },
		})
	}
	return all
}

func (p *page) part() *part { return &p.parts[p.at] }

func (p *page) update(c desk.Change) {
	if c.Has(desk.ChangedShown | desk.ChangedRun) {
		p.desk.Advise()
	}
	if c.Has(desk.ChangedAdvice | desk.ChangedShown | desk.ChangedRun | desk.ChangedLook) {
		p.fill()
	}
}

func (p *page) choose(i int) {
	p.at = i
	p.tabs.Show(i)
	p.fill()
	p.view.ScrollToTop()
}

// fill rebuilds the list.
func (p *page) fill() {
	part, a := p.part(), &p.desk.Model.Advising
	p.about.Set(part.about)
	kit.Show(p.start, part.start != nil && a.Doing != part.name)
	kit.Show(p.stop, a.Doing != "")
	why := p.desk.Model.CannotMeasureAdvice()
	kit.Able(p.start, why == "")
	if part.action != "" && p.start.Text != part.action {
		p.start.SetText(part.action)
	}
	p.head.Refresh()
	p.list.Objects = part.fill(p, part)
	if why != "" && part.start != nil && a.Doing != part.name {
		p.list.Objects = append([]fyne.CanvasObject{kit.NewCaption(why, 1)}, p.list.Objects...)
	}
	p.list.Refresh()
	p.view.Refresh() // the list has a different height
}

// panel is a card of lines.
func panel(lines ...fyne.CanvasObject) fyne.CanvasObject {
	return kit.NewPanel(kit.Stack(4, lines...), 12)
}

// say is a card with one sentence.
func say(text string) []fyne.CanvasObject { return []fyne.CanvasObject{panel(kit.NewBody(text, 3))} }

// figures are the figures of a card, each with its source.
func figures(list []advice.Figure) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	for _, f := range list {
		out = append(out, kit.NewCaption("• "+f.What+": "+f.Words()+"; "+f.Source, 3))
	}
	return out
}

// words is a line of running text.
func words(label, text string) fyne.CanvasObject {
	return kit.NewBody(strings.TrimSpace(label+" "+text), 6)
}
