package monitor

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"
)

// told is a source that reports a given value for a metric, whatever it is.
type told struct {
	metric string
	value  float64
}

func (told) Name() string { return "told" }

func (s told) Read(context.Context) []Reading {
	return []Reading{Template(s.metric, "a sensor").ok(s.value)}
}

// Impossible values are rejected with the reason, for all sources; odd but possible values pass.
func TestImplausibleReadings(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		metric         string
		refused, taken []float64
	}{
		{Temperature, []float64{nan, inf, -inf, 1e9, -274, 65535}, []float64{-20, 0, 41.5, 118}},
		{Power, []float64{nan, 1e9, -1e9}, []float64{-8, 0, 700}},
		{Throttling, []float64{nan, -0.5, 1e9}, []float64{0, 0.3, 1}},
		{ProcessCPU, []float64{-1}, []float64{0, 190}},
		{HostMemory, []float64{-1, 1 << 62, inf}, []float64{0, 1 << 40}},
		{HostSwapGrowth, []float64{nan, 1e30}, []float64{-1e9, 1e9}},
		{QueueDepth, []float64{nan, inf}, []float64{0, 3}},
	} {
		for _, v := range c.taken {
			if r := readingOf(t, told{c.metric, v}); r.Status != OK || r.Value != v {
				t.Errorf("%s of %g: %+v", c.metric, v, r)
			}
		}
		for _, v := range c.refused {
			r := readingOf(t, told{c.metric, v})
			if r.Status != Failed || r.Value != 0 || !strings.Contains(r.Reason, "a sensor reports") || !strings.Contains(r.Reason, "implausible") {
				t.Errorf("%s of %g: %+v", c.metric, v, r)
			}
		}
	}
}

// readingOf returns what a monitor makes of the source.
func readingOf(t *testing.T, s told) Reading {
	t.Helper()
	m, err := New([]Source{s}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	snap := m.Tick(t.Context())
	r, ok := snap.Find(s.metric)
	if !ok {
		t.Fatalf("no reading of %s", s.metric)
	}
	return r
}
