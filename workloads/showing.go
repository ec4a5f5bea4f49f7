package workloads

import (
	"fmt"
	"slices"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
)

// Line is a limit that a parameter sets on a metric, which charts of the metric draw. A value of 0 sets none.
type Line struct {
	Of  metric.Name
	Per float64 // in the metric's unit, for each unit of the parameter
}

// Shown is what the axes of charts show: indices into Quantities, 0 for the default ones.
type Shown struct{ X, Y int }

// Quantities returns the titles of what the axes of the workload's charts can show, the default first; empty if there is no choice.
func (w *Workload) Quantities() (across, up []string) {
	for i := range w.Views {
		v := &w.Views[i]
		if across == nil {
			across = w.choices(v.X, v.Xs)
		}
		if up == nil {
			up = w.choices(v.Y, v.Ys)
		}
	}
	return across, up
}

// choices returns the titles of what an axis can show; none if there is no choice.
func (w *Workload) choices(usual chart.Enc, others []chart.Enc) []string {
	if len(others) == 0 {
		return nil
	}
	titles := []string{w.titleOf(usual)}
	for _, o := range others {
		titles = append(titles, w.titleOf(o))
	}
	return titles
}

func (w *Workload) titleOf(e chart.Enc) string {
	if e.Title != "" {
		return e.Title
	}
	return w.field(e.Of).Title
}

// Showing returns the workload with these quantities on the axes of its charts, and the limits on them that these values set.
func (w *Workload) Showing(what Shown, values Values) *Workload {
	if what == (Shown{}) {
		return w
	}
	out := *w
	out.Views = slices.Clone(w.Views)
	for i := range out.Views {
		v := &out.Views[i]
		if what.X > 0 && what.X <= len(v.Xs) {
			v.X = v.Xs[what.X-1]
		}
		if what.Y > 0 && what.Y <= len(v.Ys) {
			v.Y = v.Ys[what.Y-1]
			v.Layers = slices.DeleteFunc(slices.Clone(v.Layers), isRule) // these apply to the default quantity
			v.Layers = append(v.Layers, w.lines(v.Y.Of, values)...)
		}
	}
	return &out
}

func isRule(l chart.Layer) bool {
	_, rule := l.(chart.Rule)
	return rule
}

// lines returns the limits that values set on a metric.
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
