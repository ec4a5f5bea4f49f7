package workloads

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads/measure"
)

func exactly(v float64) stats.Interval { return stats.Interval{Median: v, Lo: v, Hi: v} }

// measured is a curve with the values 64, 128, … of its axis, or 10, 100, ….
func measured(tenfold bool, values ...stats.Interval) *Curve {
	c := &Curve{Axis: Axis{Name: "size", Unit: "rows"}, Unit: "FLOP/s", Subject: Subject{Name: "Products", Plural: true}}
	n := 64
	if tenfold {
		n = 10
		c = &Curve{Axis: Axis{Name: "n", Unit: "elements"}, Subject: Subject{Name: "Add", Way: "one kernel", Baseline: "two"}}
	}
	c.Of = Throughput
	for _, v := range values {
		r := Result{ID: ResultID(0, len(c.Results)), Case: fmt.Sprint(n), Variant: "x", Status: OK, Settings: Point{{c.Axis.Name, n}}}
		r.Values.Set(c.Of, v)
		c.Results = append(c.Results, r)
		if n *= 2; tenfold {
			n *= 5
		}
	}
	return c
}

func rates(values ...float64) *Curve {
	var list []stats.Interval
	for _, v := range values {
		list = append(list, exactly(v))
	}
	return measured(false, list...)
}

// one returns the only finding.
func one(t *testing.T, what string, found []Finding) *Finding {
	t.Helper()
	if len(found) != 1 {
		t.Fatalf("%s: %d findings, want 1", what, len(found))
	}
	if f := &found[0]; f.Sentence() == "" || f.Case != "" && (f.Result == "" || len(f.Facts.Evidence) == 0 || f.Facts.Evidence[0] != f.Result) {
		t.Errorf("%s: the finding has the sentence %q and the evidence %q for %q", what, f.Sentence(), f.Facts.Evidence, f.Case)
	}
	return &found[0]
}

func TestKnee(t *testing.T) {
	for _, tc := range []struct {
		name     string
		curve    *Curve
		part     float64
		kind     string
		at, from float64 // the knee and the previous value; for a best, its place
		best     float64
		reach    int
	}{
		{"rises and flattens", rates(10, 50, 91, 100, 99), 0.9, KindKnee, 256, 128, 512, 3},
		{"half", rates(10, 51, 91, 100, 99), 0.5, KindKnee, 128, 64, 512, 4},
		{"dips", rates(10, 95, 80, 100, 99), 0.9, KindKnee, 512, 256, 512, 2},
		{"flat", rates(99, 100, 98), 0.9, KindKnee, 64, 64, 128, 3},
		{"falls", rates(100, 50, 20), 0.9, KindBest, 64, 64, 64, 1},
		{"rises throughout", rates(1, 2, 4), 0.9, KindRising, 256, 256, 128, 3},
		{"rises at the end", rates(50, 89, 94, 100), 0.9, KindRising, 512, 512, 256, 4},
		{"flattens at the end", rates(50, 89, 96, 100), 0.9, KindKnee, 256, 128, 512, 2},
		{"falls at the end", rates(10, 95, 100, 80), 0.9, KindBest, 256, 256, 256, 2},
		{"dips before the last", rates(95, 50, 100), 0.9, KindRising, 256, 256, 128, 3},
	} {
		f := one(t, tc.name, tc.curve.Knee(tc.part))
		got := f.Facts
		if f.Kind != tc.kind || got.Place != (Place{tc.at, tc.from, tc.at}) || got.Best.At != tc.best || got.Holds.Count != tc.reach ||
			got.Holds.Of != len(tc.curve.Results) || f.Kind != KindRising && got.Limit != tc.part || f.Case != fmt.Sprint(tc.at) {
			t.Errorf("%s: %s %+v", tc.name, f.Kind, got)
		}
	}
	if got := append(rates(10).Knee(0.9), rates().Knee(0.9)...); len(got) > 0 {
		t.Errorf("too few results: %+v", got)
	}
}

// around is a value with an interval of ± part.
func around(v, part float64) stats.Interval {
	return stats.Interval{Median: v, Lo: v * (1 - part), Hi: v * (1 + part)}
}

// A conclusion requires intervals that allow no other.
func TestNoConclusionFromWideIntervals(t *testing.T) {
	unbounded := stats.Interval{Median: 80, Lo: 0, Hi: math.Copysign(0, -1)} // the rate of a time without an interval
	for _, tc := range []struct {
		name  string
		curve []stats.Interval
		kind  string
		at    float64 // of the finding, or of the interval that is too wide
		place Place
	}{
		{"narrow", []stats.Interval{around(10, 0.01), around(95, 0.01), around(100, 0.01), around(99, 0.01)}, KindKnee, 128, Place{128, 64, 128}},
		{"the last reaches over", []stats.Interval{exactly(10), exactly(95), exactly(100), around(80, 0.4)}, KindNone, 512, nowhere()},
		{"no interval", []stats.Interval{exactly(10), exactly(95), exactly(100), unbounded}, KindNone, 512, nowhere()},
		{"falls clearly", []stats.Interval{exactly(10), around(97, 0.04), around(100, 0.02), around(80, 0.05)}, KindBest, 256, Place{256, 128, 256}},
		{
			"one before the knee reaches over",
			[]stats.Interval{around(10, 0.01), around(88, 0.03), around(99, 0.01), around(100, 0.01)},
			KindKnee, 256,
			Place{256, 64, 256},
		},
		{"still rising, perhaps", []stats.Interval{around(10, 0.01), around(80, 0.1), around(100, 0.15)}, KindNone, 128, nowhere()},
		{"the best is wide", []stats.Interval{around(10, 0.1), around(50, 0.1), around(52, 2)}, KindNone, 256, nowhere()},
	} {
		f := one(t, tc.name, measured(false, tc.curve...).Knee(0.9))
		at := f.Facts.Place.At
		if f.Kind == KindNone {
			at = f.Facts.Lack.At.At
		}
		if f.Kind != tc.kind || at != tc.at || fmt.Sprint(f.Facts.Place) != fmt.Sprint(tc.place) {
			t.Errorf("%s: %s at %v, place %v", tc.name, f.Kind, at, f.Facts.Place)
		}
	}
}

// A disturbed result leaves no conclusion, whatever the finder.
func TestNoConclusionFromDisturbedResults(t *testing.T) {
	disturb := func(results []Result) {
		results[1].Warn(WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	}
	knee, crossover := rates(10, 95, 100, 99), speedups([2]float64{1.8, 2}, [2]float64{1.4, 1.6})
	drift := rates(slices.Repeat([]float64{100}, 15)...)
	choice := formats(formatOf("f32", 400, math.Inf(1), 1, 1), formatOf("f16", 200, 70, 1.8, 1.7))
	for _, results := range [][]Result{knee.Results, crossover.Results, drift.Results, choice.Results} {
		disturb(results)
	}
	for name, found := range map[string][]Finding{
		"knee": knee.Knee(0.9), "crossover": crossover.Crossover(), "drift": drift.Drift(), "advice": choice.Advice(),
	} {
		f := one(t, name, found)
		if f.Kind != KindNone || f.Facts.Lack.Disturbed != 1 || f.Result != "" || !strings.Contains(f.Sentence(), "no conclusion. 1 of ") {
			t.Errorf("%s: %s %+v: %s", name, f.Kind, f.Facts.Lack, f.Sentence())
		}
	}
	if got := choice.Fastest(); len(got) > 0 {
		t.Errorf("fastest of disturbed times: %+v", got)
	}
	if f := one(t, "smallest", choice.Smallest()); f.Kind != KindSmallest {
		t.Errorf("bytes are not disturbed: %s", f.Kind)
	}
}

// TestKneesOfNoisyCurvesHold draws curves with noise as wide as their intervals say, and compares findings with the truth.
func TestKneesOfNoisyCurvesHold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	wrong, found := 0, 0
	const curves = 2000
	for range curves {
		truth := func(i int) float64 { return 100 * (1 - math.Exp(-0.9*math.Pow(2, float64(i))/4)) } // flat from 8 steps on
		noise := 0.002 + 0.05*r.Float64()
		var values []stats.Interval
		knee := 0
		for i := range 8 {
			v := truth(i) * (1 + noise*r.NormFloat64()/1.96)
			values = append(values, stats.Interval{Median: v, Lo: v * (1 - noise), Hi: v * (1 + noise)})
			if truth(i) < 0.9*truth(7) {
				knee = i + 1
			}
		}
		f := measured(false, values...).Knee(0.9)[0]
		if f.Kind != KindKnee {
			continue
		}
		found++
		if at := 64 * math.Pow(2, float64(knee)); f.Facts.Place.At < at || f.Facts.Place.Lo > at {
			wrong++
		}
	}
	if found < curves/2 || float64(wrong) > 0.01*float64(found) {
		t.Errorf("%d of %d knees are wrong, of %d curves", wrong, found, curves)
	}
}

// A format that takes more bytes, such as one with a single weight and its scale, is not called smaller.
func TestSizesAgainstTheBaseline(t *testing.T) {
	for want, shrinks := range map[string]float64{"2.25× larger": 4.0 / 9, "2.00× smaller": 2, "as large": 1} {
		c := Judged{Speed: exactly(2), Verdict: stats.Faster, Enough: true, Shrinks: shrinks}
		if got := c.text(&Facts{}); !strings.HasSuffix(got, ", "+want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := sizeText(1, "f32"), "as large as f32"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Sentences and tables format a ratio alike.
func TestRatiosHaveThreeDigits(t *testing.T) {
	for want, ratio := range map[string]stats.Interval{
		"1609× (1577× to 1637×)":       {Median: 1608.9, Lo: 1577.07, Hi: 1637.31},
		"0.0121× (0.0115× to 0.0130×)": {Median: 0.0121, Lo: 0.0115, Hi: 0.013},
		"1.10× (1.00× to 1.20×)":       {Median: 1.1, Lo: 1.002, Hi: 1.2},
	} {
		if got := ratioText(ratio); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// If an interval excludes 1, no sentence says that no difference was measurable.
func TestLittleDifferencesAreTold(t *testing.T) {
	c := Judged{Speed: stats.Interval{Median: 1.034, Lo: 1.006, Hi: 1.048}, Verdict: stats.Unsure, Enough: true}
	little := formats(formatOf("f32", 400, math.Inf(1), 1, 1), formatOf("f16", 200, 70, 1.02, 1.006))
	if got := one(t, "fastest", little.Fastest()).Sentence(); got != "Weights: no format that keeps 20 dB SNR of the weights is shown to be more than 1 % faster than f32 at batch 3." {
		t.Error(got)
	}
	for _, got := range []string{c.text(&Facts{}), c.cost()} {
		if !strings.Contains(got, "no confirmed difference of more than 1 %") {
			t.Error(got)
		}
	}
}

// The end of an interval that excludes 1 is not displayed as 1.
func TestEndsAreToldFromOne(t *testing.T) {
	for want, ends := range map[string][2]float64{
		"1.005× to 1.04×":   {1.00499, 1.04},
		"1.0004× to 1.004×": {1.0004, 1.004},
		"0.960× to 0.9997×": {0.96, 0.9997},
		"1.00× to 1.04×":    {1, 1.04},
		"0.990× to 1.00×":   {0.99, 1.004},
	} {
		ratio := stats.Interval{Median: (ends[0] + ends[1]) / 2, Lo: ends[0], Hi: ends[1]}
		c, f := Judged{Speed: ratio, Verdict: stats.Unsure, Enough: true}, Facts{Value: ratio, Readings: make([]Reading, 2)}
		for _, got := range []string{c.text(&Facts{}), c.cost(), f.against("f32"), f.total()} {
			if !strings.Contains(got, "("+want+")") {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	f := one(t, "alone", speedups([2]float64{1.004, 1.05}).Crossover())
	if got := f.Sentence(); !strings.HasSuffix(got, ": 1.03× (1.004× to 1.05×).") {
		t.Error(got)
	}
}

// formatOf returns a result with its bytes, its SNR, and the speedup with its lower end.
func formatOf(variant string, bytes, snr, speedup, lo float64) Result {
	r := Result{ID: variant, Case: "w", Variant: variant, Status: OK}
	r.Values.SetNumber(Footprint, bytes)
	r.Values.SetNumber(SNR, snr)
	if variant != "f32" {
		r.Values.Set(Speedup, stats.Interval{Median: speedup, Lo: lo, Hi: speedup * 1.1})
	}
	return r
}

func formats(results ...Result) *Candidates {
	return &Candidates{
		Subject: Subject{Name: "Weights", Baseline: "f32", Where: "at batch 3"}, Results: results, Wanted: 20, Elements: 100,
		Quality: func(r *Result) float64 { return r.Number(SNR) }, Bytes: func(r *Result) float64 { return r.Number(Footprint) },
		Speedup: func(r *Result) stats.Interval { return r.Speedup() },
		Group:   func(r *Result) string { return strings.Fields(r.Variant)[0] },
	}
}

func TestCandidates(t *testing.T) {
	f32 := formatOf("f32", 400, math.Inf(1), 1, 1)
	for _, tc := range []struct {
		name              string
		of                *Candidates
		smallest, fastest string // variants; empty: no finding
		nearest           string
		shrinks           float64
	}{
		{
			"both",
			formats(f32, formatOf("f16", 200, 70, 1.8, 1.7), formatOf("int8", 100, 40, 1.5, 1.4), formatOf("int4", 60, 12, 3, 2.9)),
			"int8", "f16", "", 4,
		},
		{"chance", formats(f32, formatOf("f16", 200, 70, 1.2, 0.9)), "f16", "f32", "", 2},
		{"as small", formats(f32, formatOf("q4_0", 100, 21, 1.8, 1.7), formatOf("q4_K", 100, 23, 1.5, 1.4), formatOf("int4", 100, 20, 1.3, 1.2)), "q4_K", "q4_0", "", 4},
		{"no baseline", formats(formatOf("f16", 200, 70, 1.2, 1.1)), "f16", "f16", "", 0},
		{"nothing is good enough", formats(f32, formatOf("int4", 60, 12, 3, 2.9)), "f32", "", "int4", 0},
		{"overflow", formats(f32, formatOf("f16", 200, math.Inf(-1), 3, 2.9)), "f32", "", "f16", 0},
		{"alone", formats(f32), "", "", "", 0},
	} {
		var got [2]string
		small, fast := tc.of.Smallest(), tc.of.Fastest()
		if len(small) > 0 {
			f := one(t, tc.name, small)
			got[0] = f.Variant
			if f.Kind != KindSmallest || f.Facts.Nearest != tc.nearest || f.Facts.Shrinks != tc.shrinks || f.Facts.Limit != 20 {
				t.Errorf("%s: %s %+v", tc.name, f.Kind, f.Facts)
			}
		}
		if len(fast) > 0 {
			if got[1] = one(t, tc.name, fast).Variant; fast[0].Kind != KindFastest || fast[0].Variant != "f32" && !(fast[0].Facts.Value.Lo > 1) {
				t.Errorf("%s: %s %+v", tc.name, fast[0].Kind, fast[0].Facts)
			}
		}
		if got != [2]string{tc.smallest, tc.fastest} {
			t.Errorf("%s: smallest and fastest are %q, want %q and %q", tc.name, got, tc.smallest, tc.fastest)
		}
	}
}

// A series drifts if its whole last third is faster or slower than its whole first third, regardless of the middle.
func TestDrift(t *testing.T) {
	series := func(n int, of func(i int) float64) *Curve {
		var list []float64
		for i := range n {
			list = append(list, of(i))
		}
		return rates(list...)
	}
	wobble := func(i int) float64 { return 100 + float64(i%3-1) }
	for _, tc := range []struct {
		name string
		of   func(i int) float64
		kind string
	}{
		{"steady", wobble, KindSteady},
		{"slower", func(i int) float64 { return wobble(i) - float64(i) }, KindDrift},
		{"faster", func(i int) float64 { return wobble(i) + float64(i) }, KindDrift},
		{"noise", func(i int) float64 { return wobble(i) * (1 + 0.5*float64(i%2)) }, KindVaries},
		{"a dip between", func(i int) float64 { return wobble(i) - map[bool]float64{true: 50}[i/8 == 1] }, KindSteady},
	} {
		f := one(t, tc.name, series(24, tc.of).Drift())
		if f.Kind != tc.kind || f.Facts.Holds.Count != 24 || (f.Case != "") != (tc.kind == KindDrift) || !f.Facts.Value.Bounded() {
			t.Errorf("%s: %s %+v", tc.name, f.Kind, f.Facts)
		}
	}
	if got := series(14, wobble).Drift(); len(got) > 0 {
		t.Errorf("four values in a third: %+v", got)
	}
}

// Each kind of finding in words, each form once.
func TestSentences(t *testing.T) {
	wide := stats.Interval{Median: 80, Lo: 43, Hi: 117}
	noisy := measured(false, stats.Interval{Median: 100e9, Lo: 98e9, Hi: 102e9}, exactly(50e9))
	batch := rates(10, 95, 100)
	batch.Subject, batch.Axis = Subject{Name: "The MLP"}, Axis{Name: "size", Unit: "items", Phrase: "a batch of %s"}
	batch.Readings = func(*Result) []Reading {
		return []Reading{{Value: exactly(8), Unit: "items/s"}, {Value: exactly(1), Unit: "s", Per: "per batch"}}
	}
	f32 := formatOf("f32", 400, math.Inf(1), 1, 1)
	advised := formats(f32, formatOf("f16", 200, 70, 1.8, 1.7), formatOf("int8 32", 120, 41, 0.99, 0.98), formatOf("int8 256", 102, 40.5, 0.98, 0.97),
		formatOf("int4 32", 60, 21, 0.5, 0.4), formatOf("int4 256", 52, 12, 0.5, 0.45), formatOf("int2", 30, 3, 2, 1.9))
	same := stats.Interval{Median: 1, Lo: 0.99, Hi: 1.01}
	advised.Results[2].Values.Set(Speedup, same)
	advised.Results[3].Values.Set(Speedup, same)
	within := measured(false, around(0.003, 0.1), around(0.006, 0.05), around(0.012, 0.05))
	within.Unit, within.Subject = "s", Subject{Name: "The MLP"}
	var got []string
	for _, f := range slices.Concat(
		rates(10, 50, 91, 100, 99).Knee(0.9), batch.Knee(0.9), noisy.Knee(0.9), rates(10, 95, 100, 80).Knee(0.9),
		measured(false, exactly(10), exactly(95), exactly(100), wide).Knee(0.9),
		measured(false, exactly(10), exactly(100), wide).Knee(0.9),
		speedups([2]float64{1.8, 2}, [2]float64{1.2, 1.4}, [2]float64{0.7, 0.8}).Crossover(),
		speedups([2]float64{1.8, 2}, [2]float64{0.9, 1.1}, [2]float64{1.2, 1.4}, [2]float64{0.7, 0.8}).Crossover(),
		speedups([2]float64{1.8, 2}, [2]float64{0.95, 1.25}).Crossover(),
		speedups([2]float64{0.5, 0.6}, [2]float64{1.022, 1.038}).Crossover(),
		speedups([2]float64{1.8, 2}, [2]float64{1.4, 1.6}).Crossover(),
		speedups([2]float64{0.8, 0.9}, [2]float64{0.5, 0.6}).Crossover(),
		speedups([2]float64{0.99, 1.01}, [2]float64{0.5, 0.6}, [2]float64{0.01, 0.02}).Crossover(),
		speedups([2]float64{0.99, 1.01}, [2]float64{0.5, 0.6}, [2]float64{0.98, 0.995}).Crossover(),
		speedups([2]float64{0.9, 1.1}, [2]float64{0.8, 1.1}).Crossover(),
		speedups([2]float64{0.9, 1.1}, [2]float64{1.005, 1.05}).Crossover(),
		speedups([2]float64{1.8, 2}, [2]float64{1.006, 1.05}).Crossover(),
		formats(f32, formatOf("int8", 120, 40, 1.5, 1.4)).Smallest(), formats(f32, formatOf("int4", 60, 12, 3, 2.9)).Smallest(),
		formats(f32, formatOf("f16", 200, math.Inf(-1), 3, 2.9)).Smallest(),
		rates(50, 89, 94, 100).Knee(0.9), batch.Knee(0.05), advised.Advice(),
		within.Within(0.0065), within.Within(0.0045), within.Within(1), within.Within(0.001),
		formats(f32, formatOf("f16", 200, 70, 1.8, 1.7)).Fastest(), formats(f32, formatOf("f16", 200, 70, 1.2, 0.9)).Fastest(),
	) {
		got = append(got, f.Sentence())
	}
	for _, kind := range []string{KindSteady, KindVaries, KindDrift} {
		f := Finding{Kind: kind, Facts: Facts{Subject: Subject{Name: "Products", Plural: true}, Value: exactly(0.9), Holds: Span{From: 5, To: 125}}}
		got = append(got, f.Sentence())
	}
	want := []string{
		"Products: use 256 rows or more: at least 90 % of the best throughput, 100 FLOP/s at 512 rows.",
		"The MLP: still rising at a batch of 256, the largest measured, with 100 FLOP/s, 1.05× that at 128. Measure larger ones.",
		"Products: use 64 rows. The best throughput is 100 (98.0 to 102) GFLOP/s at 64 rows; larger ones fall below 90 % of it.",
		"Products: use 256 rows. The best throughput is 100 FLOP/s at 256 rows; larger ones fall below 90 % of it.",
		"Products: no conclusion. The interval at 512 rows, 80.0 (43.0 to 117) FLOP/s, is too wide: measure longer, or on a quiet machine.",
		"Products: no conclusion. The interval at 256 rows, 80.0 (43.0 to 117) FLOP/s, is too wide: measure longer, or on a quiet machine.",
		"Add: one kernel is faster than two from 10 to 100 elements, up to 1.90× (1.80× to 2.00×) at 10; the gain ends between 100 and 1000.",
		"Add: one kernel is faster than two at 2 of the 3 sizes from 10 to 1000 elements, up to 1.90× (1.80× to 2.00×) at 10; " +
			"the gain ends between 1000 and 10,000.",
		"Add: one kernel is faster than two at 10 elements: 1.90× (1.80× to 2.00×); from 100 up, no gain was measurable.",
		"Add: one kernel is faster than two at 100 elements: 1.03× (1.02× to 1.04×); slower at 10: 0.550× (0.500× to 0.600×).",
		"Add: one kernel is faster than two at every size measured, 10 to 100 elements, up to 1.90× (1.80× to 2.00×) at 10.",
		"Add: one kernel is slower than two at every size measured, 10 to 100 elements: at best 0.850× (0.800× to 0.900×) at 10.",
		"Add: one kernel is slower than two from 100 to 1000 elements: at best 0.550× (0.500× to 0.600×) at 100. At 10 there is no measurable difference.",
		"Add: one kernel is slower than two at 100 elements: 0.550× (0.500× to 0.600×). At 10 and 1000 there is no confirmed difference of more than 1 %.",
		"Add: one kernel shows no measurable difference from two at 10 to 100 elements.",
		"Add: one kernel shows no confirmed difference of more than 1 % from two at 10 to 100 elements.",
		"Add: one kernel is faster than two at 10 elements: 1.90× (1.80× to 2.00×); from 100 up, no gain of more than 1 % is confirmed.",
		"Weights: int8 is the smallest measured format that keeps 20 dB SNR of the weights, with 40.0 dB at 9.6 bits per weight (3.33× smaller than f32).",
		"Weights: no measured format smaller than f32 keeps 20 dB SNR of the weights; int4 comes closest, with 12.0 dB.",
		"Weights: no measured format smaller than f32 keeps 20 dB SNR of the weights; f16 comes closest, with weights beyond its range.",
		"Products: still rising at 512 rows, the largest measured, with 100 FLOP/s, 1.06× that at 256. Measure larger ones.",
		"The MLP: use a batch of 64 or larger: 8.00 items/s and 1.00 s per batch, at least 5 % of the best throughput, 100 FLOP/s " +
			"at a batch of 256. Every measured size reaches it.",
		"Weights, against f32 at batch 3: f16: yes, 1.80× faster, 70.0 dB, 2.00× smaller; int8 256: same speed, 40.5 dB, 3.92× smaller; " +
			"int4 32: no, 2.00× slower, 21.0 dB, 6.67× smaller; int2: no, 3.0 dB (target 20 dB). Decibels are the SNR of the weights.",
		"The MLP: use at most 128 rows to stay within 6.50 ms.",
		"The MLP: use at most 64 rows to stay within 4.50 ms.",
		"The MLP: use at most 256 rows to stay within 1.00 s. That is the largest measured. Measure larger ones.",
		"The MLP: no measured size was reliably within 1.00 ms: 3.00 (2.70 to 3.30) ms at 64 rows.",
		"Weights: f16 is the fastest measured format that keeps 20 dB SNR of the weights: 1.80× faster than f32 (1.70–1.98) at batch 3, with 70.0 dB.",
		"Weights: no format that keeps 20 dB SNR of the weights was measurably faster than f32 at batch 3.",
		"Products are steady over 120 s: the last third runs at 0.900× (0.900× to 0.900×) the rate of the first.",
		"Products vary too much over 120 s to judge drift: the last third runs at 0.900× (0.900× to 0.900×) the rate of the first.",
		"Products drift over 120 s: the last third is 1.11× slower than the first.",
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("sentence %d:\n%q, want\n%q", i, slices.Concat(got, []string{""})[min(i, len(got))], slices.Concat(want, []string{""})[min(i, len(want))])
		}
	}
}
