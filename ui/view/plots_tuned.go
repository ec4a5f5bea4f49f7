package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/app"
	"assay/internal/chart"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// chartLike is the place of the chart with the same axes and split as c; −1: there is none.
func chartLike(charts []app.Chart, c *app.Chart) int {
	for i := range charts {
		if charts[i].Split == c.Split && charts[i].X.Title == c.X.Title {
			return i
		}
	}
	return -1
}

// withoutSeries is the frame of a chart.
func withoutSeries(c app.Chart) app.Chart {
	c.Series = nil
	return c
}

// curve is points that belong together: they differ in nothing but what the chart tells.
type curve struct {
	tuned []app.Tuned
	name  string // what tells it from the others; empty: it is the only one
	sizes bool   // its points are of different sizes
}

// curves are the points by what they differ in: those of another width, format or device are another curve.
func curves(tuned []app.Tuned, w *workloads.Workload) []curve {
	var list []curve
	at := map[[3]string]int{}
	engines := map[string]bool{}
	for _, p := range tuned {
		key := [3]string{p.Curve, p.Engine.Engine, p.Engine.Device}
		i, known := at[key]
		if !known {
			i, at[key] = len(list), len(list)
			list = append(list, curve{name: p.Curve})
		}
		list[i].tuned = append(list[i].tuned, p)
		engines[p.Engine.Engine+p.Engine.Device] = true
	}
	for i := range list {
		c := &list[i]
		switch engine := &c.tuned[0].Engine; {
		case len(list) == 1:
			c.name = ""
		case len(engines) > 1:
			c.name = strings.TrimPrefix(c.name+", "+engine.Engine+" "+engine.Device, ", ")
		}
		c.sizes = w.View.Kind == workloads.Scatter && differ(tuned)
	}
	return list
}

// differ reports whether points are of different cases.
func differ(tuned []app.Tuned) bool {
	results := app.Points(tuned)
	return slices.ContainsFunc(results, func(r workloads.Result) bool { return r.Case != results[0].Case })
}

// addTuned draws a result of live tuning in the chart of the same axes: hollow, and otherwise as the run's series of the
// same variant, where there is one.
func addTuned(list []Plot, charts []app.Chart, of *curve, r, newest *workloads.Result, w *workloads.Workload) {
	own := app.Charts([]workloads.Result{*r}, w)
	if len(own) != 1 || len(own[0].Series) != 1 {
		return
	}
	c, s := &own[0], &own[0].Series[0]
	p := &list[chartLike(charts, c)]
	label := ""
	if c.Kind == workloads.Scatter {
		label = app.LastPart(s.Points[0].Label)
		if of.sizes {
			label += ", " + r.Case
		}
	}
	if newest != nil && sameResult(r, newest) {
		p.Newest, label = true, strings.TrimSpace(label+" "+yText(c, s.Points[0].Y))
	}
	to := tunedSeries(p.Model, c, s.Name, of.name, placeOf(w, s.Name))
	if c.Kind == workloads.Lines {
		replace(to, s.Points[0].X)
	}
	addPoint(to, c, &s.Points[0], label)
}

// sameResult reports whether two are the same measurement.
func sameResult(a, b *workloads.Result) bool {
	return a.Case == b.Case && a.Variant == b.Variant && a.Started.Equal(b.Started) && a.Time.Median == b.Time.Median
}

// tunedSeries is the one for the points of a variant on a curve.
func tunedSeries(m *chart.Model, c *app.Chart, variant, of string, place int) *chart.Series {
	name := variant + ", tuned"
	if of != "" {
		name += " (" + of + ")"
	}
	if i := seriesNamed(m, name); i >= 0 {
		return &m.Series[i]
	}
	s := chart.Series{Name: name, Of: 1 + seriesNamed(m, variant), Place: place, Kind: chart.PointKind, Hollow: true}
	if c.Kind == workloads.Lines {
		s.Kind, s.Dash, s.ShowMarkers, s.Whiskers = chart.LineKind, chart.Dotted, true, true
	}
	m.Series = append(m.Series, s)
	return &m.Series[len(m.Series)-1]
}

// replace takes the older point at x away.
func replace(s *chart.Series, x float64) {
	if i := slices.Index(s.X, x); i >= 0 {
		s.X, s.Y, s.Labels = slices.Delete(s.X, i, i+1), slices.Delete(s.Y, i, i+1), slices.Delete(s.Labels, i, i+1)
		s.Lo, s.Hi = slices.Delete(s.Lo, i, i+1), slices.Delete(s.Hi, i, i+1)
	}
}

// inOrder puts the hollow lines in order of X.
func inOrder(m *chart.Model) {
	for i := range m.Series {
		s := &m.Series[i]
		if !s.Hollow || s.Kind != chart.LineKind {
			continue
		}
		order := make([]int, len(s.X))
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.X[a], s.X[b]) })
		s.X, s.Y, s.Lo, s.Hi = by(order, s.X), by(order, s.Y), by(order, s.Lo), by(order, s.Hi)
		s.Labels = by(order, s.Labels)
	}
}

// by is a list in another order.
func by[T any](order []int, list []T) []T {
	out := make([]T, len(order))
	for i, k := range order {
		out[i] = list[k]
	}
	return out
}

func addPoint(s *chart.Series, c *app.Chart, p *app.ChartPoint, label string) {
	factor, _ := app.PlotUnit(c.Y.Unit)
	s.X, s.Y, s.Labels = append(s.X, p.X), append(s.Y, p.Y*factor), append(s.Labels, label)
	s.Lo, s.Hi = append(s.Lo, p.Lo*factor), append(s.Hi, p.Hi*factor)
}

// yText is a value on a chart's Y axis in words.
func yText(c *app.Chart, y float64) string {
	factor, unit := app.PlotUnit(c.Y.Unit)
	if unit == chart.None {
		return si.Ratio(y)
	}
	return unit.Format(y * factor)
}

func seriesNamed(m *chart.Model, name string) int {
	for i := range m.Series {
		if m.Series[i].Name == name {
			return i
		}
	}
	return -1
}

// newestResult is what the newest point of live tuning is about; nil: there is none.
func newestResult(tuned []app.Tuned) *workloads.Result {
	if len(tuned) == 0 {
		return nil
	}
	return Headline(&tuned[len(tuned)-1])
}

// Headline is the result that a point of live tuning is about: the one that is compared with another, where there is such
// a one, else the first; nil where it has none.
func Headline(p *app.Tuned) *workloads.Result {
	for i := range p.Results {
		if r := &p.Results[i]; r.Baseline != "" && r.Status == workloads.OK && !math.IsNaN(r.Speedup.Median) {
			return r
		}
	}
	if len(p.Results) == 0 {
		return nil
	}
	return &p.Results[0]
}

// TunedSentence tells a point of live tuning in one sentence, and whether its output was right.
func TunedSentence(p *app.Tuned) (sentence string, ok bool) {
	r := Headline(p)
	switch {
	case r == nil:
		return "Nothing was measured.", false
	case r.Status != workloads.OK:
		return fmt.Sprintf("%s, %s gave no time: %s.", r.Case, r.Variant, r.Reason), false
	}
	value := strings.TrimPrefix(speedText(r)+", "+Quantity(r.Time.Median, "s"), ", ")
	if snr := Quantity(r.SNR, "dB"); snr != "" {
		value += ", " + snr + " signal to noise"
	}
	return fmt.Sprintf("%s, %s: %s. A short measurement: %s in %.2f s.", r.Case, r.Variant, value,
		Counted(len(r.Samples), "sample"), p.Took.Seconds()), true
}

// speedText is how fast a result is, beside what it is compared with or by itself, and how sure that is.
func speedText(r *workloads.Result) string {
	if r.Baseline != "" && !math.IsNaN(r.Speedup.Median) {
		interval := noInterval(r)
		if s := r.Speedup; hasInterval(s) {
			interval = fmt.Sprintf("%s to %s", si.Digits(s.Lo), si.Digits(s.Hi))
		}
		return fmt.Sprintf("%s as fast as %s (%s)", si.Ratio(r.Speedup.Median), r.Baseline, interval)
	}
	rate := r.Quantity(workloads.Throughput)
	if math.IsNaN(rate.Median) {
		return ""
	}
	text := si.Range(rate.Median*1e9, rate.Lo*1e9, rate.Hi*1e9, "FLOP/s")
	if !hasInterval(rate) {
		text += " (" + noInterval(r) + ")"
	}
	return text
}

// hasInterval reports whether a median has an interval with two ends.
func hasInterval(v stats.Interval) bool {
	return v.Lo <= v.Median && v.Median <= v.Hi && !math.IsInf(v.Lo, 0) && !math.IsInf(v.Hi, 0)
}

// noInterval says why there is none.
func noInterval(r *workloads.Result) string {
	if len(r.Samples) == 1 {
		return "no interval: one sample"
	}
	return "no interval: too few samples"
}

// Count is a whole number with thin spaces between thousands.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return s
}
