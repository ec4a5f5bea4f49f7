// Package runpage is the page that does the job: choose a workload, set its parameters, run it, read what it found.
package runpage

import (
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// runPage is the page that does the job: workloads on the left, the chosen one in the middle, live charts on the right.
type runPage struct {
	desk     *desk.Desk
	list     *workloadList
	head     *runHead
	forms    map[string]*form
	holder   *fyne.Container // the chosen form
	segments *kit.Segments
	tools    *fyne.Container // segments and buttons
	results  *resultsView
	params   fyne.CanvasObject
	live     *view.LivePanel
	reset    *widget.Button
	export   *widget.Button
	showing  string        // name of the workload whose form is shown
	outcome  *desk.Outcome // that was last shown
	refused  string        // the last refusal that was shown
	object   fyne.CanvasObject
}

// New builds the page.
func New(d *desk.Desk) desk.View { return newRunPage(d).view() }

func (p *runPage) view() desk.View {
	return desk.View{Object: p.object, Update: p.update, Do: p.do}
}

func newRunPage(d *desk.Desk) *runPage {
	p := &runPage{desk: d, forms: map[string]*form{}}
	p.list = newWorkloadList(d.Model.Workloads, d.Choose)
	p.head = newRunHead(d)
	p.results = newResultsView(d)
	p.live = view.NewLivePanel(d.Model.Record)
	p.reset = widget.NewButton("Reset to defaults", p.resetForm)
	p.reset.Importance = widget.LowImportance
	p.export = widget.NewButton("Export CSV…", d.ExportCSV)
	p.segments = kit.NewSegments(p.showSegment, "Parameters", "Results")
	p.holder = container.NewStack()
	p.params = p.holder

	p.tools = container.NewBorder(nil, nil, p.segments.Object, container.NewStack(p.reset, p.export))
	top := kit.Column(12, p.head.object, p.tools)
	middle := container.New(kit.HeadedLayout{Gap: 12}, top, container.NewStack(p.params, p.results.object))
	p.head.resize = middle.Refresh
	p.object = container.New(columnsLayout{}, p.list.object, kit.Inset(middle, 18, 16), p.live.Object)
	p.chooseForm()
	p.showSegment(0)
	return p
}

// chooseForm shows the form of the chosen workload.
func (p *runPage) chooseForm() {
	w := p.desk.Model.Workload()
	if p.showing == w.Name {
		return
	}
	p.showing = w.Name
	f := p.forms[w.Name]
	if f == nil {
		f = newForm(w, p.desk.Files, p.formChanged)
		p.forms[w.Name] = f
		f.set(p.desk.Settings.Values(w), p.desk.Model.Quick)
	}
	p.holder.Objects = []fyne.CanvasObject{f.object}
	p.holder.Refresh()
}

// takeProposal takes over what another page, or a file that was opened, wants the form to hold.
func (p *runPage) takeProposal() {
	m := p.desk.Model
	if m.Proposed == nil || m.Proposed.Workload != p.showing {
		return
	}
	values := m.Proposed.Values
	m.Proposed = nil
	p.form().set(values, m.Quick)
	p.showSegment(0)
}

// followRun shows the results of a run that begins or was opened, and the form where there is none.
func (p *runPage) followRun() {
	m := p.desk.Model
	o, refused := m.Outcomes[p.showing], m.Refused[p.showing]
	switch {
	case o != p.outcome && o != nil && refused == "":
		p.showSegment(1)
	case o == nil, refused != "" && refused != p.refused:
		p.showSegment(0)
	}
	p.outcome, p.refused = o, refused
}

// form is the one on show.
func (p *runPage) form() *form { return p.forms[p.showing] }

// formChanged tells the desk what the form holds, or why that cannot be run.
func (p *runPage) formChanged() {
	if f := p.form(); f != nil {
		v, err := f.values()
		p.desk.SetDraft(f.workload, v, err)
	}
}

// do carries out a command of the menu.
func (p *runPage) do(c desk.Command) {
	if c == desk.ResetForm {
		p.resetForm()
	}
}

func (p *runPage) resetForm() {
	if p.desk.Model.Busy() == nil {
		p.form().set(nil, p.desk.Model.Quick)
	}
}

// showSegment shows the parameters (0) or the results (1).
func (p *runPage) showSegment(i int) {
	p.segments.Show(i)
	kit.Show(p.params, i == 0)
	kit.Show(p.reset, i == 0)
	kit.Show(p.results.object, i == 1)
	kit.Show(p.export, i == 1)
	p.tools.Refresh() // the buttons differ in width
	if i == 1 {
		p.results.update()
	}
}

// update redraws what changed.
func (p *runPage) update(c desk.Change) {
	m := p.desk.Model
	if c.Has(desk.ChangedTick) {
		p.live.Update()
	}
	if c.Has(desk.ChangedChoice) {
		p.list.Show(m.Chosen)
		p.chooseForm()
		p.form().setQuick(m.Quick)
		p.takeProposal()
	}
	if c.Has(desk.ChangedRun | desk.ChangedProgress | desk.ChangedChoice | desk.ChangedEngines | desk.ChangedDraft | desk.ChangedNotice) {
		p.head.update()
	}
	if c.Has(desk.ChangedRun | desk.ChangedChoice) {
		p.followRun()
		p.form().enable(m.Busy() == nil)
		kit.Able(p.reset, m.Busy() == nil)
		kit.Able(p.export, m.Outcome().Run != nil)
		p.list.mark(m)
	}
	if c.Has(desk.ChangedResults | desk.ChangedRun | desk.ChangedChoice) {
		if p.segments.Rename(1, resultsName(len(m.Outcome().Results))) {
			p.tools.Refresh()
		}
		if p.segments.At == 1 {
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
