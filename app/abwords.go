package app

import (
	"fmt"
	"math"
	"strings"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
)

// Sentence is the verdict with its threshold: "B is FASTER than A: 1.83× faster (1.79–1.87); the whole interval is beyond the 1 % that matters."
func (r *ABResult) Sentence() string { return r.SentenceOf("A", "B") }

// SentenceOf is Sentence with names for the sides.
func (r *ABResult) SentenceOf(a, b string) string {
	change, limit := si.Change(r.Speedup.Median, r.Speedup.Lo, r.Speedup.Hi), fmt.Sprintf("%.3g %%", 100*r.Plan.Matters)
	switch r.Verdict {
	case stats.Faster:
		return fmt.Sprintf("%s is FASTER than %s: %s; the whole interval is beyond the %s that matters.", b, a, change, limit)
	case stats.Slower:
		return fmt.Sprintf("%s is SLOWER than %s: %s; the whole interval is beyond the %s that matters.", b, a, change, limit)
	case stats.Same:
		return fmt.Sprintf("%s and %s are the SAME: the interval of %s’s speed, %s to %s of %s’s, lies within ± %s.", a, b, b, si.Ratio(r.Speedup.Lo), si.Ratio(r.Speedup.Hi), a, limit)
	}
	if r.Aside >= r.Plan.Rounds && r.Rounds < r.Plan.Rounds {
		return fmt.Sprintf("UNSURE: the machine was disturbed in %s, and nothing is concluded from those.", si.Counted(r.Aside, "round"))
	}
	if r.Rounds < MinABRounds {
		return fmt.Sprintf("UNSURE: %s were undisturbed, want at least %d.", si.Counted(r.Rounds, "round"), MinABRounds)
	}
	if !r.Speedup.Bounded() {
		return fmt.Sprintf("UNSURE: %s are too few for an interval, given their spread: measure more.", si.Counted(r.Rounds, "round"))
	}
	return fmt.Sprintf("UNSURE: %s’s speed is %s to %s of %s’s, which is neither within ± %s nor beyond it.", b, si.Ratio(r.Speedup.Lo), si.Ratio(r.Speedup.Hi), a, limit)
}

// Control says that both sides were the same configuration, so that the comparison tests Assay and not them; empty: they differ.
func (r *ABResult) Control() string {
	a, b := r.First("A"), r.First("B")
	p := &r.Plan
	if b.Case == "" || r.differ || a.Case != b.Case || a.Variant != b.Variant || r.Engine[0] != r.Engine[1] || p.A.Program != p.B.Program {
		return ""
	}
	what := a.Case
	if a.Variant != "" {
		what += ", " + a.Variant
	}
	return fmt.Sprintf("A and B are the same configuration (%s): a control, whose answer must be SAME.", what)
}

// SoFar says how B compares with A over the undisturbed rounds: "B is 1.05× faster (1.01–1.09)"; empty: there is no such round
// yet, or no ratio.
func (r *ABResult) SoFar() string {
	change := si.Change(r.Speedup.Median, r.Speedup.Lo, r.Speedup.Hi)
	if r.Rounds == 0 || change == "" {
		return ""
	}
	return "B is " + change
}

// First returns the first measurement of a side, "A" or "B"; the zero value if there is none yet.
func (r *ABResult) First(side string) ABTake {
	for _, t := range r.Takes {
		if t.Side == side {
			return t
		}
	}
	return ABTake{}
}

// Time returns the median time of a side's measurements; NaN if there is none yet.
func (r *ABResult) Time(side string) float64 {
	var all []float64
	for _, t := range r.Takes {
		if t.Side == side {
			all = append(all, t.Seconds)
		}
	}
	return stats.Median(all).Median
}

// Disturbance returns the first disturbed round and what disturbed it; empty if there is none.
func (r *ABResult) Disturbance() (round int, what string) {
	for _, t := range r.Takes {
		if t.Disturbed != "" {
			return t.Round, strings.TrimPrefix(t.Disturbed, "disturbed: ")
		}
	}
	return 0, ""
}

// Compared says what was compared: "time of a repetition, in 16 rounds of A B B A, 2 disturbed".
func (r *ABResult) Compared() string {
	per := "time of a repetition"
	if r.PerOp {
		per = "time for each operation"
	}
	text := fmt.Sprintf("%s, in %s of A B B A", per, si.Counted(r.Rounds, "round"))
	if r.Aside > 0 {
		text += fmt.Sprintf(", plus %d disturbed", r.Aside)
	}
	return text
}

// ClockWords says what the clock was during the measurements.
func (r *ABResult) ClockWords() string {
	k := r.Clocks
	if math.IsNaN(k.Median) {
		for _, side := range []string{"A", "B"} {
			if r.First(side).Clock > 0 {
				return fmt.Sprintf("Clock during each measurement: only that of %s was reported, so nothing can be compared.", side)
			}
		}
		return "GPU clock during each measurement: not available, no GPU reports it."
	}
	return fmt.Sprintf("The GPU’s clock during B was %s of that during A (%s to %s by round).", si.Ratio(k.Median), si.Ratio(k.Lo), si.Ratio(k.Hi))
}

// Sentence says where the crossing is: "B is faster than A from size 700 on (between 660 and 740)."
func (r *CrossResult) Sentence() string {
	p := &r.Plan
	if r.Unsure() {
		return fmt.Sprintf("UNSURE: nothing is concluded about a crossing between %s %s and %s. %s.", p.Along, si.Count(p.From), si.Count(p.To), plain.Capitalized(r.unsureWhy()))
	}
	if !r.Found {
		return fmt.Sprintf("No crossing between %s %s and %s: %s.", p.Along, si.Count(p.From), si.Count(p.To), r.Why)
	}
	words := "B is faster than A from %s %s up (between %s and %s)."
	if r.Points[0].Speedup.Median > 1 {
		words = "B is faster than A up to %s %s (between %s and %s)."
	}
	return fmt.Sprintf(words, p.Along, si.Count(int(math.Round(r.At))), si.Count(r.Lo), si.Count(r.Hi))
}

// unsureWhy says why it is uncertain which side is faster, for each end where it is.
func (r *CrossResult) unsureWhy() string {
	n := len(r.Points)
	if n < 2 {
		return "the ends were not both measured"
	}
	var why []string
	for _, end := range []*CrossPoint{&r.Points[0], &r.Points[n-1]} {
		if !end.sure() {
			why = append(why, fmt.Sprintf("at %s: %s", si.Count(end.At), end.unsureWhy(r.Plan.Rounds)))
		}
	}
	return strings.Join(why, "; ")
}

// unsureWhy says why it is uncertain which side is faster there; wanted is how many rounds were wanted.
func (p *CrossPoint) unsureWhy(wanted int) string {
	switch {
	case p.Aside > 0 && p.Aside >= wanted:
		return fmt.Sprintf("the machine was disturbed in %s", si.Counted(p.Aside, "round"))
	case p.Rounds < MinABRounds:
		return fmt.Sprintf("%s were undisturbed, want at least %d", si.Counted(p.Rounds, "round"), MinABRounds)
	case !p.Speedup.Bounded():
		return fmt.Sprintf("%s are too few for an interval, given their spread", si.Counted(p.Rounds, "round"))
	}
	return fmt.Sprintf("the difference is too small: B’s speed is %s to %s of A’s", si.Ratio(p.Speedup.Lo), si.Ratio(p.Speedup.Hi))
}
