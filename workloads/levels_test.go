package workloads

import (
	"math"
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads/measure"
)

// along is a curve with a value at 4 KiB, 8 KiB and so on, each ± 1 %.
func along(variant string, values ...float64) *Curve {
	c := &Curve{
		Subject: Subject{Name: "Copy", Baseline: "copy"}, Axis: Axis{Name: "set", Unit: "KiB"}, Of: Bandwidth, Unit: "B/s",
	}
	for i, v := range values {
		r := Result{ID: variant + string(rune('a'+i)), Variant: variant, Status: OK, Settings: []Setting{{"set", 4 << i}}}
		r.Values.Set(Bandwidth, stats.Interval{Median: v, Lo: 0.99 * v, Hi: 1.01 * v})
		c.Results = append(c.Results, r)
	}
	return c
}

func TestLevels(t *testing.T) {
	c := along("copy", 60e9, 100e9, 104e9, 98e9, 70e9, 40e9, 41e9, 42e9, 30e9, 20e9, 20e9)
	f := one(t, "levels", c.Levels("A cache is larger."))
	want := "Copy: 100 (97.0 to 105) GB/s from 8.00 KiB to 32.0 KiB; 41.0 (39.6 to 42.4) GB/s from 128 KiB to 512 KiB. A cache is larger."
	if got := f.Sentence(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if f.Result != "copyh" || len(f.Facts.Evidence) != 6 || f.Facts.Evidence[0] != "copyh" {
		t.Errorf("it points at %s of %v", f.Result, f.Facts.Evidence)
	}
	if steep := along("copy", 1e9, 2e9, 4e9, 8e9).Levels(""); len(steep) != 0 {
		t.Errorf("a curve that rises throughout has the levels %+v", steep)
	}
	c.Results[1].Warn(WarningKind(measure.Disturbed), "busy")
	if f := one(t, "disturbed", c.Levels("")); f.Kind != KindNone {
		t.Errorf("of a disturbed result: %+v", f)
	}
}

// compared adds a variant that is the given number of times as fast as the baseline at each place.
func withWay(c *Curve, variant string, speed stats.Interval) {
	n := len(c.Results)
	for i := range n {
		r := c.Results[i]
		if r.Baseline != "" {
			continue
		}
		r.ID, r.Variant, r.Baseline, r.Values = variant+r.ID, variant, r.Variant, nil
		v := c.value(i)
		r.Values.Set(Bandwidth, stats.Interval{Median: v.Median * speed.Median, Lo: v.Lo * speed.Lo, Hi: v.Hi * speed.Hi})
		r.Values.Set(Speedup, speed)
		c.Results = append(c.Results, r)
	}
}

func TestCosts(t *testing.T) {
	c := along("copy", 100e9, 40e9)
	if f := c.Costs(strings.ToUpper); len(f) != 0 {
		t.Errorf("with nothing to compare: %+v", f)
	}
	withWay(c, "random", stats.Interval{Median: 0.1, Lo: 0.08, Hi: 0.125})
	withWay(c, "chunks", stats.Interval{Median: 1, Lo: 0.99, Hi: 1.01})
	withWay(c, "tiles", stats.Interval{Median: 1, Lo: 0.9, Hi: 1.2})
	f := one(t, "costs", c.Costs(strings.ToUpper))
	want := "Copy at 8.00 KiB, against copy, 40.0 (39.6 to 40.4) GB/s: RANDOM: 10.0× slower (8.00–12.5); CHUNKS: the same; " +
		"TILES: no measurable difference (0.900× to 1.20×)."
	if got := f.Sentence(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if f.Result != "copyb" || len(f.Facts.Evidence) != 4 {
		t.Errorf("it points at %s of %v", f.Result, f.Facts.Evidence)
	}
	brief := along("copy", 100e9, 40e9)
	withWay(brief, "random", stats.Unbounded(0.1))
	if got := one(t, "few", brief.Costs(strings.ToUpper)).Sentence(); !strings.HasPrefix(got, "Copy: no conclusion. One sample is too few") {
		t.Errorf("%q", got)
	}
}

func TestShare(t *testing.T) {
	c := along("copy", 100e9, 40e9)
	withWay(c, "triad", stats.Interval{Median: 1.1, Lo: 1.1, Hi: 1.1})
	f := one(t, "share", c.Share(50e9, "", strings.ToUpper))
	want := "Copy at 8.00 KiB: the best measured is TRIAD, 44.0 (43.6 to 44.4) GB/s, which is 88 % (87 % to 89 %) of the specified 50.0 GB/s; " +
		"COPY reaches 91 % (89 % to 93 %) of it."
	if got := f.Sentence(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f = one(t, "unknown", c.Share(0, "nobody knows", strings.ToUpper))
	if got := f.Sentence(); !strings.HasSuffix(got, " of it. Share of the specified bandwidth not available: nobody knows.") || strings.Contains(got, "gives") {
		t.Errorf("%q", got)
	}
}

func TestSlope(t *testing.T) {
	c := &Curve{Subject: Subject{Name: "Empty"}, Axis: Axis{Name: "count", Unit: "dispatches"}, Of: Time, Unit: "s"}
	for _, at := range []struct {
		n       int
		seconds float64
	}{{1, 10e-6}, {11, 60e-6}} {
		r := Result{Status: OK, Settings: []Setting{{"count", at.n}}}
		r.Values.Set(Time, stats.Interval{Median: at.seconds, Lo: at.seconds - 1e-6, Hi: at.seconds + 1e-6})
		c.Results = append(c.Results, r)
	}
	want := "Empty: each additional dispatch costs 5.00 (4.80 to 5.20) µs, from 1 to 11 dispatches; 1 dispatch takes 10.0 (9.00 to 11.0) µs."
	if got := one(t, "slope", c.Slope("")).Sentence(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.Results = c.Results[:1]
	if f := c.Slope(""); len(f) != 0 {
		t.Errorf("of one place: %+v", f)
	}
}

// A share without an interval, as with too few samples, is reported without one.
func TestPercent(t *testing.T) {
	for s, want := range map[stats.Interval]string{
		{Median: 0.34, Lo: 0.33, Hi: 0.36}:                "34 % (33 % to 36 %)",
		{Median: 0.08, Lo: math.Inf(-1), Hi: math.Inf(1)}: "8 %",
	} {
		if got := percent(s); got != want {
			t.Errorf("%v is %q, want %q", s, got, want)
		}
	}
}
