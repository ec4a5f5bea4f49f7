package monitor

import (
	"fmt"
	"math"
)

// nvmlItem is a value that NVML (NVIDIA's management library) can be queried for.
type nvmlItem int

const (
	nvmlTemperature nvmlItem = iota // °C
	nvmlPower                       // in mW, averaged over a second on most GPUs
	nvmlPowerLimit                  // mW
	nvmlEnergy                      // mJ
	nvmlClock                       // MHz, of the multiprocessors
	nvmlClockMax
	nvmlMemoryClock
	nvmlMemoryClockMax
	nvmlReasons     // bits for what sets the clock
	nvmlUtilization // %
	nvmlMemoryBusy  // %
	nvmlMemoryUsed  // B
	nvmlMemoryTotal
	nvmlShutdownAt        // °C
	nvmlSlowdownAt        // °C, of the hardware
	nvmlHottest           // °C above which software slows it down
	nvmlMemoryTemperature // °C
	nvmlPowerCapped       // ns in which the power limit held the clock back
	nvmlHeatCapped        // ns
	nvmlSent              // B over PCI Express
	nvmlReceived
	nvmlSentRate // kB/s
	nvmlReceivedRate
	nvmlProcesses // count
	nvmlOthers    // % of time used by other processes
	nvmlOccupancy // of what multiprocessors can hold, in parts of nvmlCounterParts of a percent
	nvmlMultiprocessors
	nvmlBandwidth
	nvmlItems // their number
)

// nvmlKind is the signature of the function to call.
type nvmlKind int

const (
	nvmlU32    nvmlKind = iota // f(card, &value)
	nvmlU64                    // the same with 64 bits
	nvmlChosen                 // f(card, which, &value)
	nvmlPair                   // one of the two values of a structure
	nvmlMemoryInfo
	nvmlField // a field of nvmlDeviceGetFieldValues; all are asked at once
	nvmlRunning
	nvmlUse
	nvmlCounter // a performance monitoring counter, by number; all are queried at once
)

// nvmlCounterParts is how many parts of a percent counters are kept in.
const nvmlCounterParts = 1000

// nvmlQuestion is how an item is queried: functions with the same signature, newest first (older drivers only have later ones), and
// which of several values is meant.
type nvmlQuestion struct {
	item      nvmlItem
	kind      nvmlKind
	which     uint32
	functions []string
}

// nvmlQuestions are all queries of a tick. The rates of PCI Express are queried only if the counters cannot be used: they take 20 ms
// each, while the driver watches the bus.
func nvmlQuestions() []nvmlQuestion {
	const (
		clock, clockMax = "nvmlDeviceGetClockInfo", "nvmlDeviceGetMaxClockInfo"
		threshold       = "nvmlDeviceGetTemperatureThreshold"
		fields          = "nvmlDeviceGetFieldValues"
		counters        = "nvmlGpmMetricsGet"
	)
	return []nvmlQuestion{
		{nvmlTemperature, nvmlChosen, 0, []string{"nvmlDeviceGetTemperature"}},
		{nvmlPower, nvmlU32, 0, []string{"nvmlDeviceGetPowerUsage"}},
		{nvmlPowerLimit, nvmlU32, 0, []string{"nvmlDeviceGetEnforcedPowerLimit"}},
		{nvmlEnergy, nvmlU64, 0, []string{"nvmlDeviceGetTotalEnergyConsumption"}},
		{nvmlClock, nvmlChosen, 1, []string{clock}},
		{nvmlClockMax, nvmlChosen, 1, []string{clockMax}},
		{nvmlMemoryClock, nvmlChosen, 2, []string{clock}},
		{nvmlMemoryClockMax, nvmlChosen, 2, []string{clockMax}},
		{nvmlReasons, nvmlU64, 0, []string{"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}},
		{nvmlUtilization, nvmlPair, 0, []string{"nvmlDeviceGetUtilizationRates"}},
		{nvmlMemoryBusy, nvmlPair, 1, []string{"nvmlDeviceGetUtilizationRates"}},
		{nvmlMemoryUsed, nvmlMemoryInfo, 0, []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"}},
		{nvmlMemoryTotal, nvmlMemoryInfo, 1, []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"}},
		{nvmlShutdownAt, nvmlChosen, 0, []string{threshold}},
		{nvmlSlowdownAt, nvmlChosen, 1, []string{threshold}},
		{nvmlHottest, nvmlChosen, 3, []string{threshold}},
		{nvmlMemoryTemperature, nvmlField, 82, []string{fields}},
		{nvmlPowerCapped, nvmlField, 74, []string{fields}},
		{nvmlHeatCapped, nvmlField, 75, []string{fields}},
		{nvmlSent, nvmlField, 197, []string{fields}},
		{nvmlReceived, nvmlField, 198, []string{fields}},
		{nvmlSentRate, nvmlChosen, 0, []string{"nvmlDeviceGetPcieThroughput"}},
		{nvmlReceivedRate, nvmlChosen, 1, []string{"nvmlDeviceGetPcieThroughput"}},
		{nvmlProcesses, nvmlRunning, 0, []string{"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}},
		{nvmlOthers, nvmlUse, 0, []string{"nvmlDeviceGetProcessUtilization"}},
		{nvmlMultiprocessors, nvmlCounter, 2, []string{counters}},
		{nvmlOccupancy, nvmlCounter, 3, []string{counters}},
		{nvmlBandwidth, nvmlCounter, 10, []string{counters}},
	}
}

// nvmlAnswer is a value, or why there is none, and the function that was called.
type nvmlAnswer struct {
	value    uint64
	err      error
	function string
	// narrow means that a counter has 32 bits, which PCI Express overflows in a fraction of a second.
	narrow bool
}

// nvmlSample is the answers of a tick, by item.
type nvmlSample struct {
	answers [nvmlItems]nvmlAnswer
	seconds float64 // on a monotonic clock
	of      string  // driver and GPU: "driver 580.65.06, NVIDIA H200"
}

// number is the value of an item; NaN if there is none.
func (s *nvmlSample) number(item nvmlItem) float64 {
	if a := &s.answers[item]; a.err == nil {
		return float64(a.value)
	}
	return math.NaN()
}

// template returns a reading for a metric that comes from an item, and the reason if there is no value.
func (s *nvmlSample) template(metric string, item nvmlItem) (Reading, error) {
	a := &s.answers[item]
	return Template(metric, a.function+", "+s.of), a.err
}

// Codes that NVML's functions return.
const (
	nvmlNotSupported     = 3
	nvmlNoPermission     = 4
	nvmlNotFound         = 6
	nvmlInsufficientSize = 7
	nvmlNotLoaded        = 9
	nvmlFunctionNotFound = 13
)

// nvmlError converts a code other than 0; text is NVML's own.
func nvmlError(function string, code int, text string) error {
	switch code {
	case 0:
		return nil
	case nvmlNotSupported:
		return absent("the GPU or its driver does not report it")
	case nvmlNoPermission:
		return absent("readable only by root")
	case nvmlNotLoaded:
		return absent("the NVIDIA driver is not loaded")
	case nvmlFunctionNotFound:
		return nvmlMissing(function)
	}
	if text == "" {
		text = fmt.Sprintf("error %d", code)
	}
	return fmt.Errorf("%s: %s", function, text)
}

// nvmlMissing is the error for a function that this version of the driver does not have.
func nvmlMissing(function string) error { return absent("the NVIDIA driver has no " + function) }

// nvmlGauge is a metric computed as an item times a scale, if it is below a limit that no GPU reaches.
type nvmlGauge struct {
	metric string
	item   nvmlItem
	scale  float64
	limit  float64 // of the metric; 0: none
}

func nvmlGauges() []nvmlGauge {
	return []nvmlGauge{
		{TemperatureGPU, nvmlTemperature, 1, hottest},
		{TemperatureGPUMemory, nvmlMemoryTemperature, 1, hottest},
		{PowerGPU, nvmlPower, 1e-3, 10e3},
		{GPUPowerLimit, nvmlPowerLimit, 1e-3, 10e3},
		{GPUEnergy, nvmlEnergy, 1e-3, 0},
		{GPUClock, nvmlClock, 1e6, 10e9},
		{GPUClockMax, nvmlClockMax, 1e6, 10e9},
		{GPUMemoryClock, nvmlMemoryClock, 1e6, 100e9},
		{GPUMemoryClockMax, nvmlMemoryClockMax, 1e6, 100e9},
		{GPUUtilization, nvmlUtilization, 1e-2, 1},
		{GPUMemoryBusy, nvmlMemoryBusy, 1e-2, 1},
		{GPUMemory, nvmlMemoryUsed, 1, 0},
		{GPUMemoryTotal, nvmlMemoryTotal, 1, 0},
		{GPUProcesses, nvmlProcesses, 1, 0},
		{GPUOccupancy, nvmlOccupancy, 1e-2 / nvmlCounterParts, 1},
		{GPUMultiprocessors, nvmlMultiprocessors, 1e-2 / nvmlCounterParts, 1},
		{GPUBandwidth, nvmlBandwidth, 1e-2 / nvmlCounterParts, 1},
	}
}

func (g *nvmlGauge) reading(s *nvmlSample) Reading {
	r, err := s.template(g.metric, g.item)
	value := s.number(g.item) * g.scale
	switch {
	case err != nil:
		return r.without(err)
	case g.limit > 0 && value > g.limit:
		return r.failed(fmt.Sprintf("the driver reports %s, which is implausible", Format(value, r.Unit)))
	case value == 0 && r.Unit == "°C":
		return r.unavailable("the sensor reports no temperature")
	}
	return r.ok(value)
}

// nvmlDecoder turns samples into readings. It keeps the state for rates.
type nvmlDecoder struct {
	capped, heat   nvmlTime
	sent, received nvmlTraffic
}

// decode appends the readings of a sample.
func (d *nvmlDecoder) decode(s *nvmlSample, to []Reading) []Reading {
	for _, g := range nvmlGauges() {
		to = append(to, g.reading(s))
	}
	to = append(to, s.clockShare(), s.hottest(), s.thermalState(), s.clockLimit(), s.throttling(), s.others())
	return append(
		to, d.capped.reading(s, GPUPowerCapped, nvmlPowerCapped), d.heat.reading(s, GPUHeatCapped, nvmlHeatCapped),
		d.received.reading(s, GPUReceived, nvmlReceived, nvmlReceivedRate), d.sent.reading(s, GPUSent, nvmlSent, nvmlSentRate),
	)
}

// slow reports whether the next sample needs the rates that take 20 ms each.
func (d *nvmlDecoder) slow() bool { return d.sent.narrow || d.received.narrow }

// nvmlNothing are the readings of a system on which NVML cannot be used.
func nvmlNothing(source string, err error, to []Reading) []Reading {
	s := &nvmlSample{of: source}
	for i := range s.answers {
		s.answers[i] = nvmlAnswer{err: err, function: "NVML"}
	}
	var d nvmlDecoder
	return d.decode(s, to)
}

// clockShare returns the clock as a share of its maximum.
func (s *nvmlSample) clockShare() Reading {
	r, err := s.template(GPUClockShare, nvmlClock)
	if err == nil {
		err = s.answers[nvmlClockMax].err
	}
	share := s.number(nvmlClock) / s.number(nvmlClockMax)
	switch {
	case err != nil:
		return r.without(err)
	case math.IsInf(share, 0) || math.IsNaN(share):
		return r.unavailable("the driver reports a maximum clock of 0")
	}
	return r.ok(min(1, share))
}

// hottest returns the GPU's contribution to the hottest temperature of the machine.
func (s *nvmlSample) hottest() Reading {
	gauge := nvmlGauge{Temperature, nvmlTemperature, 1, hottest}
	r := gauge.reading(s).covering("GPU")
	if memory := s.number(nvmlMemoryTemperature); r.Status == OK && memory > r.Value && memory <= hottest {
		gauge.item = nvmlMemoryTemperature
		r = gauge.reading(s).covering("GPU memory")
	}
	return r
}

// others returns how much of the GPU other processes used.
func (s *nvmlSample) others() Reading {
	r, err := s.template(GPUOthers, nvmlOthers)
	if err != nil {
		return r.without(err)
	}
	return r.estimated(min(1, s.number(nvmlOthers)/100)) // each process's share covers the driver's own last interval
}

// nvmlTime is a counter of nanoseconds, as a share of the time.
type nvmlTime struct {
	before, at float64
	has        bool
}

func (c *nvmlTime) reading(s *nvmlSample, metric string, item nvmlItem) Reading {
	r, err := s.template(metric, item)
	if err != nil {
		return r.without(err)
	}
	before := *c
	*c = nvmlTime{s.number(item), s.seconds, true}
	elapsed := c.at - before.at
	switch {
	case !before.has || elapsed <= 0:
		return r.unavailable(needsTwo)
	case c.before < before.before:
		return r.unavailable("the counter went backward")
	}
	return r.ok(min(1, (c.before-before.before)*1e-9/elapsed)) // the driver counts in steps of 100 ms
}

// nvmlTraffic is bytes per second from a counter, or from the driver's own rate if the counter has 32 bits. A 32-bit counter in a
// 64-bit variable cannot be recognized until it goes backward.
type nvmlTraffic struct {
	before, at  float64
	has, narrow bool
}

// busiestBus exceeds the rate of any PCI Express slot in one direction, in B/s.
const busiestBus = 512e9

func (c *nvmlTraffic) reading(s *nvmlSample, metric string, counter, rate nvmlItem) Reading {
	if a := &s.answers[counter]; c.narrow || a.err != nil || a.narrow {
		c.narrow = true
		return (&nvmlGauge{metric, rate, 1e3, busiestBus}).reading(s)
	}
	r, _ := s.template(metric, counter)
	before := *c
	*c = nvmlTraffic{before: s.number(counter), at: s.seconds, has: true}
	elapsed := c.at - before.at
	switch {
	case !before.has || elapsed <= 0:
		return r.unavailable(needsTwo)
	case c.before < before.before:
		c.narrow = true
		return r.unavailable("the counter went backward; the driver's own rate is read from now on")
	}
	return r.ok((c.before - before.before) / elapsed)
}
