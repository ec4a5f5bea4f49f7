package own

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/internal/stats"
)

// BenchmarkFirstVerifiedTime measures the time from opening a kernel to its first verified time, including compilation, checked and
// race mode: with an empty cache, and with a full one.
func BenchmarkFirstVerifiedTime(b *testing.B) {
	for _, e := range Templates() {
		warm := b.TempDir()
		for _, cold := range []bool{true, false} {
			b.Run(e.Name+"/"+map[bool]string{true: "cold", false: "warm"}[cold], func(b *testing.B) {
				p, job := program(b), &Job{Do: Timing, Kernel: e.Files, Engine: CPU, Budget: 10 * time.Millisecond}
				firstTime(b, p, job, warm) // loads the compiler's files into memory
				var seconds []float64
				for b.Loop() {
					cache := warm
					if cold {
						cache = b.TempDir()
					}
					seconds = append(seconds, firstTime(b, p, job, cache))
				}
				report(b, seconds, "s/first-time")
			})
		}
	}
}

// firstTime measures how long the job takes to its first verified time.
func firstTime(b *testing.B, p Program, job *Job, cache string) (seconds float64) {
	b.Helper()
	job.Cache = cache
	start := time.Now()
	r, err := Start(b.Context(), p, job, func(r *Report) {
		if seconds == 0 && r.First > 0 {
			seconds = time.Since(start).Seconds()
		}
	})
	if err != nil || !r.OK() || seconds == 0 {
		b.Fatalf("%v, %+v", err, r)
	}
	return seconds
}

// report reports the median.
func report(b *testing.B, seconds []float64, unit string) {
	b.Helper()
	b.ReportMetric(stats.Median(seconds).Median, unit)
	b.ReportMetric(0, "ns/op") // hides the default metric
}

// BenchmarkEdited measures how long it takes to check a source of 200 lines after an edit that no cache has seen.
func BenchmarkEdited(b *testing.B) {
	program(b) // skips without a compiler
	var source strings.Builder
	source.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	for i := range 48 {
		fmt.Fprintf(&source, "static float f%d(float x) {\n\treturn fma(x, %d.0f, sin(x));\n}\n\n", i, i)
	}
	source.WriteString("kernel void edited(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n\tx[i] = f47(x[i]);\n")
	f := Files{Path: "edited.kernel.toml", Description: "[args]\nx = { fill = \"ones\", length = 64 }\n[launch]\ngrid = 64\nthreadgroup = 64\n"}
	cache := b.TempDir()
	edits := 0
	for _, wrong := range []bool{false, true} {
		b.Run(map[bool]string{false: "right", true: "wrong"}[wrong], func(b *testing.B) {
			edit := "\tx[i] += %d;\n}\n"
			if wrong {
				edit = "\tx[i] += y%d;\n}\n" // not declared
			}
			var seconds []float64
			for b.Loop() {
				edits++
				f.Source = source.String() + fmt.Sprintf(edit, edits)
				start := time.Now()
				r, err := Check(b.Context(), f, cache)
				if err != nil || (len(r.Problems) > 0) != wrong {
					b.Fatalf("%v, %+v", err, r)
				}
				seconds = append(seconds, time.Since(start).Seconds())
			}
			report(b, seconds[min(1, len(seconds)-1):], "s/edit") // the first one fills the cache of headers
		})
	}
}
