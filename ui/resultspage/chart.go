package resultspage

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// chartCard draws the rows of the table, with the chosen one marked. Of several charts one is shown.
type chartCard struct {
	desk   *desk.Desk
	menu   *kit.Select
	title  *kit.Text
	plot   *chart.Plot
	drawn  []drawing
	at     int
	result *workloads.Result // the chosen one
	object fyne.CanvasObject
}

// drawing is a chart and what it was drawn from.
type drawing struct {
	title    string
	workload *workloads.Workload
	data     *app.Chart // nil: not known
	model    *chart.Model
}

func newChartCard(d *desk.Desk) *chartCard {
	c := &chartCard{desk: d, title: kit.NewHeading("Chart"), plot: chart.NewPlot(nil)}
	c.plot.SetMinSize(fyne.NewSize(200, 130))
	c.menu = kit.NewSelect(nil, nil)
	head := kit.StackOf(container.NewBorder(nil, nil, nil, nil, c.title), c.menu)
	c.object = kit.NewPanel(container.NewBorder(head, nil, nil, nil, kit.OnPanel(c.plot)), 10)
	return c
}

// take draws rows of a run.
func (c *chartCard) take(run *app.Run, rows []int) {
	picked := make([]workloads.Result, len(rows))
	for i, row := range slices.Sorted(slices.Values(rows)) {
		picked[i] = run.Results[row]
	}
	c.drawn = nil
	names := valuesOf(&app.Run{Results: picked}, func(r *workloads.Result) string { return r.Workload })
	for _, name := range names {
		if w, err := workloads.Find(c.desk.Model.Workloads, name); err == nil {
			c.draw(w, picked, len(names) > 1)
		}
	}
	c.offer()
}

// draw draws the charts of one workload; told says that their titles are to name it.
func (c *chartCard) draw(w *workloads.Workload, results []workloads.Result, told bool) {
	data := app.Charts(results, w)
	for i, p := range view.Plots(w, results) {
		d := drawing{title: p.Title, workload: w, model: p.Model}
		thinOut(p.Model)
		if i < len(data) {
			d.data = &data[i]
		}
		if told || d.title == "" {
			d.title = w.Title + ": " + d.title
		}
		if p.Title == "" {
			d.title = w.Title
		}
		c.drawn = append(c.drawn, d)
	}
}

// mostMarked is how many points of a line are drawn one by one.
const mostMarked = 300

// thinOut leaves the markers and the whiskers of very long lines out, which would cover the line.
func thinOut(m *chart.Model) {
	for i := range m.Series {
		if s := &m.Series[i]; s.Len() > mostMarked && s.Kind == chart.Line {
			s.ShowMarkers = false
		}
	}
}

// offer lists the charts, where there are several, and shows the one that was shown before.
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
	if i < 0 || i >= len(c.drawn) {
		c.plot.SetModel(&chart.Model{Unavailable: c.why()})
		return
	}
	m := *c.drawn[i].model
	if s, ok := c.drawn[i].mark(c.result); ok {
		m.Series = append(slices.Clone(m.Series), s)
	}
	c.plot.SetModel(&m)
}

// why is why there is nothing to draw.
func (c *chartCard) why() string {
	return "No verified result to draw; the table has them all"
}

// point marks a result, in the chart that shows it; nil: none.
func (c *chartCard) point(r *workloads.Result) {
	c.result = r
	if r != nil && c.at < len(c.drawn) && c.at >= 0 {
		if _, ok := c.drawn[c.at].mark(r); !ok {
			at := slices.IndexFunc(c.drawn, func(d drawing) bool { _, ok := d.mark(r); return ok })
			if at >= 0 {
				c.menu.SetSelectedIndex(at) // which shows it
				return
			}
		}
	}
	c.show(c.at)
}

// mark is a point around that of a result; ok is false where it is not in the chart.
func (d *drawing) mark(r *workloads.Result) (s chart.Series, ok bool) {
	if r == nil || d.data == nil || r.Workload != d.workload.Name {
		return s, false
	}
	one := app.Charts([]workloads.Result{*r}, d.workload)
	if len(one) == 0 || len(one[0].Series) == 0 || one[0].Title != d.data.Title {
		return s, false
	}
	want, name := one[0].Series[0].Points[0], one[0].Series[0].Name
	for i := range d.data.Series {
		if d.data.Series[i].Name != name || i >= len(d.model.Series) {
			continue
		}
		for k, p := range d.data.Series[i].Points {
			if p.Y == want.Y && p.Label == want.Label && k < len(d.model.Series[i].Y) {
				x, y := d.model.Series[i].At(k)
				return chosenPoint(r, x, y), true
			}
		}
	}
	return s, false
}

// chosenPoint is a ring in the colour of text.
func chosenPoint(r *workloads.Result, x, y float64) chart.Series {
	return chart.Series{
		Name: "Chosen", Kind: chart.Points, Marker: chart.Ring, Hollow: true, X: []float64{x}, Y: []float64{y},
		Color: toNRGBA(theme.Color(theme.ColorNameForeground)), Note: r.Case + ", " + r.Variant,
	}
}
