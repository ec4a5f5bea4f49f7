package monitor

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Rule raises an alert when a metric has been at or beyond Raise for RaiseAfter, and clears it when the metric has been
// at or within Clear for ClearAfter. The gap between the thresholds and the two times are the hysteresis: a value that
// wavers at the threshold changes nothing. Raise above Clear watches for high values, Raise below Clear for low ones.
// States count as numbers: nominal and normal 0, fair and warning 1, serious 2, critical 3.
type Rule struct {
	ID         string
	Metric     string
	Severity   Severity
	Title      string
	Cause      string // what it means; the value comes before it
	Advice     string // what to do, in a plain sentence
	Raise      float64
	Clear      float64
	RaiseAfter time.Duration
	ClearAfter time.Duration
	While      string // metric that must be above zero, or the rule sees nothing wrong; empty for always
}

// Rules is what Assay watches for.
func Rules() []Rule {
	return []Rule{
		{
			ID: "memory.pressure", Metric: MemoryPressure, Severity: SeverityWarning, Title: "Memory pressure",
			Cause:  "of the time some task waits for memory; results of this run may be slow",
			Advice: "Close other programs or choose smaller sizes, and measure again what was measured meanwhile.",
			Raise:  0.10, Clear: 0.05, RaiseAfter: 3 * time.Second, ClearAfter: 10 * time.Second,
		}, {
			ID: "memory.pressure.critical", Metric: MemoryPressure, Severity: SeverityCritical,
			Title:  "Memory pressure is high",
			Cause:  "of the time some task waits for memory; stop the run or use smaller sizes",
			Advice: "Stop the run, then close other programs or choose smaller sizes.",
			Raise:  0.40, Clear: 0.20, RaiseAfter: 3 * time.Second, ClearAfter: 10 * time.Second,
		}, {
			ID: "memory.level", Metric: MemoryPressureLevel, Severity: SeverityWarning, Title: "Memory pressure",
			Cause:  "memory pressure; macOS compresses and swaps, and results of this run may be slow",
			Advice: "Close other programs or choose smaller sizes, and measure again what was measured meanwhile.",
			Raise:  1, Clear: 0, RaiseAfter: 3 * time.Second, ClearAfter: 10 * time.Second,
		}, {
			ID: "memory.level.critical", Metric: MemoryPressureLevel, Severity: SeverityCritical,
			Title:  "Memory pressure is high",
			Cause:  "memory pressure; stop the run or use smaller sizes",
			Advice: "Stop the run, then close other programs or choose smaller sizes.",
			Raise:  3, Clear: 1, RaiseAfter: time.Second, ClearAfter: 10 * time.Second,
		}, {
			ID: "memory.full", Metric: HostMemoryFull, Severity: SeverityWarning, Title: "Memory almost full",
			Cause:  "of the memory is in use; swapping may begin",
			Advice: "Close other programs, lower the memory budget, or choose smaller sizes.",
			Raise:  0.90, Clear: 0.85, RaiseAfter: 2 * time.Second, ClearAfter: 5 * time.Second,
		}, {
			ID: "swap.growth", Metric: HostSwapGrowth, Severity: SeverityWarning, Title: "Swapping",
			Cause:  "is written to swap; times of this run are not those of memory",
			Advice: "Close other programs or choose smaller sizes until nothing is swapped, and measure again.",
			Raise:  5e6, Clear: 0.5e6, RaiseAfter: 3 * time.Second, ClearAfter: 10 * time.Second,
		}, {
			ID: "thermal.serious", Metric: ThermalState, Severity: SeverityWarning, Title: "Hot",
			Cause:  "thermal state; clocks are or will soon be lowered",
			Advice: "Let the machine cool, give it air, and measure in shorter runs.",
			Raise:  2, Clear: 1, RaiseAfter: 2 * time.Second, ClearAfter: 10 * time.Second,
		}, {
			ID: "thermal.critical", Metric: ThermalState, Severity: SeverityCritical, Title: "Too hot",
			Cause:  "thermal state; let the machine cool before measuring on",
			Advice: "Stop the run and let the machine cool.",
			Raise:  3, Clear: 2, RaiseAfter: time.Second, ClearAfter: 10 * time.Second,
		}, {
			ID: "throttling", Metric: Throttling, Severity: SeverityWarning, Title: "Throttled",
			Cause:  "throttling; times measured meanwhile are too long",
			Advice: "Let the machine cool, put it on mains power, and measure again what was measured meanwhile.",
			Raise:  0.05, Clear: 0.01, RaiseAfter: 2 * time.Second, ClearAfter: 10 * time.Second,
		}, {
			ID: "pool.reuse", Metric: PoolReuseRecent, Severity: SeverityInfo, Title: "Pool hardly reused",
			Cause:  "of the buffers come from the pool; the sizes may vary too much or the pool’s budget be too small",
			Advice: "Round sizes to classes, raise the pool’s capacity or budget, or prewarm it.",
			Raise:  0.50, Clear: 0.70, RaiseAfter: 10 * time.Second, ClearAfter: 5 * time.Second, While: EngineBytes,
		}, {
			ID: "pool.stranded", Metric: PoolStranded, Severity: SeverityWarning, Title: "Stranded pool memory",
			Cause:  "lies in the pool in sizes that nobody asks for; shrink the pool to fit",
			Advice: "Shrink the pool to fit, or clear the size classes that are not used.",
			Raise:  100e6, Clear: 50e6, RaiseAfter: 10 * time.Second, ClearAfter: 5 * time.Second,
		}, {
			ID: "engine.working_set", Metric: EngineWorkingSet, Severity: SeverityWarning, Title: "Engine memory almost full",
			Cause:  "of the engine’s working set is taken; further buffers may fail or be paged out",
			Advice: "Choose smaller sizes, or shrink the pool, before more is allocated.",
			Raise:  0.90, Clear: 0.85, RaiseAfter: time.Second, ClearAfter: 5 * time.Second,
		},
	}
}

// Advice is what to do about an alert that one of the rules raised; empty for other alerts.
func Advice(id string) string {
	for _, r := range Rules() {
		if r.ID == id {
			return r.Advice
		}
	}
	return ""
}

// check says what is wrong with a rule.
func (r *Rule) check() error {
	switch {
	case r.ID == "" || r.Metric == "":
		return fmt.Errorf("alert rule %q on metric %q: both names are needed", r.ID, r.Metric)
	case r.Raise == r.Clear || math.IsNaN(r.Raise) || math.IsNaN(r.Clear):
		return fmt.Errorf("alert rule %q: raise %v and clear %v leave no hysteresis", r.ID, r.Raise, r.Clear)
	case r.RaiseAfter < 0 || r.ClearAfter < 0:
		return fmt.Errorf("alert rule %q: a negative time", r.ID)
	case r.Severity != SeverityInfo && r.Severity != SeverityWarning && r.Severity != SeverityCritical:
		return fmt.Errorf("alert rule %q: severity %q is none of info, warning, critical", r.ID, r.Severity)
	}
	return nil
}

func (r *Rule) raises(v float64) bool {
	if r.Raise > r.Clear {
		return v >= r.Raise
	}
	return v <= r.Raise
}

func (r *Rule) clears(v float64) bool {
	if r.Raise > r.Clear {
		return v <= r.Clear
	}
	return v >= r.Clear
}

// cause is the words of an alert: "93.1 % of the memory is in use; … (limit 90 %)".
func (r *Rule) cause(s *Snapshot, value float64, unit string) string {
	reading, _ := s.Find(r.Metric)
	if reading.Text != "" {
		return strings.ToUpper(reading.Text[:1]) + reading.Text[1:] + " " + r.Cause
	}
	return fmt.Sprintf("%s %s (limit %s)", Format(value, unit), r.Cause, Format(r.Raise, unit))
}
