// Package monitor reads the state of the machine. A Source reads one part of the system and returns Readings; a Monitor
// collects the readings of all sources in a Snapshot; alert rules are evaluated on snapshots. The package knows neither engines
// nor workloads: an engine's own figures arrive through one more Source.
package monitor

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// Status reports whether a reading has a value.
type Status string

// Statuses of a reading. Only OK readings have a value.
const (
	OK          Status = "ok"
	Unavailable Status = "unavailable" // not available on this system; see Reason
	Failed      Status = "error"       // available but could not be read; see Reason
)

// Provenance is how a value was obtained.
type Provenance string

// Provenances of a value.
const (
	Measured  Provenance = "measured"
	Estimated Provenance = "estimated"
	Modeled   Provenance = "modeled" // from a cost model, for what was observed
	Requested Provenance = "requested"
)

// Reading is one metric at one time; Template creates one.
type Reading struct {
	Metric     string // stable identifier, "host.cpu"
	Title      string // for people, "Host CPU"
	Value      float64
	Text       State  // set instead of Value for states: "nominal"
	Unit       string // SI unit of Value: "ratio", "B", "W", "°C", "FLOP/s"; empty for states
	Source     string // where the value was read: "/proc/pressure/memory"
	Provenance Provenance
	Status     Status
	Reason     string // why there is no value, for people

	// Late is how long before the snapshot the value was read, if its source answered after an earlier tick; otherwise 0.
	Late time.Duration
}

// Source reads one part of the system. Read is called from one goroutine at a time.
type Source interface {
	Name() string
	Read(ctx context.Context) []Reading
}

// Snapshot is the readings of all sources at one tick.
type Snapshot struct {
	Time     time.Time
	Readings []Reading
	Cost     time.Duration // duration of reading all sources
}

// Find returns the reading of a metric.
func (s *Snapshot) Find(metric string) (Reading, bool) {
	for _, r := range s.Readings {
		if r.Metric == metric {
			return r, true
		}
	}
	return Reading{}, false
}

// Without returns a snapshot of the same metrics at another time, none of which was read, and why.
func (s *Snapshot) Without(at time.Time, why string) Snapshot {
	out := Snapshot{Time: at, Readings: make([]Reading, len(s.Readings))}
	for i, r := range s.Readings {
		r.Value, r.Text, r.Provenance, r.Late = 0, "", "", 0
		r.Status, r.Reason = Unavailable, why
		out.Readings[i] = r
	}
	return out
}

// Value returns an OK reading's value.
func (s *Snapshot) Value(metric string) (float64, bool) {
	r, ok := s.Find(metric)
	return r.Value, ok && r.Status == OK && r.Text == ""
}

// Throttled returns how much the device that a run measures on was throttled; ok is false if that is not known. On a GPU it is the
// GPU's own throttling if the system reads that separately from the processor's, as Linux does.
func (s *Snapshot) Throttled(onGPU bool) (ratio float64, ok bool) {
	if onGPU {
		if _, apart := s.Find(GPUThrottling); apart {
			return s.Value(GPUThrottling)
		}
	}
	return s.Value(Throttling)
}

// Metrics that several parts of Assay use. Ratios are 0…1.
const (
	EngineFlops      = "engine.flops"             // FLOP/s over the last interval
	EngineBytes      = "engine.bandwidth"         // B/s over the last interval
	EngineLive       = "engine.live_bytes"        // B, without what the pool caches
	EngineBuffers    = "engine.live_buffers"      // the number of these buffers
	EngineWorkingSet = "engine.working_set_ratio" // allocated bytes, including cached ones, ÷ recommended working set
	PoolReuse        = "pool.reuse"               // ratio of acquires served from the pool
	PoolReuseRecent  = "pool.reuse_recent"        // the same over the last minute
	PoolStranded     = "pool.stranded_bytes"      // B
	PoolCached       = "pool.cached_bytes"        // B held for reuse
	PoolWaste        = "pool.waste"               // ratio of live bytes that were not requested
	PoolWasted       = "pool.wasted_bytes"        // B that were not requested
	QueueDepth       = "engine.queue_depth"       // count
	EngineDevice     = "engine.device_bytes"      // B of this process, as the device counts them

	ProcessCPU        = "process.cpu"        // ratio of one core
	ProcessShare      = "process.share"      // ratio of all cores
	ProcessRSS        = "process.rss"        // B
	ProcessFootprint  = "process.footprint"  // B that macOS charges the process with: dirty, compressed and GPU memory
	ProcessHeap       = "process.go_heap"    // B
	ProcessGoroutines = "process.goroutines" // count
	MonitorCost       = "monitor.cost"       // ratio: time that a tick took ÷ time between ticks

	HostCPU            = "host.cpu"               // ratio of all cores
	HostOthers         = "host.others"            // ratio of all cores, by other programs
	HostSteal          = "host.steal"             // ratio of all cores, by other virtual machines
	HostLoad           = "host.load"              // runnable tasks, average of 1 min
	HostMemory         = "host.memory_used"       // B
	HostMemoryFull     = "host.memory_used_ratio" // used ÷ total
	HostMemoryTotal    = "host.memory_total"      // B
	HostSwap           = "host.swap_used"         // B
	HostSwapGrowth     = "host.swap_growth"       // B/s over the last interval, negative while it shrinks
	MemoryPressure     = "host.memory_pressure"   // ratio of time some task stalled on memory, average of 10 s (Linux)
	MemoryPressureFull = "host.memory_pressure_full"
	CPUPressure        = "host.cpu_pressure"
	IOPressure         = "host.io_pressure"

	Temperature  = "host.temperature"   // °C, the hottest; one sensor is host.temperature.<label>
	ThermalState = "host.thermal_state" // nominal, fair, serious, critical
	Throttling   = "host.throttling"    // ratio: of the last interval spent throttled, or 1 − clock ÷ base clock or best clock seen
	Power        = "host.power"         // W; one domain is host.power.<domain>
)

// Metrics that are available only on macOS.
const (
	MemoryPressureLevel  = "host.memory_pressure_level" // normal, warning, critical
	HostMemoryFree       = "host.memory_free_ratio"     // the kernel's own share of memory that is still available
	HostMemoryCompressed = "host.memory_compressed"     // B used by the compressor
	ThermalPressure      = "host.thermal_pressure"      // nominal, moderate, heavy, trapping, sleeping

	TemperatureCPU = Temperature + ".cpu" // °C, the hottest sensor of the processor's cores
	PowerCPU       = Power + ".cpu"       // W
	PowerGPUSRAM   = Power + ".gpu_sram"
	PowerANE       = Power + ".ane"
	PowerDRAM      = Power + ".dram"
	PowerSoC       = Power + ".soc" // CPU, GPU, neural engine and memory together
)

// ok returns the reading with a measured value. The receiver is a template: metric, title, unit and source.
func (r Reading) ok(value float64) Reading {
	r.Value, r.Status, r.Provenance = value, OK, Measured
	return r
}

// estimated returns the reading with a value that was derived, not read.
func (r Reading) estimated(value float64) Reading {
	r = r.ok(value)
	r.Provenance = Estimated
	return r
}

// state returns the reading with a derived state.
func (r Reading) state(text State) Reading {
	r.Text, r.Status, r.Provenance = text, OK, Estimated
	return r
}

// reported returns the reading with a state that the system itself reports.
func (r Reading) reported(text State) Reading {
	r = r.state(text)
	r.Provenance = Measured
	return r
}

// unavailable returns the reading without a value, with the reason.
func (r Reading) unavailable(reason string) Reading {
	r.Status, r.Reason = Unavailable, reason
	return r
}

// failed returns the reading of a metric that should have a value.
func (r Reading) failed(reason string) Reading {
	r.Status, r.Reason = Failed, reason
	return r
}

// without returns the reading of a source that returned err. A file that is missing or not readable is not a failure.
func (r Reading) without(err error) Reading {
	var why absent
	switch {
	case errors.As(err, &why):
		return r.unavailable(string(why))
	case errors.Is(err, fs.ErrNotExist):
		return r.unavailable(r.Source + " does not exist on this system")
	case errors.Is(err, fs.ErrPermission):
		return r.unavailable("readable only by root: " + r.Source)
	case errors.Is(err, errors.ErrUnsupported):
		return r.unavailable("the kernel does not support " + r.Source)
	}
	return r.failed(err.Error())
}

// absent is the error for something that this system does not have, worded for users.
type absent string

func (a absent) Error() string { return string(a) }

// Reasons that several sources use.
const (
	needsTwo = "needs two samples"
	stale    = "stale: the counter has not advanced since the last sample"
)
