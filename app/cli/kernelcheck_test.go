package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app"
)

// beneathKernel calls what only this processor has: the third kernel through another function.
const beneathKernel = `#include <metal_stdlib>
void missing(int) __asm("air.missing");
static void indirect(int n) { if (n > 1) missing(n); }
kernel void fine(device int *x [[buffer(0)]]) { x[0] = 1; }
kernel void one(device int *x [[buffer(0)]]) { missing(x[0]); }
kernel void two(device int *x [[buffer(0)]]) { indirect(x[0]); }
`

func TestKernelCheckTargets(t *testing.T) {
	good, beneath := kernelFile(t, strings.ReplaceAll(goodKernel, "ONE", "1")), filepath.Join(t.TempDir(), "beneath.metal")
	if err := os.WriteFile(beneath, []byte(beneathKernel), 0o644); err != nil {
		t.Fatal(err)
	}
	const entries = ": 1 entry point, 1 function constant"
	for _, test := range []struct {
		target, file, out, errOut string
		code                      int
	}{
		{"cpu", good, good + entries + "\n", "", 0},
		{"cuda", good, good + entries + ", compiled for NVIDIA GPUs\n", "", 0},
		{"all", good, good + entries + ", compiled for the CPU and NVIDIA GPUs\n", "", 0},
		{
			"all", beneath, beneath + ": 3 entry points, 0 function constants, compiled for the CPU\n",
			beneath + ":5:13: error: CUDA has no function air.missing, which kernels one and 1 more need\n" +
				"    kernel void one(device int *x [[buffer(0)]]) { missing(x[0]); }\n                ^\n" +
				beneath + ": 1 error for NVIDIA GPUs\n", 1,
		},
	} {
		code, out, errOut := assay(t, app.Config{}, "kernel", "check", "--target", test.target, test.file)
		if code != test.code || !strings.HasPrefix(out, test.out) || errOut != test.errOut {
			t.Errorf("%s: exit %d\n%s\n%s\nwant exit %d\n%s\n%s", test.target, code, out, errOut, test.code, test.out, test.errOut)
		}
	}
}

// An error that targets share is reported once.
func TestKernelCheckTellsOnce(t *testing.T) {
	file := kernelFile(t, "kernel void k(device double *x [[buffer(0)]]) {}\n")
	code, out, errOut := assay(t, app.Config{}, "kernel", "check", "--target", "all", file)
	if code != 1 || out != "" || strings.Count(errOut, "64-bit floating point") != 1 || !strings.HasSuffix(errOut, "1 error for the CPU and NVIDIA GPUs\n") {
		t.Errorf("exit %d\n%s\n%s", code, out, errOut)
	}
}

func TestKernelCheckNeedsClang(t *testing.T) {
	t.Setenv("ASSAY_CLANG", filepath.Join(t.TempDir(), "none"))
	code, _, errOut := assay(t, app.Config{}, "kernel", "check", "--target", "cuda", "x.metal")
	if code != 1 || !strings.Contains(errOut, "kernel check is not available: ASSAY_CLANG: ") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

func TestKernelCheckTargetNames(t *testing.T) {
	code, _, errOut := assay(t, app.Config{}, "kernel", "check", "--target", "cudo", "x.metal")
	if want := `--target "cudo": want cpu (the CPU), cuda (NVIDIA GPUs) or all (did you mean "cuda"?)`; code != 2 || !strings.Contains(errOut, want) {
		t.Errorf("exit %d: %s", code, errOut)
	}
}
