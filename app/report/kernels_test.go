package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/app/internal/runstest"
	"assay/workloads"
)

// The page names the kernels behind each variant, with why they were chosen, once for all cases; if kernels are what the cases
// differ in, there is no such list.
func TestReportNamesKernels(t *testing.T) {
	r := comparedRun("r", timed("one", 1e-3, 0.01, 20, 1), timed("two", 1e-3, 0.01, 20, 2), timed("two", 1e-3, 0.01, 20, 3), timed("three", 1e-3, 0.01, 20, 4))
	for i, kernel := range []string{"matmul/simd (an M3)", "matmul/simd (an M3)", "matmul/gemv", "matmul/gemv"} {
		r.Results[i].Variant = []string{"<tiled>", "<tiled>", "rows", "<tiled>"}[i]
		r.Results[i].Settings = append(r.Results[i].Settings, workloads.Setting{Name: workloads.KernelAxis, Value: kernel})
	}
	w := runstest.Workload()
	page := func(measured bool) string {
		with := w
		with.Axes = append(with.Axes[:len(with.Axes):len(with.Axes)], workloads.Axis{Name: workloads.KernelAxis, Title: "Kernel", Measured: measured})
		var buf bytes.Buffer
		runstest.Check(t, WriteHTML(&buf, r, []workloads.Workload{with}))
		return buf.String()
	}
	want := "<dt>&lt;tiled&gt;</dt><dd>matmul/simd (an M3)</dd><dd>matmul/gemv</dd></div><div><dt>rows</dt><dd>matmul/gemv</dd>"
	if got := page(true); !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, got)
	}
	if strings.Contains(page(false), "<summary>Kernels</summary>") {
		t.Error("an axis of cases is listed as the kernels of variants")
	}
}
