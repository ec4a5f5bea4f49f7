package bench

import (
	"testing"
	"time"

	"assay/internal/stats"
)

// BenchmarkSample compares samples that are verified with others, in turns (A B B A): the ratio of their own times, which must not change,
// and of the time from one to the next, which tells what verifying them costs. Samples last about a millisecond.
func BenchmarkSample(b *testing.B) {
	for name, elements := range map[string]int{"in cache": 1 << 14, "from memory": 1 << 24} {
		b.Run(name, func(b *testing.B) { benchmarkSample(b, elements) })
	}
}

func benchmarkSample(b *testing.B, elements int) {
	own, _ := onCPU(b)
	s := own.NewScope(b.Context())
	defer s.Release()
	set, _ := reluOf(b, s, elements)
	w := s.Launches(set).(*launches)
	if c, err := check(b.Context(), &Variant{Work: w}); err != nil || !c.OK {
		b.Fatal(c.Failure, err)
	}
	reps := 1
	for t, err := run(b.Context(), w, 1); err == nil && t*float64(reps) < 1e-3 && reps < w.MaxReps(); t, err = run(b.Context(), w, reps) {
		reps *= 2
	}
	var times, walls [2][]float64
	for i := 0; b.Loop(); i++ {
		which := (i + 1) / 2 % 2
		start := [2]func() (float64, error){
			func() (float64, error) { return run(b.Context(), w, reps) },
			func() (float64, error) {
				wait, err := w.Sample(b.Context(), reps)
				if err != nil {
					return 0, err
				}
				return wait()
			},
		}[which]
		began := time.Now()
		t, err := start()
		if err != nil {
			b.Fatal(err)
		}
		times[which], walls[which] = append(times[which], t), append(walls[which], time.Since(began).Seconds())
	}
	n := min(len(times[0]), len(times[1]))
	for unit, v := range map[string][2][]float64{"device-ratio": times, "wall-ratio": walls} {
		r := stats.Speedup(v[1][:n], v[0][:n])
		b.ReportMetric(r.Median, unit)
		b.ReportMetric((r.Hi-r.Lo)/2, unit+"±")
	}
	b.ReportMetric(0, "ns/op")
}
