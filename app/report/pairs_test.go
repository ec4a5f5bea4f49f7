package report

import (
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/internal/stats"
	"assay/workloads"
)

// Two variants of each case stand side by side, the longest baseline first; cases without both are left out.
func TestPairs(t *testing.T) {
	w := workloads.Workload{
		Name: "compile", Title: "Compile", Axes: []workloads.Axis{{Name: "kernel", Title: "Kernel"}},
		Pairs: &workloads.Pairs{Title: "Cold and warm", Axis: "kernel", Baseline: "cold", Way: "warm", Ratio: "Cold ÷ warm"},
	}
	result := func(kernel, variant string, seconds float64) workloads.Result {
		r := workloads.Result{
			Workload: "compile", Case: "compile " + kernel, Variant: variant, Status: workloads.OK,
			Settings: []workloads.Setting{{Name: "kernel", Value: kernel}, {Name: "start", Value: variant}},
		}
		r.Values.Set(workloads.Time, stats.Interval{Median: seconds, Lo: 0.9 * seconds, Hi: 1.1 * seconds})
		if variant == "warm" {
			r.Values.Set(workloads.Speedup, stats.Interval{Median: 20, Lo: 19, Hi: 21})
		}
		return r
	}
	failed := result("lost", "warm", 0)
	failed.Status = workloads.Unsupported
	run := &bundle.Run{Results: []workloads.Result{
		result("add", "cold", 0.02), result("add", "warm", 0.001), result("lost", "cold", 1), failed,
		result("matmul", "cold", 0.2), result("matmul", "warm", 0.01),
	}}
	table := Pairs(&w, run.Results)
	want := "Kernel|Cold|Warm|Cold ÷ warm\nmatmul|200 ms ± 10 %|10.0 ms ± 10 %|20.0× (19.0–21.0)\nadd|20.0 ms ± 10 %|1.00 ms ± 10 %|20.0× (19.0–21.0)"
	lines := []string{strings.Join(table.Head, "|")}
	for _, row := range table.Rows {
		lines = append(lines, strings.Join(row, "|"))
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var page strings.Builder
	if err := WriteHTML(&page, run, []workloads.Workload{w}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<h3>Cold and warm</h3>", `<td class="name">matmul</td><td class="num">200 ms ± 10 %</td>`, "Each result"} {
		if !strings.Contains(page.String(), part) {
			t.Errorf("the report lacks %q", part)
		}
	}
	w.Pairs = nil
	if t2 := Pairs(&w, run.Results); len(t2.Rows) != 0 {
		t.Errorf("a workload that compares none has %v", t2)
	}
}
