package kernelspage

import (
	"testing"

	"assay/app"
	"assay/workloads"
)

func TestDisturbedBestSaysSo(t *testing.T) {
	best := app.KernelBest{Metric: workloads.Throughput, Value: 130e9, Case: "prefill 4096", Device: "Test CPU", Run: "attention-5613"}
	shown := func() string {
		b := bests{known: true, byID: map[string]app.KernelBest{"a/x/f32": best}}
		k := &app.KernelInfo{}
		k.Kernels = append(k.Kernels, app.KernelType{Type: "f32", ID: "a/x/f32"})
		words := ""
		for _, t := range b.lines(k)[0] {
			words += t.Content + "|"
		}
		return words
	}
	if got := shown(); got != "f32|130 GFLOP/s|prefill 4096, on Test CPU, run attention-5613.|" {
		t.Errorf("shows %q", got)
	}
	best.Disturbed = true
	if got := shown(); got != "f32|130 GFLOP/s|prefill 4096, on Test CPU, run attention-5613, disturbed by other work.|" {
		t.Errorf("disturbed, it shows %q", got)
	}
}
