package workloads

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads/measure"
)

func TestCrossover(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		name      string
		intervals [][2]float64
		kind      string
		place     Place
		holds     Span
		best      float64
	}{
		{"stops", [][2]float64{{1.8, 2}, {1.2, 1.4}, {0.7, 0.8}}, KindCrossover, Place{351.1, 100, 1000}, Span{10, 100, 2, 2}, 10},
		{
			"stops after doubt",
			[][2]float64{{1.8, 2}, {1.2, 1.4}, {0.9, 1.1}, {0.7, 0.8}},
			KindCrossover,
			Place{1233, 100, 10000},
			Span{10, 100, 2, 2},
			10,
		},
		{
			"slower once, then doubt",
			[][2]float64{{1.8, 2}, {1.2, 1.4}, {0.7, 0.8}, {0.9, 1.1}},
			KindPaysPart,
			Place{1000, 100, nan},
			Span{10, 100, 2, 2},
			10,
		},
		{
			"doubt within",
			[][2]float64{{1.8, 2}, {0.9, 1.1}, {1.2, 1.4}, {0.7, 0.8}},
			KindCrossover,
			Place{3511, 1000, 10000},
			Span{10, 1000, 2, 3},
			10,
		},
		{"doubt at the end", [][2]float64{{1.8, 2}, {0.95, 1.25}}, KindPaysPart, Place{100, 10, nan}, Span{10, 10, 1, 1}, 10},
		{"always faster", [][2]float64{{1.8, 2}, {1.4, 1.6}}, KindPays, nowhere(), Span{10, 100, 2, 2}, 10},
		{
			"pays at the largest only",
			[][2]float64{{0.5, 0.6}, {0.9, 1.1}, {1.03, 1.05}},
			KindPaysPart, nowhere(),
			Span{1000, 1000, 1, 1},
			1000,
		},
		{
			"pays from the middle on",
			[][2]float64{{0.5, 0.6}, {1.4, 1.6}, {1.8, 2}},
			KindPaysPart, nowhere(),
			Span{100, 1000, 2, 2},
			1000,
		},
		{"no more than of a kernel against itself", [][2]float64{{1.002, 1.018}, {1.008, 1.1}}, KindUnclear, nowhere(), Span{10, 100, 0, 2}, 100},
		{"as little below", [][2]float64{{0.98, 1.1}, {0.97, 0.995}}, KindUnclear, nowhere(), Span{10, 100, 0, 2}, 10},
		{"slower, but for a little", [][2]float64{{0.5, 0.6}, {0.97, 0.995}}, KindSlowerPart, nowhere(), Span{10, 10, 1, 1}, 10},
		{"slower from the middle on", [][2]float64{{0.99, 1.01}, {0.09, 0.1}, {0.01, 0.02}}, KindSlowerPart, nowhere(), Span{100, 1000, 2, 2}, 100},
		{"slower around a doubt", [][2]float64{{0.5, 0.6}, {0.9, 1.1}, {0.7, 0.8}}, KindSlowerPart, nowhere(), Span{10, 1000, 2, 3}, 1000},
		{"never", [][2]float64{{0.8, 0.9}, {0.5, 0.6}}, KindNeverPays, nowhere(), Span{10, 100, 0, 2}, 10},
		{"all in doubt", [][2]float64{{0.9, 1.1}, {0.5, 1.2}}, KindUnclear, nowhere(), Span{10, 100, 0, 2}, 10},
	} {
		f := one(t, tc.name, speedups(tc.intervals...).Crossover())
		got := f.Facts
		if f.Kind != tc.kind || fmt.Sprintf("%.4g", got.Place) != fmt.Sprintf("%.4g", tc.place) || got.Holds != tc.holds || got.Best.At != tc.best {
			t.Errorf("%s: %s %+v, holds %+v, best at %g", tc.name, f.Kind, got.Place, got.Holds, got.Best.At)
		}
		if points := f.Case != ""; points != (f.Kind == KindCrossover) {
			t.Errorf("%s: the finding points at %q", tc.name, f.Case)
		}
	}
	if got := speedups().Crossover(); len(got) > 0 {
		t.Errorf("no value: %+v", got)
	}
}

// A missing interval is reported, even if nothing has one.
func TestCrossoverWithoutIntervals(t *testing.T) {
	c := speedups([2]float64{1.8, 2})
	few := Result{ID: "x", Status: OK, Samples: []float64{1, 2, 3}}
	few.Values.Set(c.Of, stats.Unbounded(2))
	c.Add(few)
	if f := one(t, "one has an interval", c.Crossover()); f.Kind != KindPays {
		t.Errorf("%s", f.Sentence())
	}
	c.Results = nil
	if got := one(t, "none has", c.Crossover()).Sentence(); !strings.Contains(got, "no conclusion. 3 samples are too few") {
		t.Error(got)
	}
	c.Left[0].Values = nil // as if from a baseline that failed
	if got, want := one(t, "none is compared", c.Crossover()).Sentence(), "no conclusion. two has no time to compare with."; !strings.HasSuffix(got, want) {
		t.Error(got)
	}
	c.Left[0].Warn(WarningKind(measure.Disturbed), "disturbed: by others")
	if got := one(t, "disturbed", c.Crossover()).Sentence(); !strings.Contains(got, "1 of 1 result disturbed") {
		t.Error(got)
	}
	c.Left = nil
	c.Add(Result{ID: "y", Status: Unsupported})
	if got := c.Crossover(); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestCrossoverOfOneSize(t *testing.T) {
	for want, interval := range map[string][2]float64{
		"Add: one kernel is faster than two at 10 elements, the only size measured: 1.90× (1.80× to 2.00×).":                                      {1.8, 2},
		"Add: one kernel is slower than two at 10 elements, the only size measured: 0.750× (0.700× to 0.800×).":                                   {0.7, 0.8},
		"Add: one kernel shows no measurable difference from two at 10 elements, the only size measured: 1.00× (0.900× to 1.10×).":                {0.9, 1.1},
		"Add: one kernel shows no confirmed difference of more than 1 % from two at 10 elements, the only size measured: 1.03× (1.01× to 1.05×).": {1.006, 1.048},
	} {
		f := one(t, want, speedups(interval).Crossover())
		if got := f.Sentence(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// If a way is faster at some sizes, the sizes at which it is slower are reported.
func TestCrossoverTellsWhereItIsSlower(t *testing.T) {
	up, level, down, far := [2]float64{1.8, 2}, [2]float64{0.98, 1.02}, [2]float64{0.5, 0.6}, [2]float64{0.2, 0.4}
	const there = "1.90× (1.80× to 2.00×)"
	for want, of := range map[string][][2]float64{
		"at 10 elements: " + there + "; from 100 up, no gain was measurable; slower at 100: 0.550× (0.500× to 0.600×).": {up, down, level},
		"at 100 elements: " + there + "; slower at 10: 0.550× (0.500× to 0.600×).":                                      {down, up},
		"up to " + there + " at 10; slower at 100 and 1000, at worst 0.300× (0.200× to 0.400×) at 1000.":                {up, down, far, up},
		"up to " + there + " at 10; slower at 5 other sizes, at worst 0.300× (0.200× to 0.400×) at 1000.":               {up, down, far, down, down, down, up},
		"at 100 elements: " + there + "; the gain ends between 100 and 1000; slower at 10: 0.550× (0.500× to 0.600×).":  {down, up, far},
		"; the gain ends between 10 and 10,000; slower at 100: 0.550× (0.500× to 0.600×).":                              {up, down, level, far},
		"at 10 elements: " + there + "; the gain ends between 10 and 100.":                                              {up, down, far},
	} {
		if got := one(t, want, speedups(of...).Crossover()).Sentence(); !strings.HasSuffix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A list of sizes that would be long is counted.
func TestManyUnsureSizesAreCounted(t *testing.T) {
	level := [2]float64{0.98, 1.02}
	for want, n := range map[string]int{" At 10, 100, 1000 and 10,000 there is no": 4, " At 5 other sizes there is no": 5} {
		of := append(slices.Repeat([][2]float64{level}, n), [2]float64{0.5, 0.6})
		if got := one(t, want, speedups(of...).Crossover()).Sentence(); !strings.Contains(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// The only place with an interval is not the only one that was measured.
func TestCrossoverTellsOfPlacesWithoutInterval(t *testing.T) {
	c := speedups([2]float64{1.8, 2})
	c.Left = []Result{{ID: "left", Status: OK, Settings: Point{{c.Axis.Name, 1000}}}}
	if got := one(t, "left", c.Crossover()).Sentence(); !strings.Contains(got, "at 10 elements, the only size with an interval: ") {
		t.Error(got)
	}
}

func speedups(intervals ...[2]float64) *Curve {
	var list []stats.Interval
	for _, iv := range intervals {
		list = append(list, stats.Interval{Median: (iv[0] + iv[1]) / 2, Lo: iv[0], Hi: iv[1]})
	}
	return measured(true, list...)
}
