//go:build metalsim && cgo && !darwin

package metal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/metal/sim"
	"assay/shaders"
)

// A compiler that fails is ErrCompile with its own words; the same call then compiles.
func TestCompilerFails(t *testing.T) {
	cases := []struct {
		name   string
		script sim.Script
		words  []string
	}{
		{
			"error",
			sim.Script{CompileError: "elementwise.metal:7:3: error: use of undeclared identifier 'x'"},
			[]string{"add_f32", "elementwise.metal:7:3", "undeclared identifier"},
		},
		{"dies", sim.Script{CompilerDies: true}, []string{"add_f32"}},
		{"silent", sim.Script{CompilerSilent: true}, []string{"add_f32"}},
		{"no pipeline", sim.Script{NoPipeline: true}, []string{"add_f32"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := simOptions(t)
			books(t)
			e := openSim(t, o)
			k := shaders.MustFind("add_f32")
			sim.Inject(c.script)
			_, err := e.Kernel(k, nil)
			if !errors.Is(err, gpu.ErrCompile) {
				t.Errorf("error %v", err)
			}
			says(t, err, c.words...)
			sim.Inject(sim.Script{})
			x := newAdder(t, e, 1000)
			x.works()
			x.close()
		})
	}
}

// A compiler that does not answer is given up, by Kernel and by Close. When it answers after all, what it made is freed.
func TestCompilerHangs(t *testing.T) {
	o := simOptions(t)
	o.CompileTimeout, o.Timeout = 50*time.Millisecond, 100*time.Millisecond
	books(t)
	e := openSim(t, o)
	k := shaders.MustFind("add_f32")
	compiler := e.sourceOf(k.Source())
	compiler.mu.Lock() // as if it were at this source for ever
	_, err := e.Kernel(k, nil)
	if !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("error %v", err)
	}
	says(t, err, "add_f32", "50ms")
	if err := e.Close(); !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("close: %v", err)
	}
	compiler.mu.Unlock()
}

// A device is opened without a compiler, too: what it cannot say then is unknown.
func TestOpenWithoutCompiler(t *testing.T) {
	o := simOptions(t)
	books(t)
	sim.Inject(sim.Script{CompilerDies: true})
	e := openSim(t, o)
	if c := e.Capabilities(); c.SIMDWidth != 0 || c.Missing["SIMD width"] == "" {
		t.Errorf("SIMD width %d, missing: %q", c.SIMDWidth, c.Missing["SIMD width"])
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// compiled opens an engine, adds with it, and returns how the kernel came to be.
func compiled(t *testing.T, o Options) gpu.Compile {
	t.Helper()
	x := newAdder(t, openSim(t, o), 1000)
	x.works()
	all := x.e.Compiles()
	x.close()
	if len(all) != 1 || all[0].Kernel != "add_f32" || all[0].Seconds <= 0 || all[0].SourceSeconds > all[0].Seconds {
		t.Fatalf("compiles: %+v", all)
	}
	return all[0]
}

func TestArchiveWarm(t *testing.T) {
	o := simOptions(t)
	books(t)
	if c := compiled(t, o); c.Warm || c.Cache != "stored" {
		t.Errorf("first start: %+v", c)
	}
	if c := compiled(t, o); !c.Warm || c.Cache != "found" {
		t.Errorf("second start: %+v", c)
	}
	o.NoCache = true
	if c := compiled(t, o); c.Warm || c.Cache != "not kept: not wanted" {
		t.Errorf("without a cache: %+v", c)
	}
}

// Whatever becomes of an archive, the kernel is there and runs; the next start is warm again.
func TestArchiveSpoiled(t *testing.T) {
	each := func(t *testing.T, o Options, f func(path string) error) {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(o.CacheDir, "*", "*.mtlarchive"))
		if err != nil || len(paths) != 1 {
			t.Fatalf("archives %q, %v", paths, err)
		}
		if err := f(paths[0]); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name  string
		spoil func(path string) error
	}{
		{"corrupt", func(p string) error { return os.WriteFile(p, []byte("no archive"), 0o644) }},
		{"cut short", func(p string) error { return os.Truncate(p, 1) }},
		{"gone", os.Remove},
		{"manifest gone", func(p string) error { return os.Remove(manifestPath(p)) }},
		{"a folder", func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o755)) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := simOptions(t)
			books(t)
			compiled(t, o)
			each(t, o, c.spoil)
			if got := compiled(t, o); got.Warm || got.Cache != "stored" {
				t.Errorf("after it was spoiled: %+v", got)
			}
			if got := compiled(t, o); !got.Warm {
				t.Errorf("the start after that: %+v", got)
			}
		})
	}
}

// An archive that Metal does not take, sound as its file is, is put aside and made again.
func TestArchiveRefused(t *testing.T) {
	o := simOptions(t)
	books(t)
	compiled(t, o)
	sim.Inject(sim.Script{NoArchive: true})
	if c := compiled(t, o); c.Warm {
		t.Errorf("archives do not load, yet: %+v", c)
	}
	sim.Inject(sim.Script{})
	compiled(t, o)
	if c := compiled(t, o); !c.Warm {
		t.Errorf("archives load again, yet: %+v", c)
	}
}

// A folder that cannot be written costs the archive, not the engine.
func TestArchiveFolderMissing(t *testing.T) {
	o := simOptions(t)
	books(t)
	file := filepath.Join(o.CacheDir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	o.CacheDir = filepath.Join(file, "below")
	if c := compiled(t, o); c.Warm || c.Cache == "stored" {
		t.Errorf("compile: %+v", c)
	}
}

// Kernels of one source compile it once.
func TestSourceCompiledOnce(t *testing.T) {
	o := simOptions(t)
	books(t)
	e := openSim(t, o)
	for _, name := range []string{"add_f32", "mul_f32", "gelu_f32"} {
		if _, err := e.Kernel(shaders.MustFind(name), nil); err != nil {
			t.Fatal(err)
		}
	}
	all := e.Compiles()
	if len(all) != 3 || all[0].SourceSeconds == 0 || all[1].SourceSeconds != 0 || all[2].SourceSeconds != 0 {
		t.Errorf("compiles: %+v", all)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
