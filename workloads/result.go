package workloads

import (
	"math"
	"slices"
	"strings"
	"time"

	"assay/internal/stats"
	"assay/workloads/measure"
)

// Status says what became of a variant.
type Status string

// Statuses of a result.
const (
	OK          Status = "ok"
	Failed      Status = "failed"      // it ran, and its outputs were wrong; it has no time
	Errored     Status = "error"       // it could not be run
	Unsupported Status = "unsupported" // the engine lacks what it needs
)

// Setting is the value of one axis in a case.
type Setting struct {
	Name  string
	Value any // int, float64 or string
}

// Result is one variant of one case. Numbers that do not apply or are not known are NaN.
type Result struct {
	Workload string
	Case     string
	Variant  string
	Settings []Setting
	Started  time.Time
	Status   Status
	Reason   string // why there is no time
	Warnings []string

	Time     stats.Interval // seconds per repetition
	Samples  []float64      // all of them, in the order taken
	Outliers int
	Reps     int // repetitions per sample
	Warmups  int // samples discarded
	Stop     measure.Stop

	Ops        float64 // arithmetic operations per repetition
	Bytes      float64 // least memory traffic per repetition
	Items      float64 // things processed per repetition; 0: not counted
	Dispatches int     // per repetition

	ErrorMax float64 // in the output's unit; see the workload for against what
	ErrorRel float64
	SNR      float64 // dB
	Cosine   float64

	Footprint float64 // bytes the compared object takes, such as quantised weights

	Baseline        string         // variant that Speedup is against
	Speedup         stats.Interval // baseline time over this time, from paired samples
	BytesSaved      float64        // of the baseline's Bytes
	DispatchesSaved int

	Mark string // kinds of the findings that point at this result: "knee", "smallest, fastest"
}

// NewResult is a Result whose numbers are all unknown.
func NewResult() Result {
	nan := math.NaN()
	unknown := stats.Unknown()
	return Result{
		Time: unknown, Speedup: unknown, Ops: nan, Bytes: nan, ErrorMax: nan, ErrorRel: nan, SNR: nan, Cosine: nan,
		Footprint: nan, BytesSaved: nan,
	}
}

// rate is amount per second, NaN where there is no time or no amount.
func (r *Result) rate(amount float64) float64 {
	if amount == 0 || !(r.Time.Median > 0) {
		return math.NaN()
	}
	return amount / r.Time.Median
}

// GFLOPS is 10⁹ operations per second at the median time.
func (r *Result) GFLOPS() float64 { return r.rate(r.Ops) / 1e9 }

// GBps is 10⁹ bytes of least traffic per second at the median time.
func (r *Result) GBps() float64 { return r.rate(r.Bytes) / 1e9 }

// ItemsPerS is items per second at the median time.
func (r *Result) ItemsPerS() float64 { return r.rate(r.Items) }

// Setting is the value of an axis, nil if the case has none of that name.
func (r *Result) Setting(name string) any {
	for _, s := range r.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return nil
}

// Quantity is a number to draw, with its interval: Lo and Hi equal Median where there is none.
func (r *Result) Quantity(q Quantity) stats.Interval {
	per := func(amount float64) stats.Interval {
		if amount == 0 {
			return stats.Unknown()
		}
		return stats.Interval{Median: amount / r.Time.Median, Lo: amount / r.Time.Hi, Hi: amount / r.Time.Lo}
	}
	exact := func(v float64) stats.Interval { return stats.Interval{Median: v, Lo: v, Hi: v} }
	switch q {
	case Time:
		return r.Time
	case Throughput:
		return per(r.Ops / 1e9)
	case Bandwidth:
		return per(r.Bytes / 1e9)
	case ItemRate:
		return per(r.Items)
	case Speedup:
		return r.Speedup
	case SNR:
		return exact(r.SNR)
	case ErrorRel:
		return exact(r.ErrorRel)
	case Footprint:
		return exact(r.Footprint)
	}
	switch v := r.Setting(string(q)).(type) {
	case int:
		return exact(float64(v))
	case float64:
		return exact(v)
	}
	return exact(math.NaN())
}

// Finding is what a workload concludes, in one sentence, pointing at the result that shows it.
type Finding struct {
	Workload string
	Kind     string // "knee", "crossover", "best"
	Case     string // empty: the whole run
	Variant  string
	Text     string
}

// Mark adds the finding's kind to the marks of the result that it points at, and reports whether there is one. A
// finding without a case is about the whole run.
func (f Finding) Mark(results []Result) bool {
	if f.Case == "" {
		return false
	}
	found := false
	for i := range results {
		r := &results[i]
		if r.Workload != f.Workload || r.Case != f.Case || r.Variant != f.Variant {
			continue
		}
		found = true
		if !slices.Contains(strings.Split(r.Mark, markSeparator), f.Kind) {
			r.Mark = strings.TrimPrefix(r.Mark+markSeparator+f.Kind, markSeparator)
		}
	}
	return found
}

const markSeparator = ", "
