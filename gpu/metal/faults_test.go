package metal

import (
	"errors"
	"strings"
	"testing"

	"assay/gpu"
)

func TestClassify(t *testing.T) {
	cases := []struct {
		code   int64
		kind   error
		effect effect
		word   string
	}{
		{1, gpu.ErrExecution, passing, "internal"},
		{2, gpu.ErrTimeout, losing, "too long"},
		{3, gpu.ErrExecution, passing, "page fault"},
		{4, gpu.ErrExecution, suspect, "refuses"},
		{7, gpu.ErrUnsupported, passing, "may not use"},
		{8, gpu.ErrOutOfMemory, passing, "memory"},
		{9, gpu.ErrExecution, passing, "gone"},
		{10, gpu.ErrExecution, passing, "limit"},
		{11, gpu.ErrDeviceLost, losing, "removed"},
		{12, gpu.ErrExecution, passing, "stack"},
		{14, gpu.ErrTimeout, passing, "display"},
		{99, gpu.ErrExecution, passing, "do not list"},
	}
	for _, c := range cases {
		o := outcome{failed: true, inMetal: true, code: c.code, text: "the driver's words", encoder: "matmul_f32"}
		f := classify(o)
		if f.kind != c.kind || f.effect != c.effect {
			t.Errorf("code %d: %v with effect %d, want %v with %d", c.code, f.kind, f.effect, c.kind, c.effect)
		}
		err := failure(o, f, "run", "matmul_f32 ×3")
		if !errors.Is(err, c.kind) {
			t.Errorf("code %d: error %v is not %v", c.code, err, c.kind)
		}
		for _, word := range []string{c.word, "the driver's words", `encoder "matmul_f32"`, "matmul_f32 ×3"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("code %d: error %q does not say %q", c.code, err, word)
			}
		}
	}
}

// The undocumented error may have another domain; it is recognized by its text.
func TestClassifyByText(t *testing.T) {
	o := outcome{failed: true, code: 0xe, text: "Impacting Interactivity " +
		"(0000000e:kIOGPUCommandBufferCallbackErrorImpactingInteractivity)"}
	if f := classify(o); f.kind != gpu.ErrTimeout || f.effect != passing {
		t.Errorf("%v with effect %d", f.kind, f.effect)
	}
	other := classify(outcome{failed: true, code: 11, text: "of another domain"})
	if other.kind != gpu.ErrExecution || other.effect != passing {
		t.Errorf("code 11 of another domain: %v with effect %d", other.kind, other.effect)
	}
}

func TestFailureWithoutEncoder(t *testing.T) {
	o := outcome{failed: true, inMetal: true, code: 3, text: "x"}
	if err := failure(o, classify(o), "run", "k"); strings.Contains(err.Error(), "encoder") {
		t.Errorf("no encoder was told, yet: %v", err)
	}
}

// An error before the commit has the kind of its code.
func TestRefusal(t *testing.T) {
	for _, c := range []struct {
		err  error
		kind error
	}{
		{&nativeError{"the device has no timestamp counter", codeUnsupported}, gpu.ErrUnsupported},
		{&nativeError{"cannot create a sample buffer", codeNoMemory}, gpu.ErrOutOfMemory},
		{&nativeError{"creating a compute encoder failed", 0}, gpu.ErrExecution},
		{errors.New("another"), gpu.ErrExecution},
	} {
		if got := refusal(c.err); got != c.kind {
			t.Errorf("%v is %v, want %v", c.err, got, c.kind)
		}
	}
}
