package ui

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/chart"
	"assay/workloads"
)

// resultsView shows a run's findings, its chart and its table.
type resultsView struct {
	desk     *desk
	findings *fyne.Container
	told     int // findings on show
	tabs     *segments
	names    []string // of the charts
	plots    []plot
	at       int // the chart on show
	holder   *fyne.Container
	plot     *chart.Plot
	noPlot   *text
	table    *resultsTable
	detail   *text
	full     *fyne.Container
	empty    *text
	object   fyne.CanvasObject
	shown    *outcome
	count    int
}

func newResultsView(d *desk) *resultsView {
	v := &resultsView{desk: d, findings: column(4), holder: container.NewStack(), plot: chart.NewPlot(nil)}
	v.noPlot = newCaption("", 2)
	v.noPlot.align = fyne.TextAlignCenter
	v.plot.SetMinSize(fyne.NewSize(200, 130))
	v.detail = newCaption("", 2)
	v.table = newResultsTable(v.explain)
	upper := newPanel(container.NewBorder(v.holder, nil, nil, nil, onPanel(v.plot)), 10)
	lower := container.NewBorder(nil, inset(container.New(linesLayout{2}, v.detail), 0, 2), nil, nil, newTableCard(v.table))
	halves := container.New(&weightedLayout{[]float32{1, 1.2}, 10}, upper, lower)
	v.full = container.New(headedLayout{10}, v.findings, halves)
	v.empty = newBody("No results yet. Press Run to measure; each result shows here as soon as it is verified.", 3)
	v.empty.color, v.empty.align = colorSecondary, fyne.TextAlignCenter
	v.object = container.NewStack(inset(v.empty, 40, 60), v.full)
	return v
}

const rowHint = "Choose a row to see why its measurement stopped, its samples, outliers and warnings."

// update redraws the results of the chosen workload.
func (v *resultsView) update() {
	o := v.desk.model.outcome()
	show(v.empty, len(o.results) == 0)
	show(v.full, len(o.results) > 0)
	if o != v.shown {
		v.shown, v.count, v.told, v.at = o, -1, -1, 0
		v.detail.setColored(rowHint, colorSecondary)
		v.table.UnselectAll()
	}
	if len(o.findings) != v.told {
		v.tellFindings(o)
	}
	v.count = len(o.results)
	v.table.show(o.results)
	v.draw(o)
}

// maxFindings bounds the sentences above the chart; the rest is in the notes of the table.
const maxFindings = 3

func (v *resultsView) tellFindings(o *outcome) {
	v.told = len(o.findings)
	v.findings.Objects = nil
	for i, f := range o.findings {
		if i == maxFindings-1 && len(o.findings) > maxFindings {
			v.findings.Add(newCaption("and "+counted(len(o.findings)-i, "more finding")+", in the notes of the table", 1))
			break
		}
		v.findings.Add(newBody(sentence(f), 2))
	}
	v.full.Refresh()
}

func sentence(f workloads.Finding) string {
	return strings.ToUpper(f.Kind[:min(1, len(f.Kind))]) + f.Kind[min(1, len(f.Kind)):] + ": " + f.Text
}

// draw draws the chart.
func (v *resultsView) draw(o *outcome) {
	v.plots = plots(v.desk.model.workload(), o.results)
	var names []string
	for _, p := range v.plots {
		names = append(names, p.title)
	}
	if !slices.Equal(names, v.names) {
		v.names = names
		v.holder.Objects = nil
		if len(names) > 1 {
			v.tabs = newSegments(v.choosePlot, names...)
			v.holder.Objects = []fyne.CanvasObject{container.NewHBox(v.tabs.object)}
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
		v.tabs.show(i)
	}
	if i >= len(v.plots) {
		v.plot.SetModel(&chart.Model{Unavailable: v.noChart()})
		return
	}
	v.plot.SetModel(v.plots[i].model)
}

// noChart is why there is nothing to draw.
func (v *resultsView) noChart() string {
	if v.desk.model.workload().View.Kind == "" {
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
		parts = append(parts, counted(len(r.Samples), "sample")+" of "+counted(r.Reps, "repetition"), counted(r.Outliers, "outlier"))
	}
	if note := noteText(r); note != "" {
		parts = append(parts, note)
	}
	v.detail.setColored(strings.Join(parts, " · "), themeOf(r))
}

func themeOf(r *workloads.Result) fyne.ThemeColorName {
	if r.Status == workloads.Failed || r.Status == workloads.Errored {
		return theme.ColorNameError
	}
	return colorSecondary
}
