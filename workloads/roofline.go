package workloads

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"assay/internal/chart"
	"assay/internal/si"
)

// roofline draws results that have been placed relative to the peaks of their device: throughput by intensity, under what was measured to
// be the limit. ok is false if there are none.
func roofline(results []*Result) (v chart.View, ok bool) {
	flat, steep, published := map[float64]string{}, map[float64]*level{}, map[chart.Ceiling]bool{}
	for _, r := range results {
		compute, bandwidth := r.Number(PeakCompute), r.Number(PeakBandwidth)
		if !(compute > 0) || !(bandwidth > 0) {
			continue
		}
		if format := r.Values.Text(Arithmetic); flat[compute] == "" || len(format) < len(flat[compute]) {
			flat[compute] = format
		}
		if steep[bandwidth] == nil {
			steep[bandwidth] = &level{}
		}
		steep[bandwidth].add(r)
		for _, c := range specCeilings(r) {
			published[c] = true
		}
	}
	if len(flat) == 0 {
		return v, false
	}
	note := ""
	if len(published) == 0 {
		note = "specification: not available"
	}
	limits := append(ceilings(flat, steep), slices.Collect(maps.Keys(published))...)
	slices.SortFunc(limits, byCeiling)
	return chart.View{
		Title: "Roofline", X: chart.Enc{Of: string(Intensity), Scale: chart.Log10}, Y: chart.Enc{Of: string(Throughput), Scale: chart.Log10},
		Layers: []chart.Layer{chart.Points{Case: true}, chart.Ceilings{Of: limits, Around: 4, Note: note}},
	}, true
}

// level is what the results bounded by one bandwidth have in common.
type level struct {
	bytes    float64 // the largest working set among them
	operands []string
}

func (l *level) add(r *Result) {
	l.bytes = max(l.bytes, r.Number(Bytes))
	text, _ := r.Setting("operands").(string)
	if !slices.Contains(l.operands, text) {
		l.operands = append(l.operands, text)
	}
}

// ceiling names the level by where the operands lie, if the results say so, and by the working sets over which it was measured.
func (l *level) ceiling(rate float64) chart.Ceiling {
	label := si.Format(rate, "B/s")
	where := ""
	if len(l.operands) == 1 {
		where = l.operands[0]
	}
	if where != "" {
		label = where + ", " + label
	}
	if where != fromMemory {
		label += " up to " + si.Format(l.bytes, "B")
	}
	return chart.Ceiling{Label: label, PerX: rate}
}

// specCeilings returns the limits of a result from the specification of its device, if there is one.
func specCeilings(r *Result) (list []chart.Ceiling) {
	if rate := r.Number(SpecCompute); rate > 0 {
		list = append(list, chart.Ceiling{Label: fmt.Sprintf("%s by specification, %s", r.Values.Text(Arithmetic), si.Format(rate, "FLOP/s")), Flat: rate})
	}
	if rate := r.Number(SpecBandwidth); rate > 0 {
		list = append(list, chart.Ceiling{Label: si.Format(rate, "B/s") + " by specification", PerX: rate})
	}
	return list
}

func byCeiling(a, b chart.Ceiling) int {
	return cmp.Or(cmp.Compare(a.PerX, b.PerX), cmp.Compare(a.Flat, b.Flat))
}

// ceilings returns the arithmetic peaks, and the lowest and the highest of the bandwidth peaks.
func ceilings(flat map[float64]string, steep map[float64]*level) []chart.Ceiling {
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
	list = append(list, steep[lo].ceiling(lo))
	if hi > lo {
		list = append(list, steep[hi].ceiling(hi))
	}
	return list
}
