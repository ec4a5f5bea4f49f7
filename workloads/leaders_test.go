package workloads

import (
	"math"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads/measure"
)

// at is a result of a variant at a place of the axis "size".
func at(size int, variant string, rate stats.Interval) Result {
	r := Result{ID: variant + " " + strings.Repeat("+", size), Case: "c", Variant: variant, Status: OK, Settings: Point{{"size", size}}}
	r.Values.Set(Throughput, rate)
	return r
}

func leadersOf(results ...Result) []Finding {
	return Leaders(Axis{Name: "size", Unit: "rows"}, Throughput, "FLOP/s", Subject{Name: "Products", Plural: true}, results)
}

// paired is a result with a speedup over another of its case.
func paired(r Result, baseline string, by float64) Result { return pairedWithin(r, baseline, by, 0.05) }

func pairedWithin(r Result, baseline string, by, within float64) Result {
	r.Baseline = baseline
	r.Values.Set(Speedup, stats.Interval{Median: by, Lo: by - within, Hi: by + within})
	return r
}

func TestLeaders(t *testing.T) {
	within := func(median, by float64) stats.Interval {
		return stats.Interval{Median: median, Lo: median - by, Hi: median + by}
	}
	for _, tc := range []struct {
		name    string
		results []Result
		want    string
	}{
		{
			"one throughout",
			[]Result{at(1, "a", within(100, 5)), at(1, "b", within(50, 5)), at(2, "b", within(60, 5)), at(2, "a", within(120, 5))},
			"Products: the fastest is a from 1 to 2 rows, 120 (115 to 125) FLOP/s at 2.",
		},
		{
			"the larger median of two that overlap does not lead alone",
			[]Result{at(1, "a", within(100, 5)), at(1, "b", within(101, 10)), at(2, "a", within(100, 1)), at(2, "b", within(50, 1))},
			"Products: the fastest is a or b at 1 row, with no measurable difference, 101 (91.0 to 111) FLOP/s; a at 2 rows, 100 (99.0 to 101) FLOP/s.",
		},
		{
			"a leader that falls behind",
			[]Result{at(1, "a", within(100, 5)), at(1, "b", within(50, 5)), at(2, "a", within(100, 5)), at(2, "b", within(200, 5))},
			"Products: the fastest is a at 1 row, 100 (95.0 to 105) FLOP/s; b at 2 rows, 200 (195 to 205) FLOP/s.",
		},
		{
			"pairs of samples tell apart what overlaps",
			[]Result{at(1, "a", within(100, 50)), paired(at(1, "b", within(95, 50)), "a", 0.9)},
			"Products: the fastest is a at 1 row, 100 (50.0 to 150) FLOP/s.",
		},
		{
			"two that are apart by less than counts",
			[]Result{at(1, "a", within(100, 0.1)), at(1, "b", within(100.5, 0.1)), at(2, "a", within(100, 1)), at(2, "b", within(100, 1))},
			"Products: the fastest is a or b from 1 to 2 rows, with no confirmed difference of more than 1 %, 100 (99.0 to 101) FLOP/s at 2.",
		},
		{
			"pairs that are apart by less than counts",
			[]Result{at(1, "a", within(100, 50)), pairedWithin(at(1, "b", within(101, 50)), "a", 1.006, 0.003)},
			"Products: the fastest is a or b at 1 row, with no confirmed difference of more than 1 %, 101 (51.0 to 151) FLOP/s.",
		},
		{
			"as little the other way round",
			[]Result{at(1, "a", within(101, 50)), pairedWithin(at(1, "b", within(100, 50)), "a", 0.994, 0.003)},
			"Products: the fastest is a or b at 1 row, with no confirmed difference of more than 1 %, 101 (51.0 to 151) FLOP/s.",
		},
		{
			"by pairs the faster one leads whose median is smaller",
			[]Result{at(1, "a", within(100, 50)), paired(at(1, "b", within(95, 50)), "a", 1.1)},
			"Products: the fastest is b at 1 row, 95.0 (45.0 to 145) FLOP/s.",
		},
	} {
		f := one(t, tc.name, leadersOf(tc.results...))
		if got := f.Sentence(); f.Kind != KindLeaders || got != tc.want {
			t.Errorf("%s: %s %q\nwant %q", tc.name, f.Kind, got, tc.want)
		}
	}
}

func TestLeadersWithoutConclusion(t *testing.T) {
	if found := leadersOf(at(1, "a", exactly(1)), at(2, "a", exactly(2))); found != nil {
		t.Errorf("of one variant: %v", found)
	}
	bare := at(1, "b", stats.Interval{Median: 7, Lo: math.Inf(-1), Hi: math.Inf(1)})
	bare.Samples = []float64{1}
	disturbed := at(1, "b", exactly(1))
	disturbed.Warn(WarningKind(measure.Disturbed), "others")
	for what, r := range map[string]Result{"without an interval": bare, "disturbed": disturbed} {
		f := one(t, what, leadersOf(at(1, "a", exactly(1)), r))
		if f.Kind != KindNone {
			t.Errorf("%s: %s %q", what, f.Kind, f.Sentence())
		}
	}
}

// took is a result of a variant with the given time.
func took(variant string, time stats.Interval) Result {
	r := at(1, variant, exactly(1))
	r.Values.Set(Time, time)
	return r
}

func TestStagesThatAreLevel(t *testing.T) {
	s := Subject{Name: "A step"}
	near := stats.Interval{Median: 3.9, Lo: 3.8, Hi: 4.1}
	f := one(t, "stages", Stages([]Result{took("whole", exactly(10)), took("x", exactly(4)), took("y", exactly(2)), took("z", near)}, s, "whole"))
	want := `A step: the largest stages are "x" and "z", with no measurable difference: each 40 % (40 % to 40 %) of the whole; timed separately, the stages add up to 99 %`
	if got := f.Sentence(); !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	disturbed := took("y", exactly(2))
	disturbed.Warn(WarningKind(measure.Disturbed), "others")
	if f := one(t, "disturbed", Stages([]Result{took("whole", exactly(10)), took("x", exactly(4)), disturbed}, s, "whole")); f.Kind != KindNone {
		t.Errorf("with a disturbed stage: %q", f.Sentence())
	}
}

func TestBesideWithoutDifference(t *testing.T) {
	base, way := took("naive", exactly(10)), took("fused", exactly(10))
	way.Values.Set(Speedup, stats.Interval{Median: 1.02, Lo: 0.98, Hi: 1.06})
	f := one(t, "beside", Beside(&base, &way, Subject{Name: "P", Way: "the fused kernel", Baseline: "naive"}, "Published: 2×."))
	if got := f.Sentence(); strings.Contains(got, "faster") || !strings.Contains(got, "no measurable difference") {
		t.Errorf("%q claims a difference", got)
	}
}
