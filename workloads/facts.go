package workloads

import (
	"math"
	"slices"

	"assay/internal/stats"
)

// Kinds of findings.
const (
	KindKnee      = "knee"             // from here on all reach a part of the best
	KindBest      = "best"             // a curve without a knee is best here
	KindCrossover = "crossover"        // from here on the baseline is faster
	KindPays      = "pays throughout"  // faster than the baseline at every value
	KindPaysPart  = "pays in part"     // faster at some values, and not shown to be slower at the end
	KindNeverPays = "never pays"       // slower at every value
	KindUnclear   = "not shown to pay" // neither faster nor slower is shown
	KindSmallest  = "smallest"         // of those that are good enough
	KindFastest   = "fastest"          // of those that are good enough
	KindSteady    = "steady"           // no drift over time is shown
	KindVaries    = "varies"           // too much over time for a drift to show
	KindDrift     = "drift"            // the end of a series differs from its begin
	KindTotal     = "total"            // what all cases together take one way and the other
)

// findingKind says how findings of a kind are told and drawn.
type findingKind struct {
	name   string
	onAxis bool // its place is a value of the axis, where charts draw it; others point at their result alone
	say    func(*Finding) string
}

// findingKinds lists them all.
func findingKinds() []findingKind {
	of := func(say func(*Facts) string) func(*Finding) string {
		return func(f *Finding) string { return say(&f.Facts) }
	}
	return []findingKind{
		{name: KindKnee, onAxis: true, say: of((*Facts).knee)},
		{name: KindBest, say: of((*Facts).best)},
		{name: KindCrossover, onAxis: true, say: of((*Facts).crossover)},
		{name: KindPays, say: of((*Facts).pays)},
		{name: KindPaysPart, say: of((*Facts).paysInPart)},
		{name: KindNeverPays, say: of((*Facts).neverPays)},
		{name: KindUnclear, say: of((*Facts).unclear)},
		{name: KindSmallest, say: func(f *Finding) string { return f.Facts.smallest(f.Variant) }},
		{name: KindFastest, say: func(f *Finding) string { return f.Facts.fastest(f.Variant) }},
		{name: KindSteady, say: of((*Facts).steady)},
		{name: KindVaries, say: of((*Facts).varies)},
		{name: KindDrift, say: of((*Facts).drift)},
		{name: KindTotal, say: of((*Facts).total)},
	}
}

// kindOf describes findings of that name; nil: this version knows none.
func kindOf(name string) *findingKind {
	kinds := findingKinds()
	i := slices.IndexFunc(kinds, func(k findingKind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// Place is about where on an axis something is, and between which values measured it is known to lie. All are NaN where a
// finding is at no place.
type Place struct{ At, Lo, Hi float64 }

// nowhere is the place of findings without one.
func nowhere() Place { return Place{math.NaN(), math.NaN(), math.NaN()} }

// Extreme is the best of a curve, or one of its values that leaves something open.
type Extreme struct {
	At    float64
	Value stats.Interval
}

// Span is a part of an axis: Count of the Of values measured from From to To.
type Span struct {
	From, To  float64
	Count, Of int
}

// Subject is what a finding is about, as sentences name it.
type Subject struct {
	Name     string // "Square products in f32"
	Plural   bool
	Way      string // of doing it, where ways are compared: "one fused kernel"
	Baseline string // the way it is compared with: "separate dispatches", "f32"
	Where    string // what holds for all: "at batch 1, weights from memory"
}

// Reading is one more number at the place of a finding, such as the items per second there.
type Reading struct {
	Value stats.Interval
	Unit  string
	Per   string // "a batch"; empty: none
}

// Facts are what a finding says, as numbers in SI units. Its sentence and its marks in a chart follow from them; what
// its kind has no use for is zero.
type Facts struct {
	Subject  Subject
	Axis     Axis           // along which; without a name: none
	Place    Place          // of the knee, the best or the crossover
	Value    stats.Interval // there; of smallest and fastest the bytes and the speedup
	Best     Extreme        // of the curve
	Unit     string         // of Value and Best; empty: a ratio
	Holds    Span           // where it is faster, or how many reach the limit
	Limit    float64        // part of the best, or the wanted SNR in dB
	Doubt    *Extreme       // a value whose interval reaches over the limit; nil: none
	Quality  float64        // SNR in dB of what was chosen, or of the nearest
	Nearest  string         // the variant that comes nearest where none is good enough; empty: one is
	Shrinks  float64        // times smaller than the baseline; 0: not known
	PerItem  float64        // bits of each weight
	Readings []Reading
	Evidence []string // IDs of the results it rests on, the one that it points at first
}

// evidence lists the IDs of results.
func evidence(results ...*Result) []string {
	var out []string
	for _, r := range results {
		out = append(out, r.ID)
	}
	return out
}
