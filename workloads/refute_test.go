package workloads

import (
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads/measure"
)

// Only an undisturbed later result of the same setting whose interval leaves no doubt contradicts a finding.
func TestLaterResultsContradictFindings(t *testing.T) {
	w := Workload{
		Name: "w", Axes: []Axis{{Name: "size", Unit: "rows"}, {Name: "operands", Measured: true}},
		Params: []Param{
			{Name: "min_size", Type: Int, Min: 1, Max: 4096},
			{Name: "max_size", Type: Int, Min: 1, Max: 4096},
			{Name: "width", Type: Int, Max: 64, Role: RoleCase, Unit: "units"},
		},
		Sweeps: []Sweep{{Axis: "size", From: "min_size", To: "max_size"}},
	}
	ran := Values{"min_size": 64, "max_size": 1024, "width": 8}
	knee, falls := rates(10, 50, 91, 100, 99), rates(10, 95, 100, 80)
	within := measured(false, around(0.003, 0.1), around(0.006, 0.05), around(0.012, 0.05))
	within.Unit = "s"
	crossing := speedups([2]float64{1.8, 2}, [2]float64{1.2, 1.4}, [2]float64{0.7, 0.8})
	crossing.Axis.Name = "size"
	for i := range crossing.Results {
		crossing.Results[i].Settings[0].Name = "size"
	}
	for _, tc := range []struct {
		name  string
		curve *Curve
		found []Finding
		at    int
		value stats.Interval
		spoil func(r *Result, v Values)
		want  string // after the subject; empty: the finding stays
		to    int    // 0: nothing to extend
	}{
		{
			"faster beyond the sweep", knee, knee.Knee(0.9), 2048, around(120, 0.05), nil,
			"2048 rows measured 120 (114 to 126) FLOP/s, above the best of the run, 100 FLOP/s at 512 rows. Extend the sweep to 2048.", 2048,
		},
		{
			"faster within the sweep", knee, knee.Knee(0.9), 700, around(120, 0.05), nil,
			"700 rows measured 120 (114 to 126) FLOP/s, above the best of the run, 100 FLOP/s at 512 rows. Measure the sweep again.", 0,
		},
		{
			"slower above the knee", knee, knee.Knee(0.9), 700, around(80, 0.05), nil,
			"700 rows measured 80.0 (76.0 to 84.0) FLOP/s, below 90 % of the best of the run, 100 FLOP/s at 512 rows. Measure the sweep again.", 0,
		},
		{"slower below the knee", knee, knee.Knee(0.9), 100, around(40, 0.05), nil, "", 0},
		{"as the knee says", knee, knee.Knee(0.9), 2048, around(101, 0.01), nil, "", 0},
		{"a little faster", knee, knee.Knee(0.9), 2048, around(104, 0.01), nil, "", 0},
		{"wide", knee, knee.Knee(0.9), 2048, around(120, 0.2), nil, "", 0},
		{"one sample", knee, knee.Knee(0.9), 2048, stats.Interval{Median: 120}, nil, "", 0},
		{"disturbed", knee, knee.Knee(0.9), 2048, around(120, 0.05), func(r *Result, _ Values) { r.Warn(WarningKind(measure.Disturbed), "busy") }, "", 0},
		{"failed", knee, knee.Knee(0.9), 2048, around(120, 0.05), func(r *Result, _ Values) { r.Status = Failed }, "", 0},
		{"another variant", knee, knee.Knee(0.9), 2048, around(120, 0.05), func(r *Result, _ Values) { r.Variant = "y" }, "", 0},
		{"another setting", knee, knee.Knee(0.9), 2048, around(120, 0.05), func(_ *Result, v Values) { v["width"] = 16 }, "", 0},
		{"another sweep", knee, knee.Knee(0.9), 2048, around(120, 0.05), func(r *Result, _ Values) { r.Settings[0].Name = "batch" }, "", 0},
		{
			"faster than a best", falls, falls.Knee(0.9), 300, around(120, 0.05), nil,
			"300 rows measured 120 (114 to 126) FLOP/s, above the best of the run, 100 FLOP/s at 256 rows. Measure the sweep again.", 0,
		},
		{
			"more within the limit", within, within.Within(0.0065), 200, around(0.0062, 0.01), nil,
			"200 rows measured 6.20 (6.14 to 6.26) ms, within 6.50 ms. Measure the sweep again.", 0,
		},
		{
			"less beyond the limit", within, within.Within(0.0065), 100, around(0.007, 0.01), nil,
			"100 rows measured 7.00 (6.93 to 7.07) ms, more than 6.50 ms. Measure the sweep again.", 0,
		},
		{"beyond the limit, as it says", within, within.Within(0.0065), 2048, around(0.02, 0.01), nil, "", 0},
		{
			"faster again", crossing, crossing.Crossover(), 2048, around(1.5, 0.02), nil,
			"2048 rows measured 1.50× (1.47× to 1.53×), faster than two. Extend the sweep to 2048.", 2048,
		},
		{
			"slower already", crossing, crossing.Crossover(), 20, around(0.5, 0.02), nil,
			"20 rows measured 0.500× (0.490× to 0.510×), slower than two. Measure the sweep again.", 0,
		},
		{"slower, as it says", crossing, crossing.Crossover(), 2048, around(0.5, 0.02), nil, "", 0},
	} {
		r := Result{Workload: tc.curve.Results[0].Workload, Variant: "x", Status: OK, Settings: Point{{"size", tc.at}}}
		r.Values.Set(Throughput, tc.value)
		at := Values{"min_size": tc.at, "max_size": tc.at, "width": 8}
		if tc.spoil != nil {
			tc.spoil(&r, at)
		}
		was := *one(t, tc.name, tc.found)
		is := w.Standing(was, tc.curve.Results, ran, []Later{{&r, at}})
		text := strings.TrimPrefix(is.Text, was.Facts.Subject.Name+": ")
		stays := is.Kind == was.Kind
		if stays != (tc.want == "") || !stays && (is.Kind != KindRefuted || text != tc.want || is.Facts.Extend.To != tc.to) {
			t.Errorf("%s: %s, %+v\n%s, want\n%s", tc.name, is.Kind, is.Facts.Extend, text, tc.want)
		}
	}
}
