package view_test

import (
	"strings"
	"testing"

	"assay/gpu"
	"assay/ui/view"
	"assay/workloads"
)

// Plain words come first, then what is kept and what to do, and the error's own text last.
func TestFailureLeadsWithPlainWords(t *testing.T) {
	raw := "batching: submit matmul: " + gpu.ErrDeviceLost.Error() + ": a command buffer hung for 10 s"
	want := "the device was lost. 3 results kept. Run again; Assay reopens the engine. Details: " + raw + "."
	if got := view.Failure(workloads.Failure{Kind: workloads.DeviceLost, Text: raw}, "3 results kept."); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	other := view.Failure(workloads.Failure{Text: "it was cut off"}, "")
	if !strings.HasPrefix(other, "it was cut off. Run again") || strings.Contains(other, "Details") {
		t.Errorf("got %q", other)
	}
}

func TestWrongTensorAsksForAnotherTensor(t *testing.T) {
	told := view.Failure(workloads.Failure{Kind: workloads.NoTensor, Text: `/m.safetensors: no tensor "zzz"; it has layer.weight, bias`}, "")
	if !strings.Contains(told, "Choose one of its tensors.") || strings.Contains(told, "another file") {
		t.Errorf("got %q", told)
	}
}
