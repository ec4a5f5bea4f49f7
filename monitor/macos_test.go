package monitor

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// Counts from vm_stat on a Mac with 16 GiB and pages of 16 KiB; Activity Monitor's "Memory Used" is App, Wired and Compressed.
func TestVMUsed(t *testing.T) {
	p := vmPages{pageSize: 16384, internal: 400_000, purgeable: 20_000, wired: 150_000, compressor: 90_000}
	used, err := p.used()
	if err != nil || used != (380_000+150_000+90_000)*16384 {
		t.Errorf("used %d, %v", used, err)
	}
	if c := p.compressed(); c != 90_000*16384 {
		t.Errorf("compressed %d", c)
	}
	odd := vmPages{pageSize: 4096, internal: 10, purgeable: 20, wired: 5} // counted at slightly different moments
	if used, err := odd.used(); err != nil || used != 5*4096 {
		t.Errorf("more purgeable than internal: %d, %v", used, err)
	}
	for _, none := range []vmPages{{}, {pageSize: 4096}, {internal: 1, wired: 1}} {
		if used, err := none.used(); err == nil {
			t.Errorf("%+v: %d", none, used)
		}
	}
}

// vmScript returns one pressure after another.
type vmScript struct{ script []vmPressure }

func (s *vmScript) read() vmPressure {
	p := s.script[0]
	s.script = s.script[1:]
	return p
}

// Levels as XNU's kern_memorystatus_notify.c defines them for the sysctl, and libdispatch's source.h for notifications.
func TestVMPressureLevels(t *testing.T) {
	const polled, told = "kern.memorystatus_vm_pressure_level", "dispatch memory pressure source"
	script := &vmScript{}
	source := newVMPressureSource(func() vmPressureReader { return script })
	for _, c := range []struct {
		vmPressure
		want   State
		source string
	}{
		{vmPressure{level: 1, free: 63}, Normal, polled},
		{vmPressure{level: 2, free: 63}, Warning, polled},
		{vmPressure{level: 4, free: 63}, Critical, polled},
		{vmPressure{level: 4, told: 2, free: 63}, Critical, polled},
		{vmPressure{level: 1, told: 2, free: 63}, Warning, told},
		{vmPressure{level: 1, told: 1 | 2 | 4, free: 63}, Critical, told}, // all that have occurred since
	} {
		script.script = append(script.script, c.vmPressure)
		s := read(source)
		r, _ := s.Find(MemoryPressureLevel)
		if r.Text != c.want || r.Status != OK || r.Provenance != Measured || !strings.Contains(r.Source, c.source) {
			t.Errorf("%+v: %+v, want %s from %s", c.vmPressure, r, c.want, c.source)
		}
		wantValue(t, s, HostMemoryFree, 0.63, "kern.memorystatus_level")
		wantNone(t, s, MemoryPressure, Unavailable, "reports a memory pressure level instead")
	}
	script.script = []vmPressure{
		{level: 3, free: 101},
		{levelErr: errors.New("no such sysctl"), freeErr: errors.New("no such sysctl either")},
	}
	s := read(source)
	wantNone(t, s, MemoryPressureLevel, Failed, "unknown level 3")
	wantNone(t, s, HostMemoryFree, Failed, "not a percentage")
	s = read(source)
	wantNone(t, s, MemoryPressureLevel, Failed, "no such sysctl")
	wantNone(t, s, HostMemoryFree, Failed, "no such sysctl either")
}

// thermalScript returns one set of levels.
type thermalScript struct{ thermalLevels }

func (s thermalScript) read() thermalLevels { return s.thermalLevels }

// The numbers are those in Foundation's NSProcessInfo.h and, on macOS, in libkern/OSThermalNotification.h.
func TestWorseThermalStateCounts(t *testing.T) {
	both := foundationThermal + ", " + notifyThermal
	unheard := errors.New("status 1000000")
	for _, c := range []struct {
		levels          thermalLevels
		state, pressure State
		source          string
	}{
		{thermalLevels{}, Nominal, "nominal", both},
		{thermalLevels{state: 1, pressure: 1}, Fair, "moderate", both},
		{thermalLevels{state: 1, pressure: 2}, Serious, "heavy", notifyThermal}, // macmade/Hot#118
		{thermalLevels{state: 3, pressure: 0}, Critical, "nominal", foundationThermal},
		{thermalLevels{state: 0, worst: 2}, Serious, "nominal", foundationThermal}, // came and went between two ticks
		{thermalLevels{pressure: 3}, Critical, "trapping", notifyThermal},
		{thermalLevels{pressure: 4}, Critical, "sleeping", notifyThermal},
		{thermalLevels{state: 9, pressure: 1}, Fair, "moderate", notifyThermal},
		{thermalLevels{state: 2, pressure: 4, pressureErr: unheard}, Serious, "", foundationThermal},
		{thermalLevels{state: 2, pressure: 40}, Serious, "", foundationThermal}, // a number from iOS
		{thermalLevels{state: 9, pressureErr: unheard}, "", "", ""},
	} {
		s := read(&thermalStateSource{open: func() thermalReader { return thermalScript{c.levels} }})
		state, _ := s.Find(ThermalState)
		if state.Text != c.state || c.state != "" && (state.Source != c.source || state.Provenance != Measured) {
			t.Errorf("%+v: state %+v, want %s from %s", c.levels, state, c.state, c.source)
		}
		pressure, _ := s.Find(ThermalPressure)
		if pressure.Text != c.pressure {
			t.Errorf("%+v: pressure %+v, want %q", c.levels, pressure, c.pressure)
		}
		for _, r := range s.Readings {
			if (r.Status == OK) == (r.Text == "") || r.Status != OK && r.Reason == "" {
				t.Errorf("%+v: %+v", c.levels, r)
			}
		}
	}
}

func TestMemoryLevelRaisesAlerts(t *testing.T) {
	a, err := NewAlerts(Rules())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	raised := map[string]string{}
	feed := func(level State, seconds int) {
		for range seconds {
			now = now.Add(time.Second)
			r := Reading{Metric: MemoryPressureLevel}.reported(level)
			for _, alert := range a.Observe(Snapshot{Time: now, Readings: []Reading{r}}) {
				raised[alert.ID] = alert.Cause
				if !alert.Active() {
					delete(raised, alert.ID)
				}
			}
		}
	}
	feed(Warning, 5)
	if len(raised) != 1 || !strings.HasPrefix(raised["memory.level"], "Warning memory pressure; ") {
		t.Errorf("at warning: %v", raised)
	}
	feed(Critical, 3)
	if len(raised) != 2 || !strings.HasPrefix(raised["memory.level.critical"], "Critical memory pressure; ") {
		t.Errorf("at critical: %v", raised)
	}
	feed(Warning, 12)
	if _, still := raised["memory.level.critical"]; still || len(raised) != 1 {
		t.Errorf("back at warning: %v", raised)
	}
	feed(Normal, 12)
	if len(raised) != 0 {
		t.Errorf("at normal: %v", raised)
	}
}

func accelerated(rows []statistic, err error) *Snapshot {
	return read(&acceleratorSource{read: func() ([]statistic, error) { return rows, err }})
}

// Statistics as ioreg prints them for an M4: "PerformanceStatistics" of AGXAccelerator.
func TestAcceleratorOfAnM4(t *testing.T) {
	rows := []statistic{
		{0, "In use system memory (driver)", 0},
		{0, "Alloc system memory", 1574862848},
		{0, "Tiler Utilization %", 20},
		{0, "recoveryCount", 0},
		{0, "Renderer Utilization %", 19},
		{0, "Device Utilization %", 21},
		{0, "In use system memory", 351141888},
	}
	s := accelerated(rows, nil)
	for metric, want := range map[string]float64{
		GPUUtilization: 0.21, GPURenderer: 0.19, GPUTiler: 0.20, GPUMemory: 351141888, GPUMemoryAllocated: 1574862848,
	} {
		wantValue(t, s, metric, want, "IOAccelerator PerformanceStatistics")
	}
	wantNone(t, s, GPUOccupancy, Unavailable, "Metal exposes no occupancy counter")
	idle := accelerated([]statistic{{0, "Device Utilization %", 0}}, nil)
	if v, ok := idle.Value(GPUUtilization); !ok || v != 0 {
		t.Errorf("an idle GPU: %v, %v", v, ok)
	}
}

// An Intel Mac with two GPUs; drivers there use other names for memory, and one reports more than 100 % (exelban/stats#649).
func TestAcceleratorsOfAnIntelMac(t *testing.T) {
	rows := []statistic{
		{0, "Device Utilization %", 7},
		{0, "In use system memory", 268435456},
		{1, "Device Utilization %", 41},
		{1, "In use system memory", 1e6},
	}
	s := accelerated(rows, nil)
	wantValue(t, s, GPUUtilization, 0.41, "IOAccelerator")
	wantValue(t, s, GPUMemory, 269435456, "IOAccelerator")
	wantNone(t, s, GPUTiler, Unavailable, "does not report Tiler Utilization %")
	wantNone(t, s, GPUMemoryAllocated, Unavailable, "does not report Alloc system memory")
	for _, bad := range []float64{135, -1, math.NaN()} {
		wantNone(t, accelerated([]statistic{{0, "Device Utilization %", bad}}, nil), GPUUtilization, Failed, "the GPU's driver reports")
	}
	wantNone(t, accelerated(nil, nil), GPUUtilization, Unavailable, "no GPU driver on this machine keeps statistics")
	wantNone(t, accelerated(nil, errors.New("kern_return_t 5")), GPUMemory, Failed, "kern_return_t 5")
}
