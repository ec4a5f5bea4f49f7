// Package resultspage is the page of a run's results: table, chart, and changes since a baseline.
package resultspage

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/bundle"
	"assay/app/report"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// resultsPage is a head, a filter, the table, and beside it the chart and the details of the chosen row.
type resultsPage struct {
	desk       *desk.Desk
	head       *head
	baseline   *baseline
	filter     *filterBar
	table      *table
	chart      *chartCard
	detail     *detail
	references *references
	hint       *kit.Text       // below the table
	side       *fyne.Container // the chart and the detail
	sides      *kit.WeightedLayout

	full    *fyne.Container // while there is a run
	empty   fyne.CanvasObject
	nothing *kit.Text // instead of rows
	shown   *bundle.Run
	taken   taken // of shown
}

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := newPage(d)
	return desk.View{Object: kit.StackOf(p.full, p.empty), Update: p.update, Subject: p.subject}
}

func newPage(d *desk.Desk) *resultsPage {
	p := &resultsPage{desk: d}
	p.head = newHead(p)
	p.baseline = newBaseline(p)
	p.filter = newFilterBar(p.refilter)
	p.table = newTable(p)
	p.chart = newChartCard(d)
	p.detail = newDetail()
	p.desk.Pace(p.detail.samples)
	p.hint = kit.NewCaption("", 1)
	p.nothing = kit.NewBody("", 3)
	p.nothing.Color, p.nothing.Align = kit.ColorSecondary, fyne.TextAlignCenter
	top := kit.NewFlow(8, p.head.object, p.baseline.object, p.filter.Object)
	card := kit.NewPanel(kit.StackOf(p.table.TableView, kit.Inset(p.nothing, 40, 60)), 1)
	p.references = newReferences(p.hint.Set)
	left := container.NewBorder(nil, kit.Inset(p.hint, 2, 2), nil, nil, container.New(belowLayout{}, card, p.references.object))
	p.sides = &kit.WeightedLayout{Gap: 10}
	p.side = container.New(sideLayout{p.sides}, p.chart.object, p.detail.object)
	p.share()
	p.full = kit.Inset(container.New(&pageLayout{}, top, container.New(&tableAndSideLayout{}, left, p.side)), 18, 14)
	p.empty = p.emptyState()
	p.tellColumn(-1)
	return p
}

// emptyState is shown if there is no run yet, and says how to get one.
func (p *resultsPage) emptyState() fyne.CanvasObject {
	body := view.NewNoRun("No results yet. Run a workload, or open a past run.",
		func() { p.desk.Show(desk.PageRun) }, func() { p.desk.Show(desk.PageHistory) })
	about := kit.NewCaption("All results of a run, and how they compare with another run’s.", 2)
	head := kit.Inset(kit.Stack(4, kit.NewTitle("Results"), about), 20, 16)
	return container.NewBorder(head, nil, nil, nil, container.NewCenter(body))
}

// update redraws what changed.
func (p *resultsPage) update(c desk.Change) {
	if c.Has(desk.ChangedLook) {
		p.table.measureAgain()
	}
	if c.Has(desk.ChangedShown | desk.ChangedRun | desk.ChangedLook | desk.ChangedLibrary) {
		p.show()
	}
}

// show applies the current run and its state.
func (p *resultsPage) show() {
	s := &p.desk.Model.Showing
	kit.Show(p.full, s.Run != nil)
	kit.Show(p.empty, s.Run == nil)
	if s.Run == nil {
		p.shown = nil
		return
	}
	p.head.update(s)
	p.baseline.update(s)
	if now := takenOf(s); p.shown != s.Run || p.taken != now {
		p.shown, p.taken = s.Run, now
		p.table.setRun(s.Run, s.Comparison)
		p.filter.offer(p.desk.Model, s.Run)
		p.detail.tell(s.Run.Findings)
		p.references.setRun(s.Run)
		p.refilter()
	}
	p.full.Refresh()
}

// taken is what the page last showed of a run.
type taken struct {
	results, findings int
	against           *report.Comparison
	growing           bool
	beside            string
}

func takenOf(s *desk.Showing) taken {
	return taken{len(s.Run.Results), len(s.Run.Findings), s.Comparison, s.Growing(), besideOf(s.Run)}
}

// refilter shows the rows that match the filter, in the table and in the chart.
func (p *resultsPage) refilter() {
	if p.shown == nil {
		return
	}
	p.table.pick(p.filter.filter, p.filter.words)
	rows, all := len(p.table.rows), len(p.shown.Results)
	p.filter.count(rows, all)
	p.nothing.Set(p.whyNothing(rows, all))
	p.chart.setRun(p.shown, p.table.rows)
	p.chose()
}

// whyNothing is the text shown if there is no row.
func (p *resultsPage) whyNothing(rows, all int) string {
	switch {
	case rows > 0:
		return ""
	case all > 0:
		return "No matching rows. Clear the filter to show all."
	case p.taken.growing:
		return "Measuring. Results appear as they are verified."
	}
	if detection, _ := view.DetectionOf(p.desk.Model.Workloads, p.shown); detection != view.NoControl {
		return "A control has no results; the Run page shows live bytes."
	}
	return "The run has no results."
}

// chose handles the choice of a row.
func (p *resultsPage) chose() {
	r := p.table.result()
	p.chart.point(r)
	p.detail.show(r, p.table.all, p.taken.against)
	p.share()
}

// share gives the chart most of the space while no row is chosen, and otherwise the row, which has its own chart.
func (p *resultsPage) share() {
	weights := []float32{1.3, 1}
	p.chart.setMinHeight(130)
	if p.table.result() != nil {
		weights = []float32{0.25, 1}
		p.chart.setMinHeight(90)
	}
	if !slices.Equal(weights, p.sides.Weights) {
		p.sides.Weights = weights
		p.side.Refresh()
	}
}

// subject returns the run to export: the current one, once it has ended.
func (p *resultsPage) subject() desk.Subject {
	if s := &p.desk.Model.Showing; s.Run != nil && !s.Growing() && s.Run.Dir != "" {
		return desk.Subject{Run: s.Run}
	}
	return desk.Subject{}
}

// tellColumn explains the column under the pointer or the keyboard focus.
func (p *resultsPage) tellColumn(i int) {
	if i >= 0 && i < len(p.table.shown) {
		c := p.table.shown[i]
		p.hint.Set(c.Title + ": " + c.About)
		return
	}
	p.hint.Set("Click a header to sort; hover for help. Arrow keys select, Space sorts, Ctrl or Cmd C copies the row.")
}
