package app

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkTune measures how long the window waits for a point at the default parameters, by parameter moved: the
// median and the worst. With "ready", the inputs of the previous point are cached; with "cold", nothing is. Run it with
// -benchtime=20x.
func BenchmarkTune(b *testing.B) {
	s := cpuSession(b)
	for _, w := range s.Workloads() {
		for _, p := range w.Params {
			r := TuneRequest{Workload: w.Name, Params: w.Defaults(false), Moved: p.Name}
			if _, err := s.narrow(&r); err != nil {
				continue
			}
			b.Run(w.Name+"/"+p.Name+"/cold", func(b *testing.B) { benchmarkTune(b, s, r, s.Tuner().Stop) })
			b.Run(w.Name+"/"+p.Name+"/ready", func(b *testing.B) { benchmarkTune(b, s, r, func() {}) })
		}
	}
}

func benchmarkTune(b *testing.B, s *Session, r TuneRequest, before func()) {
	var waits []time.Duration
	samples := 0
	for b.Loop() {
		before()
		began := time.Now()
		results, err := s.Tuner().Measure(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		waits = append(waits, time.Since(began))
		samples += len(results[0].Samples)
	}
	slices.Sort(waits)
	b.ReportMetric(1e3*waits[len(waits)/2].Seconds(), "median-ms")
	b.ReportMetric(1e3*waits[len(waits)-1].Seconds(), "worst-ms")
	b.ReportMetric(float64(samples)/float64(len(waits)), "samples")
	b.ReportMetric(0, "ns/op")
}
