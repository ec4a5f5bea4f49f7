package report

import (
	"testing"

	"assay/workloads"
)

// A caveat about what a result shows is not a doubt about its times, but is listed with the doubts.
func TestDoubtsAreAboutTimes(t *testing.T) {
	var r workloads.Result
	column := DoubtColumn()
	r.Warnings = []workloads.Warning{workloads.Note("half of the rows")}
	if got := column.text(&r); got != "" || column.value(&r) != 0 || Doubts(&r) != "Half of the rows." {
		t.Errorf("%q, %v, %q", got, column.value(&r), Doubts(&r))
	}
	r.Warn(workloads.MaybeCached, "operands may be in the cache")
	if got := column.text(&r); got != "1" || column.value(&r) != 1 {
		t.Errorf("%q, %v", got, column.value(&r))
	}
}
