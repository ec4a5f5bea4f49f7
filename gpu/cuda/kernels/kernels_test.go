package kernels

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/gpu/msl/clang"
	"assay/internal/race"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/suite"
)

// wanted returns the kernels that must be built in, by ID.
func wanted(t *testing.T) map[string]shaders.Kernel {
	t.Helper()
	all, err := Wanted()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Built-in code was compiled from the current sources, headers and flags.
func TestBuiltInIsCurrent(t *testing.T) {
	var stale []string
	for id, k := range wanted(t) {
		if _, ok := builtIn(&k); !ok {
			stale = append(stale, id)
		}
	}
	if slices.Sort(stale); len(stale) > 0 {
		t.Errorf("%d kernels are missing or of another source: go generate ./gpu/cuda/kernels\n%s", len(stale),
			strings.Join(stale[:min(len(stale), 5)], "\n"))
	}
}

// Kernels that workloads request by default are built in, for every size.
func TestWorkloadsAskForWhatIsBuiltIn(t *testing.T) {
	if race.On {
		t.Skip("what workloads ask for does not depend on how goroutines meet")
	}
	missing := map[string]bool{}
	for _, w := range suite.All() {
		if w.Control || w.Series {
			continue
		}
		for _, dtype := range []string{"f32", "f16", "bf16"} {
			set := benchtest.Small(&w)
			maps.Copy(set, map[string]workloads.Values{
				"attention": {"dim": 64}, "tiles": {"min_tile": 64, "max_tile": 128}, "published": {"scale": 1}, "quantization": {"cols": 70, "min_block": 256, "scale_type": "all"},
				"training": {"compare": "checkpoints", "layers": 5, "segment": 2},
			}[w.Name])
			if p, err := w.Param("dtype"); err == nil && slices.Contains(p.ChoiceValues(), dtype) {
				set["dtype"] = dtype
			} else if dtype != "f32" {
				continue
			}
			b := benchtest.New(t, gputest.Script{Compute: 90})
			if err := b.Run(t.Context(), t, w, set); err != nil {
				t.Fatal(err)
			}
			for _, k := range b.Engine.Kernels() {
				generated := strings.HasPrefix(k.Name, "chain") // generated when a graph is fused, and compiled then
				if _, ok := builtIn(&k); !ok && k.Impl.Library == shaders.Own && !generated {
					missing[k.Name+" "+k.Key()] = true
				}
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("variants.txt lacks\n%s", strings.Join(slices.Sorted(maps.Keys(missing)), "\n"))
	}
}

// instructions are what PTX must have if and only if the source uses a function.
var instructions = []struct {
	source *regexp.Regexp
	ptx    string
}{
	{regexp.MustCompile(`threadgroup_barrier\(`), "bar.sync"},
	{regexp.MustCompile(`\bsimd_(sum|max|min|shuffle\w*)\(|simdgroup_multiply`), "shfl.sync"},
	{regexp.MustCompile(`atomic_fetch_add_explicit\(`), "atom."},
}

// inLocalMemory matches kernels with an array that a thread indexes by a computed value, which registers cannot hold.
var inLocalMemory = regexp.MustCompile(`^(entropy|attention_flash_simd|matmul_gemv)`)

func TestBuiltInPTX(t *testing.T) {
	for id, k := range wanted(t) {
		code, ok := builtIn(&k)
		if !ok {
			continue // TestBuiltInIsCurrent
		}
		text := string(code.PTX)
		for _, want := range []string{".version 7.8\n", ".target sm_80\n", ".visible .entry " + k.Name + "(", ".param .align 16 .b8"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", id, want)
			}
		}
		if strings.Contains(text, ".extern .func") || strings.Contains(text, "call.uni") {
			t.Errorf("%s calls a function", id)
		}
		if strings.Contains(text, ".local ") && !inLocalMemory.MatchString(k.Name) {
			t.Errorf("%s has an array in local memory", id)
		}
		for _, i := range instructions {
			if !i.source.MatchString(k.Impl.Source.Text()) && strings.Contains(text, i.ptx) {
				t.Errorf("%s: %s, which nothing in its source asks for", id, i.ptx)
			}
		}
	}
}

// Every thread function that a source uses becomes its instruction in one of the kernels of that source.
func TestInstructions(t *testing.T) {
	found := map[string]bool{}
	for _, k := range wanted(t) {
		code, _ := builtIn(&k)
		for _, i := range instructions {
			key := k.Impl.Source.File + " " + i.ptx
			if i.source.MatchString(k.Impl.Source.Text()) {
				found[key] = found[key] || bytes.Contains(code.PTX, []byte(i.ptx))
			}
		}
	}
	for key, ok := range found {
		if !ok {
			t.Errorf("no kernel of %s", key)
		}
	}
	if len(found) < 20 {
		t.Errorf("%d sources use functions of threads", len(found))
	}
}

// needClang skips where there is no clang, except in CI.
func needClang(t *testing.T) {
	t.Helper()
	if _, err := clang.Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// A variant that is not built in is compiled, and so is a cold one.
func TestCompiles(t *testing.T) {
	needClang(t)
	k := catalog.MustFind("matmul_tiled_f32").With(shaders.Constants{"tile": 16, "has_bias": 1})
	if _, ok := builtIn(&k); ok {
		t.Fatal("it is built in: take another variant")
	}
	for range 2 {
		code, err := Of(t.Context(), k, false)
		if err != nil || !strings.HasPrefix(code.Source, "compiled by clang ") || !strings.Contains(string(code.PTX), ".entry matmul_tiled_f32(") {
			t.Errorf("%+.40q, %v", code.PTX, err)
		}
	}
	code, err := Of(t.Context(), catalog.MustFind("relu_f32"), true)
	if err != nil || code.Warm || !strings.HasPrefix(code.Source, "compiled by clang ") {
		t.Errorf("cold: warm %v, %s, %v", code.Warm, code.Source, err)
	}
}

// A user's source is never mistaken for a built-in kernel, and compile errors have a location.
func TestUserSource(t *testing.T) {
	needClang(t)
	k := catalog.MustFind("relu_f32")
	impl := *k.Impl
	source, err := shaders.UserSource("mine.metal", "#include <metal_stdlib>\nkernel void relu_f32(device float *x [[buffer(0)]]) { x[0] = y; }\n")
	if err != nil {
		t.Fatal(err)
	}
	impl.Source = source
	_, err = Of(t.Context(), impl.Kernel(shaders.F32), false)
	if !errors.Is(err, gpu.ErrCompile) || !strings.Contains(err.Error(), "mine.metal:2:") {
		t.Error(err)
	}
}

func TestPack(t *testing.T) {
	all := map[string][]byte{"": []byte("plain"), "a=1": []byte("one\n//comment")}
	packed, err := Pack("stamp", all)
	if err != nil {
		t.Fatal(err)
	}
	got := unpackBytes(packed, "stamp")
	if len(got) != 2 || string(bytes.TrimSpace(got[""])) != "plain" || string(bytes.TrimSpace(got["a=1"])) != "one\n//comment" {
		t.Errorf("%q", got)
	}
	if got := unpackBytes(packed, "other"); len(got) != 0 {
		t.Errorf("of another source: %q", got)
	}
	if got := unpackBytes([]byte("nonsense"), "stamp"); len(got) != 0 {
		t.Errorf("of nonsense: %q", got)
	}
}
