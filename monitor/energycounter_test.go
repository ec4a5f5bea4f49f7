package monitor

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestEnergyOfTheChip(t *testing.T) {
	c := m1Ultra()
	open := func() (reportReader, error) { return c, nil }
	for _, of := range []struct {
		watts   float64
		metrics []string
	}{{14.5 + 3.5 + 2 + 1.75, []string{PowerCPU, PowerDRAM}}, {30, []string{PowerGPU}}} {
		counter, err := newReportEnergy(open, "chip", time.Second, of.metrics...)
		if err != nil {
			t.Fatal(err)
		}
		first, err := counter.Joules()
		if err != nil {
			t.Fatal(err)
		}
		last, readings := first, 210.0 // of one a second
		for range int(readings) {
			if last, err = counter.Joules(); err != nil {
				t.Fatal(err)
			}
		}
		if got := (last - first) / readings; math.Abs(got-of.watts) > 0.01*of.watts {
			t.Errorf("%v: %.2f W, want %.2f W", of.metrics, got, of.watts)
		}
	}
}

// On macOS 27 the processor's counter may stall while that of memory counts: the sum would be memory's alone.
func TestEnergyOfAChipWithAStalledCounter(t *testing.T) {
	c := m1Ultra()
	c.stalled["DIE_0_CPU Energy"], c.stalled["DIE_1_CPU Energy"] = true, true
	counter, err := newReportEnergy(func() (reportReader, error) { return c, nil }, "chip", time.Second, PowerCPU, PowerDRAM)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		_, err = counter.Joules()
	}
	if err == nil || !strings.HasPrefix(err.Error(), "stale: the counter for host.power.cpu has not advanced for ") {
		t.Errorf("%v", err)
	}
}

func TestEnergyOfAChipWithoutCounters(t *testing.T) {
	refused := errors.New("refused")
	if _, err := newReportEnergy(func() (reportReader, error) { return nil, refused }, "chip", time.Second, PowerGPU); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	c := m1Ultra()
	c.watts = map[string]float64{"CPU Energy": 1}
	if _, err := newReportEnergy(func() (reportReader, error) { return c, nil }, "chip", time.Second, PowerGPU); err == nil ||
		!strings.Contains(err.Error(), "no energy counter for "+PowerGPU) {
		t.Errorf("%v", err)
	}
}
