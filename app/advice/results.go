package advice

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// Limits of the rules about results.
const (
	wellUsed    = 0.6     // share of the peak bandwidth that a memory-bound kernel should reach
	barelyUsed  = 0.1     // share of every peak below which something else takes the time
	shortWork   = 50e-6   // s of a dispatch; below this, the launch may dominate
	minTraffic  = 1 << 20 // bytes of a repetition, below which bandwidth says nothing
	smallBatch  = 2       // the factor over the smallest batch's rate that others must reach
	halfRange   = 65504   // largest finite f16
	manyResults = 3       // at most this many pieces of one rule
)

// resultRules look at single results.
func resultRules() []Rule {
	return []Rule{
		{
			ID: "overflow", Title: "Values beyond the range of f16", Needs: "results that count values beyond a format’s range",
			Do:   "Sum in f32 and store in bf16 or f32, or scale the values first: f16 ends at ± 65,504 and has 3 to 4 digits.",
			look: overflows,
		},
		{
			ID: "small-batch", Title: "Batches too small for the launch", Needs: "results along an axis of batches or rows, with items per second",
			Do:   "Give a dispatch more work: collect requests into batches, at least up to the knee of the curve.",
			look: smallBatches,
		},
		{
			ID: "low-bandwidth", Title: "Far below the peak bandwidth", Needs: "the measured peaks of the device (the workload “peaks”)",
			Do:   "Read and write in order, more bytes per thread (vectors of 16 bytes), and more threadgroups; the fastest variant of the case shows what is possible.",
			look: lowBandwidth,
		},
		{
			ID: "launch-bound", Title: "Dispatches too short", Needs: "the measured peaks of the device, and results of short dispatches",
			Do:   "Encode several dispatches into one command buffer, fuse them, or give each more elements: 100,000 or more.",
			look: launchBound,
		},
		{
			ID: "tuned", Title: "A faster kernel than the default", Needs: "a search of “tuning” that found one",
			Do:   "Run with the tuned kernels (assay run --tuned, or the switch on the Run page).",
			look: untuned,
		},
	}
}

// overflows finds results that warn of values beyond the range of their format.
func overflows(s *Subject) []Piece {
	var figures []Figure
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		for _, w := range r.Warnings {
			if w.Kind == workloads.Infinite {
				f := ofResult("Beyond the range", stats.Unknown(), "", r)
				f.Text = w.Text
				if n := r.Number(workloads.Overflowed); n > 0 {
					f = ofResult("Values beyond the range", stats.Exact(n), "", r)
					f.Limit = fmt.Sprintf("largest finite value %d", halfRange)
				}
				figures = append(figures, f)
			}
		}
	}
	if len(figures) == 0 {
		return nil
	}
	text := fmt.Sprintf("In %s, finite values became infinite.", si.Counted(len(figures), "result"))
	return []Piece{{Text: text, Evidence: figures[:min(len(figures), manyResults)], Gain: unknownGain()}}
}

// byRate compares results by items per second.
func byRate(a, b *workloads.Result) int {
	return cmp.Compare(a.Number(workloads.ItemRate), b.Number(workloads.ItemRate))
}

// batchAxes are the axes along which a dispatch gets more items.
func batchAxes() []string { return []string{"batch", "rows"} }

// smallBatches finds curves of a variant whose smallest batch has less than half the rate that others reach.
func smallBatches(s *Subject) []Piece {
	var best *Piece
	for _, axis := range batchAxes() {
		for _, curve := range s.curves(axis) {
			first, top := curve[0], slices.MaxFunc(curve, byRate)
			g := stats.Quotient(top.Get(workloads.ItemRate), first.Get(workloads.ItemRate))
			if !g.Bounded() || !(g.Lo >= smallBatch) || best != nil && g.Median <= best.Gain.Speedup.Median {
				continue
			}
			best = &Piece{
				Text: fmt.Sprintf("In %s, %s, the time per item is %s of that in %s.", top.Case, top.Variant, percent(1/g.Median), first.Case),
				Gain: Gain{g, Measured},
				Evidence: []Figure{
					ofResult("Items per second, smallest", first.Get(workloads.ItemRate), "1/s", first),
					ofResult("Items per second, best", top.Get(workloads.ItemRate), "1/s", top),
				},
			}
		}
	}
	if best == nil {
		return nil
	}
	return []Piece{*best}
}

// curves returns the results of each variant along an axis, in ascending order, if there are at least two.
func (s *Subject) curves(axis string) [][]*workloads.Result {
	at := map[string]int{}
	var all [][]*workloads.Result
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		if _, is := workloads.Number(r.Setting(axis)); !is || !fit(r) || !(r.Number(workloads.ItemRate) > 0) {
			continue
		}
		k := s.key(r, axis) + "|" + r.Variant
		n, known := at[k]
		if !known {
			n = len(all)
			at[k], all = n, append(all, nil)
		}
		all[n] = append(all[n], r)
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b *workloads.Result) int {
			x, _ := workloads.Number(a.Setting(axis))
			y, _ := workloads.Number(b.Setting(axis))
			return cmp.Compare(x, y)
		})
	}
	return slices.DeleteFunc(all, func(list []*workloads.Result) bool { return len(list) < 2 })
}

// lowBandwidth finds cases that should be memory-bound but whose fastest variant is far below the peak.
func lowBandwidth(s *Subject) []Piece {
	var worst *workloads.Result
	n, of := 0, 0
	for _, group := range s.cases("", "") {
		r := fastest(group)
		if r == nil || !boundByMemory(r) {
			continue
		}
		of++
		if share := r.Number(workloads.OfBandwidth); share < wellUsed {
			n++
			if worst == nil || share < worst.Number(workloads.OfBandwidth) {
				worst = r
			}
		}
	}
	if worst == nil {
		return nil
	}
	share := worst.Number(workloads.OfBandwidth)
	return []Piece{{
		Text: fmt.Sprintf("The fastest variant of %s, %s, moves its bytes at %s of the measured peak; %d of %d such cases are below %s.", worst.Case,
			worst.Variant, percent(share), n, of, percent(wellUsed)),
		Gain: Gain{stats.Unbounded(1 / share), Bound},
		Evidence: []Figure{
			ofResult("Bandwidth", worst.Get(workloads.Bandwidth), "B/s", worst),
			ofResult("Peak over as many bytes", worst.Get(workloads.PeakBandwidth), "B/s", worst),
			ofResult("Share", stats.Exact(share), "ratio", worst),
		},
	}}
}

// boundByMemory reports whether a result should be memory-bound: it moves much data, takes longer than a launch, and does less
// arithmetic per byte than the device could.
func boundByMemory(r *workloads.Result) bool {
	_, bandwidth, known := placed(r)
	if !known || !(bandwidth > 0) || !(r.Number(workloads.Bytes) >= minTraffic) || r.Time().Median < shortWork {
		return false
	}
	compute := r.Number(workloads.PeakCompute)
	ridge := compute / r.Number(workloads.PeakBandwidth)
	return !(compute > 0) || r.Number(workloads.Ops)/r.Number(workloads.Bytes) < ridge
}

// launchBound finds short dispatches that come near no peak.
func launchBound(s *Subject) []Piece {
	var worst *workloads.Result
	n := 0
	for _, group := range s.cases("", "") {
		r := fastest(group)
		if r == nil || boundBy(r) != workloads.BoundNeither {
			continue
		}
		compute, bandwidth, _ := placed(r)
		dispatches := r.Number(workloads.Dispatches)
		if compute >= barelyUsed || bandwidth >= barelyUsed || !(dispatches >= 1) || r.Time().Median/dispatches > shortWork {
			continue
		}
		n++
		if worst == nil || r.Time().Median/dispatches < worst.Time().Median/worst.Number(workloads.Dispatches) {
			worst = r
		}
	}
	if worst == nil {
		return nil
	}
	compute, bandwidth, _ := placed(worst)
	return []Piece{{
		Text: fmt.Sprintf("In %s a dispatch of %s is short and far from every peak; the shortest is in %s.", si.Counted(n, "case"),
			si.Time(worst.Time().Median/worst.Number(workloads.Dispatches)), worst.Case),
		Gain: unknownGain(),
		Evidence: []Figure{
			ofResult("Time of a dispatch", stats.Exact(worst.Time().Median/worst.Number(workloads.Dispatches)), "s", worst),
			ofResult("Of peak compute", stats.Exact(compute), "ratio", worst), ofResult("Of peak bandwidth", stats.Exact(bandwidth), "ratio", worst),
		},
	}}
}

// untuned finds searches that found a faster kernel than the default, which the run did not use.
func untuned(s *Subject) []Piece {
	var out []Piece
	for i := range s.Run.Findings {
		f := &s.Run.Findings[i]
		if f.Kind != workloads.KindTuned || s.Run.Meta.Tuned || !(f.Facts.Value.Lo >= matters) || s.doubted(f.Result) {
			continue
		}
		out = append(out, Piece{
			Text: f.Text, Gain: Gain{f.Facts.Value, Measured},
			Evidence: []Figure{{What: "Speedup", Value: f.Facts.Value, Unit: "×", Source: "finding of " + f.Workload + ", result " + f.Result, Result: f.Result}},
		})
	}
	return out[:min(len(out), manyResults)]
}
