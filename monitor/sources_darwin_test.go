package monitor

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// The sources of a real Mac: readings are plausible, or say why there is none. Hosted runners are virtual and have neither SMC nor
// energy counters.
func TestSourcesOfThisMac(t *testing.T) {
	m := newMonitor(t, time.Second, Sources()...)
	m.Tick(t.Context())
	time.Sleep(time.Second)
	s := m.Tick(t.Context())
	for _, metric := range []string{
		ProcessFootprint, ProcessRSS, HostMemory, HostMemoryTotal, HostMemoryFull, HostMemoryFree, HostMemoryCompressed,
		MemoryPressureLevel, ThermalState,
	} {
		if r, found := s.Find(metric); !found || r.Status != OK {
			t.Errorf("%s: %+v; every Mac gives it", metric, r)
		}
	}
	for _, r := range s.Readings {
		switch {
		case r.Status != OK && r.Reason == "":
			t.Errorf("%s has neither a value nor a reason", r.Metric)
		case r.Status == OK && (math.IsNaN(r.Value) || math.IsInf(r.Value, 0)):
			t.Errorf("%s is %v", r.Metric, r.Value)
		case r.Status == OK && r.Unit == "ratio" && r.Metric != ProcessCPU && (r.Value < 0 || r.Value > 1):
			t.Errorf("%s is %v, which is not a share", r.Metric, r.Value)
		case r.Status == OK && r.Unit == "W" && (r.Value < 0 || r.Value > maxWatts):
			t.Errorf("%s is %v W", r.Metric, r.Value)
		}
		t.Log(r.Title, "=", r.String(), "·", r.Source)
	}
}

func TestFootprintGrowsWithMemory(t *testing.T) {
	before, err := Footprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	held := make([]byte, size)
	for i := range held {
		held[i] = byte(i * i >> 7) // pages that differ, so that they are not compressed away
	}
	after, err := Footprint(t.Context())
	if err != nil || after-before < size/2 {
		t.Errorf("from %d to %d bytes, %v; %d were allocated", before, after, err, size)
	}
	runtime.KeepAlive(held)
}

func TestHoldActivityMayBeReleasedTwice(t *testing.T) {
	release := HoldActivity("test")
	release()
	release()
	HoldActivity("")() // an empty reason would raise an exception
}
