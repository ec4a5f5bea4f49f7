package monitor

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// chip simulates a chip whose drivers publish at their own cadence; power is constant.
type chip struct {
	now       float64 // seconds, of the next sample
	step      float64
	watts     map[string]float64 // by channel
	unit      map[string]string
	stalled   map[string]bool // counters that do not change, including their stamps
	gpu       reportRow       // times so far
	gpuStep   reportRow       // times of a step
	noElement bool            // as on a system whose samples have no records
	err       error
}

// m1Ultra has the channels of an M1 Ultra with macOS 27 (lablup/all-smi#415), published twice per 2.1 s at uneven
// intervals, the GPU's every 115 ms.
func m1Ultra() *chip {
	return &chip{
		now: 100, step: 1,
		watts: map[string]float64{
			"DIE_0_CPU Energy": 14.5, "DIE_1_CPU Energy": 3.5, "ANE0_0": 0, "ANE0_1": 0.25, "DRAM0_0": 2, "DRAM0_1": 1.75,
			"GPU Energy": 30, "GPU0_0": 29, "GPU SRAM0_0": 1.5,
		},
		unit:    map[string]string{"GPU Energy": "nJ"},
		stalled: map[string]bool{},
		gpu:     gpuRow(1000, 5, 5), gpuStep: gpuRow(6e6, 0, 0, 0, 0, 0, 0, 0, 18e6),
	}
}

// published is when a channel was last published before now.
func published(now, period float64, uneven bool) float64 {
	last := math.Floor(now/period) * period
	if late := last + 0.4*period; uneven && late <= now {
		return late
	}
	return last
}

func (c *chip) sample() (reportSample, error) {
	if c.err != nil {
		return reportSample{}, c.err
	}
	s := reportSample{ticks: at(c.now), tick: tick24}
	for channel, watts := range c.watts {
		row := reportRow{group: energyGroup, channel: channel, unit: c.unit[channel]}
		scale, when := 1e9, published(c.now, 0.115, false)
		if row.unit == "" {
			row.unit, scale, when = "mJ", 1e3, published(c.now, 2.1, true)
		}
		if c.stalled[channel] {
			when = 50
		}
		row.value = int64(math.Round(watts * when * scale))
		if !c.noElement {
			row.element = element(at(when), row.value)
		}
		s.rows = append(s.rows, row)
	}
	for i := range c.gpu.states {
		c.gpu.states[i].ticks += c.gpuStep.states[i].ticks
	}
	gpu := c.gpu
	gpu.states = append([]residency(nil), c.gpu.states...)
	s.rows = append(s.rows, gpu)
	c.now += c.step
	return s, nil
}

func ultraTables() ([]voltageTable, error) {
	return []voltageTable{{"voltage-states9", clockTable(ultraClocks...)}}, nil
}

func (c *chip) source() *reportSource {
	return newReportSource(func() (reportReader, error) { return c, nil }, ultraTables)
}

// tickTimes reads a source several times and returns the last snapshot.
func tickTimes(s Source, n int) (last *Snapshot) {
	for range n {
		last = read(s)
	}
	return last
}

func TestReportsOfAnUltra(t *testing.T) {
	c := m1Ultra()
	source := c.source()
	first := read(source)
	for _, metric := range []string{PowerCPU, PowerGPU, PowerANE, PowerDRAM, PowerSoC} {
		wantNone(t, first, metric, Unavailable, "needs 2.1 s of samples")
	}
	for _, metric := range []string{GPUBusy, GPUClock, GPUClockShare, Throttling} {
		wantNone(t, first, metric, Unavailable, needsTwo)
	}
	for range 30 { // at every phase of the cadence
		s := read(source)
		if c.now < 107 {
			continue
		}
		for metric, want := range map[string]float64{
			PowerCPU: 18, PowerGPU: 30, PowerANE: 0.25, PowerDRAM: 3.75, PowerGPUSRAM: 1.5, PowerSoC: 52,
		} {
			r, _ := s.Find(metric)
			if r.Status != OK || math.Abs(r.Value-want) > 0.002*want || r.Provenance != Measured {
				t.Fatalf("%s after %v s: %+v, want %v W", metric, c.now-100, r, want)
			}
		}
		wantValue(t, s, GPUBusy, 0.75, "GPU Performance States")
		wantValue(t, s, GPUClock, 1398e6, "GPU Performance States")
		wantValue(t, s, GPUClockShare, 1, "GPU Performance States")
		wantNone(t, s, Throttling, Unavailable, "mostly idle")
	}
}

func TestStalledRailLeavesNoSum(t *testing.T) {
	c := m1Ultra()
	c.stalled["DIE_1_CPU Energy"] = true // like the processor's and the memory's on macOS 27
	s := tickTimes(c.source(), 12)
	wantNone(t, s, PowerCPU, Unavailable, "stale: DIE_1_CPU Energy has not advanced for ")
	wantNone(t, s, PowerSoC, Unavailable, "stale: DIE_1_CPU Energy")
	wantValue(t, s, PowerGPU, 30, energyGroup)
	wantValue(t, s, PowerDRAM, 3.75, energyGroup)
}

func TestReportsWithoutRecordsAreEstimates(t *testing.T) {
	c := m1Ultra()
	c.noElement = true
	delete(c.watts, "ANE0_0") // it does not change, which without a stamp may be a stall
	s := tickTimes(c.source(), 40)
	for metric, want := range map[string]float64{PowerCPU: 18, PowerSoC: 52} {
		r, _ := s.Find(metric)
		if r.Status != OK || r.Provenance != Estimated || math.Abs(r.Value-want) > 0.15*want {
			t.Errorf("%s: %+v, want about %v W, estimated", metric, r, want)
		}
	}
}

func TestThrottlingIsADropOfTheClockUnderLoad(t *testing.T) {
	c := m1Ultra()
	c.gpuStep = gpuRow(0, 0, 0, 0, 0, 0, 0, 0, 24e6)
	source := c.source()
	s := tickTimes(source, 3)
	wantValue(t, s, Throttling, 0, "relative to the best seen")
	c.gpuStep = gpuRow(0, 0, 0, 0, 0, 24e6) // 1110 MHz
	s = tickTimes(source, 1)
	wantValue(t, s, Throttling, 1-1110.0/1398, "relative to the best seen")
	wantValue(t, s, GPUClockShare, 1110.0/1398, "GPU Performance States")
	if r, _ := s.Find(Throttling); r.Provenance != Estimated {
		t.Errorf("a hint is called %s", r.Provenance)
	}
	c.gpuStep = gpuRow(24e6)
	s = tickTimes(source, 1)
	if v, ok := s.Value(GPUBusy); !ok || v != 0 {
		t.Errorf("off: busy %v, %v; want a measured 0", v, ok)
	}
	wantNone(t, s, GPUClock, Unavailable, "the GPU was off")
	c.gpuStep = gpuRow(0)
	wantNone(t, tickTimes(source, 1), GPUBusy, Unavailable, stale)
}

func TestReportsThatAreMissingSayWhy(t *testing.T) {
	all := []string{PowerCPU, PowerGPU, PowerGPUSRAM, PowerANE, PowerDRAM, PowerSoC, GPUBusy, GPUClock, GPUClockShare, Throttling}
	opened := 0
	missing := newReportSource(func() (reportReader, error) {
		opened++
		return nil, absent("this macOS has no libIOReport")
	}, func() ([]voltageTable, error) { return nil, errors.New("kern_return_t 5") })
	for range 3 {
		s := read(missing)
		if len(s.Readings) != len(all) {
			t.Errorf("%d readings, want %d", len(s.Readings), len(all))
		}
		for _, metric := range all {
			wantNone(t, s, metric, Unavailable, "this macOS has no libIOReport")
		}
	}
	if opened != 1 {
		t.Errorf("the library was opened %d times", opened)
	}

	c := m1Ultra()
	source := newReportSource(func() (reportReader, error) { return c, nil }, func() ([]voltageTable, error) { return nil, nil })
	s := tickTimes(source, 5)
	wantValue(t, s, GPUBusy, 0.75, "GPU Performance States")
	for _, metric := range []string{GPUClock, GPUClockShare, Throttling} {
		wantNone(t, s, metric, Unavailable, "no table of GPU clocks")
	}
	c.err = errors.New("IOReport returned no sample")
	for _, metric := range all {
		wantNone(t, read(source), metric, Failed, "IOReport returned no sample")
	}

	bare := &chip{now: 1, step: 1, gpu: gpuRow(0), gpuStep: gpuRow(1)}
	bare.gpu.channel = "BSTGPUPH"
	s = tickTimes(bare.source(), 3)
	wantNone(t, s, PowerCPU, Unavailable, "no such energy counter")
	wantNone(t, s, PowerSoC, Unavailable, "no such energy counter")
	wantNone(t, s, GPUBusy, Unavailable, "does not publish state times")
}

func TestReadingsOfTheReportSayTheirUnit(t *testing.T) {
	for _, r := range tickTimes(m1Ultra().source(), 8).Readings {
		unit := "W"
		if strings.HasPrefix(r.Metric, "gpu.") || r.Metric == Throttling {
			unit = "ratio"
		}
		if r.Metric == GPUClock {
			unit = "Hz"
		}
		if r.Unit != unit || r.Title == "" || r.Source == "" {
			t.Errorf("%+v, want unit %s, a title and a source", r, unit)
		}
	}
}

// A tick of the decoders alone, with the channels of an M1 Ultra.
func BenchmarkReportTick(b *testing.B) {
	c := m1Ultra()
	source := c.source()
	samples := make([]reportSample, 0, 64)
	for range cap(samples) {
		s, _ := c.sample()
		samples = append(samples, s)
	}
	next := 0
	source.open = func() (reportReader, error) {
		return readerFunc(func() (reportSample, error) {
			s := samples[next%len(samples)]
			next++
			return s, nil
		}), nil
	}
	b.ReportAllocs()
	for b.Loop() {
		read(source)
	}
}

type readerFunc func() (reportSample, error)

func (f readerFunc) sample() (reportSample, error) { return f() }
