package exec

import (
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
)

// The cost of one thread of several kernels, on one worker. "loop" is the same work as a plain loop in one thread.
func BenchmarkThread(b *testing.B) {
	const threads, groups = 256, 256
	const arguments = "kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]], uint n [[threads_per_grid]]) {\n"
	for _, c := range []struct {
		name, body string
		single     bool
	}{
		{"loop", "for (uint j = 0; j < 65536; j++) a[j] = a[j] * 0.5f + 1.0f;", true},
		{"plain", "a[i] = a[i] * 0.5f + 1.0f;", false},
		{"barrier", "a[i] = a[i] * 0.5f + 1.0f; threadgroup_barrier(mem_flags::mem_threadgroup);", false},
		{"ten barriers", "for (int j = 0; j < 10; j++) { a[i] = a[i] * 0.5f + 1.0f; threadgroup_barrier(mem_flags::mem_threadgroup); }", false},
		{"ten simd_sum", "float x = a[i]; for (int j = 0; j < 10; j++) x = simd_sum(x) * 0.01f; a[i] = x;", false},
		{"ten 8x8 products", "simdgroup_float8x8 m(0.5f), s(0.0f); for (int j = 0; j < 10; j++) simdgroup_multiply_accumulate(s, m, m, s); a[i] = s.thread_elements()[0];", false},
	} {
		b.Run(c.name, func(b *testing.B) {
			k := entryPoint(b, arguments+c.body+"\n}", false)
			l := line(threads, make([]byte, 4*threads*groups))
			l.Groups[0], l.Workers = groups, 1
			if c.single {
				l.Groups[0], l.Threads[0] = 1, 1
			}
			for b.Loop() {
				if err := k.Run(b.Context(), l); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/threads/groups, "ns/thread")
		})
	}
}

// The cost of a dispatch of one group of 32 threads.
func BenchmarkDispatch(b *testing.B) {
	for _, checked := range []bool{false, true} {
		name := map[bool]string{false: "plain", true: "checked"}[checked]
		b.Run(name, func(b *testing.B) {
			k := entryPoint(b, "kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] += 1; }", checked)
			l := line(32, make([]byte, 4096))
			for b.Loop() {
				if err := k.Run(b.Context(), l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The time of GEMMs of 256 with Assay's own kernels, on all cores: tiled, whose threads wait for each other 32 times or more.
func BenchmarkMatmul(b *testing.B) {
	for _, name := range []string{"matmul_naive_f32", "matmul_tiled_f32", "matmul_blocked_f32", "matmul_simd_f32"} {
		for _, checked := range []bool{false, true} {
			b.Run(name+map[bool]string{false: "/plain", true: "/checked"}[checked], func(b *testing.B) {
				k := catalog.MustFind(name)
				l, err := testCompiler(b).Compile(b.Context(), msl.Source{Name: k.Impl.Source.File, Text: k.Impl.Source.Text()}, clang.Options{Cache: testCache(b), Checked: checked})
				if err != nil {
					b.Fatal(err)
				}
				kernel, launch := open(b, l, k.Name, constantBytes(&k)), launchOf(b, &k, shaders.Case{Params: gemm.MatmulParams{M: 256, N: 256, K: 256, Batch: 1}})
				for b.Loop() {
					if err := kernel.Run(b.Context(), launch); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
