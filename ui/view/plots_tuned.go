package view

import (
	"math"
	"slices"
	"strings"

	"assay/app"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/workloads"
)

// chartLike returns the index of the chart with the same view and facet as c; -1: none.
func chartLike(charts []chart.Chart, c *chart.Chart) int {
	return slices.IndexFunc(charts, func(o chart.Chart) bool { return o.View == c.View && o.Facet == c.Facet })
}

// withoutSeries is the frame of a chart.
func withoutSeries(c *chart.Chart) chart.Chart {
	frame, m := *c, *c.Model
	m.Series, m.Marks, frame.Rows, frame.Model = nil, nil, nil, &m
	return frame
}

// curve is points of one setting: they differ only in what the chart shows.
type curve struct {
	tuned []app.Tuned
	name  string // its setting, and its device if there are several; empty: no parameter distinguishes it from others
	like  bool   // it is the setting of the run in the chart
	sizes bool   // its points are of different sizes
}

// curves groups the points by setting and device: another width, format or device is another curve.
func curves(w *workloads.Workload, tuned []app.Tuned, ran workloads.Values) []curve {
	var list []curve
	at := map[[3]string]int{}
	engines := map[string]bool{}
	for _, p := range tuned {
		setting := w.Setting(p.Case)
		key := [3]string{setting, p.Engine.Engine, p.Engine.Device}
		i, known := at[key]
		if !known {
			i, at[key] = len(list), len(list)
			list = append(list, curve{name: setting, like: ran != nil && w.SameSetting(ran, p.Case)})
		}
		list[i].tuned = append(list[i].tuned, p)
		engines[p.Engine.Engine+p.Engine.Device] = true
	}
	for i := range list {
		c := &list[i]
		if engine := &c.tuned[0].Engine; len(engines) > 1 {
			c.name = strings.TrimPrefix(c.name+", "+engine.Engine+" "+engine.Device, ", ")
		}
		c.sizes = differ(tuned)
	}
	return list
}

// differ reports whether points belong to different cases.
func differ(tuned []app.Tuned) bool {
	results := app.Points(tuned)
	return slices.ContainsFunc(results, func(r workloads.Result) bool { return r.Case != results[0].Case })
}

// addTuned draws a result of live tuning in the chart of the same view: hollow, in a series for its setting. The newest has
// a disk behind it and its value beside it.
func addTuned(list []Plot, charts []chart.Chart, of *curve, r, newest *workloads.Result, w *workloads.Workload) {
	for _, c := range tunable(w.Charts([]workloads.Result{*r})) {
		s := &c.Model.Series[0]
		p, scatter := &list[chartLike(charts, &c)], s.Kind == chart.PointKind
		label := ""
		if scatter {
			label = s.Labels[0]
			if of.sizes {
				label += ", " + r.Case
			}
		}
		to := tunedSeries(p.Model, s, of, c.Facet)
		if !scatter {
			to.DeleteX(s.X[0])
		}
		if r == newest {
			p.Newest, label = true, strings.TrimSpace(label+" "+yText(&c, s.Y[0]))
			if _, disturbed := r.Disturbed(); disturbed {
				label += ", disturbed"
			}
			p.Model.Halo = chart.Spot{On: true, X: s.X[0], Y: s.Y[0]}
		}
		to.X, to.Y, to.Labels = append(to.X, s.X[0]), append(to.Y, s.Y[0]), append(to.Labels, label)
		to.Lo, to.Hi, to.Bare = append(to.Lo, s.Lo[0]), append(to.Hi, s.Hi[0]), append(to.Bare, s.Bare[0])
	}
}

// tunedSeries returns the series for the points of a variant with a setting. It has the color of the run's series if that ran with
// the same setting, else a color of its own.
func tunedSeries(m *chart.Model, like *chart.Series, of *curve, facet string) *chart.Series {
	name := tunedName(like.Name, of.name, facet)
	if i := seriesNamed(m, name); i >= 0 {
		return &m.Series[i]
	}
	place := like.Place
	switch ran := seriesNamed(m, like.Name); {
	case of.like && ran >= 0:
		place = 1 + m.Series[ran].Position(ran)
	case place > 0 && slices.ContainsFunc(m.Series, func(s chart.Series) bool { return s.Place == place }):
		place = 1 + lastPosition(m)
	}
	s := chart.Series{Name: name, Place: place, Kind: like.Kind, Hollow: true}
	if like.Kind == chart.LineKind {
		s.Dash, s.ShowMarkers, s.Whiskers = chart.Dotted, true, true
	}
	m.Series = append(m.Series, s)
	return &m.Series[len(m.Series)-1]
}

// lastPosition is the number of positions in use.
func lastPosition(m *chart.Model) int {
	last := 0
	for i := range m.Series {
		last = max(last, 1+m.Series[i].Position(i))
	}
	return last
}

// tunedName is the full name of a variant with a setting: "f32 tuned: mlp, width 128, 7 layers".
func tunedName(variant, setting, facet string) string {
	of := strings.TrimPrefix(strings.TrimSuffix(facet+", "+setting, ", "), ", ")
	if of == "" {
		return variant + " tuned"
	}
	return variant + " tuned: " + of
}

// inOrder sorts the hollow lines by X.
func inOrder(m *chart.Model) {
	for i := range m.Series {
		if s := &m.Series[i]; s.Hollow && s.Kind == chart.LineKind {
			s.SortX(nil)
		}
	}
}

// yText states a value on a chart's Y axis in words.
func yText(c *chart.Chart, y float64) string {
	if c.Y.Relative {
		return si.Ratio(y)
	}
	return c.Y.Unit.Format(y)
}

func seriesNamed(m *chart.Model, name string) int {
	for i := range m.Series {
		if m.Series[i].Name == name {
			return i
		}
	}
	return -1
}

// newestResult returns the headline result of the newest point of live tuning; nil: none.
func newestResult(tuned []app.Tuned) *workloads.Result {
	if len(tuned) == 0 {
		return nil
	}
	return tuned[len(tuned)-1].Headline()
}

// TunedShort states a point of live tuning and its value in a few words; empty if it has none.
func TunedShort(w *workloads.Workload, p *app.Tuned) string {
	r := p.Headline()
	if r == nil || r.Status != workloads.OK {
		return ""
	}
	if s := r.Speedup(); r.Baseline != "" && !math.IsNaN(s.Median) {
		return p.Name(w) + ": " + si.ChangeFrom(s.Median, s.Median, s.Median, r.Baseline)
	}
	for _, m := range append(app.Told(w), metric.Metric{Name: workloads.Time, Unit: "s"}) {
		if v := r.Number(m.Name); v > 0 && (m.Per == workloads.Time || m.Name == workloads.Time) {
			return p.Name(w) + ": " + Quantity(v, m.Unit)
		}
	}
	return ""
}
