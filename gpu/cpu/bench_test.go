package cpu_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/cpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	"assay/shaders/quant"
	streams "assay/shaders/stream"
)

// bench is an engine, a queue and the buffers of one kernel, ready to run.
type bench struct {
	testing.TB
	engine gpu.Engine
	queue  gpu.Queue
}

func newBench(tb testing.TB, o cpu.Options) *bench {
	tb.Helper()
	e, err := cpu.OpenWith(o)
	if err != nil {
		tb.Fatal(err)
	}
	q, err := e.NewQueue("bench")
	if err != nil {
		tb.Fatal(err)
	}
	b := &bench{tb, e, q}
	tb.Cleanup(func() { b.must(q.Close(), e.Close()) })
	return b
}

func (b *bench) must(errs ...error) {
	b.Helper()
	for _, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// buffer returns a buffer filled with small random numbers.
func (b *bench) buffer(t shaders.Type, n int) gpu.Buffer {
	b.Helper()
	buf, err := b.engine.NewBuffer(max(1, t.Bytes(n)), gpu.Shared, "bench")
	b.must(err)
	shaders.View{Type: t, Data: buf.Bytes()}.FillUniform(rand.New(rand.NewPCG(1, uint64(n))))
	b.Cleanup(func() { b.must(buf.Release()) })
	return buf
}

// poisoned returns a buffer in which every float is NaN.
func (b *bench) poisoned(t shaders.Type, n int) gpu.Buffer {
	b.Helper()
	buf, err := b.engine.NewBuffer(max(1, t.Bytes(n)), gpu.Shared, "bench")
	b.must(err)
	b.must(buf.Fill(0xFF))
	b.Cleanup(func() { b.must(buf.Release()) })
	return buf
}

// dispatch binds fresh buffers to the kernel called name.
func (b *bench) dispatch(name string, p any, c shaders.Constants) gpu.Launch {
	b.Helper()
	spec := catalog.MustFind(name)
	return b.dispatchOf(spec.With(c), p)
}

func (b *bench) dispatchOf(spec shaders.Kernel, p any) gpu.Launch {
	b.Helper()
	k, err := b.engine.Kernel(spec)
	b.must(err)
	d := gpu.Launch{Kernel: k, Params: p, Bindings: make([]gpu.Binding, len(spec.Args))}
	for i, a := range spec.Args {
		switch {
		case !spec.Uses(i):
		case a.Access == shaders.Out:
			d.Bindings[i].Buffer = b.poisoned(a.Type, spec.Len(i, p))
		default:
			d.Bindings[i].Buffer = b.buffer(a.Type, spec.Len(i, p))
		}
	}
	return d
}

func (b *bench) run(d ...gpu.Launch) gpu.Timing {
	s, err := gputest.Submit(b.engine, b.queue, gpu.Launches(d...)...)
	b.must(err)
	t, err := s.Wait(context.Background())
	b.must(err)
	return t
}

// loop runs d until the benchmark is over and returns the minimum device time: this machine's own speed.
func (b *bench) loop(tb *testing.B, d ...gpu.Launch) float64 {
	best := b.run(d...).Device
	for tb.Loop() {
		best = min(best, b.run(d...).Device)
	}
	return best
}

// threadCounts are one thread and all threads.
func threadCounts() []int { return []int{1, runtime.GOMAXPROCS(0)} }

// BenchmarkMatmul reports the best arithmetic rate of square GEMMs.
func BenchmarkMatmul(b *testing.B) {
	for _, threads := range threadCounts() {
		for _, n := range []uint32{64, 128, 256, 512, 1024, 2048} {
			b.Run(fmt.Sprintf("f32/%d/threads=%d", n, threads), func(b *testing.B) {
				benchMatmul(b, cpu.Options{Threads: threads}, "matmul_tiled_f32", gemm.MatmulParams{M: n, N: n, K: n, Batch: 1}, nil)
			})
		}
		n := uint32(1024)
		square := gemm.MatmulParams{M: n, N: n, K: n, Batch: 1}
		for _, c := range []shaders.Constants{
			{gemm.TransposeB: 1},
			{gemm.HasBias: 1, gemm.Activation: shaders.ActRelu},
			{gemm.HasBias: 1, gemm.Activation: shaders.ActGelu},
		} {
			b.Run(fmt.Sprintf("f32/%d/%s/threads=%d", n, c.Key(), threads), func(b *testing.B) {
				benchMatmul(b, cpu.Options{Threads: threads}, "matmul_tiled_f32", square, c)
			})
		}
		b.Run(fmt.Sprintf("f16/%d/threads=%d", n, threads), func(b *testing.B) {
			benchMatmul(b, cpu.Options{Threads: threads}, "matmul_tiled_f16", square, nil)
		})
		for _, name := range []string{"matmul_quant_tiled_int8", "matmul_quant_tiled_int4"} {
			b.Run(fmt.Sprintf("%s/%d/threads=%d", name, n, threads), func(b *testing.B) {
				benchMatmul(b, cpu.Options{Threads: threads}, name, gemm.QuantMatmulParams{M: n, N: n, K: n, Block: 32}, nil)
			})
		}
		for _, name := range int8Codes {
			b.Run(fmt.Sprintf("%s/%d/threads=%d", name, n, threads), func(b *testing.B) {
				benchMatmul(b, cpu.Options{Threads: threads}, name, gemm.QuantInt8MatmulParams{M: n, N: n, K: n, Block: 32}, nil)
			})
		}
	}
}

// BenchmarkMatmulISA compares the instruction sets on one thread.
func BenchmarkMatmulISA(b *testing.B) {
	for _, name := range cpu.ISAs() {
		b.Run(name, func(b *testing.B) {
			benchMatmul(b, cpu.Options{ISA: name, Threads: 1}, "matmul_tiled_f32", gemm.MatmulParams{M: 512, N: 512, K: 512, Batch: 1}, nil)
		})
	}
}

func benchMatmul(b *testing.B, o cpu.Options, name string, p any, c shaders.Constants) {
	r := newBench(b, o)
	d := r.dispatch(name, p, c)
	best := r.loop(b, d)
	spec := d.Kernel.Spec()
	b.ReportMetric(spec.Cost(p).Ops/best/1e9, "GFLOP/s")
}

// BenchmarkGemv streams a 4096² weight matrix for one row of activations.
func BenchmarkGemv(b *testing.B) {
	const n = 4096
	plain := gemm.MatmulParams{M: 1, N: n, K: n, Batch: 1}
	quant := gemm.QuantMatmulParams{M: 1, N: n, K: n, Block: 32}
	for _, threads := range threadCounts() {
		for _, c := range []struct {
			name string
			p    any
			c    shaders.Constants
		}{
			{"matmul_gemv_f32", plain, nil},
			{"matmul_gemv_f32", plain, shaders.Constants{gemm.TransposeB: 1}},
			{"matmul_gemv_f16", plain, shaders.Constants{gemm.TransposeB: 1}},
			{"matmul_quant_tiled_int8", quant, nil},
			{"matmul_quant_tiled_int4", quant, nil},
			{"matmul_quant_tiled_int8", quant, inHalf()},
			{"matmul_quant_tiled_int4", quant, inHalf()},
			{"matmul_quant_int8_tiled_int4", gemm.QuantInt8MatmulParams(quant), inHalf()},
			{"matmul_quant_tiled_e4m3", quant, nil},
			{"matmul_quant_tiled_e5m2", quant, nil},
			{"matmul_quant_tiled_ternary", quant, nil},
			{"matmul_bitlinear_tiled_ternary", gemm.BitLinearParams{M: 1, N: n, K: n}, nil},
			{"matmul_quant_int8_tiled_int8", gemm.QuantInt8MatmulParams(quant), nil},
			{"matmul_quant_int8_tiled_int4", gemm.QuantInt8MatmulParams(quant), nil},
		} {
			b.Run(fmt.Sprintf("%s/%s/threads=%d", c.name, c.c.Key(), threads), func(b *testing.B) {
				benchBytes(b, cpu.Options{Threads: threads}, c.name, c.p, c.c)
			})
		}
	}
}

// BenchmarkStream reports bandwidth: copy and triad on 40 MB arrays, beyond a core's cache.
func BenchmarkStream(b *testing.B) {
	const n = 10_000_000
	for _, threads := range threadCounts() {
		for name, p := range map[string]any{
			"copy_f32": streams.CopyParams{N: n}, "triad_f32": streams.TriadParams{N: n, S: 3},
			"gelu_f32": elementwise.ElementwiseParams{N: n}, "add_f16": elementwise.ElementwiseParams{N: n},
			"quantize_int8":   quant.QuantParams{Rows: n / 1000, Cols: 1000, Block: 32},
			"quantize_int4":   quant.QuantParams{Rows: n / 1000, Cols: 1000, Block: 32},
			"dequantize_int8": quant.QuantParams{Rows: n / 1000, Cols: 1000, Block: 32},
			"dequantize_int4": quant.QuantParams{Rows: n / 1000, Cols: 1000, Block: 32},
		} {
			b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
				benchBytes(b, cpu.Options{Threads: threads}, name, p, nil)
			})
		}
	}
}

// BenchmarkCopy compares a copy between arrays of 400 MB with Go's, divided among the same number of threads. The two alternate,
// and the ratio is the median of their ratios. scripts/peers compares other libraries' copies.
func BenchmarkCopy(b *testing.B) {
	const n = 100_000_000
	for _, threads := range threadCounts() {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			r := newBench(b, cpu.Options{Threads: threads})
			d := r.dispatch("copy_f32", streams.CopyParams{N: n}, nil)
			from, to := d.Bindings[0].Buffer.Bytes(), d.Bindings[1].Buffer.Bytes()
			var ratios []float64
			for b.Loop() {
				ours := r.run(d).Device
				began := time.Now()
				copyIn(to, from, threads)
				ratios = append(ratios, time.Since(began).Seconds()/ours)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "as-fast-as-Go")
		})
	}
}

// copyIn copies in the given number of parts at a time.
func copyIn(to, from []byte, parts int) {
	var all sync.WaitGroup
	for i := range parts {
		first, last := i*len(from)/parts, (i+1)*len(from)/parts
		all.Go(func() { copy(to[first:last], from[first:last]) })
	}
	all.Wait()
}

func benchBytes(b *testing.B, o cpu.Options, name string, p any, c shaders.Constants) {
	r := newBench(b, o)
	d := r.dispatch(name, p, c)
	best := r.loop(b, d)
	spec := d.Kernel.Spec()
	b.ReportMetric(spec.Cost(p).Bytes/best/1e9, "GB/s")
}

// BenchmarkFusedAddRelu reports how much faster one pass is than add and then relu through a temporary; the two alternate, so
// that drift of the machine affects both.
func BenchmarkFusedAddRelu(b *testing.B) {
	for _, threads := range threadCounts() {
		for _, n := range []uint32{10_000, 1_000_000, 2_000_000, 10_000_000} {
			b.Run(fmt.Sprintf("%d/threads=%d", n, threads), func(b *testing.B) {
				r := newBench(b, cpu.Options{Threads: threads})
				p := elementwise.ElementwiseParams{N: n}
				fused, add, relu := r.dispatch("add_relu_f32", p, nil), r.dispatch("add_f32", p, nil),
					r.dispatch("relu_f32", p, nil)
				relu.Bindings[0] = add.Bindings[2]
				one, two := r.run(fused).Device, r.run(add, relu).Device
				for b.Loop() {
					one, two = min(one, r.run(fused).Device), min(two, r.run(add, relu).Device)
				}
				b.ReportMetric(two/one, "two-pass/fused")
			})
		}
	}
}

// BenchmarkLatency is the round trip from Submit to Wait's return: the median, which ignores occasional interruptions. A single
// empty dispatch runs where it is submitted; several are handed to the queue.
func BenchmarkLatency(b *testing.B) {
	for _, c := range []struct {
		name       string
		dispatches int
	}{{"nothing", 0}, {"one", 1}, {"handed-over", 17}} {
		b.Run(c.name, func(b *testing.B) {
			r := newBench(b, cpu.Options{})
			var all []gpu.Launch
			for range c.dispatches {
				all = append(all, r.dispatch("stamp_u32", streams.StampParams{N: 1}, nil))
			}
			p, err := r.engine.Prepare(gpu.Launches(all...)...)
			r.must(err)
			var seconds []float64
			for b.Loop() {
				began := time.Now()
				s, err := r.queue.Submit(p, 1)
				r.must(err)
				_, err = s.Wait(context.Background())
				r.must(err)
				seconds = append(seconds, time.Since(began).Seconds())
			}
			slices.Sort(seconds)
			b.ReportMetric(seconds[len(seconds)/2]*1e6, "µs-p50")
			r.must(p.Release())
		})
	}
}

// sampler takes samples like workloads do: 1 ms of a short kernel.
type sampler struct {
	*bench
	program gpu.Program
	repeat  int
}

func newSampler(tb testing.TB) *sampler {
	tb.Helper()
	s := &sampler{bench: newBench(tb, cpu.Options{}), repeat: 1000}
	var err error
	s.program, err = s.engine.Prepare(s.dispatch("add_f32", elementwise.ElementwiseParams{N: 4096}, nil))
	s.must(err)
	tb.Cleanup(func() { s.must(s.program.Release()) })
	shortest := math.Inf(1)
	for range 5 { // the first are cold
		device, _ := s.sample()
		shortest = min(shortest, device)
	}
	s.repeat = int(1000*1e-3/shortest) + 1
	return s
}

// sample returns how long a sample takes, in seconds: on the device, and the host's overhead.
func (s *sampler) sample() (device, host float64) {
	began := time.Now()
	sub, err := s.queue.Submit(s.program, s.repeat)
	s.must(err)
	t, err := sub.Wait(context.Background())
	s.must(err)
	return t.Device, time.Since(began).Seconds() - t.Device
}

// BenchmarkSample reports the host's overhead per sample, which is the engine's cost. The median ignores occasional
// interruptions; the mean does not.
func BenchmarkSample(b *testing.B) {
	s := newSampler(b)
	var shares []float64
	var device, host float64
	b.ReportAllocs()
	for b.Loop() {
		d, h := s.sample()
		device, host, shares = device+d, host+h, append(shares, h/d)
	}
	slices.Sort(shares)
	b.ReportMetric(100*shares[len(shares)/2], "host-p50-%")
	b.ReportMetric(100*host/device, "host-%")
	b.ReportMetric(device/float64(b.N)*1e3, "device-ms")
}

// TestSubmitAllocatesLittle: a sample's garbage must not grow with its number of repetitions.
func TestSubmitAllocatesLittle(t *testing.T) {
	r := newBench(t, cpu.Options{Threads: 1})
	add := r.dispatch("add_f32", elementwise.ElementwiseParams{N: 64}, nil)
	p, err := r.engine.Prepare(add, add, add)
	r.must(err)
	allocations := testing.AllocsPerRun(100, func() {
		s, err := r.queue.Submit(p, 1000)
		r.must(err)
		_, err = s.Wait(context.Background())
		r.must(err)
	})
	if allocations > 3 {
		t.Errorf("%g allocations a submission, want a submission and its end", allocations)
	}
	r.must(p.Release())
}
