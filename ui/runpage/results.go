package runpage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// resultsView shows a run's findings, its chart and its table.
type resultsView struct {
	desk   *desk.Desk
	told   *fyne.Container // sentences: leaks and findings
	lines  []string        // what they say
	tabs   *kit.Segments
	names  []string // of the charts
	plots  []view.Plot
	at     int // the chart on show
	holder *fyne.Container
	plot   *chart.Plot
	table  *resultsTable
	detail *kit.Text
	halves *fyne.Container // chart and table
	body   *fyne.Container
	full   *fyne.Container
	empty  *kit.Text
	object fyne.CanvasObject
	shown  *desk.Outcome
}

func newResultsView(d *desk.Desk) *resultsView {
	v := &resultsView{desk: d, told: kit.Column(toldGap), holder: container.NewStack(), plot: chart.NewPlot(nil)}
	v.plot.SetMinSize(fyne.NewSize(200, 130))
	v.detail = kit.NewCaption("", 2)
	v.table = newResultsTable(v.explain)
	upper := kit.NewPanel(container.NewBorder(v.holder, nil, nil, nil, kit.OnPanel(v.plot)), 10)
	lower := container.NewBorder(nil, kit.Inset(container.New(kit.LinesLayout{Lines: 2}, v.detail), 0, 2), nil, nil, newTableCard(v.table))
	v.halves = container.New(&kit.WeightedLayout{Weights: []float32{1, 1.2}, Gap: 10}, upper, lower)
	v.empty = kit.NewBody("", 3)
	v.empty.Color, v.empty.Align = kit.ColorSecondary, fyne.TextAlignCenter
	v.body = container.NewStack(v.halves, kit.Inset(v.empty, 40, 40))
	v.full = container.New(toldLayout{v.told}, container.NewVScroll(v.told), v.body)
	v.object = v.full
	return v
}

const rowHint = "Choose a row to see why its measurement stopped, its samples, outliers and warnings."

// update redraws the results of the chosen workload.
func (v *resultsView) update() {
	o := v.desk.Model.Outcome()
	kit.Show(v.empty, len(o.Results) == 0)
	kit.Show(v.halves, len(o.Results) > 0)
	v.empty.Set(emptyText(o))
	if o != v.shown {
		v.shown, v.at = o, 0
		v.detail.SetColored(rowHint, kit.ColorSecondary)
		v.table.forget()
	}
	v.tell(o)
	v.table.show(o.Results)
	v.draw(o)
}

// emptyText stands where there are no results.
func emptyText(o *desk.Outcome) string {
	switch {
	case o.Phase.Busy():
		return "Measuring. The first result shows here as soon as it is verified."
	case o.Phase == desk.Idle:
		return "No results yet. Press Run to measure; each result shows here as soon as it is verified."
	case len(o.Leaks()) > 0:
		return "This run measured nothing else."
	}
	return "The run ended without a result."
}

// tell writes the leaks and the findings above the chart.
func (v *resultsView) tell(o *desk.Outcome) {
	var lines []string
	for _, e := range o.Leaks() {
		lines = append(lines, "Leak: "+e.Title+": "+e.Text)
	}
	leaks := len(lines)
	for _, f := range o.Findings {
		lines = append(lines, sentence(f))
	}
	if slices.Equal(lines, v.lines) {
		return
	}
	v.lines = lines
	v.told.Objects = nil
	for i, line := range lines {
		words := kit.NewBody(line, 3)
		if i < leaks {
			words.Color = theme.ColorNameError
		}
		v.told.Add(words)
	}
	v.full.Refresh()
}

// toldLayout puts a scroll of sentences above the rest, as tall as they need at its width, up to a limit.
type toldLayout struct{ told *fyne.Container }

const (
	mostTold = 92
	toldGap  = 4
)

func (l toldLayout) height(width float32) float32 {
	height := float32(0)
	for _, o := range l.told.Objects {
		height += o.(*kit.Text).HeightFor(width) + toldGap
	}
	return min(mostTold, height)
}

func (l toldLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	least := o[1].MinSize()
	if len(l.told.Objects) > 0 {
		least.Height += 2*toldGap + mostTold
	}
	return least
}

func (l toldLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	height := l.height(size.Width)
	o[0].Resize(fyne.NewSize(size.Width, height))
	if height > 0 {
		height += toldGap
	}
	o[1].Move(fyne.NewPos(0, height))
	o[1].Resize(fyne.NewSize(size.Width, size.Height-height))
}

// sentence is a finding with its kind before it.
func sentence(f workloads.Finding) string {
	return strings.ToUpper(f.Kind[:min(1, len(f.Kind))]) + f.Kind[min(1, len(f.Kind)):] + ": " + f.Text
}

// draw draws the chart.
func (v *resultsView) draw(o *desk.Outcome) {
	v.plots = view.Plots(v.desk.Model.Workload(), o.Results)
	var names []string
	for _, p := range v.plots {
		names = append(names, p.Title)
	}
	if !slices.Equal(names, v.names) {
		v.names = names
		v.holder.Objects = nil
		if len(names) > 1 {
			v.tabs = kit.NewSegments(v.choosePlot, names...)
			v.holder.Objects = []fyne.CanvasObject{container.NewHBox(v.tabs.Object)}
		}
		v.at = min(v.at, max(0, len(names)-1))
		v.holder.Refresh()
		v.full.Refresh()
	}
	v.choosePlot(v.at)
}

// choosePlot shows chart i.
func (v *resultsView) choosePlot(i int) {
	v.at = i
	if len(v.names) > 1 {
		v.tabs.Show(i)
	}
	if i >= len(v.plots) {
		v.plot.SetModel(&chart.Model{Unavailable: v.noChart()})
		return
	}
	v.plot.SetModel(v.plots[i].Model)
}

// noChart is why there is nothing to draw.
func (v *resultsView) noChart() string {
	if v.desk.Model.Workload().View.Kind == "" {
		return "This workload has no chart: see the table"
	}
	return "No verified result to draw yet"
}

// explain tells all of one row below the table.
func (v *resultsView) explain(r *workloads.Result) {
	parts := []string{r.Case + ", " + r.Variant}
	if r.Stop != "" {
		parts = append(parts, string(r.Stop))
	}
	if len(r.Samples) > 0 {
		samples := view.Counted(len(r.Samples), "sample") + " of " + view.Counted(r.Reps, "repetition")
		parts = append(parts, samples, view.Counted(r.Outliers, "outlier"))
	}
	if note := noteText(r); note != "" {
		parts = append(parts, note)
	}
	v.detail.SetColored(strings.Join(parts, " · "), themeOf(r))
}

func themeOf(r *workloads.Result) fyne.ThemeColorName {
	if r.Status == workloads.Failed || r.Status == workloads.Errored {
		return theme.ColorNameError
	}
	return kit.ColorSecondary
}
