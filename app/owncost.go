package app

import (
	"math"
	"sync/atomic"
	"time"

	"assay/gpu"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// activity counts what a session does apart from measuring.
type activity struct {
	ticks   atomic.Int64 // of the monitor
	redraws atomic.Int64 // of a window
}

// Redrawn records that a window has redrawn what changed.
func (s *Session) Redrawn() { s.activity.redraws.Add(1) }

// ownCost measures what Assay itself does while samples are taken, apart from the kernels.
type ownCost struct {
	engine   gpu.Engine              // nil: none is open
	process  func() (float64, error) // CPU time of this process, seconds
	activity *activity
	now      func() time.Time

	last ownCount
	lap  ownLap
}

// ownCount is one reading of the counters.
type ownCount struct {
	at             time.Time
	process        float64
	kernels        gpu.Worked
	ticks, redraws int64
	why            string // why the CPU time is unknown; empty: it is known
}

// ownLap is what Assay did in a lap. NaN means unknown.
type ownLap struct {
	cores, ticks, redraws float64 // ticks and redraws per second
	why                   string  // why cores is unknown
}

// What counts the CPU time, and why it may be unknown.
const (
	ownCounted   = "CPU time of the process minus that of the kernels’ threads"
	notApart     = "the timed work is the host’s own"
	ownLibrary   = "a library used its own threads"
	ownSimulated = "kernels of a simulated device run in Assay’s own threads"
	ownUntold    = "the engine does not report the CPU time of its kernels"
	ownCoarse    = "the samples took less time than the system’s thread clocks can resolve"
)

func newOwnCost(engine gpu.Engine, a *activity) *ownCost {
	return &ownCost{engine: engine, process: monitor.OwnTime, activity: a, now: time.Now}
}

// read reads the counters now.
func (o *ownCost) read() ownCount {
	c := ownCount{at: o.now(), ticks: o.activity.ticks.Load(), redraws: o.activity.redraws.Load()}
	if c.kernels, c.why = o.kernels(); c.why != "" {
		return c
	}
	var err error
	if c.process, err = o.process(); err != nil {
		c.why = err.Error()
	}
	return c
}

// kernels returns the kernels' share of the process's CPU time, or why it is unknown. Kernels on a GPU have none.
func (o *ownCost) kernels() (w gpu.Worked, why string) {
	if o.engine == nil {
		return w, "no engine is open"
	}
	if worker, ok := gpu.As[gpu.Worker](o.engine); ok {
		w, err := worker.Worked()
		if err != nil {
			return w, err.Error()
		}
		return w, ""
	}
	switch info := o.engine.Info(); {
	case info.Simulated:
		return w, ownSimulated
	case !info.GPU:
		return w, ownUntold
	}
	return w, ""
}

// next returns what Assay did since the last call.
func (o *ownCost) next() ownLap {
	before, now := o.last, o.read()
	o.last = now
	o.lap = ownLap{cores: math.NaN(), ticks: math.NaN(), redraws: math.NaN(), why: now.why}
	seconds := now.at.Sub(before.at).Seconds()
	if before.at.IsZero() || seconds <= 0 {
		return o.lap
	}
	o.lap.ticks = float64(now.ticks-before.ticks) / seconds
	o.lap.redraws = float64(now.redraws-before.redraws) / seconds
	switch {
	case now.why != "" || before.why != "":
	case now.kernels.Elsewhere != before.kernels.Elsewhere:
		o.lap.why = ownLibrary
	default:
		o.lap.cores = max(0, (now.process-before.process)-(now.kernels.Seconds-before.kernels.Seconds)) / seconds
	}
	return o.lap
}

// restart begins a new lap.
func (o *ownCost) restart() { o.last = o.read() }

// about says what was counted, or why it is unknown.
func (o *ownCost) about(known bool) string {
	switch {
	case known:
		return ownCounted
	case o.lap.why != "":
		return "not available: " + o.lap.why
	}
	return "not available: " + ownCoarse
}

// ownFactors accompany each result and never mark it as disturbed: their cost is in the times, and in those of the case's other
// variants.
func ownFactors() []factor {
	return []factor{
		condition(workloads.OwnCPU, func(m *moment) float64 { return m.own.cores }),
		condition(workloads.OwnTicks, func(m *moment) float64 { return m.own.ticks }),
		condition(workloads.OwnRedraws, func(m *moment) float64 { return m.own.redraws }),
	}
}

// tellOwn makes the results say what counted Assay's own CPU time.
func tellOwn(list []measure.Factor, o *ownCost) {
	for i := range list {
		if list[i].Name == string(workloads.OwnCPU) {
			list[i].Source, list[i].Told, list[i].Apart = string(workloads.OwnSource), o.about, "not available: "+notApart
		}
	}
}
