package workloads

import (
	"math"
	"slices"

	"assay/internal/metric"
	"assay/internal/stats"
)

// Kinds of findings.
const (
	KindKnee       = "knee"             // from here on all values reach a share of the best
	KindBest       = "best"             // the best of a curve without a knee
	KindRising     = "still rising"     // the last value measured is the best
	KindNone       = "no conclusion"    // because of disturbed results or intervals that are too wide
	KindWithin     = "within limit"     // the last value whose time is within a limit
	KindAdvice     = "advice"           // which candidate to choose, and which not
	KindCrossover  = "crossover"        // from here on the baseline is faster
	KindPays       = "always faster"    // faster than the baseline at every value
	KindPaysPart   = "faster in part"   // faster at some values, and not shown to be slower at the end
	KindNeverPays  = "never faster"     // slower at every value
	KindSlowerPart = "slower in part"   // slower at some values, and faster at none
	KindUnclear    = "no gain shown"    // not shown to be faster or slower anywhere
	KindSmallest   = "smallest"         // among those that are good enough
	KindFastest    = "fastest"          // among those that are good enough
	KindThrifty    = "least energy"     // among those that are good enough
	KindExact      = "smallest error"   // among those within limits
	KindSteady     = "steady"           // no drift over time is shown
	KindVaries     = "varies"           // too noisy over time to judge drift
	KindDrift      = "drift"            // the end of a series differs from its start
	KindTotal      = "total"            // total time of all cases, one variant against the other
	KindLeaders    = "fastest by size"  // which variant is the fastest where
	KindStage      = "largest stage"    // which stage of a job takes the largest share
	KindBeside     = "beside published" // two variants on this machine, and figures published for the same work
	KindTrade      = "trade-off"        // how much of an amount a variant saves, and its cost in time
	KindNoTrade    = "nothing saved"    // of the amount, and the variant's cost in time
	KindLevels     = "levels"           // ranges of an axis on which a metric stays constant
	KindCosts      = "cost of ways"     // how much slower than the baseline each variant is, at one place
	KindShare      = "share of peak"    // of the best measured, and of the specified rate
	KindSlope      = "slope"            // the cost of one more
	KindGrowth     = "growth"           // what each step along an axis adds to an amount
	KindSettled    = "settled"          // where a search that adapts to limits settled, or that it did not
	KindFits       = "fits"             // the largest value of an axis that fits into memory
	KindConditions = "conditions"       // the machine at the end of a series, compared with the beginning
	KindAnchored   = "anchor"           // how the anchor drifted during a series
	KindSaved      = "time saved"       // the share of the baseline's time that a variant saves
	KindLost       = "time lost"        // or that it takes in addition
	KindNotSaved   = "no time saved"    // neither is shown
	KindEnough     = "enough"           // from here on a curve without noise is as good as it gets
	KindHalfSums   = "sums in f16"      // what they would lose in an output
	KindKept       = "accuracy kept"    // the smallest format whose decisions are as accurate
	KindTuned      = "tuned"            // a search found a kernel that beats the default
	KindUntuned    = "default kept"     // a search found none that does
	KindPeak       = "peak"             // the highest rate, and how much of it other variants reach
	KindRefuted    = "no longer holds"  // a later measurement contradicts the finding that was here
	KindPassed     = "control passed"   // Assay noticed what a control makes happen
	KindMissed     = "control failed"   // Assay did not notice it
	KindTarget     = "target"           // the configuration that meets a target best
	KindUndecided  = "control open"     // the control could not be carried out, or was disturbed
	KindNoted      = "noted"            // what a result shows besides its time
)

// findingKind says how findings of a kind are worded and drawn.
type findingKind struct {
	name   string
	onAxis bool // charts draw it at a value of the axis; others only point at their result
	say    func(*Finding) string
	// against says how the value at a place on the axis contradicts the finding; empty: not with certainty. nil: nothing contradicts it.
	against func(f *Facts, at float64, v stats.Interval) string
}

// findingKinds lists them all.
func findingKinds() []findingKind {
	of := func(say func(*Facts) string) func(*Finding) string {
		return func(f *Finding) string { return say(&f.Facts) }
	}
	return []findingKind{
		{name: KindKnee, onAxis: true, say: of((*Facts).knee), against: (*Facts).missed},
		{name: KindBest, say: of((*Facts).best), against: (*Facts).outdone},
		{name: KindRising, say: of((*Facts).rising)},
		{name: KindNone, say: of((*Facts).none)},
		{name: KindWithin, say: of((*Facts).within), against: (*Facts).off},
		{name: KindAdvice, say: of((*Facts).advice)},
		{name: KindCrossover, onAxis: true, say: of((*Facts).crossover), against: (*Facts).turned},
		{name: KindPays, say: of((*Facts).pays)},
		{name: KindPaysPart, say: of((*Facts).paysInPart)},
		{name: KindNeverPays, say: of((*Facts).neverPays)},
		{name: KindSlowerPart, say: of((*Facts).slowerInPart)},
		{name: KindUnclear, say: of((*Facts).unclear)},
		{name: KindSmallest, say: func(f *Finding) string { return f.Facts.smallest(f.Variant) }},
		{name: KindFastest, say: func(f *Finding) string { return f.Facts.fastest(f.Variant) }},
		{name: KindThrifty, say: func(f *Finding) string { return f.Facts.thrifty(f.Variant) }},
		{name: KindExact, say: func(f *Finding) string { return f.Facts.exact(f.Variant) }},
		{name: KindSteady, say: of((*Facts).steady)},
		{name: KindVaries, say: of((*Facts).varies)},
		{name: KindDrift, say: of((*Facts).drift)},
		{name: KindTotal, say: of((*Facts).total)},
		{name: KindLeaders, say: of((*Facts).leaders)},
		{name: KindStage, say: func(f *Finding) string { return f.Facts.stage(f.Variant) }},
		{name: KindBeside, say: of((*Facts).beside)},
		{name: KindTrade, say: of((*Facts).trade)},
		{name: KindNoTrade, say: of((*Facts).trade)},
		{name: KindLevels, say: of((*Facts).levels)},
		{name: KindCosts, say: of((*Facts).costs)},
		{name: KindShare, say: of((*Facts).share)},
		{name: KindSlope, say: of((*Facts).slope)},
		{name: KindGrowth, say: of((*Facts).growth)},
		{name: KindSettled, say: of((*Facts).settled)},
		{name: KindFits, say: of((*Facts).fits)},
		{name: KindConditions, say: of((*Facts).conditions)},
		{name: KindAnchored, say: of((*Facts).anchored)},
		{name: KindSaved, say: of((*Facts).saved)},
		{name: KindLost, say: of((*Facts).saved)},
		{name: KindNotSaved, say: of((*Facts).saved)},
		{name: KindEnough, onAxis: true, say: of((*Facts).enough)},
		{name: KindKept, say: func(f *Finding) string { return f.Facts.kept(f.Variant) }},
		{name: KindHalfSums, say: of((*Facts).halfSums)},
		{name: KindTuned, say: of((*Facts).tuned)},
		{name: KindUntuned, say: of((*Facts).untuned)},
		{name: KindTarget, say: (*Finding).targeted},
		{name: KindPeak, say: of((*Facts).peak)},
		{name: KindRefuted, say: of((*Facts).refutation)},
		{name: KindPassed, say: proven},
		{name: KindMissed, say: proven},
		{name: KindUndecided, say: proven},
		{name: KindNoted, say: of((*Facts).noted)},
	}
}

// kindOf returns the kind with that name; nil: unknown to this version.
func kindOf(name string) *findingKind {
	kinds := findingKinds()
	i := slices.IndexFunc(kinds, func(k findingKind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// Place is an estimated position on an axis and the measured values around it. All are NaN for a finding without a place.
type Place struct{ At, Lo, Hi float64 }

// nowhere is the place of findings that have none.
func nowhere() Place { return Place{math.NaN(), math.NaN(), math.NaN()} }

// Extreme is a value of a curve, such as the best, and where it is.
type Extreme struct {
	At    float64
	Value stats.Interval
}

// Span is a range of an axis: Count of the Of measured values lie between From and To.
type Span struct {
	From, To  float64
	Count, Of int
}

// Subject is what a finding is about, in the words of its sentence.
type Subject struct {
	Name     string // "Square products in f32"
	Plural   bool
	Way      string // how it is done, where variants are compared: "one fused kernel"
	Baseline string // what it is compared with: "separate dispatches", "f32"
	Where    string // common conditions: "at batch 1, weights from memory"
}

// Reading is another number at the place of a finding, such as items per second.
type Reading struct {
	Value stats.Interval
	Unit  string
	Per   string // "per batch"; empty: none
	Apart bool   // not part of the finding's value; Per then precedes it: "by counters, a dispatch takes"
}

// Facts are the numbers of a finding, in SI units. Its sentence and its marks in charts are derived from them; fields that
// its kind does not use are zero.
type Facts struct {
	Subject  Subject
	Axis     Axis             // the axis it lies along; without a name: none
	Metric   metric.Name      // the metric of Value and Best; empty: none
	Place    Place            // of the knee, the best or the crossover
	Value    stats.Interval   // at that place; for smallest and fastest, the bytes and the speedup
	Best     Extreme          // of the curve
	Unsure   []Extreme        // in a comparison: where neither variant is shown to be faster; if there is a gain, only beyond the last one
	Slower   []Extreme        // for a variant that is faster somewhere: where it is slower, other than beyond a crossover
	Compared []stats.Interval // for fastest, if there is none: the speedups of all that are good enough
	Unit     string           // of Value and Best; empty: a ratio
	Holds    Span             // where it is faster or, if nowhere, slower, or how many reach the limit
	Limit    float64          // share of the best, the wanted SNR in dB, or the time in s; for a rising curve its last step, as a ratio
	Bounds   []Bound          // of a choice, in addition to Limit
	Lack     Lack             // why there is no conclusion
	Reason   string           // for a control, what was observed; for KindNoted, what it shows; for KindFits, what the limit is other than the budget; for KindRefuted, what its value contradicts; for KindBeside, also without a conclusion, what was published, in sentences
	Judged   []Judged         // for advice and costs
	Leaders  []Leader         // for the fastest by size, and for levels, whose variant is empty
	Quality  float64          // SNR in dB of the chosen variant, or of Nearest
	Nearest  string           // the closest variant if none is good enough; for stages, those not measurably smaller than the largest; otherwise empty
	Shrinks  float64          // how many times smaller than the baseline; 0: not known
	PerItem  float64          // bits per weight
	Readings []Reading
	Partial  bool      // the variant supports only some of the sizes measured
	Left     bool      // others were measured too, but have no interval
	AtEdge   bool      // the answer may be beyond Holds.To, the largest value measured
	AtLimit  bool      // as in AtEdge, and no sweep can have a larger value
	Extend   Extension // how to extend the sweep, if the finding is at an edge that can be moved
	Evidence []string  // IDs of its results; the finding points at the first
}

// evidence lists the IDs of results.
func evidence(results ...*Result) []string {
	var out []string
	for _, r := range results {
		out = append(out, r.ID)
	}
	return out
}
