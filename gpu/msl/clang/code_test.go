package clang

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cuda"
)

func checkCode(t *testing.T, text string, target Target) error {
	t.Helper()
	l, err := testCompiler(t).Compile(t.Context(), msl.Source{Name: "test.metal", Text: text}, Options{Cache: sharedCache, Target: target})
	if err != nil {
		t.Fatal(err)
	}
	return l.CheckCode(t.Context())
}

// Among many kernels, those for which clang has no code are named, with the reason.
func TestCheckCodeFindsTheKernel(t *testing.T) {
	var b strings.Builder
	b.WriteString("static void fence() { __atomic_thread_fence(5); }\n")
	for i := range 5 {
		fence := ""
		if i == 3 {
			fence = " fence();"
		}
		fmt.Fprintf(&b, "kernel void k%d(device int *x [[buffer(0)]]) { x[0] = %d;%s }\n", i, i, fence)
	}
	err := checkCode(t, b.String(), cuda.Target{})
	var refused *msl.CompileError
	if !errors.As(err, &refused) || len(refused.Diagnostics) != 1 {
		t.Fatal(err)
	}
	d := refused.Diagnostics[0]
	if d.Line != 5 || !strings.HasPrefix(d.Message, "kernel k3: ") || !strings.Contains(d.Message, "error in backend") {
		t.Error(d)
	}
	if err := checkCode(t, b.String(), nil); err != nil {
		t.Errorf("for the CPU: %v", err)
	}
}

func TestCheckCodeAccepts(t *testing.T) {
	const text = `#include <metal_stdlib>
	using namespace metal;
	constant uint n [[function_constant(0)]];
	template <class T> kernel void sum(device T *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
		threadgroup T part[32];
		part[i % 32] = exp(simd_sum(x[i]));
		threadgroup_barrier(mem_flags::mem_threadgroup);
		x[i] = part[n % 32];
	}
	template [[host_name("sum_f32")]] kernel void sum<float>(device float *, uint);
	template [[host_name("sum_f16")]] kernel void sum<half>(device half *, uint);
	kernel void none() {}`
	for range 2 { // the second time from the cache
		if err := checkCode(t, text, cuda.Target{}); err != nil {
			t.Error(err)
		}
	}
}

// If clang takes too long to inline everything, the kernel is compiled without inlining.
func TestPTXWithoutInlining(t *testing.T) {
	real := testCompiler(t)
	c, err := tryClang(fakeClang(t, "case \"$*\" in *inline-threshold*\" -S \"*) sleep 60;; *) exec "+real.path+" \"$@\";; esac\n"))
	if err != nil {
		t.Fatal(err)
	}
	c.inlining = 100 * time.Millisecond
	s := msl.Source{Name: "test.metal", Text: "kernel void k(device int *x [[buffer(0)]]) { x[0] = 7; }"}
	dir := t.TempDir()
	note := func(seconds float64) string { return fmt.Sprintf("of k,\n%v", seconds > 0.1) }
	l, err := c.Compile(t.Context(), s, Options{Cache: dir, Target: cuda.Target{}, Note: note})
	if err != nil {
		t.Fatal(err)
	}
	ptx, warm, err := l.PTX(t.Context(), "k", nil, -1)
	if err != nil || warm || !strings.Contains(string(ptx), ".visible .entry k(") {
		t.Errorf("warm %v, %v: %s", warm, err, ptx)
	}
	again, warm, err := l.PTX(t.Context(), "k", nil, -1)
	if err != nil || !warm || string(again) != string(ptx) || strings.Contains(string(ptx), "of k") {
		t.Errorf("again: warm %v, %v: %s", warm, err, again)
	}
	checkFolder(t, dir)
}

// checkFolder checks that PTX is listed with its note, verified and removed.
func checkFolder(t *testing.T, dir string) {
	t.Helper()
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.PTX()
	if err != nil || len(all) != 1 || all[0].Note != "of k, true" || all[0].Bytes < 100 || !f.Whole(all[0].Name) {
		t.Fatalf("%+v, %v", all, err)
	}
	name := all[0].Name
	if err := os.Truncate(filepath.Join(dir, name), 10); err != nil || f.Whole(name) {
		t.Errorf("cut short it is whole: %v", err)
	}
	for range 2 {
		if err := f.Remove(name); err != nil {
			t.Error(err)
		}
	}
	if all, err = f.PTX(); err != nil || len(all) != 0 {
		t.Errorf("left %+v, %v", all, err)
	}
	for _, name := range []string{"", "pruned", "../ptx-1.ptx", "ptx-/1.ptx"} {
		if f.Remove(name) == nil {
			t.Errorf("%q was removed", name)
		}
	}
}

func TestMissingFunctions(t *testing.T) {
	const ptx = `.visible .func direct
(
)
;
.extern .func  (.param .b32 func_retval0) air.one
(
	.param .b32 air.one_param_0
)
;
.extern .func two
(
)
;
	// .globl	direct
.visible .func direct()
{
	{ // callseq 0, 0
	call.uni (retval0),
	air.one,
	} // callseq 0
	ret;
}
	// .weak	through
.weak .func  (.param .b32 func_retval0) through(
	.param .b32 through_param_0
)
{
	call.uni two, ();
}
.visible .func indirect()
{
	call.uni (retval0), through, (param0);
}
.visible .func neither()
{
	ret;
	                                        // -- End function
}
`
	got := missingFunctions(ptx, map[string]int{"direct": 0, "indirect": 1, "neither": 2})
	if len(got) != 2 || !slices.Equal(got["air.one"], []int{0}) || !slices.Equal(got["two"], []int{1}) {
		t.Errorf("%v", got)
	}
}
