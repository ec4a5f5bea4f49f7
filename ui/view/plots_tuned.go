package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/app"
	"assay/si"
	"assay/ui/chart"
	"assay/workloads"
	"assay/workloads/measure"
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

// curves are points that belong together: those that differ in what no chart tells do not.
func curves(tuned []app.Tuned) [][]app.Tuned {
	var list [][]app.Tuned
	at := map[string]int{}
	for _, p := range tuned {
		i, known := at[p.Curve]
		if !known {
			i, at[p.Curve] = len(list), len(list)
			list = append(list, nil)
		}
		list[i] = append(list[i], p)
	}
	return list
}

// addTuned draws a curve of live tuning in a chart of the same axes: hollow, and otherwise as the run's series of the same
// variant, where there is one.
func addTuned(p *Plot, c *app.Chart, newest *workloads.Result, w *workloads.Workload) {
	for _, tuned := range c.Series {
		s := tunedSeries(p.Model, c, tuned.Name, placeOf(w, tuned.Name))
		for _, at := range tuned.Points {
			label := ""
			if c.Kind == workloads.Scatter {
				label = lastPart(at.Label)
			}
			if isNewest(newest, w, c, tuned.Name, &at) {
				p.Newest, label = true, strings.TrimSpace(label+" "+yText(c, at.Y))
			}
			addPoint(s, c, &at, label)
		}
	}
}

// tunedSeries is the one for the points of a variant, ready for a curve of its own.
func tunedSeries(m *chart.Model, c *app.Chart, variant string, place int) *chart.Series {
	name := variant + ", tuned"
	if i := seriesNamed(m, name); i >= 0 {
		addPoint(&m.Series[i], c, &app.ChartPoint{X: math.NaN(), Y: math.NaN()}, "") // the line breaks here
		return &m.Series[i]
	}
	s := chart.Series{Name: name, Of: 1 + seriesNamed(m, variant), Place: place, Kind: chart.Points, Hollow: true}
	if c.Kind == workloads.Lines {
		s.Kind, s.Dash, s.ShowMarkers, s.Whiskers = chart.Line, chart.Dotted, true, true
	}
	m.Series = append(m.Series, s)
	return &m.Series[len(m.Series)-1]
}

func addPoint(s *chart.Series, c *app.Chart, p *app.ChartPoint, label string) {
	factor, _ := plotUnit(c.Y.Unit)
	s.X, s.Y, s.Labels = append(s.X, p.X), append(s.Y, p.Y*factor), append(s.Labels, label)
	s.Lo, s.Hi = append(s.Lo, p.Lo*factor), append(s.Hi, p.Hi*factor)
}

// yText is a value on a chart's Y axis in words.
func yText(c *app.Chart, y float64) string {
	factor, unit := plotUnit(c.Y.Unit)
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

// isNewest reports whether a point is that of the newest result.
func isNewest(r *workloads.Result, w *workloads.Workload, c *app.Chart, series string, p *app.ChartPoint) bool {
	if r == nil {
		return false
	}
	own := app.Charts([]workloads.Result{*r}, w)
	return len(own) == 1 && chartLike(own, c) == 0 && own[0].Series[0].Name == series && own[0].Series[0].Points[0] == *p
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
func hasInterval(v measure.Interval) bool {
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
