package throughput

import (
	"slices"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// A case has as many elements as its settings say, whatever the sweep requested; sizes that yield the same case are measured once.
func TestPatternsHaveTheElementsTheyName(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		longest int
		want    []int
		ops     float64 // per element
	}{
		{"add+relu", 101, []int{1, 10, 100, 101}, 2},
		{"multi-tensor add", 101, []int{4, 8, 100}, 1},
		{"multi-tensor add", 3, []int{4}, 1},
		{"residual+norm", 1025, []int{1, 10, 100, 1000, 1024}, 9},
	} {
		b := benchtest.New(t, gputest.Script{})
		if err := b.Run(t.Context(), t, Fusion(), workloads.Values{"pattern": tc.pattern, "min_elements": 1, "max_elements": tc.longest}); err != nil {
			t.Fatal(err)
		}
		var got []int
		for i := range b.Measured {
			r := &b.Measured[i]
			if n := int(lengthOf(r)); !slices.Contains(got, n) {
				got = append(got, n)
			}
			if ops := tc.ops * lengthOf(r); r.Number(workloads.Ops) != ops {
				t.Errorf("%s: %g operations, want %g", r.Case, r.Number(workloads.Ops), ops)
			}
		}
		if !slices.Equal(got, tc.want) || len(b.Measured) != 2*len(tc.want) {
			t.Errorf("%s: %d elements in %d results, want %d", tc.pattern, got, len(b.Measured), tc.want)
		}
	}
}

// Rows are as long as they can be without leaving elements out.
func TestRowsOfResidualNorm(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 1000: {1, 1000}, 10_000: {10, 1000}, 4096: {4, 1024}, 100_003: {97, 1024}, 1023: {1, 1023}, 3003: {2, 1024}, 4092: {3, 1024}, 6144: {6, 1024}} {
		if rows, cols := normRows(n); rows != want[0] || cols != want[1] {
			t.Errorf("%d elements are %d rows of %d, want %d", n, rows, cols, want)
		}
	}
}
