//go:build metalsim && cgo && !darwin

package metal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/gpu/metal/sim"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/quant"
)

// If the compiler fails, the error is ErrCompile with the compiler's message; the next call then compiles.
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
			ledger(t)
			e := openSim(t, o)
			k := catalog.MustFind("add_f32")
			sim.Inject(c.script)
			_, err := e.Kernel(k)
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

// Kernel and Close stop waiting for a compiler that does not respond. If it responds later, its result is freed.
func TestCompilerHangs(t *testing.T) {
	o := simOptions(t)
	o.Timeout = 100 * time.Millisecond
	ledger(t)
	e := openSim(t, o)
	e.options.CompileTimeout = 50 * time.Millisecond
	sim.Inject(sim.Script{CompilerHang: 1})
	_, err := e.Kernel(catalog.MustFind("add_f32"))
	if !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("error %v", err)
	}
	says(t, err, "add_f32", "50ms")
	if err := e.Close(); !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("close: %v", err)
	}
	sim.Inject(sim.Script{}) // ends current and future hangs
}

// After a compilation hangs, the next call tries again, for the same kernel and for others of its file. The result of the one
// that hung is freed when it ends.
func TestCompilerHangsOnce(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	sim.Inject(sim.Script{CompilerHang: 1})
	e.options.CompileTimeout = 50 * time.Millisecond
	if _, err := e.Kernel(catalog.MustFind("add_f32")); !errors.Is(err, gpu.ErrTimeout) {
		t.Fatalf("error %v", err)
	}
	e.options.CompileTimeout = defaultCompileTimeout
	for _, name := range []string{"add_f32", "mul_f32"} {
		if _, err := e.Kernel(catalog.MustFind(name)); err != nil {
			t.Errorf("the next call: %v", err)
		}
	}
	if n := uses(e); n != 1 {
		t.Errorf("%d calls use the device, want the one that hangs", n)
	}
	sim.Inject(sim.Script{}) // ends current and future hangs
	x := newAdder(t, e, 1000)
	x.works()
	x.close()
}

// uses is the number of calls that use the device, not counting those that are just returning.
func uses(e *engine) int {
	n := 0
	for range 500 {
		if n = e.calls.Uses(); n <= 1 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return n
}

// Two callers wait for a compilation and one gives up: the other gets a working kernel.
func TestCompilationOutlivesAWaiter(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	sim.Inject(sim.Script{CompilerHang: 1})
	first, err := e.join(&kernel{spec: catalog.MustFind("add_f32"), engine: e})
	if err != nil {
		t.Fatal(err)
	}
	second, err := e.join(&kernel{spec: catalog.MustFind("add_f32"), engine: e})
	if err != nil || second != first {
		t.Fatalf("another compilation, %v", err)
	}
	if !e.giveUp(first) {
		t.Fatal("it hangs, yet has ended")
	}
	sim.Inject(sim.Script{}) // ends current and future hangs
	<-second.ready
	if second.err != nil {
		t.Fatal(second.err)
	}
	x := newAdder(t, e, 1000)
	x.kernel = second.kernel
	x.works()
	x.close()
}

// A compilation ends after all callers have given up: its pipeline is freed, and the engine closes normally.
func TestCompilationUnwanted(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	sim.Inject(sim.Script{CompilerHang: 1})
	c, err := e.join(&kernel{spec: catalog.MustFind("add_f32"), engine: e})
	if err != nil {
		t.Fatal(err)
	}
	if !e.giveUp(c) {
		t.Fatal("it hangs, yet has ended")
	}
	sim.Inject(sim.Script{}) // ends current and future hangs
	<-c.ready
	for _, o := range sim.Live() {
		if o.Kind == "MTLComputePipelineState" {
			t.Errorf("nobody has it, yet it lives: %v", o)
		}
	}
	if e.giveUp(c) {
		t.Error("it has ended, yet can be given up")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A failed compilation is forgotten before its error is returned, so that the next call never finds it. Each failure includes the
// pauses between attempts, so several kernels wait for them at a time.
func TestCompilerFailsEveryOther(t *testing.T) {
	o := simOptions(t)
	o.NoCache = true
	ledger(t)
	e := openSim(t, o)
	own := slices.DeleteFunc(catalog.All(), func(k shaders.Kernel) bool { return k.Impl.Library != shaders.Own })
	for some := range slices.Chunk(own, 4) {
		for _, want := range []error{gpu.ErrCompile, nil} {
			sim.Inject(sim.Script{NoPipeline: want != nil})
			var wg sync.WaitGroup
			for _, k := range some {
				wg.Go(func() {
					if _, err := e.Kernel(k); !errors.Is(err, want) {
						t.Errorf("kernel %s: error %v, want %v", k.Name, err, want)
					}
				})
			}
			wg.Wait()
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// If a pipeline allows fewer threads than a kernel's launch requests, the launch uses as many as are allowed, with the same
// result. A kernel that needs all of them is refused.
func TestFewerThreads(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	codes := map[int][]byte{}
	for _, limit := range []int{0, 96} {
		e := openSim(t, o)
		sim.Inject(sim.Script{PipelineThreads: limit})
		codes[limit] = quantized(t, e)
		x := newAdder(t, e, 1000)
		_, err := x.run()
		if limit > 0 != errors.Is(err, gpu.ErrUnsupported) {
			t.Errorf("limit %d: add_f32: %v", limit, err)
		}
		x.close()
	}
	if !bytes.Equal(codes[0], codes[96]) || bytes.Count(codes[0], []byte{0}) == len(codes[0]) {
		t.Errorf("codes by 512 threads and by 96 differ, or are all 0")
	}
}

// A kernel with the attribute has a pipeline for the threads of its launches, also when it comes from the archive. One for more
// threads than the device has is refused at its launch.
func TestAttributeLimitsPipelines(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	for _, warm := range []bool{false, true} {
		e := openSim(t, o)
		for _, c := range []struct{ attribute, threads, want int }{{0, 64, 1024}, {1, 64, 64}, {1, 256, 256}, {1, 2048, 1024}} {
			with := catalog.MustFind("add_f32").With(shaders.Constants{shaders.BoundThreads: int32(c.attribute), "threads": int32(c.threads)})
			k, err := e.Kernel(with)
			if err != nil {
				t.Fatal(err)
			}
			if got := k.(*kernel).pipeline.maxThreads; got != c.want {
				t.Errorf("attribute %d, %d threads: the pipeline allows %d, want %d", c.attribute, c.threads, got, c.want)
			}
		}
		for _, c := range e.Compiles() {
			if c.Warm != warm {
				t.Errorf("%s {%s}: warm %v, want %v: %s", c.Kernel, c.Constants, c.Warm, warm, c.Cache)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// quantized returns the codes of 2 rows of 3000 columns in one block, from the extremes of two parts.
func quantized(t *testing.T, e *engine) []byte {
	t.Helper()
	k, err := e.Kernel(catalog.MustFind("quantize_tensor_int8"))
	if err != nil {
		t.Fatal(err)
	}
	const n = 6000
	data := make([]byte, 4*n)
	for i := range n {
		binary.NativeEndian.PutUint32(data[4*i:], math.Float32bits(float32(i%77)-30))
	}
	extremes := [][]byte{shaders.EncodeParams([2]float32{-30, -29}), shaders.EncodeParams([2]float32{45, 46})} // int8 does not need sums
	var all []gpu.Buffer
	for _, size := range []int{4 * n, 8, 8, 8, n, 4, 4} {
		b, err := e.NewBuffer(size, gpu.Shared, "quantized")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	q, err := e.NewQueue("quantizer")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(all[0].Write(0, data), all[1].Write(0, extremes[0]), all[2].Write(0, extremes[1])); err != nil {
		t.Fatal(err)
	}
	s, err := gputest.Submit(e, q, gpu.Launch{Kernel: k, Params: quant.TensorParams{Rows: 2, Cols: n / 2, Parts: 2}, Bindings: gpu.Bind(all...)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Wait(t.Context())
	got := make([]byte, n)
	err = errors.Join(err, all[4].Read(0, got), q.Close())
	for _, b := range all {
		err = errors.Join(err, b.Release())
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A device can be opened without a working compiler; what only a pipeline reports is then unknown.
func TestOpenWithoutCompiler(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	sim.Inject(sim.Script{CompilerDies: true})
	e := openSim(t, o)
	if c := e.caps; c.simdWidth != 0 || c.missing["SIMD width"] == "" {
		t.Errorf("SIMD width %d, missing: %q", c.simdWidth, c.missing["SIMD width"])
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A compiler that hangs does not prevent a device from being opened.
func TestOpenWhileCompilerHangs(t *testing.T) {
	o := simOptions(t)
	o.CompileTimeout = 50 * time.Millisecond
	ledger(t)
	sim.Inject(sim.Script{CompilerHang: 1})
	e := openSim(t, o)
	if c := e.caps; c.simdWidth != 0 || !strings.Contains(c.missing["SIMD width"], "50ms") {
		t.Errorf("SIMD width %d, missing: %q", c.simdWidth, c.missing["SIMD width"])
	}
	sim.Inject(sim.Script{}) // ends current and future hangs
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// compiled opens an engine, runs an addition, and returns how its kernel was compiled.
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
	ledger(t)
	if c := compiled(t, o); c.Warm || c.Cache != "stored" {
		t.Errorf("first start: %+v", c)
	}
	if c := compiled(t, o); !c.Warm || c.Cache != "found" {
		t.Errorf("second start: %+v", c)
	}
	o.NoCache = true
	if c := compiled(t, o); c.Warm || c.Cache != "not kept: turned off" {
		t.Errorf("without a cache: %+v", c)
	}
}

// Whatever happens to an archive, the kernel is compiled and runs, and the next start is warm again.
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
			ledger(t)
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

// An archive that Metal rejects, although its file is valid, is quarantined and replaced.
func TestArchiveRefused(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	ledger(t)
	compiled(t, o)
	sim.Inject(sim.Script{NoArchive: true})
	if c := compiled(t, o); c.Warm {
		t.Errorf("archives do not load, yet: %+v", c)
	}
	sim.Inject(sim.Script{})
	ledger(t)
	compiled(t, o)
	if c := compiled(t, o); !c.Warm {
		t.Errorf("archives load again, yet: %+v", c)
	}
}

// Without a writable cache folder there are no archives, but the engine works.
func TestArchiveFolderMissing(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	file := filepath.Join(o.CacheDir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	o.CacheDir = filepath.Join(file, "below")
	if c := compiled(t, o); c.Warm || c.Cache == "stored" {
		t.Errorf("compile: %+v", c)
	}
}

// A source is compiled once for all its kernels.
func TestSourceCompiledOnce(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	for _, name := range []string{"add_f32", "mul_f32", "gelu_f32"} {
		if _, err := e.Kernel(catalog.MustFind(name)); err != nil {
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

// The engine's cache lists what Kernel stored; once it is removed, the next start compiles again.
func TestArchivesAreListed(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	compiled(t, o)
	e := openSim(t, o)
	cache, err := gpu.CacheOf(e)
	if err != nil {
		t.Fatal(err)
	}
	all, err := cache.Verify(t.Context())
	if err != nil || len(all) != 1 || all[0].Fault != "" || all[0].Seconds <= 0 || all[0].Device != e.Info().Device {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := errors.Join(cache.Remove(all[0].ID), e.Close()); err != nil {
		t.Fatal(err)
	}
	if c := compiled(t, o); c.Warm {
		t.Error("what was removed was found")
	}
	o.NoCache = true
	e = openSim(t, o)
	if _, err := gpu.CacheOf(e); !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "turned off") {
		t.Errorf("turned off: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
