package monitorpage

import (
	"testing"
	"time"

	"assay/app"
	"assay/monitor"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// h200Snapshot is second i of an NVIDIA H200 that works, heats up and meets its power limit, as the source of Linux reads it.
func h200Snapshot(i int) monitor.Snapshot {
	warm := min(1, float64(i)/60)
	capped := max(0, warm-0.75)
	s := monitor.Snapshot{Time: uitest.Epoch.Add(time.Duration(i) * time.Second)}
	for metric, v := range map[string]float64{
		monitor.TemperatureGPU: 38 + 40*warm, monitor.TemperatureGPUMemory: 41 + 45*warm, monitor.Temperature: 41 + 45*warm,
		monitor.PowerGPU: 120 + 570*min(1, warm/0.75), monitor.GPUPowerLimit: 700,
		monitor.GPUClock: 1.98e9 * (1 - capped), monitor.GPUClockShare: 1 - capped, monitor.GPUMemoryClock: 3.201e9,
		monitor.GPUThrottling: capped, monitor.GPUUtilization: 0.98, monitor.GPUMemoryBusy: 0.4, monitor.GPUOthers: 0,
		monitor.GPUMemory: 4e9 + 8e9*warm, monitor.GPUMemoryTotal: 1.514e11, monitor.GPUReceived: 24e9 * (1 - warm), monitor.GPUSent: 2e8,
	} {
		r := monitor.Template(metric, "NVML")
		r.Value, r.Status, r.Provenance = v, monitor.OK, monitor.Measured
		s.Readings = append(s.Readings, r)
	}
	words := monitor.State("nothing")
	if capped > 0 {
		words = "power cap, thermal slowdown"
	}
	for metric, text := range map[string]monitor.State{monitor.GPUClockLimit: words, monitor.ThermalState: monitor.Fair} {
		r := monitor.Template(metric, "NVML")
		r.Text, r.Status, r.Provenance = text, monitor.OK, monitor.Measured
		s.Readings = append(s.Readings, r)
	}
	return s
}

// With an NVIDIA GPU there are cards of its clocks, its memory and PCI Express, and what limits its clock is said in words.
func TestGoldensOfAnNVIDIAGPU(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	for i := range 90 {
		s.Desk.Take(app.TickUpdate{Snapshot: h200Snapshot(i)})
	}
	for _, words := range []string{"GPU clocks", "GPU memory", "PCI Express", "in use · clock limited by: power cap, thermal slowdown"} {
		if !uitest.Says(s.View.Object, words) {
			t.Errorf("%q is not on the page", words)
		}
	}
	uitest.CheckClipping(t, s.View.Object, uitest.Usual)
	uitest.Golden(t, "nvidia-dark-1204", s.Desk.Window.Canvas())
}
