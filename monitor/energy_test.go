package monitor

import (
	"math"
	"strings"
	"testing"
)

// tick24 is the tick of Apple silicon's mach_absolute_time, 24 MHz.
const tick24 = 125.0 / 3 * 1e-9

// at is a sample's ticks at a time in seconds.
func at(seconds float64) uint64 { return uint64(math.Round(seconds / tick24)) }

// meter feeds one channel and keeps the last answer.
type meter struct {
	energyChannel
	unit      string
	watts     float64
	estimated bool
	reason    string
}

func newMeter(unit string, alwaysOn bool) *meter {
	return &meter{energyChannel: energyChannel{rail: &rail{alwaysOn: alwaysOn}}, unit: unit}
}

// see gives the channel a value at one time that the driver published at another; published 0 means no record.
func (m *meter) see(now, published float64, value int64) {
	row := reportRow{channel: "CPU Energy", unit: m.unit, value: value}
	if published > 0 {
		row.element = element(at(published), value)
	}
	s := reportSample{ticks: at(now), tick: tick24}
	m.watts, m.estimated, m.reason = m.energyChannel.watts(&row, &s)
}

func (m *meter) want(t *testing.T, when string, watts float64) {
	t.Helper()
	if m.reason != "" || math.Abs(m.watts-watts) > 1e-3*watts {
		t.Errorf("%s: %v W (%s), want %v W", when, m.watts, m.reason, watts)
	}
}

func (m *meter) wantReason(t *testing.T, when, part string) {
	t.Helper()
	if m.watts != 0 || !strings.Contains(m.reason, part) {
		t.Errorf("%s: %v W, %q; want a reason with %q", when, m.watts, m.reason, part)
	}
}

// The cadence and the figures are shaped like an M1 Ultra under load (lablup/all-smi#424): DIE_0_CPU Energy is published alternately
// after 326.3 ms with 4606 mJ and after 1612.4 ms with 24610 mJ, and 44 to 92 ms later a tick sees it.
func TestEnergyIsTimedByTheDriver(t *testing.T) {
	m := newMeter("mJ", true)
	const start = 471_551
	m.see(4.6, 4.409, start)
	m.wantReason(t, "first", "needs 2.1 s")
	m.see(4.827, 4.7353, start+4606)
	m.wantReason(t, "0.3 s", "needs 2.1 s")
	m.see(5.8, 4.7353, start+4606)
	m.wantReason(t, "nothing new", "needs 2.1 s")
	m.see(6.392, 6.3477, start+4606+24610)
	m.wantReason(t, "1.9 s", "needs 2.1 s")
	m.see(6.766, 6.674, start+2*4606+24610)
	m.want(t, "2.27 s", (2*4.606+24.610)/(6.674-4.409))
	m.see(7.8, 6.674, start+2*4606+24610)
	m.want(t, "between publications", (2*4.606+24.610)/(6.674-4.409))
	m.see(8.33, 8.2864, start+2*4606+2*24610)
	m.want(t, "the window moves on", (4.606+2*24.610)/(8.2864-4.7353))
	if m.estimated {
		t.Error("timed by the driver, but called an estimate")
	}
	if len(m.points) > 4 {
		t.Errorf("%d points are kept", len(m.points))
	}
}

// An idle GPU is published every 115 ms and uses nothing: that is a measured 0 W (all-smi#424, ticks 58 and 59).
func TestZeroIsAMeasurementOnlyWhilePublished(t *testing.T) {
	gpu := newMeter("nJ", false)
	for i := range 40 {
		now := 1 + float64(i)*0.119
		gpu.see(now, now-0.0001, 9_148_120)
	}
	if gpu.reason != "" || gpu.watts != 0 || gpu.estimated {
		t.Errorf("idle GPU: %v W, %q", gpu.watts, gpu.reason)
	}
	cpu := newMeter("mJ", true)
	for i := range 40 {
		now := 1 + float64(i)*0.119
		cpu.see(now, now-0.0001, 9_148_120)
	}
	cpu.wantReason(t, "a processor that uses nothing", "stale: CPU Energy is published but does not count")
}

// On macOS 27 an M3 Max's CPU Energy repeats the same record with the same stamp for a long time (vladkens/macmon#76), and then counts
// again.
func TestStalledCounterIsNoPower(t *testing.T) {
	m := newMeter("mJ", true)
	for i := range 6 {
		now := 1 + float64(i)
		m.see(now, now-0.05, int64(i)*20_000)
	}
	m.want(t, "running", 20)
	for i := range 4 {
		m.see(7+float64(i), 5.95, 100_000)
		m.want(t, "quiet for a while", 20)
	}
	for i := range 60 {
		m.see(11+float64(i), 5.95, 100_000)
		m.wantReason(t, "stalled", "stale: CPU Energy has not advanced for ")
	}
	if want := "stale: CPU Energy has not advanced for 64 s"; m.reason != want {
		t.Errorf("reason %q, want %q", m.reason, want)
	}
	m.see(77, 76.95, 130_000)
	m.wantReason(t, "the first after a stall would be a mean over the stall", "needs 2.1 s")
	m.see(80, 79.95, 190_000)
	m.want(t, "counts again", 20)
}

func TestEnergyWithoutStamps(t *testing.T) {
	m := newMeter("uJ", false)
	for i := range 13 {
		m.see(1+float64(i), 0, int64(i)*3_000_000)
		if i < unstampedWindow {
			m.wantReason(t, "too early", "needs 10 s")
		}
	}
	m.want(t, "timed by ticks", 3)
	if !m.estimated {
		t.Error("timed by ticks, but not called an estimate")
	}
	for i := range 12 {
		m.see(14+float64(i), 0, 36_000_000)
	}
	m.wantReason(t, "idle or stalled: nobody can tell", "stale: CPU Energy has not advanced for 12 s")
}

func TestStampsThatDoNotFitAreLeftForGood(t *testing.T) {
	frozen := newMeter("mJ", true)
	frozen.see(1, 0.9, 1000)
	frozen.see(2, 0.9, 2000) // the value moved, the stamp did not
	ahead := newMeter("mJ", true)
	ahead.see(1, 1.5, 1000)
	for name, m := range map[string]*meter{"frozen": frozen, "ahead": ahead} {
		if !m.unstamped {
			t.Errorf("%s: the stamps are still trusted", name)
		}
		for i := range 12 {
			now := 3 + float64(i)
			m.see(now, now-0.1, 3000+int64(i)*5000)
		}
		m.want(t, name, 5)
		if !m.estimated {
			t.Errorf("%s: not called an estimate", name)
		}
	}
}

func TestEnergyCountersThatGiveNothing(t *testing.T) {
	m := newMeter("mJ", true)
	m.see(1, 0.9, 5000)
	m.see(4, 3.9, 4000)
	m.wantReason(t, "went back", "CPU Energy decreased")
	m.see(7, 6.9, 7000)
	m.want(t, "after it went back", 1)
	m.see(8, 7.9, noReportValue)
	m.wantReason(t, "closed", "CPU Energy has no value")
	m.see(9, 8.9, 9000)
	m.wantReason(t, "after no value", "needs 2.1 s")

	ticks := newMeter("24Mticks", true)
	ticks.see(1, 0.9, 1)
	ticks.wantReason(t, "unit", `is in "24Mticks", not a known unit of energy`)
}

func TestJoules(t *testing.T) {
	for unit, want := range map[string]float64{"mJ": 1e-3, "uJ": 1e-6, "nJ": 1e-9, "pJ": 1e-12, "J": 1} {
		if scale, ok := joules(unit); !ok || scale != want {
			t.Errorf("%s: %v, %v", unit, scale, ok)
		}
	}
	if _, ok := joules("kWh"); ok {
		t.Error("kWh was taken")
	}
}
