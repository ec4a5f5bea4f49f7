package advice

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// matters is the smallest speedup that is worth advice: smaller ones get lost in other differences.
const matters = 1.05

// contrast is a rule about two ways of doing the same thing, measured side by side in a run: one is certainly faster.
type contrast struct {
	Rule
	workload           string            // empty: any
	where              map[string]string // settings that a case must have; nil: any
	axis               string            // the axis whose values are the ways; empty: variants
	slow, fast         []string
	slowWords, fastWay string // in the sentence: "separate dispatches", "one fused kernel"
}

// contrasted is a pair of results, and how much faster the second is.
type contrasted struct {
	slow, fast *workloads.Result
	gain       stats.Interval
}

// rule returns the contrast as one of the rules.
func (c contrast) rule() Rule {
	r := c.Rule
	r.look = c.see
	return r
}

// reply is what a run says about a contrast.
type reply struct {
	best       contrasted // the pair with the largest gain
	better, of int        // pairs in which the fast way is certainly faster, and all pairs
	lack       lack       // why there is no pair
}

// see gives advice if a pair has a certain gain.
func (c *contrast) see(s *Subject) []Piece {
	r := c.reply(s)
	if r.better == 0 {
		return nil
	}
	return []Piece{c.piece(s, &r)}
}

// reply finds the pairs of a run.
func (c *contrast) reply(s *Subject) reply {
	all := c.pairs(s)
	if len(all) == 0 {
		return reply{lack: s.lacks(c.concerns, "", "nothing was measured for it: it needs "+c.Needs)}
	}
	r := reply{of: len(all)}
	for _, p := range all {
		sure := p.gain.Lo >= matters && p.gain.Bounded()
		if sure {
			r.better++
		}
		if r.best.slow == nil || sure && r.better == 1 || sure == (r.better > 0) && p.gain.Median > r.best.gain.Median {
			r.best = p
		}
	}
	return r
}

// concerns reports whether a result belongs to one of the ways.
func (c *contrast) concerns(r *workloads.Result) bool {
	w := way(r, c.axis)
	return (c.workload == "" || r.Workload == c.workload) && has(r, c.where) && (slices.Contains(c.slow, w) || slices.Contains(c.fast, w))
}

// says describes the best pair, without a period.
func (c *contrast) says(r *reply) string {
	text := fmt.Sprintf("%s is %s, in %s", c.fastWay, si.ChangeFrom(r.best.gain.Median, r.best.gain.Lo, r.best.gain.Hi, c.slowWords), r.best.slow.Case)
	if r.of > 1 {
		text += fmt.Sprintf("; by 5 %% or more in %d of %d cases", r.better, r.of)
	}
	return text
}

// evidence returns the times of the best pair.
func (r *reply) evidence() []Figure {
	slow, fast := r.best.slow, r.best.fast
	return []Figure{
		ofResult("Time, "+slow.Variant, slow.Time(), "s", slow), ofResult("Time, "+fast.Variant, fast.Time(), "s", fast),
		ofResult("Speedup", r.best.gain, "×", fast),
	}
}

// piece returns the advice of a contrast with a certain gain.
func (c *contrast) piece(s *Subject, r *reply) Piece {
	return Piece{
		Rule: c.ID, Title: c.Title, Do: c.Do, Text: sentence(c.says(r)), Gain: Gain{r.best.gain, Measured}, Trial: s.trial(r.best.slow, r.best.fast), Evidence: r.evidence(),
	}
}

// contrastNamed returns the contrast of a rule.
func contrastNamed(id string) *contrast {
	all := contrasts()
	return &all[slices.IndexFunc(all, func(c contrast) bool { return c.ID == id })]
}

// ruleNamed returns the rule with that ID.
func ruleNamed(id string) *Rule {
	all := Rules()
	return &all[slices.IndexFunc(all, func(r Rule) bool { return r.ID == id })]
}

// pairs pairs the slow ways of each case with the fastest of the fast ones.
func (c *contrast) pairs(s *Subject) []contrasted {
	var all []contrasted
	for _, group := range s.cases(c.workload, c.axis) {
		var found *contrasted
		for _, slow := range group {
			for _, fast := range group {
				if !c.pair(slow, fast) {
					continue
				}
				p := contrasted{slow, fast, gain(slow, fast)}
				if found == nil || p.gain.Median > found.gain.Median {
					found = &p
				}
			}
		}
		if found != nil {
			all = append(all, *found)
		}
	}
	return all
}

// pair reports whether two results are the ways of the contrast and support a conclusion.
func (c *contrast) pair(slow, fast *workloads.Result) bool {
	return slices.Contains(c.slow, way(slow, c.axis)) && slices.Contains(c.fast, way(fast, c.axis)) && c.concerns(slow) && c.concerns(fast) && fit(slow) && fit(fast)
}

// sentence turns a text into a sentence: with a capital and a period.
func sentence(text string) string {
	return plain.Capitalized(strings.TrimSuffix(text, ".")) + "."
}
