package report

import (
	"fmt"
	"math"
	"strings"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
)

// NotComparable is the verdict of a row that cannot be compared; see Reason.
const NotComparable stats.Verdict = "not comparable"

// NoiseFloor is the smallest significant difference: the machine alone makes two runs at different times differ by
// about that much. It is larger if the half widths of the two times' intervals add up to more. If other programs took more than
// QuietShare of the processor, it is at least BusyFloor: times within it are alike, but disturbed times do not show which run is
// faster.
const (
	NoiseFloor = 0.02
	BusyFloor  = 0.1
	QuietShare = monitor.QuietShare
)

// notQuiet is why rows with the BusyFloor that differ by more are not comparable.
const notQuiet = "measured while the machine was not quiet"

// minSamples is the minimum number of samples for an interval.
const minSamples = 8

// Comparison compares a run with a baseline. Runs at different times are weaker evidence than interleaved variants
// within a run: heat, other programs and updates can affect one and not the other. Hence the wide intervals, the noise
// floor, and Differences.
type Comparison struct {
	Base, Run *bundle.Meta
	Rows      []ComparisonRow // the run's results in order, then those only in the baseline
	// Differences lists, in sentences, what differed between the runs apart from the code, and Unknown what is not
	// recorded.
	Differences, Unknown []string
	Floor                float64 // the largest of a row

	all   []workloads.Workload
	load  load           // of the whole runs
	index map[string]int // rows by the ID of the run's result
}

// ComparisonRow is a result and its counterpart in the baseline.
type ComparisonRow struct {
	Workload, Case, Variant string

	Base, Run *workloads.Result // nil if that run has none
	// Ratio is the speed relative to the baseline: the baseline's median time divided by the run's, with an interval of
	// at least 95 %. NaN if one has no time; infinite ends if the samples are too few for an interval.
	Ratio   stats.Interval
	Verdict stats.Verdict
	Reason  string // of NotComparable
	// Apart is true if only different devices or engines keep the row from a verdict: its ratio holds for those two, and says
	// nothing about the code.
	Apart bool
	// Broken is true for a result that was verified in the baseline and now is wrong or could not run.
	Broken bool

	floor float64 // see NoiseFloor
	busy  bool    // the machine was busy, or the times were disturbed otherwise
}

// Compare matches results by key. Several results with the same key are matched in order. The workloads say which
// parameters are part of a case.
func Compare(base, run *bundle.Run, all []workloads.Workload) *Comparison {
	c := &Comparison{Base: &base.Meta, Run: &run.Meta, all: all, index: map[string]int{}}
	was, is := conditionsOf(base), conditionsOf(run)
	c.Differences, c.Unknown = differences(base, run, all, was, is)
	c.load.floor, c.load.reason = disturbance(was, is)
	waiting := map[workloads.Key][]*workloads.Result{}
	for i := range base.Results {
		k := c.key(&base.Results[i])
		waiting[k] = append(waiting[k], &base.Results[i])
	}
	for i := range run.Results {
		r := &run.Results[i]
		var b *workloads.Result
		if left := waiting[c.key(r)]; len(left) > 0 {
			b, waiting[c.key(r)] = left[0], left[1:]
		}
		c.index[r.ID] = len(c.Rows)
		c.Rows = append(c.Rows, c.compare(b, r))
	}
	for i := range base.Results {
		b := &base.Results[i]
		if left := waiting[c.key(b)]; len(left) > 0 && left[0] == b {
			waiting[c.key(b)] = left[1:]
			c.Rows = append(c.Rows, c.compare(b, nil))
		}
	}
	c.Floor = NoiseFloor
	for i := range c.Rows {
		c.Floor = max(c.Floor, c.Rows[i].floor)
	}
	return c
}

// load is the noise floor of two times, and why the machine's load prevents comparing them; empty: it does not.
type load struct {
	floor  float64
	reason string
}

// loadOf returns the load while the samples of two results were taken, or that of the runs if it is not recorded.
func (c *Comparison) loadOf(base, run *workloads.Result) (l load) {
	if base == nil || run == nil {
		return load{floor: NoiseFloor}
	}
	l = c.taken(base, run)
	for _, one := range []*workloads.Result{base, run} { // by heat or memory, for instance
		if _, disturbed := one.Disturbed(); disturbed {
			l.floor = BusyFloor
		}
	}
	return l
}

// taken returns the load due to what other programs took.
func (c *Comparison) taken(base, run *workloads.Result) (l load) {
	b, r := takenOf(base), takenOf(run)
	if math.IsNaN(b) || math.IsNaN(r) {
		return c.load
	}
	l.floor, l.reason = underLoad(b, r, takeCPU)
	b, r = base.Number(workloads.OthersGPU), run.Number(workloads.OthersGPU)
	if l.reason == "" && !math.IsNaN(b) && !math.IsNaN(r) {
		floor, reason := underLoad(b, r, "other programs used the GPU")
		l = load{max(l.floor, floor), reason}
	}
	return l
}

// takenOf returns the share of the CPU that other programs and other virtual machines took while a result was measured.
func takenOf(r *workloads.Result) float64 {
	taken := r.Number(workloads.OthersCPU)
	if steal := r.Number(workloads.StealCPU); !math.IsNaN(steal) {
		taken += steal
	}
	return taken
}

func (c *Comparison) key(r *workloads.Result) workloads.Key {
	return r.Key(func(axis string) bool { return c.Base.Matches(r.Workload, axis) && c.Run.Matches(r.Workload, axis) })
}

// Row returns the row of a result of the run; nil if the comparison has none.
func (c *Comparison) Row(r *workloads.Result) *ComparisonRow {
	if i, ok := c.index[r.ID]; ok {
		return &c.Rows[i]
	}
	return nil
}

// Count returns how many rows have a verdict.
func (c *Comparison) Count(v stats.Verdict) int {
	n := 0
	for i := range c.Rows {
		if c.Rows[i].Verdict == v {
			n++
		}
	}
	return n
}

// Broken is the number of results that were verified in the baseline but no longer are.
func (c *Comparison) Broken() int {
	n := 0
	for i := range c.Rows {
		if c.Rows[i].Broken {
			n++
		}
	}
	return n
}

// Apart returns the number of rows that only the devices keep from a verdict.
func (c *Comparison) Apart() int {
	n := 0
	for i := range c.Rows {
		if c.Rows[i].Apart {
			n++
		}
	}
	return n
}

func (c *Comparison) compare(base, run *workloads.Result) ComparisonRow {
	some := run
	if some == nil {
		some = base
	}
	row := ComparisonRow{
		Workload: some.Workload, Case: some.Case, Variant: some.Variant, Base: base, Run: run, Ratio: stats.Unknown(),
	}
	load := c.loadOf(base, run)
	row.floor, row.busy = load.floor, load.doubtful(base, run)
	if base != nil && run != nil {
		row.floor = max(row.floor, spread(base)+spread(run))
		row.Ratio = ratioOf(base, run)
		row.Broken = base.Status == workloads.OK && (run.Status == workloads.Failed || run.Status == workloads.Errored)
	}
	if row.Reason = c.obstacle(base, run, load.reason); row.Reason != "" {
		row.Verdict = NotComparable
		return row
	}
	if row.Reason = c.devices(); row.Reason != "" {
		row.Verdict, row.Apart = NotComparable, true
		return row
	}
	_, fastest := stats.Apart(base.Samples, run.Samples)
	row.Verdict = stats.Rule{Floor: row.floor}.Judge(row.Ratio, fastest)
	if apart := row.Verdict == stats.Slower || row.Verdict == stats.Faster; apart && load.floor == BusyFloor {
		row.Verdict, row.Reason = NotComparable, notQuiet
	}
	return row
}

// spread is half the relative width of the interval of a time, 0 without one. What varies within a run also varies
// from run to run, and more slowly: the interval of one run does not cover that.
func spread(r *workloads.Result) float64 {
	t := r.Time()
	if !t.Bounded() || !(t.Median > 0) {
		return 0
	}
	return (t.Hi - t.Lo) / 2 / t.Median
}

// ratioOf is the ratio of the medians.
func ratioOf(base, run *workloads.Result) stats.Interval {
	if !(base.Time().Median > 0) || !(run.Time().Median > 0) {
		return stats.Unknown()
	}
	ratio, _ := stats.Apart(base.Samples, run.Samples)
	if !ratio.Bounded() {
		ratio.Lo, ratio.Hi = math.Inf(-1), math.Inf(1)
	}
	ratio.Median = base.Time().Median / run.Time().Median
	return ratio
}

// obstacle says why two results cannot be compared; empty if they can. disturbed is why the load prevents it.
func (c *Comparison) obstacle(base, run *workloads.Result, disturbed string) string {
	switch {
	case base == nil:
		return "not in the baseline"
	case run == nil:
		return "only in the baseline"
	}
	for _, side := range []struct {
		r     *workloads.Result
		where string
	}{{base, "in the baseline"}, {run, "in this run"}} {
		if side.r.Status != workloads.OK {
			return strings.ToLower(side.r.Status.Title()) + " " + side.where
		}
		if !(side.r.Time().Median > 0) {
			return "no time " + side.where
		}
	}
	if reason := c.machines(); reason != "" {
		return reason
	}
	if reason := c.otherWork(base, run); reason != "" {
		return reason
	}
	if disturbed != "" {
		return disturbed
	}
	if n := min(len(base.Samples), len(run.Samples)); n < minSamples {
		return fmt.Sprintf("too few samples: %d, want %d", n, minSamples)
	}
	return ""
}

// machines says why no results of the runs can be compared.
func (c *Comparison) machines() string {
	b, r := &c.Base.Engine, &c.Run.Engine
	switch {
	case c.Base.NotTiming() != "":
		return "the baseline was " + c.Base.NotTiming()
	case c.Run.NotTiming() != "":
		return "this run was " + c.Run.NotTiming()
	case b.Simulated || r.Simulated:
		return "simulated times are not comparable"
	}
	return ""
}

// devices says how the devices of the runs differ, or their engines; empty: they do not.
func (c *Comparison) devices() string {
	b, r := &c.Base.Engine, &c.Run.Engine
	switch {
	case b.Device != r.Device:
		return "device " + orUnknown(r.Device) + ", baseline " + orUnknown(b.Device)
	case b.Engine != r.Engine:
		return "engine " + orUnknown(r.Engine) + ", baseline " + orUnknown(b.Engine)
	}
	return ""
}

// otherWork says how the work of two results with the same key differs; empty if it does not.
func (c *Comparison) otherWork(base, run *workloads.Result) string {
	if reason := c.otherCase(base, run); reason != "" {
		return reason
	}
	for _, m := range c.Run.Metrics {
		b, r := base.Number(m.Name), run.Number(m.Name)
		if m.Work && !sameAmount(b, r) {
			return fmt.Sprintf("%s %s, baseline %s", strings.ToLower(m.Title), si.Format(r, m.Unit), si.Format(b, m.Unit))
		}
	}
	return ""
}

// otherCase lists the parameters of the case, which its name need not show, that differ: "MLP width 128, baseline 1024".
func (c *Comparison) otherCase(base, run *workloads.Result) string {
	w, err := workloads.Find(c.all, run.Workload)
	if err != nil {
		return ""
	}
	var parts []string
	for _, p := range w.CaseParams(run) {
		b, r := c.Base.Param(base, p.Name), c.Run.Param(run, p.Name)
		if b != nil && r != nil && bundle.SettingText(b) != bundle.SettingText(r) {
			parts = append(parts, fmt.Sprintf("%s %s, baseline %s", p.Title, shownSetting(r), shownSetting(b)))
		}
	}
	return strings.Join(parts, "; ")
}

// sameAmount reports whether two amounts are equal up to rounding; NaN means unknown.
func sameAmount(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}
