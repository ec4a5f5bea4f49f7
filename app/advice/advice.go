// Package advice says what could be improved in a run: rules that look at its results, readings and parameters; checklists whose items
// are decided by its figures; and flows, which measure at each step and end in a verdict. All of them are pure functions of runs.
// A rule without evidence is silent.
package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
)

// Rule is one thing that can be wrong with a run.
type Rule struct {
	ID, Title string
	Needs     string // what the run must contain for the rule to apply
	Do        string // what to do about it, in sentences
	look      func(s *Subject) []Piece
}

// Subject is the run under examination, and what else is known.
type Subject struct {
	Run       *bundle.Run
	Workloads []workloads.Workload
	// GPUs are the engines on this machine that have a GPU; nil: none, or unknown.
	GPUs []string
}

// Piece is one piece of advice: what was seen, what to do, and the gain from that.
type Piece struct {
	Rule, Title string
	Text        string // what was seen, in a sentence
	Do          string
	Evidence    []Figure // never empty
	Gain        Gain
	Trial       *Trial // measures the gain; nil: it cannot be measured by comparing two settings
}

// Figure is a figure that triggered a rule.
type Figure struct {
	What   string         // "Time, separate"
	Value  stats.Interval // NaN: it is a text
	Unit   string
	Text   string
	Limit  string // what the value is compared with, "limit 90 %"; empty: nothing
	Source string // where it comes from: "result 1.3: add+relu 1000000", "monitor, 41 readings"
	Result string // ID of the result; empty: not from a result
}

// Basis is where a gain comes from.
type Basis string

// Bases of gains.
const (
	Measured Basis = "measured in this run"
	Bound    Basis = "at most, by what was measured"
	ByBytes  Basis = "at most, by bytes" // for an alternative that was not measured
	Unknown  Basis = "not known"
)

// Gain is what following the advice should bring.
type Gain struct {
	Speedup stats.Interval // times faster; NaN: unknown
	Basis   Basis
}

// Side is one of the two settings that a trial compares.
type Side struct {
	Params          workloads.Values
	Variant, Engine string // empty: the default
}

// Trial compares a case as it is, Before, with the advice followed, After.
type Trial struct {
	Workload      string
	Before, After Side
	What          [2]string // both sides in words
}

// unknownGain is the gain of a piece of advice if nothing shows it.
func unknownGain() Gain { return Gain{stats.Unknown(), Unknown} }

// Words is the gain for people.
func (g Gain) Words() string {
	if math.IsNaN(g.Speedup.Median) {
		return string(g.Basis)
	}
	if limit, by, is := strings.Cut(string(g.Basis), ", "); is && limit == "at most" {
		return limit + " " + si.Ratio(g.Speedup.Median) + " faster, " + by
	}
	return si.Change(g.Speedup.Median, g.Speedup.Lo, g.Speedup.Hi) + ", " + string(g.Basis)
}

// Words is the figure for people: "38.3 µs (37.9–38.6)".
func (f Figure) Words() string {
	text := f.Text
	if !math.IsNaN(f.Value.Median) {
		text = monitor.Format(f.Value.Median, f.Unit)
		if f.Unit != "ratio" && f.Value.Bounded() && f.Value.Lo != f.Value.Hi {
			text = si.Range(f.Value.Median, f.Value.Lo, f.Value.Hi, f.Unit)
		}
	}
	if f.Limit != "" {
		text += " (" + f.Limit + ")"
	}
	return text
}

// number returns a figure without an interval.
func number(what string, v float64, unit, limit, source string) Figure {
	return Figure{What: what, Value: stats.Exact(v), Unit: unit, Limit: limit, Source: source}
}

// words returns a figure that is a text.
func words(what, text, source string) Figure {
	return Figure{What: what, Value: stats.Unknown(), Text: text, Source: source}
}

// ofResult returns a figure of a result. Next to figures that a disturbance does not change, such as bytes, a disturbed time says
// so.
func ofResult(what string, v stats.Interval, unit string, r *workloads.Result) Figure {
	source := "result " + r.ID + ": " + r.Case + ", " + r.Variant
	if _, disturbed := r.Disturbed(); disturbed && unit == "s" {
		source += ", disturbed"
	}
	return Figure{What: what, Value: v, Unit: unit, Source: source, Result: r.ID}
}

// LeftOut says how many results the rules ignored because they were disturbed; empty: none.
func LeftOut(r *bundle.Run) string {
	n, are := Disturbed(r), "are"
	switch {
	case n == 0:
		return ""
	case n == 1:
		are = "is"
	}
	text := fmt.Sprintf("%d of %s %s disturbed, and left out: nothing is concluded from disturbed times.", n, si.Counted(len(r.Results), "result"), are)
	if n == len(r.Results) {
		text += " Measure again on a quiet machine (assay run --again)."
	}
	return text
}

// Disturbed counts the results whose times were disturbed.
func Disturbed(r *bundle.Run) (n int) {
	for i := range r.Results {
		if _, is := r.Results[i].Disturbed(); is {
			n++
		}
	}
	return n
}

// Rules lists all rules; among equal gains, the more certain ones come first.
func Rules() []Rule {
	return slices.Concat(runRules(), readingRules(), resultRules(), contrastRules())
}

// Advise returns what the rules find in a run, the largest gain first; advice with no known gain follows, in the order of the
// rules. There is no advice on a run whose times do not count.
func Advise(s *Subject) []Piece {
	if s.Run.Meta.NotTiming() != "" {
		return nil
	}
	var all []Piece
	for _, rule := range Rules() {
		for _, p := range rule.look(s) {
			p.Rule, p.Title = rule.ID, cmp.Or(p.Title, rule.Title)
			p.Do = cmp.Or(p.Do, rule.Do)
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Piece) int { return cmp.Compare(b.Gain.order(), a.Gain.order()) })
	return all
}

// order is the sort key of gains; unknown gains come last.
func (g Gain) order() float64 {
	if math.IsNaN(g.Speedup.Median) {
		return 0
	}
	return g.Speedup.Median
}
