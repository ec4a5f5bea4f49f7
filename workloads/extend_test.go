package workloads

import (
	"strings"
	"testing"
)

// A finding at the edge of a sweep says how far to extend it, whatever the workload; at the limit of its parameter it says so.
func TestSweepsAreExtendedAtTheirEdge(t *testing.T) {
	rising, flat := rates(1, 2, 4), rates(10, 50, 91, 100, 99)
	within := measured(false, exactly(0.003), exactly(0.006), exactly(0.012))
	for _, tc := range []struct {
		name  string
		found []Finding
		sweep Sweep
		limit float64
		to    int // 0: it is not extended
		ends  string
	}{
		{"doubled twice", rising.Knee(0.9), Sweep{}, 4096, 1024, " Extend the sweep to 1024."},
		{"up to the limit", rising.Knee(0.9), Sweep{}, 600, 600, " Extend the sweep to 600."},
		{"at the limit", rising.Knee(0.9), Sweep{}, 256, 0, " 256 is the limit of this sweep."},
		{"tenfold", rising.Knee(0.9), Sweep{Steps: Tenfold}, 4096, 2560, " Extend the sweep to 2560."},
		{"of a list", rising.Knee(0.9), Sweep{Steps: Listed, List: []int{64, 256, 300, 400, 500}}, 4096, 400, " Extend the sweep to 400."},
		{"end of a list", rising.Knee(0.9), Sweep{Steps: Listed, List: []int{64, 256}}, 4096, 0, " 256 is the limit of this sweep."},
		{"another axis", rising.Knee(0.9), Sweep{Axis: "batch"}, 4096, 0, " Measure larger ones."},
		{"within a limit", within.Within(1), Sweep{}, 4096, 1024, " That is the largest measured. Extend the sweep to 1024."},
		{"beyond a limit", within.Within(0.007), Sweep{}, 4096, 0, "7.00 ms."},
		{"flat at the end", flat.Knee(0.9), Sweep{}, 4096, 0, "512 rows."},
	} {
		s := tc.sweep
		if s.From, s.To = "min_size", "max_size"; s.Axis == "" {
			s.Axis = "size"
		}
		w := Workload{Params: []Param{{Name: "min_size", Max: tc.limit}, {Name: "max_size", Max: tc.limit}}, Sweeps: []Sweep{s}}
		f := *one(t, tc.name, tc.found)
		w.Advise(&f)
		want := Extension{}
		if tc.to > 0 {
			want = Extension{"max_size", tc.to}
		}
		if text := f.Sentence(); f.Facts.Extend != want || !strings.HasSuffix(text, tc.ends) {
			t.Errorf("%s: %+v, %s", tc.name, f.Facts.Extend, text)
		}
	}
}
