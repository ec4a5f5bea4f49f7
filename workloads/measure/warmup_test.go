package measure

import (
	"testing"
	"time"
)

// Requested warm-up is added to the warm-up until stable, and takes no time from sampling.
func TestWarmUpAskedFor(t *testing.T) {
	run := func(o Options) (Result, float64) {
		var st stage
		o.Budget, o.MinTime = time.Second, time.Nanosecond
		a := &script{name: "a", time: noisy(0.001, 0.2, 7)}
		r := st.run(t, o, a)[0]
		return r, st.clock.now.Sub(time.Time{}).Seconds()
	}
	usual, took := run(Options{})
	if usual.Warmups < 2*warmWindow || usual.Warmups > 300 {
		t.Fatalf("%d warm-ups by default", usual.Warmups)
	}
	for _, tc := range []struct {
		o    Options
		want int // of about 1 ms
	}{{Options{MinWarmups: 2000}, 2000}, {Options{MinWarmTime: 2 * time.Second}, 1950}, {Options{MinWarmups: 1}, 2 * warmWindow}} {
		r, more := run(tc.o)
		if r.Warmups < tc.want || len(r.Samples) < len(usual.Samples)-len(usual.Samples)/4 {
			t.Errorf("%+v: %d warm-ups, %d samples, usually %d; %.2f s, usually %.2f", tc.o, r.Warmups, len(r.Samples), len(usual.Samples), more, took)
		}
	}
}
