package resultspage

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/chart"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// chartCard draws the rows of the table, with the chosen one marked. It shows one chart at a time.
type chartCard struct {
	desk   *desk.Desk
	menu   *kit.Select
	by     *kit.Select                // what the Y axes show
	over   *kit.Select                // what the X axes show
	axes   map[string]workloads.Shown // by workload
	limits map[string]*budget         // by workload; of this run
	holder *fyne.Container            // the limits of the visible workload
	run    *bundle.Run
	rows   []int // of its results, those that are drawn
	title  *kit.Text
	plot   *uichart.Plot
	note   *kit.Text // why the chosen row is not marked
	lacks  string    // why there is no chart
	drawn  []drawing
	at     int
	result *workloads.Result // the chosen one
	card   *fyne.Container   // all of the above
	object fyne.CanvasObject
}

// setMinHeight sets the minimum height of the plot.
func (c *chartCard) setMinHeight(height float32) { c.plot.SetMinSize(fyne.NewSize(200, height)) }

// drawing is a chart and what it was drawn from.
type drawing struct {
	title    string
	workload *workloads.Workload
	plot     view.Plot
}

func newChartCard(d *desk.Desk) *chartCard {
	c := &chartCard{desk: d, axes: map[string]workloads.Shown{}, title: kit.NewHeading("Chart"), plot: uichart.NewPlot(nil), note: kit.NewCaption("", 2)}
	c.setMinHeight(130)
	d.Pace(c.plot)
	c.menu = kit.NewSelect(nil, nil)
	c.by, c.over = kit.NewSelect(nil, c.turn), kit.NewSelect(nil, c.turn)
	c.holder = container.NewStack()
	head := kit.NewFlow(4, kit.StackOf(container.NewBorder(nil, nil, nil, nil, c.title), c.menu), container.NewGridWithColumns(2, c.over, c.by))
	c.card = container.NewBorder(head, kit.NewFlow(4, c.holder, c.note), nil, nil, kit.OnPanel(c.plot))
	c.object = kit.NewPanel(c.card, 10)
	return c
}

// setRun draws rows of a run.
func (c *chartCard) setRun(run *bundle.Run, rows []int) {
	if c.run == nil || run.Dir != c.run.Dir {
		c.limits = map[string]*budget{}
	}
	c.run, c.rows = run, rows
	c.redraw()
}

// redraw draws the rows, by the axes and the limits that the user has chosen.
func (c *chartCard) redraw() {
	all := c.run.Results
	for _, b := range c.limits {
		if b != nil {
			all = b.judged(c.run, all)
		}
	}
	picked := make([]workloads.Result, len(c.rows))
	for i, row := range slices.Sorted(slices.Values(c.rows)) {
		picked[i] = all[row]
	}
	c.drawn, c.lacks = nil, lackOf(c.run, picked)
	names := valuesOf(&bundle.Run{Results: picked}, func(r *workloads.Result) string { return r.Workload })
	for _, name := range names {
		if w, err := workloads.Find(c.desk.Model.Workloads, name); err == nil {
			c.draw(w, picked, len(names) > 1)
		}
	}
	c.offer()
}

// lackOf says why the matching results of a run have no chart, if so.
func lackOf(run *bundle.Run, picked []workloads.Result) string {
	verified := func(r workloads.Result) bool { return r.Status == workloads.OK }
	switch {
	case len(run.Results) == 0:
		return "No results to draw"
	case len(picked) == 0:
		return "Nothing matches the filter"
	case !slices.ContainsFunc(picked, verified):
		return "No verified results to draw; the table says why"
	}
	return "No chart for these results; see the table"
}

// keepPlaces keeps each series' color and shape from all results of the run, whichever are drawn. The workload is the one shown.
func (c *chartCard) keepPlaces(shown *workloads.Workload, all []workloads.Result) {
	whole := view.Plots(shown, all)
	for i := range c.drawn {
		d := &c.drawn[i]
		at := slices.IndexFunc(whole, func(p view.Plot) bool { return p.View == d.plot.View && p.Facet == d.plot.Facet })
		if d.workload.Name != shown.Name || at < 0 {
			continue
		}
		for k := range d.plot.Model.Series {
			s := &d.plot.Model.Series[k]
			if s.Place == 0 {
				s.Place = 1 + slices.IndexFunc(whole[at].Model.Series, func(o chart.Series) bool { return o.Name == s.Name })
			}
		}
	}
}

// draw draws the charts of one workload; told means that their titles name it.
func (c *chartCard) draw(w *workloads.Workload, results []workloads.Result, told bool) {
	shown := w.Showing(c.axes[w.Name], c.ranWith(w))
	for _, p := range view.Plots(shown, results) {
		d := drawing{title: p.Name, workload: w, plot: p}
		thinOut(p.Model)
		if told || d.title == "" {
			d.title = w.Title + ": " + d.title
		}
		if p.Name == "" {
			d.title = w.Title
		}
		c.drawn = append(c.drawn, d)
	}
	if len(c.rows) < len(c.run.Results) {
		c.keepPlaces(shown, c.run.Results)
	}
}

// ranWith returns the values of the run's first job of a workload.
func (c *chartCard) ranWith(w *workloads.Workload) workloads.Values {
	for _, job := range c.run.Meta.Jobs {
		if job.Workload == w.Name {
			return job.Params
		}
	}
	return nil
}

// limitsOf returns the sliders of a workload's limits; nil: there are none.
func (c *chartCard) limitsOf(w *workloads.Workload) *budget {
	if _, known := c.limits[w.Name]; !known {
		c.limits[w.Name] = newBudget(w, c.ranWith(w), c.redraw)
	}
	return c.limits[w.Name]
}

// turn applies the user's choice of axes.
func (c *chartCard) turn(string) {
	if c.at >= 0 && c.at < len(c.drawn) {
		c.axes[c.drawn[c.at].workload.Name] = workloads.Shown{X: max(0, c.over.SelectedIndex()), Y: max(0, c.by.SelectedIndex())}
		c.redraw()
	}
}

// offerAxes shows what can be chosen for the charts of the visible workload: its axes, and the limits that conclusions depend on.
func (c *chartCard) offerAxes() {
	var across, up []string
	var shown workloads.Shown
	c.holder.Objects = nil
	if c.at >= 0 && c.at < len(c.drawn) {
		w := c.drawn[c.at].workload
		across, up = w.Quantities()
		shown = c.axes[w.Name]
		if b := c.limitsOf(w); b != nil {
			c.holder.Objects = []fyne.CanvasObject{b.object}
		}
	}
	view.OfferAxis(c.over, "X", across, shown.X)
	view.OfferAxis(c.by, "Y", up, shown.Y)
	kit.Show(c.over, len(across) > 0)
	kit.Show(c.by, len(up) > 0)
	kit.Show(c.holder, len(c.holder.Objects) > 0)
}

// maxMarked is the maximum number of points of a line that are drawn individually.
const maxMarked = 300

// thinOut omits markers and whiskers of very long lines: they would cover the line.
func thinOut(m *chart.Model) {
	for i := range m.Series {
		if s := &m.Series[i]; s.Len() > maxMarked && s.Kind == chart.LineKind {
			s.ShowMarkers = false
		}
	}
}

// offer lists the charts, if there are several, and shows the previous one.
func (c *chartCard) offer() {
	titles := make([]string, len(c.drawn))
	for i := range c.drawn {
		titles[i] = c.drawn[i].title
	}
	if !slices.Equal(titles, c.menu.Options) {
		c.at = max(0, slices.Index(titles, c.menu.Selected))
		c.menu.OnChanged = nil
		c.menu.SetOptions(titles)
		if len(titles) > 0 {
			c.menu.SetSelectedIndex(c.at)
		}
		c.menu.OnChanged = func(string) { c.show(c.menu.SelectedIndex()) }
	}
	c.at = max(0, min(c.at, len(titles)-1))
	kit.Show(c.menu, len(titles) > 1)
	kit.Show(c.title, len(titles) <= 1)
	c.title.Set("Chart")
	if len(titles) == 1 {
		c.title.Set(titles[0])
	}
	c.show(c.at)
}

// show shows chart i, with the chosen result marked.
func (c *chartCard) show(i int) {
	c.at = i
	c.offerAxes()
	if i < 0 || i >= len(c.drawn) {
		c.tell("")
		c.plot.SetModel(&chart.Model{Unavailable: c.lacks})
		return
	}
	m, ok := c.drawn[i].marked(c.result)
	c.tell("")
	if !ok && c.result != nil {
		c.tell("Not in this chart: " + c.result.Case + ", " + c.result.Variant + ". " + c.whyNot(c.result))
	}
	c.plot.SetModel(report.MarkCaveats(&c.run.Meta, m))
}

// tell shows why the chosen row is not marked; empty if it is, or none is chosen.
func (c *chartCard) tell(words string) {
	c.note.Set(words)
	kit.Show(c.note, words != "")
	c.card.Refresh()
}

// whyNot says why a result is not in the current chart.
func (c *chartCard) whyNot(r *workloads.Result) string {
	w, err := workloads.Find(c.desk.Model.Workloads, r.Workload)
	switch {
	case r.Status != workloads.OK:
		return "Not verified."
	case c.chartOf(r) >= 0:
		return "Another chart shows it."
	case err == nil && w.Views == nil:
		return w.Title + " has no chart."
	case err == nil && w.Views[0].Y.Of == string(workloads.Speedup) && r.Baseline == "":
		return "It is the variant that others are compared with."
	}
	return "It has no value on one of the axes."
}

// point marks a result, in the chart that shows it; nil: none.
func (c *chartCard) point(r *workloads.Result) {
	c.result = r
	if r != nil && c.at >= 0 && c.at < len(c.drawn) {
		if _, ok := c.drawn[c.at].marked(r); !ok {
			if at := c.chartOf(r); at >= 0 {
				c.menu.SetSelectedIndex(at) // the menu shows the chart
				return
			}
		}
	}
	c.show(c.at)
}

// chartOf returns the first chart that contains a result; -1: none.
func (c *chartCard) chartOf(r *workloads.Result) int {
	return slices.IndexFunc(c.drawn, func(d drawing) bool { _, ok := d.marked(r); return ok })
}

// marked returns the chart with a result marked; ok is false if it is not in the chart.
func (d *drawing) marked(r *workloads.Result) (m *chart.Model, ok bool) {
	if r == nil {
		return d.plot.Model, false
	}
	i, k, ok := d.plot.Find(r.ID)
	if !ok {
		return d.plot.Model, false
	}
	with, s := *d.plot.Model, &d.plot.Model.Series[i]
	x, y := s.At(k)
	if s.Kind == chart.BarKind {
		// Only the chart knows a bar's offset in its group, so the group is marked, with a name.
		with.Marks = append(slices.Clone(with.Marks), chart.Mark{X: x, Label: "chosen: " + s.Name})
	} else {
		with.Series = append(slices.Clone(with.Series), chosenPoint(r, x, y))
	}
	return &with, true
}

// chosenPoint is a ring in the text color.
func chosenPoint(r *workloads.Result, x, y float64) chart.Series {
	return chart.Series{
		Name: "Chosen", Kind: chart.PointKind, Marker: chart.Ring, Hollow: true, X: []float64{x}, Y: []float64{y},
		Ink: true, Note: r.Case + ", " + r.Variant,
	}
}
