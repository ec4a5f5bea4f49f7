package stats

// Verdict is the conclusion from the ratio of two times.
type Verdict string

// Verdicts. Same is demonstrated, not assumed: every interval lies within the insignificant difference. Unsure means that the
// intervals allow for both.
const (
	Faster Verdict = "faster"
	Slower Verdict = "slower"
	Same   Verdict = "same"
	Unsure Verdict = "unsure"
)

// Rule determines when a ratio counts as a difference, and when as none.
type Rule struct {
	// Floor is the relative difference that the comparison itself may cause, such as between runs at different times.
	Floor float64
	// Matters is the relative difference up to which times count as the same, if it is above the floor.
	Matters float64
}

// InTurns is the Floor for measurements that were interleaved. The interval of a ratio covers variation from sample to sample, but not
// what stays fixed for a whole case, such as where a kernel's commands lie in memory; and one in twenty intervals is wrong by chance.
const InTurns = 0.01

// Judge returns the verdict on ratios of the same two times, above 1 if the second is faster. All of them must agree.
func (r Rule) Judge(ratios ...Interval) Verdict {
	below, within, above := true, true, true
	same := 1 + max(r.Floor, r.Matters)
	for _, ratio := range ratios {
		if !ratio.Bounded() {
			return Unsure
		}
		below = below && ratio.Hi < 1/(1+r.Floor)
		above = above && ratio.Lo > 1+r.Floor
		within = within && ratio.Lo >= 1/same && ratio.Hi <= same
	}
	switch {
	case len(ratios) == 0:
		return Unsure
	case within:
		return Same
	case above:
		return Faster
	case below:
		return Slower
	}
	return Unsure
}
