package workloads

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/stats"
)

func TestSaved(t *testing.T) {
	result := func(id string, seconds float64) Result {
		r := Result{ID: id, Case: "a", Variant: id, Status: OK}
		r.Values.Set(Time, stats.Interval{Median: seconds, Lo: 0.9 * seconds, Hi: 1.1 * seconds})
		return r
	}
	base, way := result("unpooled", 4e-3), result("pooled", 3e-3)
	s := Subject{Name: "Training", Way: "pooled", Baseline: "unpooled"}
	if f := Saved(&base, &way, s, "Told anyway."); len(f) != 1 || f[0].Kind != KindNone || f[0].Facts.Reason != "Told anyway." {
		t.Errorf("without an interval: %+v", f)
	}
	const times = ", 3.00 (2.70 to 3.30) ms instead of 4.00 (3.60 to 4.40) ms."
	for _, c := range []struct {
		speedup stats.Interval
		kind    string
		want    string
	}{
		{stats.Interval{Median: 1.25, Lo: 1.2, Hi: 1.28}, KindSaved, "Training: pooled saves 20.0 % (16.7–21.9 %) of the time of unpooled" + times + " And more."},
		{stats.Interval{Median: 0.8, Lo: 0.75, Hi: 0.85}, KindLost, "Training: pooled is 1.25× slower than unpooled (1.18–1.33)" + times + " And more."},
		{stats.Interval{Median: 1, Lo: 0.9, Hi: 1.1}, KindNotSaved, "Training: pooled shows no measurable difference from unpooled (0.900× to 1.10×). And more."},
	} {
		way.Values.Set(Speedup, c.speedup)
		f := Saved(&base, &way, s, "And more.")[0]
		if got := f.Sentence(); got != c.want || f.Kind != c.kind {
			t.Errorf("%s: %q, want %s: %q", f.Kind, got, c.kind, c.want)
		}
	}
	if open := Saving(stats.Unbounded(4)); open.Median != 0.75 || open.Bounded() {
		t.Errorf("of a speedup without an interval the saving is %+v", open)
	}
	base.Status = Errored
	if f := Saved(&base, &way, s, ""); len(f) != 0 {
		t.Errorf("a failed result led to %+v", f)
	}
}

// If the baseline's own speedup has no interval, nothing is known about the quotient.
func TestSavedBetweenWithoutAnInterval(t *testing.T) {
	result := func(id string, speedup stats.Interval) *Result {
		r := &Result{ID: id, Case: "a", Variant: id, Status: OK, Samples: []float64{1, 2, 3}}
		r.Values.Set(Speedup, speedup)
		return r
	}
	first, way := result("first", stats.Unbounded(0.5)), result("way", around(0.7, 0.01))
	s := Subject{Name: "Weights", Way: "one kernel", Baseline: "two"}
	const want = "Weights, one kernel against two: no conclusion. 3 samples are too few for an interval: measure longer."
	for _, pair := range [][2]*Result{{first, way}, {way, first}} {
		if f := one(t, pair[0].ID, SavedBetween(pair[0], pair[1], s)); f.Kind != KindNone || f.Sentence() != want {
			t.Errorf("%s: %s", f.Kind, f.Sentence())
		}
	}
	first.Values.Set(Speedup, around(0.5, 0.01))
	if f := one(t, "both", SavedBetween(first, way, s)); f.Kind != KindSaved {
		t.Errorf("%s: %s", f.Kind, f.Sentence())
	}
}

// If the common baseline has no time, that is why there is no conclusion, however many samples there are.
func TestSavedBetweenWithoutWhatBothAreComparedWith(t *testing.T) {
	result := func(id string) *Result {
		return &Result{ID: id, Case: "a", Variant: id, Baseline: "f32", Status: OK, Samples: slices.Repeat([]float64{1}, 400)}
	}
	first, way := result("first"), result("way")
	s := Subject{Name: "Weights", Way: "one kernel", Baseline: "two"}
	const want = "Weights, one kernel against two: no conclusion. f32 has no time to compare with."
	if got := one(t, "neither", SavedBetween(first, way, s)).Sentence(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	way.Values.Set(Speedup, around(0.7, 0.01))
	if got := one(t, "one", SavedBetween(first, way, s)).Sentence(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	way.Baseline, way.Values = first.Variant, nil
	if got, want := one(t, "its own", Saved(first, way, s, "")).Sentence(), "two has no time to compare with."; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEnough(t *testing.T) {
	curve := func(values ...float64) *Curve {
		c := &Curve{
			Axis: Axis{Name: "capacity", Unit: "buffers", Phrase: "a capacity of %s"}, Of: "reuse", Unit: "ratio", Subject: Subject{Name: "Training, reuse"},
			Readings: func(*Result) []Reading { return []Reading{{Value: stats.Exact(12e6), Unit: "B", Per: "held"}} },
		}
		for i, v := range values {
			r := Result{ID: string(rune('a' + i)), Status: OK, Settings: []Setting{{Name: "capacity", Value: 1 << i}}}
			r.Values.SetNumber("reuse", v)
			c.Results = append(c.Results, r)
		}
		return c
	}
	for _, c := range []struct {
		values []float64
		want   string
		at     float64
	}{
		{[]float64{0.4, 0.6, 0.9, 0.899, 0.9}, "Training, reuse: a capacity of 4 is enough: 90.0 %, with 12.0 MB held; 40.0 % at 1.", 4},
		{[]float64{0.4, 0.6, 0.9}, "Training, reuse: still rising at a capacity of 4: 90.0 %, with 12.0 MB held; 40.0 % at 1.", 4},
		{[]float64{0.5, 0.5}, "Training, reuse: a capacity of 1 is enough: 50.0 %, with 12.0 MB held.", 1},
		{[]float64{0, 0}, "Training, reuse: a capacity of 1 is enough: 0 %, with 12.0 MB held.", 1},
	} {
		f := curve(c.values...).Enough()
		if len(f) != 1 || f[0].Facts.Place.At != c.at || len(f[0].Facts.Evidence) != len(c.values) {
			t.Fatalf("%v: %+v", c.values, f)
		}
		if got := f[0].Sentence(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if f := curve(0.5).Enough(); len(f) != 0 {
		t.Errorf("one result: %+v", f)
	}
}
