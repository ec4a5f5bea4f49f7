package monitorpage

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/ui/view"
)

// script is a scripted value of a Mac over time, in the form of the macOS sources.
type script struct {
	metric, unit, source string
	at                   func(load float64) float64
}

// between grows with the load from one value to another.
func between(idle, busy float64) func(float64) float64 {
	return func(load float64) float64 { return idle + (busy-idle)*load }
}

// macScript is every metric of a Mac with Apple silicon on which nothing is missing.
func macScript() []script {
	const energy, gpu, smc = "IOReport Energy Model", "IOReport GPU Performance States", "SMC"
	return []script{
		{monitor.EngineFlops, "FLOP/s", "completed dispatches × kernel operations", between(1e11, 3.1e12)},
		{monitor.EngineBytes, "B/s", "completed dispatches × kernel bytes", between(1e10, 1.7e11)},
		{monitor.EngineLive, "B", "engine", between(2e8, 3.4e9)},
		{monitor.EngineBuffers, "buffers", "engine", func(load float64) float64 { return math.Round(6 + 18*load) }},
		{monitor.EngineWorkingSet, "ratio", "engine", between(0.02, 0.31)},
		{monitor.PoolReuse, "ratio", "engine", between(0.7, 0.92)},
		{monitor.PoolReuseRecent, "ratio", "engine", between(0.62, 0.97)},
		{monitor.PoolStranded, "B", "engine", between(4e6, 4e7)},
		{monitor.PoolCached, "B", "engine", between(6e7, 9e7)},
		{monitor.PoolWaste, "ratio", "engine", between(0.01, 0.03)},
		{monitor.QueueDepth, "command buffers", "engine", func(load float64) float64 { return math.Round(2 * load) }},
		{monitor.HostMemoryFull, "ratio", "host_statistics64", between(0.52, 0.81)},
		{monitor.ProcessRSS, "B", "task_info", between(1.5e8, 1.9e8)},
		{monitor.ProcessFootprint, "B", "task_info", between(2.1e8, 3.6e9)},
		{monitor.ProcessHeap, "B", "runtime/metrics", between(1.8e7, 2.6e7)},
		{monitor.ProcessOverhead, "B", "footprint less buffers", between(3e7, 4.5e7)},
		{monitor.HostCPU, "ratio", "host_statistics", between(0.06, 0.24)},
		{monitor.HostOthers, "ratio", "host_statistics minus getrusage", between(0.04, 0.13)},
		{monitor.ProcessShare, "ratio", "host_statistics, getrusage", between(0.02, 0.11)},
		{monitor.ProcessCPU, "ratio", "task_info", between(0.02, 0.9)},
		{monitor.Temperature, "°C", smc, between(44, 97)},
		{monitor.TemperatureCPU, "°C", smc, between(44, 71)},
		{monitor.TemperatureGPU, "°C", smc, between(42, 97)},
		{monitor.Throttling, "ratio", "GPU clock under load, relative to the best seen", func(load float64) float64 { return max(0, load-0.85) }},
		{monitor.Power, "W", smc, between(9, 46)},
		{monitor.PowerSoC, "W", energy, between(2.4, 38)},
		{monitor.PowerCPU, "W", energy, between(1.1, 4.2)},
		{monitor.PowerGPU, "W", energy, between(0.2, 29)},
		{monitor.PowerANE, "W", energy, between(0, 0.1)},
		{monitor.PowerDRAM, "W", energy, between(0.9, 4.8)},
		{monitor.GPUBusy, "ratio", gpu, between(0.04, 0.99)},
		{monitor.GPUUtilization, "ratio", "IOAccelerator PerformanceStatistics", between(0.05, 0.97)},
		{monitor.GPUClockShare, "ratio", gpu, between(0.3, 1)},
		{monitor.GPUOthers, "ratio", "IOAccelerator clients, accumulatedGPUTime", between(0.02, 0.07)},
		{monitor.HostSwap, "B", "vm.swapusage", between(5e8, 1.2e9)},
		{monitor.HostSwapGrowth, "B/s", "vm.swapusage", between(0, 3e6)},
	}
}

// macSnapshot is second i of the scripted Mac: it cools down from its limits and warms up again.
func macSnapshot(i int) monitor.Snapshot {
	load := 0.5 - 0.5*math.Cos(float64(i+18)/14)
	s := monitor.Snapshot{Time: uitest.Epoch.Add(time.Duration(i) * time.Second)}
	for _, k := range macScript() {
		s.Readings = append(s.Readings, monitor.Reading{
			Metric: k.metric, Unit: k.unit, Source: k.source, Value: k.at(load), Status: monitor.OK, Provenance: monitor.Measured,
		})
	}
	state := func(metric, source string, words ...monitor.State) {
		s.Readings = append(s.Readings, monitor.Reading{
			Metric: metric, Source: source, Text: words[min(len(words)-1, int(load*float64(len(words))))], Status: monitor.OK, Provenance: monitor.Measured,
		})
	}
	state(monitor.ThermalState, "NSProcessInfo.thermalState, notify(3) thermal pressure level", monitor.Nominal, monitor.Fair, monitor.Serious, monitor.Critical)
	state(monitor.ThermalPressure, "notify(3) thermal pressure level", "nominal", "moderate", "heavy")
	state(monitor.MemoryPressureLevel, "kern.memorystatus_vm_pressure_level", monitor.Normal, monitor.Warning, monitor.Critical)
	none := func(metric, why string) {
		s.Readings = append(s.Readings, monitor.Reading{Metric: metric, Status: monitor.Unavailable, Reason: why})
	}
	none(monitor.MemoryPressure, "macOS reports a memory pressure level instead")
	none(monitor.HostSteal, "macOS does not count it")
	return s
}

// playMac brings the page to the middle of a run on the scripted Mac.
func playMac(s *uitest.Stand) {
	meta := uitest.SweepMeta()
	meta.Started = uitest.Epoch.Add(20 * time.Second)
	for i := range 97 {
		switch i {
		case 20:
			s.Desk.Take(app.StartUpdate{Meta: meta})
		case 38, 52, 60, 84:
			name := map[int]string{38: "matmul 512", 52: "matmul 1024", 60: "softmax", 84: "fused MLP, batch 16"}[i]
			s.Desk.Take(progress(name, 1, "sampling"))
		}
		s.Desk.Take(app.TickUpdate{Snapshot: macSnapshot(i)})
	}
}

// On a Mac with all readings, every card has something to draw, and its text fits.
func TestGoldensOfAMac(t *testing.T) {
	for i, size := range []fyne.Size{uitest.Usual, uitest.Smallest} {
		for k, look := range []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight} {
			name := fmt.Sprintf("mac-%s-%.0f", look, size.Width)
			t.Run(name, func(t *testing.T) {
				s := stand(t, look, size)
				playMac(s)
				for _, words := range []string{"Heat and throttling", "Power", "GPU", "Swap", string(monitor.Serious)} {
					if !uitest.Says(s.View.Object, words) {
						t.Errorf("%q is not on the page", words)
					}
				}
				if uitest.Says(s.View.Object, "not read on this system") {
					t.Error("something is not read")
				}
				if (i+k)%2 == 0 {
					uitest.CheckClipping(t, s.View.Object, size)
				}
				uitest.Golden(t, name, s.Desk.Window.Canvas())
				scrollDown(s)
				uitest.Golden(t, name+"-below", s.Desk.Window.Canvas())
			})
		}
	}
}

// The replay of a run looks like its live charts, over the time since the run began.
func TestGoldensOfAReplay(t *testing.T) {
	var snapshots []monitor.Snapshot
	for i := range 97 {
		if i < 40 || i > 52 { // a gap, as after sleep
			snapshots = append(snapshots, macSnapshot(i))
			continue
		}
		snapshots = append(snapshots, monitor.Snapshot{Time: uitest.Epoch.Add(time.Duration(i) * time.Second)})
	}
	at := func(i int) time.Time { return uitest.Epoch.Add(time.Duration(i) * time.Second) }
	spans := []view.Span{
		{From: at(10), To: at(38), Label: "matmul 512"}, {From: at(38), To: at(60), Label: "matmul 1024"}, {From: at(60), To: at(90), Label: "softmax"},
	}
	marks := []view.Mark{{At: at(44), Label: "Critical thermal state", Severity: severity.Critical}}
	grid := view.NewReplay(view.RecordOf(snapshots[0].Time, snapshots, spans, marks))
	build := func(*desk.Desk) desk.View {
		return desk.View{Object: kit.Inset(grid.Object, 18, 14), Update: func(desk.Change) {}}
	}
	s := uitest.Open(t, desk.Page{Name: "replay", Title: "Replay", Build: build}, kit.AlwaysDark, uitest.Usual)
	s.Desk.Window.Canvas().Capture() // what was never drawn cannot be pointed at
	hover(s, fyne.NewPos(250, 130))
	uitest.Golden(t, "replay-dark-1204", s.Desk.Window.Canvas())
	uitest.Picture(t, "replay", s.Desk.Window.Canvas())
}

// hover points at a place of the page.
func hover(s *uitest.Stand, at fyne.Position) { test.MoveMouse(s.Desk.Window.Canvas(), at) }

// scrollDown scrolls the cards to their end.
func scrollDown(s *uitest.Stand) {
	test.Scroll(s.Desk.Window.Canvas(), fyne.NewPos(300, 300), 0, -5000)
}

// During a run the crosshair is on all charts, but waits for the next redraw.
func TestLookWithACrosshair(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	play(t, s, "running")
	canvas := s.Desk.Window.Canvas()
	before := canvas.Capture()
	hover(s, fyne.NewPos(200, 190))
	s.Desk.Settle()
	uitest.Picture(t, "look", canvas)
	hover(s, fyne.NewPos(200, 20))
	s.Desk.Settle()
	if !reflect.DeepEqual(before, canvas.Capture()) {
		t.Error("something of the crosshair stays after leaving")
	}
}

// Charts use the times of the readings and of the run, not of their drawing on a busy machine.
func TestPictureDoesNotDependOnDelays(t *testing.T) {
	quick, slow := stand(t, kit.AlwaysDark, uitest.Usual), stand(t, kit.AlwaysDark, uitest.Usual)
	play(t, quick, "running")
	playPaced(t, slow, "running", func() { time.Sleep(120 * time.Millisecond) })
	if !reflect.DeepEqual(quick.Desk.Window.Canvas().Capture(), slow.Desk.Window.Canvas().Capture()) {
		t.Error("the same run looks otherwise on a slow machine")
	}
}
