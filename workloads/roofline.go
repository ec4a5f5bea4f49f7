package workloads

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/chart"
	"assay/internal/si"
)

// roofline draws results that have been placed between the peaks of their device: throughput by intensity, under what was measured to
// be the limit. ok is false if there is none.
func roofline(results []*Result) (v chart.View, ok bool) {
	flat, steep := map[float64]string{}, map[float64]bool{}
	for _, r := range results {
		compute, bandwidth := r.Number(PeakCompute), r.Number(PeakBandwidth)
		if !(compute > 0) || !(bandwidth > 0) {
			continue
		}
		if format := r.Values.Text(Arithmetic); flat[compute] == "" || len(format) < len(flat[compute]) {
			flat[compute] = format
		}
		steep[bandwidth] = true
	}
	if len(flat) == 0 {
		return v, false
	}
	return chart.View{
		Title: "Roofline", X: chart.Enc{Of: string(Intensity), Scale: chart.Log10}, Y: chart.Enc{Of: string(Throughput), Scale: chart.Log10},
		Layers: []chart.Layer{chart.Points{}, chart.Ceilings{Of: ceilings(flat, steep), Around: 4}},
	}, true
}

// ceilings are the peaks of arithmetic, and the lowest and the highest of those of bandwidth.
func ceilings(flat map[float64]string, steep map[float64]bool) []chart.Ceiling {
	var list []chart.Ceiling
	for rate, format := range flat {
		list = append(list, chart.Ceiling{Label: fmt.Sprintf("%s, %s", format, si.Format(rate, "FLOP/s")), Flat: rate})
	}
	lo, hi := 0.0, 0.0
	for rate := range steep {
		if lo == 0 || rate < lo {
			lo = rate
		}
		hi = max(hi, rate)
	}
	list = append(list, chart.Ceiling{Label: si.Format(lo, "B/s"), PerX: lo})
	if hi > lo {
		list = append(list, chart.Ceiling{Label: si.Format(hi, "B/s"), PerX: hi})
	}
	slices.SortFunc(list, func(a, b chart.Ceiling) int { return cmp.Or(cmp.Compare(a.PerX, b.PerX), cmp.Compare(a.Flat, b.Flat)) })
	return list
}
