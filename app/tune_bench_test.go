package app

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkTune is how long the window waits for a point at the default parameters, by what was moved: the median and
// the worst, and the first of all, when nothing lies ready. Run it with -benchtime=20x.
func BenchmarkTune(b *testing.B) {
	s := cpuSession(b)
	for _, w := range s.Workloads() {
		for _, p := range w.Params {
			r := TuneRequest{Workload: w.Name, Params: w.Defaults(false), Moved: p.Name}
			if _, err := s.narrow(&r); err != nil {
				continue
			}
			b.Run(w.Name+"/"+p.Name, func(b *testing.B) {
				s.StopTuning()
				var waits []time.Duration
				samples := 0
				for b.Loop() {
					began := time.Now()
					results, err := s.Tune(b.Context(), r)
					if err != nil {
						b.Fatal(err)
					}
					waits = append(waits, time.Since(began))
					samples = len(results[0].Samples)
				}
				first := waits[0]
				slices.Sort(waits)
				for name, d := range map[string]time.Duration{
					"first": first, "median": waits[len(waits)/2], "worst": waits[len(waits)-1],
				} {
					b.ReportMetric(float64(d.Microseconds())/1e3, name+"-ms")
				}
				b.ReportMetric(float64(samples), "samples")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
