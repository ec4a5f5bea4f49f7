package suite

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
)

// untuned is a scripted engine without threadgroups and without a compiler, like a processor.
type untuned struct{ gpu.Engine }

func (u untuned) Info() gpu.Info {
	info := u.Engine.Info()
	info.Untuned, info.Engine = true, "plain"
	return info
}

// without is the set of kernels that need a feature, and why they cannot run.
func without(f shaders.Feature, why string) map[string]string {
	list := map[string]string{}
	for _, k := range catalog.All() {
		if k.Needs()&f != 0 {
			list[k.Name] = why
		}
	}
	return list
}

// Missing capabilities of a device are known before a run: whole workloads, and values of parameters.
func TestLacks(t *testing.T) {
	const why = "this device does not have it"
	for _, c := range []struct {
		name   string
		engine gpu.Engine
		want   []string // "workload", "workload param=value"
		not    []string
	}{
		{name: "everything", engine: gputest.NewFake(gputest.Script{}), not: []string{"compile", "tiles", "matmul dtype=bf16", "matmul compare=simd"}},
		{
			name: "no bfloat", engine: gputest.NewFake(gputest.Script{Unsupported: without(shaders.BFloat, why)}),
			want: []string{"matmul dtype=bf16", "tiles dtype=bf16", "gemv dtype=bf16", "attention dtype=bf16", "tuning dtype=bf16"},
			not:  []string{"matmul", "matmul dtype=f32", "matmul compare=simd", "tiles"},
		},
		{
			name: "no simdgroup_matrix", engine: gputest.NewFake(gputest.Script{Unsupported: without(shaders.SIMDGroupMatrix, why)}),
			want: []string{"matmul compare=simd", "tiles compare=simd", "gemv compare=simd", "attention compare=flash_simd"},
			not:  []string{"matmul", "matmul dtype=bf16", "matmul compare=naive", "attention"},
		},
		{
			name: "no threadgroups, no compiler", engine: untuned{gputest.NewFake(gputest.Script{Unsupported: without(shaders.Threadgroups|shaders.SIMDGroupMatrix, why)})},
			want: []string{"tiles", "compile"}, not: []string{"matmul", "batching"},
		},
		{
			name: "no convolution", engine: gputest.NewFake(gputest.Script{Unsupported: gputest.Without("conv2d_tiled_f16", why)}),
			want: []string{"convolution dtype=f16"}, not: []string{"convolution", "convolution dtype=f32"},
		},
	} {
		var got []string
		for _, w := range All() {
			for _, m := range w.Lacks(c.engine) {
				if m.Why == "" || strings.Contains(m.Why, "not supported") {
					t.Errorf("%s: %s lacks %+v", c.name, w.Name, m)
				}
				at := w.Name
				if m.Param != "" {
					at += " " + m.Param + "=" + m.Value
				}
				got = append(got, at)
			}
		}
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %s is not told of; told are %q", c.name, want, got)
			}
		}
		for _, not := range c.not {
			if slices.Contains(got, not) {
				t.Errorf("%s: %s is said to be lacking", c.name, not)
			}
		}
	}
}

// If no number format is left, nothing of the workload is.
func TestLacksEveryFormat(t *testing.T) {
	gone := gputest.Without("conv2d_tiled_f16", "no convolutions here")
	for name, why := range gputest.Without("conv2d_tiled_f32", "no convolutions here") {
		gone[name] = why
	}
	w, err := workloads.Find(All(), "convolution")
	if err != nil {
		t.Fatal(err)
	}
	lacks := w.Lacks(gputest.NewFake(gputest.Script{Unsupported: gone}))
	if lacks.Whole() != "no convolutions here" {
		t.Errorf("it lacks %+v", lacks)
	}
	err = lacks.Refuse(w, w.Defaults(false), "Metal")
	if err == nil || err.Error() != "not available on Metal: no convolutions here" {
		t.Errorf("a run is refused with %v", err)
	}
}

// A value that the device cannot measure is rejected by name; other values, and one without effect, are not.
func TestRefuseValues(t *testing.T) {
	w, err := workloads.Find(All(), "matmul")
	if err != nil {
		t.Fatal(err)
	}
	lacks := w.Lacks(gputest.NewFake(gputest.Script{Unsupported: without(shaders.BFloat|shaders.SIMDGroupMatrix, "an old GPU")}))
	for _, c := range []struct{ dtype, compare, want string }{
		{"f32", "all", ""},
		{"f32", "simd", "compare simd is not available on Metal: an old GPU"},
		{"bf16", "all", "dtype bf16 is not available on Metal: an old GPU"},
		{"int8", "simd", ""}, // has no effect on int8 GEMMs
	} {
		err := lacks.Refuse(w, w.Defaults(false).With(workloads.Values{"dtype": c.dtype, "compare": c.compare}), "Metal")
		if got := text(err); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.dtype, c.compare, got, c.want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
