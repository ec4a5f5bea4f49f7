// Package runpage is the main page: choose a workload, set its parameters, run it or tune it live, and see its results.
package runpage

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/ui/desk"
	"assay/ui/kit"
)

// runPage has the workloads on the left, the parameters of the chosen one in the middle, and its chart on the right, so
// that a parameter and its effect are visible together.
type runPage struct {
	desk     *desk.Desk
	list     *workloadList
	head     *runHead
	presets  *presets
	live     *liveSwitch
	forms    map[string]*form
	holder   *fyne.Container // the chosen form
	findings *findings
	chart    *chartCard
	tuning   *tuningLine
	strip    *strip
	right    *rightColumn
	showing  string // name of the workload whose form is shown
	drawn    drawn  // of live tuning
	forgot   int    // Model.Forgotten when the forms were made
	object   fyne.CanvasObject
}

// New builds the page.
func New(d *desk.Desk) desk.View { return newRunPage(d).view() }

func (p *runPage) view() desk.View {
	return desk.View{Object: p.object, Update: p.update, Left: p.desk.LeaveTuning, Do: p.do}
}

func newRunPage(d *desk.Desk) *runPage {
	p := &runPage{desk: d, forms: map[string]*form{}, holder: container.NewStack()}
	p.list = newWorkloadList(d)
	p.head = newRunHead(d)
	p.presets = newPresets(p.form, d.Offer)
	p.live = newLiveSwitch(d)
	p.findings, p.chart, p.tuning, p.strip = newFindings(d), newChartCard(d), newTuningLine(d), newStrip()

	top := kit.NewPanel(kit.Stack(8, p.presets.object, p.live.object), 13)
	middle := container.New(kit.HeadedLayout{Gap: 10}, top, p.holder)
	p.right = newRightColumn(p.findings, p.chart, p.tuning, p.strip)
	work := container.New(kit.HeadedLayout{Gap: 12}, p.head.object, container.New(&workLayout{right: p.right}, middle, p.right.scroll))
	p.head.resize = work.Refresh
	columns := container.New(&columnsLayout{p.list}, p.list.object, kit.Inset(work, 16, 14))
	p.list.relay = columns.Refresh
	p.object = columns
	p.chooseForm()
	p.redrawResults()
	return p
}

// chooseForm shows the form of the chosen workload.
func (p *runPage) chooseForm() {
	w := p.desk.Model.Workload()
	if p.forgot != p.desk.Model.Forgotten {
		p.forgot, p.showing, p.forms = p.desk.Model.Forgotten, "", map[string]*form{}
		p.presets.last = map[string]int{}
		p.list.recall()
		defer p.list.relay()
	}
	if p.showing == w.Name {
		return
	}
	p.showing, p.drawn = w.Name, drawnOf(p.desk.Model.Tuning())
	f := p.forms[w.Name]
	if f == nil {
		f = newForm(w, p.desk.Files, p.formChanged)
		p.forms[w.Name] = f
		f.set(p.desk.Model.Drafts[w.Name].Values, p.desk.Model.Quick)
	}
	p.holder.Objects = []fyne.CanvasObject{f.Object}
	p.holder.Refresh()
	p.presets.update(p.desk.Model.Busy() == nil)
}

// takeProposal applies values proposed by another page or by an opened file.
func (p *runPage) takeProposal() {
	m := p.desk.Model
	if m.Proposed == nil || m.Proposed.Workload != p.showing {
		return
	}
	values := m.Proposed.Values
	m.Proposed = nil
	p.form().set(values, m.Quick)
}

// form returns the visible one.
func (p *runPage) form() *form { return p.forms[p.showing] }

// formChanged passes the form's values to the desk, or why they cannot be run, and what the user has moved.
func (p *runPage) formChanged(moved string, typed bool) {
	f := p.form()
	if f == nil {
		return
	}
	f.followFile(moved)
	p.offerTensors(f)
	v, err := f.values()
	f.tellOdds(err)
	f.tellLacks(p.desk.Model)
	f.tellUnused()
	p.desk.SetDraft(f.workload, v, err)
	p.presets.update(p.desk.Model.Busy() == nil)
	if moved != "" {
		p.desk.Moved(moved, typed)
		if p.tuning.update() {
			p.right.resize()
		}
	}
}

// do runs a menu command.
func (p *runPage) do(c desk.Command) {
	switch {
	case c == desk.FindWorkload:
		p.list.find()
	case c == desk.ResetForm && p.desk.Model.Busy() == nil:
		p.presets.toDefaults()
	}
}

// update redraws what changed.
func (p *runPage) update(c desk.Change) {
	m := p.desk.Model
	if c.Has(desk.ChangedTick | desk.ChangedRun | desk.ChangedTuning) {
		p.updateStrip()
	}
	if c.Has(desk.ChangedChoice) {
		p.list.Show(m.Chosen)
		p.chooseForm()
		p.form().setQuick(m.Quick)
		p.takeProposal()
	}
	const ofHead = desk.ChangedRun | desk.ChangedProgress | desk.ChangedEngines | desk.ChangedDraft | desk.ChangedNotice |
		desk.ChangedAlerts | desk.ChangedChoice
	if c.Has(ofHead) || c.Has(desk.ChangedTick) && m.Outcome().Phase == desk.Idle { // it shows whether the machine is quiet
		p.head.update()
	}
	if c.Has(desk.ChangedRun | desk.ChangedChoice) {
		p.form().Able(m.Busy() == nil)
		p.presets.update(m.Busy() == nil)
	}
	if c.Has(desk.ChangedEngines | desk.ChangedChoice) {
		p.form().tellLacks(m)
	}
	if c.Has(desk.ChangedRun | desk.ChangedChoice | desk.ChangedEngines) {
		p.list.mark(m)
	}
	if c.Has(desk.ChangedRun | desk.ChangedChoice | desk.ChangedTuning) {
		p.updateTuning()
	}
	switch {
	case c.Has(desk.ChangedResults | desk.ChangedRun | desk.ChangedChoice):
		p.redrawResults()
	case c.Has(desk.ChangedEngines | desk.ChangedDraft):
		p.chart.explain()
	}
}

// updateTuning redraws what live tuning does and found.
func (p *runPage) updateTuning() {
	t := p.desk.Model.Tuning()
	p.live.update()
	p.form().blame(t.Moved, t.Failure)
	if p.tuning.update() {
		p.right.resize()
	}
	now := drawnOf(t)
	if t.Asked == nil || now != p.drawn {
		p.redrawResults()
	}
	if now != p.drawn { // otherwise keep a chart chosen since
		p.chart.followNewest()
	}
	p.drawn = now
}

// drawn identifies the points of live tuning on the chart: their number, and the time of the newest.
type drawn struct {
	points int
	newest time.Time
}

func drawnOf(t *desk.Tuning) drawn {
	if t.Newest == nil {
		return drawn{points: len(t.Points)}
	}
	return drawn{len(t.Points), t.Newest.At}
}

// redrawResults redraws the results of the run.
func (p *runPage) redrawResults() {
	changed := p.findings.update()
	if p.chart.update() || changed {
		p.right.resize()
	}
}

// updateStrip redraws the live values.
func (p *runPage) updateStrip() {
	m := p.desk.Model
	busy := m.Busy() != nil || m.Tuning().Asked != nil
	if p.strip.update(&m.Latest, busy) {
		p.right.resize()
	}
	if busy && m.Workload().Views == nil {
		p.chart.update() // it grows with time
	}
}

// columnsLayout is the list and the work side by side.
type columnsLayout struct{ list *workloadList }

func (*columnsLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(kit.Scaled(namesWidth)+o[1].MinSize().Width, max(o[0].MinSize().Height, o[1].MinSize().Height))
}

func (l *columnsLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	list := l.list.width(size.Width)
	o[0].Resize(fyne.NewSize(list, size.Height))
	l.list.keep()
	o[1].Move(fyne.NewPos(list, 0))
	o[1].Resize(fyne.NewSize(size.Width-list, size.Height))
}

const workGap = 14

// formWidth returns the width of the parameters.
func formWidth(total float32) float32 {
	return min(kit.Scaled(400), max(kit.Scaled(minForm), total*0.36))
}

const minForm = 326
