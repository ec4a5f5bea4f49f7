package workloads

import (
	"fmt"
	"slices"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
)

// Line is a limit that a parameter sets on a metric, which charts of the metric draw. 0 sets none.
type Line struct {
	Of  metric.Name
	Per float64 // of the metric's unit, for each unit of the parameter
}

// Quantities are the titles of what the Y axes of the workload's charts can show, the usual one first.
func (w *Workload) Quantities() []string {
	for i := range w.Views {
		if v := &w.Views[i]; len(v.Ys) > 0 {
			titles := []string{w.field(v.Y.Of).Title}
			for _, y := range v.Ys {
				titles = append(titles, w.field(y.Of).Title)
			}
			return titles
		}
	}
	return nil
}

// Showing is the workload with quantity k on the Y axes of its charts, and the limits on it that these values set.
func (w *Workload) Showing(k int, values Values) *Workload {
	if k <= 0 {
		return w
	}
	out := *w
	out.Views = slices.Clone(w.Views)
	for i := range out.Views {
		if v := &out.Views[i]; k <= len(v.Ys) {
			v.Y = v.Ys[k-1]
			v.Layers = append(slices.Clone(v.Layers), w.lines(v.Y.Of, values)...)
		}
	}
	return &out
}

// lines are the limits that values set on a metric.
func (w *Workload) lines(of string, values Values) []chart.Layer {
	var out []chart.Layer
	for i := range w.Params {
		p := &w.Params[i]
		if limit, ok := Number(values[p.Name]); ok && limit > 0 && p.Line.Of != "" && string(p.Line.Of) == of {
			out = append(out, chart.Rule{Y: limit * p.Line.Per, Label: fmt.Sprintf("%s, %s %s", p.Title, si.Digits(limit), p.Unit)})
		}
	}
	return out
}
