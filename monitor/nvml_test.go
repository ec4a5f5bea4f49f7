package monitor

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// h200 is an H200 under a large GEMM: memory as in NVIDIA's mock of a DGX H200, clocks and limits as nvidia-smi prints them for one.
func h200() map[nvmlItem]uint64 {
	return map[nvmlItem]uint64{
		nvmlTemperature: 61, nvmlMemoryTemperature: 72, nvmlShutdownAt: 92, nvmlSlowdownAt: 89, nvmlHottest: 87,
		nvmlPower: 698_412, nvmlPowerLimit: 700_000, nvmlEnergy: 8_412_345_678,
		nvmlClock: 1485, nvmlClockMax: 1980, nvmlMemoryClock: 3201, nvmlMemoryClockMax: 3201,
		nvmlReasons: 0x4, nvmlUtilization: 100, nvmlMemoryBusy: 37,
		nvmlMemoryUsed: 4 << 30, nvmlMemoryTotal: 144_384 << 20, nvmlProcesses: 2, nvmlOthers: 12, nvmlOccupancy: 41_250, nvmlMultiprocessors: 98_500, nvmlBandwidth: 63_000,
		nvmlPowerCapped: 5e9, nvmlHeatCapped: 0, nvmlSent: 1 << 40, nvmlReceived: 2 << 40,
	}
}

const unsupportedItem = absent("the GPU or its driver does not report it")

// nvmlSampleOf has the given values at a time in seconds, and nothing else.
func nvmlSampleOf(values map[nvmlItem]uint64, seconds float64) *nvmlSample {
	s := &nvmlSample{seconds: seconds, of: "driver 580.65.06, NVIDIA H200"}
	for _, q := range nvmlQuestions() {
		s.answers[q.item] = nvmlAnswer{function: q.functions[0], err: unsupportedItem}
		if v, ok := values[q.item]; ok {
			s.answers[q.item].value, s.answers[q.item].err = v, nil
		}
	}
	return s
}

// with returns the values, some of them replaced.
func with(values, others map[nvmlItem]uint64) map[nvmlItem]uint64 {
	for item, v := range others {
		values[item] = v
	}
	return values
}

func decoded(d *nvmlDecoder, s *nvmlSample) *Snapshot { return &Snapshot{Readings: d.decode(s, nil)} }

func TestNVMLOfAnH200(t *testing.T) {
	var d nvmlDecoder
	first := decoded(&d, nvmlSampleOf(h200(), 10))
	for _, metric := range []string{GPUReceived, GPUSent, GPUPowerCapped, GPUHeatCapped} {
		wantNone(t, first, metric, Unavailable, needsTwo)
	}
	s := decoded(&d, nvmlSampleOf(with(h200(), map[nvmlItem]uint64{nvmlPowerCapped: 6.5e9, nvmlReceived: 2<<40 + 48e9}), 12))
	for _, c := range []struct {
		metric string
		want   float64
		source string
	}{
		{TemperatureGPU, 61, "nvmlDeviceGetTemperature, driver 580.65.06, NVIDIA H200"},
		{TemperatureGPUMemory, 72, "nvmlDeviceGetFieldValues"},
		{Temperature, 72, "nvmlDeviceGetFieldValues"},
		{PowerGPU, 698.412, "nvmlDeviceGetPowerUsage"},
		{GPUPowerLimit, 700, "nvmlDeviceGetEnforcedPowerLimit"},
		{GPUEnergy, 8_412_345.678, "nvmlDeviceGetTotalEnergyConsumption"},
		{GPUClock, 1485e6, "nvmlDeviceGetClockInfo"},
		{GPUClockMax, 1980e6, "nvmlDeviceGetMaxClockInfo"},
		{GPUClockShare, 0.75, ""},
		{GPUMemoryClock, 3201e6, ""},
		{GPUMemoryClockMax, 3201e6, ""},
		{GPUUtilization, 1, "nvmlDeviceGetUtilizationRates"},
		{GPUMemoryBusy, 0.37, ""},
		{GPUMemory, 4 << 30, "nvmlDeviceGetMemoryInfo_v2"},
		{GPUMemoryTotal, 144_384 << 20, ""},
		{GPUProcesses, 2, "nvmlDeviceGetComputeRunningProcesses_v3"},
		{GPUOthers, 0.12, "nvmlDeviceGetProcessUtilization"},
		{GPUOccupancy, 0.4125, "nvmlGpmMetricsGet, driver 580.65.06, NVIDIA H200"},
		{GPUMultiprocessors, 0.985, "nvmlGpmMetricsGet"},
		{GPUBandwidth, 0.63, "nvmlGpmMetricsGet"},
		{GPUReceived, 24e9, ""},
		{GPUSent, 0, ""},
		{GPUPowerCapped, 0.75, ""},
		{GPUHeatCapped, 0, ""},
		{GPUThrottling, 0.25, "power cap: nvmlDeviceGetCurrentClocksEventReasons"},
	} {
		wantValue(t, s, c.metric, c.want, c.source)
	}
	for metric, want := range map[string]State{GPUClockLimit: "power cap", ThermalState: Nominal} {
		if r, _ := s.Find(metric); r.Text != want || r.Status != OK {
			t.Errorf("%s: %+v, want %s", metric, r, want)
		}
	}
	if r, _ := s.Find(Temperature); r.Title != "Temperature (GPU memory)" {
		t.Errorf("the hottest is called %q", r.Title)
	}
}

// The bits are those in nvml.h. What holds the clock back counts by how far the clock has dropped; idling holds nothing back.
func TestNVMLClockReasons(t *testing.T) {
	for _, c := range []struct {
		bits, megahertz uint64
		words, state    State
		throttled       float64
	}{
		{0, 1980, "nothing", Nominal, 0},
		{0x1, 345, "idle", Nominal, 0},
		{0x2, 1410, "application clocks", Nominal, 0},
		{0x4, 1980, "power cap", Nominal, 0},
		{0x4, 1782, "power cap", Nominal, 0.1},
		{0x8, 990, "hardware slowdown", Nominal, 0.5},
		{0x10, 1410, "sync boost", Nominal, 0},
		{0x20, 1584, "thermal slowdown", Serious, 0.2},
		{0x48, 990, "hardware slowdown, hardware thermal slowdown", Critical, 0.5},
		{0x88, 990, "hardware slowdown, power brake", Nominal, 0.5},
		{0x101, 345, "idle, display clocks", Nominal, 0},
		{0x200, 345, "reason 0x200", Nominal, 0},
		{0x24, 1584, "power cap, thermal slowdown", Serious, 0.2},
	} {
		s := decoded(&nvmlDecoder{}, nvmlSampleOf(with(h200(), map[nvmlItem]uint64{nvmlReasons: c.bits, nvmlClock: c.megahertz}), 0))
		limit, _ := s.Find(GPUClockLimit)
		state, _ := s.Find(ThermalState)
		throttled, ok := s.Value(GPUThrottling)
		if limit.Text != c.words || state.Text != c.state || !ok || math.Abs(throttled-c.throttled) > 1e-9 {
			t.Errorf("%#x at %d MHz: %q, %s, throttled by %v, %v; want %+v", c.bits, c.megahertz, limit.Text, state.Text, throttled, ok, c)
		}
	}
	unclocked := nvmlSampleOf(map[nvmlItem]uint64{nvmlReasons: 0x40}, 0)
	wantValue(t, decoded(&nvmlDecoder{}, unclocked), GPUThrottling, 1, "hardware thermal slowdown")
}

// An H200 slows down from 87 °C and shuts down at 92 °C.
func TestNVMLThermalState(t *testing.T) {
	for _, c := range []struct {
		celsius, bits uint64
		want          State
		source        string
	}{
		{61, 0, Nominal, "distance to the GPU's limits"},
		{78, 0, Fair, "distance"},
		{87, 0, Serious, "distance"},
		{90, 0, Critical, "distance"},
		{61, 0x20, Serious, "EventReasons"},
		{90, 0x20, Critical, "distance"},
	} {
		s := decoded(&nvmlDecoder{}, nvmlSampleOf(with(h200(), map[nvmlItem]uint64{nvmlTemperature: c.celsius, nvmlReasons: c.bits}), 0))
		if r, _ := s.Find(ThermalState); r.Text != c.want || r.Provenance != Estimated || !strings.Contains(r.Source, c.source) {
			t.Errorf("%d °C, %#x: %+v, want %s from %s", c.celsius, c.bits, r, c.want, c.source)
		}
	}
	without := decoded(&nvmlDecoder{}, nvmlSampleOf(map[nvmlItem]uint64{nvmlTemperature: 95}, 0))
	wantNone(t, without, ThermalState, Unavailable, "does not report it") // neither limits nor reasons
}

// What a card lacks is not available, and a wrong report is a failure; the rest is unaffected.
func TestNVMLWithoutSomeValues(t *testing.T) {
	values := map[nvmlItem]uint64{nvmlTemperature: 200, nvmlUtilization: 101, nvmlPower: 84_000, nvmlClock: 1500, nvmlClockMax: 0, nvmlMemoryTemperature: 0}
	s := decoded(&nvmlDecoder{}, nvmlSampleOf(values, 0))
	wantValue(t, s, PowerGPU, 84, "nvmlDeviceGetPowerUsage")
	wantNone(t, s, TemperatureGPU, Failed, "200 °C, which is implausible")
	wantNone(t, s, GPUUtilization, Failed, "101 %, which is implausible")
	wantNone(t, s, TemperatureGPUMemory, Unavailable, "the sensor reports no temperature")
	wantNone(t, s, GPUClockShare, Unavailable, "maximum clock of 0")
	wantNone(t, s, GPUEnergy, Unavailable, "does not report it")
	wantNone(t, s, GPUThrottling, Unavailable, "does not report it")
	lost := nvmlSampleOf(h200(), 0)
	for i := range lost.answers {
		lost.answers[i].err = errors.New("nvmlDeviceGetPowerUsage: GPU is lost")
	}
	for _, r := range decoded(&nvmlDecoder{}, lost).Readings {
		if r.Status != Failed || !strings.Contains(r.Reason, "GPU is lost") {
			t.Errorf("%+v", r)
		}
	}
}

// A counter of 32 bits overflows too often: the driver's own rate replaces it, also after a wider one goes backward.
func TestNVMLTraffic(t *testing.T) {
	narrow, rates := nvmlSampleOf(h200(), 0), map[nvmlItem]uint64{nvmlReceivedRate: 12_500_000, nvmlSentRate: 200}
	narrow.answers[nvmlReceived].narrow = true
	var d nvmlDecoder
	if d.slow() {
		t.Error("rates are asked before they are needed")
	}
	decoded(&d, narrow)
	if !d.slow() {
		t.Error("rates are not asked although a counter is narrow")
	}
	s := decoded(&d, nvmlSampleOf(with(h200(), rates), 1))
	wantValue(t, s, GPUReceived, 12.5e9, "nvmlDeviceGetPcieThroughput")
	wantValue(t, s, GPUSent, 0, "nvmlDeviceGetFieldValues")

	var back nvmlDecoder
	decoded(&back, nvmlSampleOf(h200(), 0))
	wantNone(t, decoded(&back, nvmlSampleOf(with(h200(), map[nvmlItem]uint64{nvmlSent: 5}), 1)), GPUSent, Unavailable, "went backward")
	wantValue(t, decoded(&back, nvmlSampleOf(with(h200(), rates), 2)), GPUSent, 200e3, "nvmlDeviceGetPcieThroughput")
}

// Of several sources for a metric, the worse value counts, and one with a value rather than one without.
func TestJointReadings(t *testing.T) {
	heat, state := Template(Temperature, "hwmon"), Template(ThermalState, "trip points")
	gpu, gpuState := Template(Temperature, "NVML"), Template(ThermalState, "NVML")
	other := Template(HostCPU, "/proc/stat").ok(0.5)
	for _, c := range []struct{ first, second, want Reading }{
		{heat.ok(50), gpu.ok(70), gpu.ok(70)},
		{heat.ok(80), gpu.ok(70), heat.ok(80)},
		{heat.unavailable(noSensor), gpu.ok(30), gpu.ok(30)},
		{heat.ok(40), gpu.failed("GPU is lost"), heat.ok(40)},
		{heat.unavailable(noSensor), gpu.failed("GPU is lost"), gpu.failed("GPU is lost")},
		{state.state(Fair), gpuState.state(Serious), gpuState.state(Serious)},
		{state.state(Fair), gpuState.state(Nominal), state.state(Fair)},
		{state.unavailable(noLimits), gpuState.unavailable("no NVIDIA driver"), state.unavailable(noLimits)},
	} {
		got := joint([]Reading{c.first, other, c.second, other})
		if len(got) != 3 || got[0] != c.want || got[1] != other || got[2] != other {
			t.Errorf("%+v and %+v: %+v", c.first, c.second, got)
		}
	}
	part := Template(Temperature, "hwmon").part("nvme").ok(90)
	if got := joint([]Reading{heat.ok(50), part}); len(got) != 2 {
		t.Errorf("a part of a metric was joined with it: %+v", got)
	}
}

// On a GPU its own throttling counts; on a Mac the single reading covers the GPU.
func TestThrottledByDevice(t *testing.T) {
	both := Snapshot{Readings: []Reading{Template(Throttling, "/sys").ok(0.3), Template(GPUThrottling, "NVML").ok(0.1)}}
	lost := Snapshot{Readings: []Reading{Template(Throttling, "/sys").ok(0.3), Template(GPUThrottling, "NVML").unavailable("no NVIDIA driver")}}
	mac := Snapshot{Readings: []Reading{Template(Throttling, "GPU clock").ok(0.2)}}
	for _, c := range []struct {
		s     *Snapshot
		onGPU bool
		want  float64
		known bool
	}{{&both, false, 0.3, true}, {&both, true, 0.1, true}, {&lost, false, 0.3, true}, {&lost, true, 0, false}, {&mac, true, 0.2, true}, {&mac, false, 0.2, true}} {
		if got, known := c.s.Throttled(c.onGPU); got != c.want || known != c.known {
			t.Errorf("on the GPU %v: %v, %v; want %v, %v", c.onGPU, got, known, c.want, c.known)
		}
	}
}
