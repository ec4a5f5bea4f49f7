package kernels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/catalog"
)

// put writes PTX like the compiler does.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Entries describe what they were compiled from, and why nothing requests them any more.
func TestCacheEntries(t *testing.T) {
	dir := t.TempDir()
	k := catalog.MustFind("matmul_tiled_f32").With(shaders.Constants{"has_bias": 1})
	n := newNote(&k, "clang 16.0.6")
	put(t, dir, "ptx-1.ptx", "// assay: "+n.line(0.5)+"\n.version 7.8\n")
	n.Shim = "other"
	put(t, dir, "ptx-2.ptx", "// assay: "+n.line(0.5)+"\n.version 7.8\n")
	put(t, dir, "ptx-3.ptx", ".version 7.8\n")
	put(t, dir, "shim-x", "a header")
	for compiler, faults := range map[string][]string{
		"clang 16.0.6": {"earlier version", "", "headers or flags"},
		"clang 17.0.1": {"earlier version", "compiled by clang 16.0.6, this is clang 17.0.1", "headers or flags"},
		"":             {"earlier version", "", "headers or flags"},
	} {
		c, err := openCache(dir, compiler)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.Entries()
		if err != nil || len(all) != 3 {
			t.Fatalf("%+v, %v", all, err)
		}
		for i, want := range faults {
			if fault := all[i].Fault; want == "" && fault != "" || !strings.Contains(fault, want) {
				t.Errorf("with %s, %s: %q, want %q", compiler, all[i].ID, fault, want)
			}
		}
		if e := all[1]; e.Kernel != "matmul_tiled_f32" || e.Constants != "has_bias=1" || e.Source != k.Impl.Source.Hash() || e.Seconds != 0.5 ||
			!e.Stored.Equal(n.Stored) || e.System != "clang 16.0.6" {
			t.Errorf("%+v", e)
		}
	}
}

// What the compiler keeps is listed, verified and removed; afterward it is compiled again.
func TestCacheKeeps(t *testing.T) {
	needClang(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	k := catalog.MustFind("matmul_tiled_f32").With(shaders.Constants{"tile": 16, "has_bias": 1})
	for _, warm := range []bool{false, true} {
		if code, err := Of(t.Context(), k, false); err != nil || code.Warm != warm || code.BuiltIn() {
			t.Fatalf("warm %v, %s, %v", code.Warm, code.Source, err)
		}
	}
	c, err := Cache()
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Verify(t.Context())
	if err != nil || len(all) != 1 || all[0].Kernel != k.Name || all[0].Fault != "" || all[0].Seconds <= 0 {
		t.Fatalf("%+v, %v", all, err)
	}
	folder, _ := c.About()
	put(t, folder, all[0].ID, "spoiled")
	if all, err = c.Verify(t.Context()); err != nil || all[0].Fault != gpu.CacheDamaged {
		t.Errorf("spoiled: %+v, %v", all, err)
	}
	if err := c.Remove(all[0].ID); err != nil {
		t.Error(err)
	}
	if code, err := Of(t.Context(), k, false); err != nil || code.Warm {
		t.Errorf("removed, and warm %v, %v", code.Warm, err)
	}
}
