package app

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/shaders/catalog"
)

// Every kernel of the catalog is listed once, with what a person needs to know about it.
func TestKernelsListTheCatalog(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	var entries []string
	for _, k := range s.Kernels().List() {
		if k.About == "" || k.Family == "" || len(k.Params) == 0 || len(k.Args) == 0 {
			t.Errorf("%s is not described: %+v", k.ID, k)
		}
		if own := k.Library == ""; own != (len(k.Files) > 0) || own != (k.Hash != "") || own != (k.Launch != nil) {
			t.Errorf("%s of the library %q has %d files, the hash %q and the launch %v", k.ID, k.Library, len(k.Files), k.Hash, k.Launch)
		}
		for _, e := range k.Kernels {
			entries = append(entries, e.Entry)
		}
	}
	var want []string
	for _, k := range catalog.All() {
		want = append(want, k.Name)
	}
	slices.Sort(entries)
	slices.Sort(want)
	if !slices.Equal(entries, want) {
		t.Errorf("listed are %v, the catalog has %v", entries, want)
	}
}

func TestKernelIsDescribed(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	list := s.Kernels().List()
	k, err := FindKernel(list, "matmul_tiled_f16")
	if err != nil {
		t.Fatal(err)
	}
	if k.ID != "matmul/tiled" || k.Files[0].Name != "matmul.metal" || !strings.Contains(k.Files[0].Text, "#include \"tile.h\"") {
		t.Errorf("%s is of %s: %.80q", k.ID, k.Files[0].Name, k.Files[0].Text)
	}
	if !slices.ContainsFunc(k.Files, func(f KernelFile) bool { return f.Name == "include/tile.h" }) {
		t.Error("the header that it includes is not among its files")
	}
	if got := k.Args[2]; got != (KernelArg{"bias", "in", "f32, f16, bf16", "has_bias"}) {
		t.Errorf("its third argument is %+v", got)
	}
	mps, err := FindKernel(list, "matmul/mps")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range mps.Args {
		if a.Name == "bias" {
			t.Error("the library has no bias, and an argument for it")
		}
	}
	if k, err = FindKernel(list, "column_sum"); err != nil || len(k.Tunables) != 2 || k.Launch.Shared == 0 {
		t.Errorf("%+v, %v", k, err)
	}
}

func TestFindKernelSaysWhatThereIs(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	list := s.Kernels().List()
	if _, err := FindKernel(list, "matmul"); err == nil || !strings.Contains(err.Error(), "matmul/tiled, matmul/naive") {
		t.Errorf("of several: %v", err)
	}
	if _, err := FindKernel(list, "nothing"); err == nil || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("of none: %v", err)
	}
}

// Asking an engine what it runs does not make it the current one; it says why it does not run the others.
func TestKernelSupport(t *testing.T) {
	const why = "it has no half precision"
	s, _ := session(t, gputest.Script{Unsupported: map[string]string{"relu_f16": why, "extremes_f32": why}})
	support, err := s.Kernels().Support("auto")
	if err != nil {
		t.Fatal(err)
	}
	if support.Engine != "fake" || support.Title != "Fake" {
		t.Errorf("asked was %s, %s", support.Engine, support.Title)
	}
	list := s.Kernels().List()
	for _, c := range []struct{ name, why, runs string }{
		{"add", "", "f32 f16"}, {"relu", "f16: " + why, "f32"}, {"extremes", why, ""},
	} {
		k, err := FindKernel(list, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := support.Why(k); got != c.why {
			t.Errorf("%s: %q, want %q", c.name, got, c.why)
		}
		if got := strings.Join(support.Runs(k), " "); got != c.runs {
			t.Errorf("%s runs in %q, want %q", c.name, got, c.runs)
		}
	}
	if _, err := s.Kernels().Support("missing"); err == nil || !strings.Contains(err.Error(), "never built") {
		t.Errorf("of an engine that is not there: %v", err)
	}
}
