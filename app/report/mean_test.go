package report

import (
	"strings"
	"testing"

	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// A mean says "faster" only if its whole interval does and a row does; disturbed rows are left out, and counted.
func TestMeans(t *testing.T) {
	noisy := func(r workloads.Result) workloads.Result {
		r.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: others")
		return r
	}
	for want, c := range map[string]*Comparison{
		"2.00× faster than 1 (": against(
			comparedRun("base", timed("a", 2e-3, 0.01, 40, 1), timed("b", 2e-3, 0.01, 40, 2)),
			comparedRun("run", timed("a", 1e-3, 0.01, 40, 3), timed("b", 1e-3, 0.01, 40, 4))),
		", geometric mean of 2 rows, 1 disturbed one left out": against(
			comparedRun("base", timed("a", 2e-3, 0.01, 40, 1), timed("b", 2e-3, 0.01, 40, 2), timed("c", 2e-3, 0.01, 40, 5)),
			comparedRun("run", timed("a", 1e-3, 0.01, 40, 3), timed("b", 1e-3, 0.01, 40, 4), noisy(timed("c", 0.1e-3, 0.01, 40, 6)))),
		"no difference shown: 1.": against( // 1.5 times faster in the middle, and nothing is shown
			comparedRun("base", timed("a", 1.5e-3, 0.9, 12, 1), timed("b", 1.5e-3, 0.9, 12, 2)),
			comparedRun("run", timed("a", 1e-3, 0.9, 12, 3), timed("b", 1e-3, 0.9, 12, 4))),
		"no difference: ": against(
			comparedRun("base", timed("a", 1e-3, 0.001, 40, 1), timed("b", 1e-3, 0.001, 40, 2)),
			comparedRun("run", timed("a", 1e-3, 0.001, 40, 3), timed("b", 1e-3, 0.001, 40, 4))),
	} {
		m := c.Geomean("sweep")
		if got := m.Words("1"); !strings.Contains(got, want) || m.Rows != 2 {
			t.Errorf("%+v: %q, want %q", m, got, want)
		}
		if said := strings.Contains(m.Words("1"), "faster"); said != (c.Count(stats.Faster) > 0) || said != c.Differs("sweep") {
			t.Errorf("%q beside %q", m.Words("1"), c.Headline())
		}
	}
}
