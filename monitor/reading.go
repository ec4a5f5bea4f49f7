// Package monitor owns what the machine says: a Source reads the system, alone and timed, and yields Readings; a
// Monitor gathers the readings of all sources into a Snapshot; alert rules judge snapshots. It knows no engine and no
// workload: what the engine says reaches it as one more Source.
package monitor

import (
	"context"
	"time"
)

// Status says whether a reading has a value.
type Status string

// Statuses of a reading. Only OK readings have a value.
const (
	OK          Status = "ok"
	Unavailable Status = "unavailable" // this system does not offer it, Reason says why
	Failed      Status = "error"       // it should be there but could not be read, Reason says why
)

// Provenance says how a value came about.
type Provenance string

// Provenances of a value.
const (
	Measured  Provenance = "measured"
	Estimated Provenance = "estimated"
	Requested Provenance = "requested"
)

// Reading is one metric at one moment.
type Reading struct {
	Metric     string // stable identifier, "host.cpu"
	Title      string // for people, "Host CPU"
	Value      float64
	Text       string // set instead of Value for states: "nominal"
	Unit       string // SI unit of Value: "ratio", "B", "W", "°C", "FLOP/s"; empty for states
	Source     string // where it was read: "/proc/pressure/memory"
	Provenance Provenance
	Status     Status
	Reason     string // why there is no value, for people
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
	Cost     time.Duration // what reading all sources took
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

// Value is an OK reading's value.
func (s *Snapshot) Value(metric string) (float64, bool) {
	r, ok := s.Find(metric)
	return r.Value, ok && r.Status == OK && r.Text == ""
}

// Metrics that more than one part of Assay refers to. Ratios are 0…1.
const (
	EngineFlops    = "engine.flops"        // FLOP/s over the last interval
	EngineBytes    = "engine.bandwidth"    // B/s over the last interval
	EngineLive     = "engine.live_bytes"   // B
	EngineBuffers  = "engine.live_buffers" // count
	PoolReuse      = "pool.reuse"          // ratio of acquires served from the pool
	PoolStranded   = "pool.stranded_bytes" // B
	QueueDepth     = "engine.queue_depth"  // count
	ProcessCPU     = "process.cpu"         // ratio of one core
	ProcessRSS     = "process.rss"         // B
	ProcessHeap    = "process.go_heap"     // B
	HostCPU        = "host.cpu"            // ratio of all cores
	HostMemory     = "host.memory_used"    // B
	HostMemoryFull = "host.memory_used_ratio"
	HostSwap       = "host.swap_used"       // B
	MemoryPressure = "host.memory_pressure" // ratio of time stalled (Linux)
	Temperature    = "host.temperature"     // °C, the hottest
	ThermalState   = "host.thermal_state"   // nominal, fair, serious, critical
	Throttling     = "host.throttling"      // ratio: 1 − clock/base clock, or count
	Power          = "host.power"           // W
)
