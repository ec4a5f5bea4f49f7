package ui

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// runPage is the page that does the job: workloads on the left, the chosen one in the middle, live charts on the right.
type runPage struct {
	desk     *desk
	list     *workloadList
	head     *runHead
	forms    map[string]*form
	holder   *fyne.Container // the chosen form
	segments *segments
	tools    *fyne.Container // segments and buttons
	results  *resultsView
	params   fyne.CanvasObject
	live     *livePanel
	reset    *widget.Button
	export   *widget.Button
	showing  string // name of the workload whose form is shown
}

func newRunPage(d *desk) view {
	p := &runPage{desk: d, forms: map[string]*form{}}
	p.list = newWorkloadList(d.model.workloads, d.choose)
	p.head = newRunHead(d)
	p.results = newResultsView(d)
	p.live = newLivePanel(d.session.History())
	p.reset = widget.NewButton("Reset to defaults", d.resetForm)
	p.reset.Importance = widget.LowImportance
	p.export = widget.NewButton("Export CSV…", d.exportCSV)
	p.segments = newSegments(p.showSegment, "Parameters", "Results")
	p.holder = container.NewStack()
	p.params = p.holder
	d.run = p

	p.tools = container.NewBorder(nil, nil, p.segments.object, container.NewStack(p.reset, p.export))
	top := column(12, p.head.object, p.tools)
	middle := container.New(headedLayout{12}, top, container.NewStack(p.params, p.results.object))
	p.head.resize = middle.Refresh
	object := container.New(columnsLayout{}, p.list.object, inset(middle, 18, 16), p.live.object)
	p.chooseForm()
	p.showSegment(0)
	return view{object: object, update: p.update}
}

// chooseForm shows the form of the chosen workload.
func (p *runPage) chooseForm() {
	w := p.desk.model.workload()
	if p.showing == w.Name {
		return
	}
	p.showing = w.Name
	f := p.forms[w.Name]
	if f == nil {
		f = newForm(w, p.desk.files, p.formChanged)
		p.forms[w.Name] = f
		f.set(p.desk.settings.values(w), p.desk.settings.quick())
	}
	p.holder.Objects = []fyne.CanvasObject{f.object}
	p.holder.Refresh()
	if len(p.desk.model.outcome().results) == 0 && p.desk.model.outcome().phase == idle {
		p.segments.show(0)
		p.showSegment(0)
	}
}

// form is the one on show.
func (p *runPage) form() *form { return p.forms[p.showing] }

// formChanged keeps good values for the next start and says what is wrong with others.
func (p *runPage) formChanged() {
	if p.form() == nil {
		return
	}
	if v, err := p.form().values(); err == nil {
		p.desk.settings.setValues(p.form().workload, v)
	}
	p.head.update()
}

// showSegment shows the parameters (0) or the results (1).
func (p *runPage) showSegment(i int) {
	p.segments.show(i)
	show(p.params, i == 0)
	show(p.reset, i == 0)
	show(p.results.object, i == 1)
	show(p.export, i == 1)
	p.tools.Refresh() // the buttons differ in width
	if i == 1 {
		p.results.update()
	}
}

func show(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// update redraws what changed.
func (p *runPage) update(c change) {
	m := p.desk.model
	if c.has(changedTick) {
		p.live.add(m.takeSnapshots())
	}
	if c.has(changedChoice) {
		p.list.show(m.chosen)
		p.chooseForm()
	}
	if c.has(changedRun | changedProgress | changedChoice | changedEngines) {
		p.head.update()
	}
	if c.has(changedRun | changedChoice) {
		p.form().enable(m.busy() == nil)
		able(p.reset, m.busy() == nil)
		able(p.export, m.outcome().run != nil)
		p.list.mark(m)
	}
	if c.has(changedResults | changedRun | changedChoice) {
		if p.segments.rename(1, resultsName(len(m.outcome().results))) {
			p.tools.Refresh()
		}
		if p.segments.at == 1 {
			p.results.update()
		}
	}
}

func resultsName(n int) string {
	if n == 0 {
		return "Results"
	}
	return fmt.Sprintf("Results (%d)", n)
}

// able enables or disables a widget, and redraws only if that is new.
func able(d fyne.Disableable, on bool) {
	switch {
	case on && d.Disabled():
		d.Enable()
	case !on && !d.Disabled():
		d.Disable()
	}
}

// columnsLayout is the list, the middle and the live charts side by side.
type columnsLayout struct{}

const listWidth = 214

const leastLive = 312

func liveWidth(total float32) float32 { return min(460, max(leastLive, total*0.27)) }

func (columnsLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	height := max(o[0].MinSize().Height, o[1].MinSize().Height, o[2].MinSize().Height)
	return fyne.NewSize(listWidth+o[1].MinSize().Width+leastLive, height)
}

func (columnsLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	live := liveWidth(size.Width)
	x := float32(0)
	for i, width := range []float32{listWidth, size.Width - listWidth - live, live} {
		o[i].Move(fyne.NewPos(x, 0))
		o[i].Resize(fyne.NewSize(width, size.Height))
		x += width
	}
}
