package workloads

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads/measure"
)

func TestTrade(t *testing.T) {
	held := metric.Metric{Name: "held"}
	result := func(id string, seconds, bytes float64) Result {
		r := Result{ID: id, Case: "a", Variant: id, Status: OK}
		r.Values.Set(Time, stats.Interval{Median: seconds, Lo: 0.9 * seconds, Hi: 1.1 * seconds})
		r.Values.SetNumber(held.Name, bytes)
		return r
	}
	all, some := result("all", 4e-3, 8e6), result("some", 5e-3, 2e6)
	some.Values.Set(Speedup, stats.Unbounded(0.8))
	s := Subject{Name: "16 layers", Way: "a checkpoint every 4 layers", Baseline: "all kept", Where: "a step"}
	if f := Trade(&all, &some, s, held, "B", "are held"); len(f) != 1 || f[0].Kind != KindNone {
		t.Errorf("without an interval: %+v", f)
	}
	held.Untimed = true
	f := one(t, "an amount that no clock decides", Trade(&all, &some, s, held, "B", "are held"))
	if want := "16 layers: with a checkpoint every 4 layers, 2.00 MB are held instead of 8.00 MB. No conclusion about the time of a step: " +
		"One sample is too few for an interval: measure longer."; f.Kind != KindTrade || f.Sentence() != want {
		t.Errorf("%s: %q, want %q", f.Kind, f.Sentence(), want)
	}
	some.Values.Set(Speedup, stats.Interval{Median: 0.8, Lo: 0.78, Hi: 0.82})
	noisy := some
	noisy.Warn(WarningKind(measure.Disturbed), "disturbed: by others")
	f = one(t, "disturbed", Trade(&all, &noisy, s, held, "B", "are held"))
	if want := "No conclusion about the time of a step: 1 of 2 results disturbed: measure again on a quiet machine."; f.Kind != KindTrade || !strings.HasSuffix(f.Sentence(), want) {
		t.Errorf("%s: %q, want %q", f.Kind, f.Sentence(), want)
	}
	found := Trade(&all, &some, s, held, "B", "are held")
	if len(found) != 1 || found[0].Result != "some" {
		t.Fatalf("%+v", found)
	}
	if got, want := found[0].Sentence(), "16 layers: with a checkpoint every 4 layers, 2.00 MB are held instead of 8.00 MB; a step takes 5.00 (4.50 to 5.50) ms, "+
		"1.00 (0.100 to 1.90) ms more than with all kept, 1.25× slower (1.22–1.28)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	some.Values.Set(Speedup, stats.Interval{Median: 0.99, Lo: 0.9, Hi: 1.1})
	if got := Trade(&all, &some, s, held, "buffers", "are created")[0].Sentence(); !strings.HasSuffix(got, " ms, no measurable difference from all kept (0.900× to 1.10×).") {
		t.Errorf("%q", got)
	}
	some.Values.Set(Speedup, stats.Interval{Median: 1.2, Lo: 1.1, Hi: 1.3})
	if got := one(t, "the baseline", Trade(&some, &all, s, held, "B", "are held")); !strings.Contains(got.Sentence(), "No conclusion") {
		t.Errorf("%+v", got)
	}
	same := result("same", 5e-3, 8e6)
	same.Values.Set(Speedup, stats.Interval{Median: 0.8, Lo: 0.78, Hi: 0.82})
	if f := Trade(&all, &same, s, held, "B", "are held")[0]; f.Kind != KindNoTrade || !strings.Contains(f.Sentence(), "with a checkpoint every 4 layers, 8.00 MB are held just as with all kept; a step takes") {
		t.Errorf("%s: %q", f.Kind, f.Sentence())
	}
	all, some = some, all
	all.Status = Errored
	if f := Trade(&all, &some, s, held, "B", "are held"); len(f) != 0 {
		t.Errorf("a failed result led to %+v", f)
	}
}

func TestCrossoverOfSizesThatAWaySupports(t *testing.T) {
	c := measured(true, exactly(2), exactly(3))
	c.Partial = true
	if got, want := one(t, "partial", c.Crossover()).Sentence(), "Add: one kernel is faster than two at every size it supports, 10 to 100 elements"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBeside(t *testing.T) {
	result := func(id string, seconds float64) Result {
		r := Result{ID: id, Case: "a", Variant: id, Status: OK}
		r.Values.Set(Time, stats.Interval{Median: seconds, Lo: 0.9 * seconds, Hi: 1.1 * seconds})
		return r
	}
	baseline, way := result("naive", 4e-3), result("tiled", 2e-3)
	s := Subject{Name: "Products", Way: "tiles", Baseline: "naive"}
	way.Samples = make([]float64, 2)
	way.Values.Set(Speedup, stats.Unbounded(2))
	few := Beside(&baseline, &way, s, "Published: 2.9×.")
	if len(few) != 1 || few[0].Kind != KindNone || few[0].Sentence() != "Products, tiles against naive: no conclusion. 2 samples are too few for an interval: measure longer. Published: 2.9×." {
		t.Errorf("without an interval: %+v", few)
	}
	way.Samples = slices.Repeat([]float64{2e-3}, 40)
	for i := range 20 { // at another level for half of the time
		way.Samples[i] = 3e-3
	}
	if few, want := Beside(&baseline, &way, s, ""), "no conclusion. 40 samples, so correlated that they count as 1, are too few for an interval"; !strings.Contains(few[0].Sentence(), want) {
		t.Errorf("%q, want %q", few[0].Sentence(), want)
	}
	way.Values.Set(Speedup, stats.Interval{Median: 2, Lo: 1.9, Hi: 2.1})
	found := Beside(&baseline, &way, s, "Published: 2.9×.")
	if len(found) != 1 || found[0].Result != "tiled" || len(found[0].Facts.Evidence) != 2 {
		t.Fatalf("%+v", found)
	}
	if got, want := found[0].Sentence(), "Products, tiles: 2.00 (1.80 to 2.20) ms on this machine, 2.00× faster than naive (1.90–2.10). Published: 2.9×."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	way.Warn(WarningKind(measure.Disturbed), "others")
	if f := Beside(&baseline, &way, s, ""); len(f) != 1 || f[0].Kind != KindNone || f[0].Facts.Lack.Disturbed != 1 {
		t.Errorf("disturbed: %+v", f)
	}
	way.Status = Failed
	if f := Beside(&baseline, &way, s, ""); len(f) != 0 {
		t.Errorf("a wrong result led to %+v", f)
	}
}

// A total counts the cases with both variants, and there is none if a time has no interval.
func TestTotals(t *testing.T) {
	timed := func(name, variant string, seconds float64) Result {
		r := Result{Case: name, Variant: variant, Status: OK}
		r.Values.Set(Time, stats.Interval{Median: seconds, Lo: 0.9 * seconds, Hi: 1.1 * seconds})
		return r
	}
	failed := timed("c", "warm", 1)
	failed.Status = Errored
	all := []Result{
		timed("a", "cold", 3), timed("a", "warm", 1), timed("b", "cold", 1), timed("b", "warm", 1), timed("c", "cold", 9), failed,
		timed("d", "cold", 7),
	}
	s := Subject{Name: "Compiling", Way: "from the cache", Baseline: "from source"}
	found := Totals(all, s, "cold", "warm")
	if len(found) != 1 || found[0].Facts.Holds.Count != 2 || len(found[0].Facts.Evidence) != 4 {
		t.Fatalf("%+v", found)
	}
	v := found[0].Facts.Value
	if v.Median != 2 || math.Abs(v.Lo-3.6/2.2) > 1e-9 || math.Abs(v.Hi-4.4/1.8) > 1e-9 {
		t.Errorf("%+v times the speed", v)
	}
	if got, want := found[0].Sentence(), "Compiling takes 4.00 (3.60 to 4.40) s from source and 2.00 (1.80 to 2.20) s from the cache: "+
		"2.00× faster (1.64–2.44)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	all[1].Values.Set(Time, stats.Interval{Median: 1.5, Lo: 1, Hi: 4})
	if got, want := Totals(all, s, "cold", "warm")[0].Sentence(), "no measurable difference (0.706× to 2.32×)."; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	all[1].Values.Set(Time, stats.Interval{Median: 2.97, Lo: 2.96, Hi: 2.98})
	all[0].Values.Set(Time, stats.Interval{Median: 3, Lo: 2.99, Hi: 3.01})
	all[2].Values.Set(Time, stats.Interval{Median: 1, Lo: 0.999, Hi: 1.001})
	all[3].Values.Set(Time, stats.Interval{Median: 1, Lo: 0.999, Hi: 1.001})
	if got, want := Totals(all, s, "cold", "warm")[0].Sentence(), ": no confirmed difference of more than 1 % ("; !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	disturbed := slices.Clone(all)
	disturbed[0].Warn(WarningKind(measure.Disturbed), "a noisy neighbor")
	if found := Totals(disturbed, s, "cold", "warm"); len(found) != 1 || found[0].Kind != KindNone {
		t.Errorf("of a disturbed result: %+v", found)
	}
	all[1].Values.Set(Time, stats.Interval{Median: 1, Lo: math.Inf(-1), Hi: math.Inf(1)})
	if found := Totals(all, s, "cold", "warm"); len(found) != 0 {
		t.Errorf("without an interval: %+v", found)
	}
	if found := Totals(nil, s, "cold", "warm"); len(found) != 0 {
		t.Errorf("of nothing: %+v", found)
	}
}

func TestTooFewSamplesAreNoWideInterval(t *testing.T) {
	f := Finding{Kind: KindNone, Facts: Facts{
		Subject: Subject{Name: "Products"}, Axis: Axis{Name: "size", Unit: "rows"}, Unit: "FLOP/s",
		Lack: Lack{At: Extreme{At: 256, Value: stats.Interval{Median: 80, Lo: math.Inf(-1), Hi: math.Inf(1)}}},
	}}
	if got, want := f.Sentence(), "Products: no conclusion. The samples at 256 rows, 80.0 FLOP/s, are too few for an interval: measure longer."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// stages are the results of a case: a whole and two stages.
func stages(whole, first, second stats.Interval) []Result {
	var list []Result
	for i, v := range []stats.Interval{whole, first, second} {
		r := Result{ID: ResultID(0, i), Case: "job 8", Variant: []string{"whole", "load", "compute"}[i], Status: OK}
		r.Values.Set(Time, v)
		list = append(list, r)
	}
	return list
}

func TestStagesSaysWhichTakesMost(t *testing.T) {
	subject := Subject{Name: "A job of 8 rows"}
	around := func(v float64) stats.Interval { return stats.Interval{Median: v, Lo: 0.99 * v, Hi: 1.01 * v} }
	for _, tc := range []struct {
		what  string
		first float64
		want  string
	}{
		{"the parts lack", 2, `A job of 8 rows: the largest stage is "compute", 60 % (59 % to 61 %) of the whole; timed separately, the stages add up to 80 % (78 % to 82 %) of it, so the whole takes longer than its parts.`},
		{"the parts are all", 4, `A job of 8 rows: the largest stage is "compute", 60 % (59 % to 61 %) of the whole; timed separately, the stages add up to 100 % (98 % to 102 %) of it.`},
		{"the parts are more", 5, `A job of 8 rows: the largest stage is "compute", 60 % (59 % to 61 %) of the whole; timed separately, the stages add up to 110 % (108 % to 112 %) of it, so the whole is faster than its parts.`},
	} {
		f := one(t, tc.what, Stages(stages(around(10), around(tc.first), around(6)), subject, "whole"))
		if f.Kind != KindStage || f.Variant != "compute" || f.Sentence() != tc.want {
			t.Errorf("%s: %s of %s: %s", tc.what, f.Kind, f.Variant, f.Sentence())
		}
	}
	unbounded := around(10)
	unbounded.Hi = math.Inf(1)
	if f := one(t, "no interval", Stages(stages(unbounded, around(2), around(6)), subject, "whole")); f.Kind != KindNone {
		t.Errorf("without an interval: %s", f.Sentence())
	}
	failed := stages(around(10), around(2), around(6))
	failed[1].Status = Failed
	for what, results := range map[string][]Result{
		"a stage that failed": failed, "no stage": failed[:1], "no whole": stages(around(10), around(2), around(6))[1:],
	} {
		if found := Stages(results, subject, "whole"); len(found) > 0 {
			t.Errorf("%s: %s", what, found[0].Sentence())
		}
	}
}
