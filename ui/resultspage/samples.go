package resultspage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/chart"
	"assay/workloads"
)

// samplesModel draws the samples in the order taken, to show drift and jumps. The scale fits the bulk: a few far
// outliers are drawn at the edge, and counted.
func samplesModel(r *workloads.Result) *chart.Model {
	lo, hi := bulk(r.Samples)
	in := chart.Series{Kind: chart.PointKind, Marker: chart.Circle, Place: 1}
	out := chart.Series{Kind: chart.PointKind, Marker: chart.Triangle, Place: 2, Edge: true}
	var below, above int
	for i, v := range r.Samples {
		s := &in
		switch {
		case v < lo:
			s, below = &out, below+1
		case v > hi:
			s, above = &out, above+1
		}
		s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, v)
	}
	m := &chart.Model{
		X: chart.Axis{Title: "Samples in order, and their median"}, Y: chart.Axis{Unit: chart.Seconds},
		Series: []chart.Series{in}, HideLegend: true,
	}
	if below+above > 0 {
		m.Y.Min, m.Y.Max, m.HideLegend = lo, hi, false
		out.Name = beyond(below, above, lo, hi)
		m.Series = append(m.Series, out)
	}
	if t := r.Time().Median; t > 0 {
		m.Rules = []chart.Rule{{Y: t}}
	}
	return m
}

// beyond counts the samples outside a range.
func beyond(below, above int, lo, hi float64) string {
	var parts []string
	if above > 0 {
		parts = append(parts, fmt.Sprintf("%d beyond %s", above, chart.Seconds.Format(hi)))
	}
	if below > 0 {
		parts = append(parts, fmt.Sprintf("%d below %s", below, chart.Seconds.Format(lo)))
	}
	return strings.Join(parts, ", ")
}

// bulk returns the range of most samples if the few others would flatten them; else the range of all.
func bulk(samples []float64) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if len(samples) < 5 {
		return lo, hi
	}
	sorted := slices.Sorted(slices.Values(samples))
	last := float64(len(sorted) - 1)
	low, high := sorted[int(math.Ceil(0.1*last))], sorted[int(0.9*last)]
	reach := 1.5 * max(high-low, 0.01*math.Abs(high))
	from, _ := slices.BinarySearch(sorted, low-reach)
	to, _ := slices.BinarySearch(sorted, high+reach)
	if from >= to { // all are zero, or some are not numbers
		return lo, hi
	}
	kept := sorted[from:to]
	span := max(kept[len(kept)-1]-kept[0], 0.01*math.Abs(high))
	if sorted[len(sorted)-1]-sorted[0] < 3*span {
		return lo, hi
	}
	pad := 0.15 * span
	return kept[0] - pad, kept[len(kept)-1] + pad
}
