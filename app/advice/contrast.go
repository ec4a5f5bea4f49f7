package advice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// matters is the speedup from which on a difference is worth advice: a smaller one is lost in what else differs.
const matters = 1.05

// contrast is a rule about two ways of doing the same that a run measured beside each other: one is certainly faster.
type contrast struct {
	Rule
	workload           string            // empty: any
	where              map[string]string // settings that a case must have; nil: any
	axis               string            // whose values the ways are; empty: variants
	slow, fast         []string
	slowWords, fastWay string // in the sentence: "separate dispatches", "one fused kernel"
	onGPU              bool   // only on GPUs
}

// contrasted is a pair of results, and how much faster the second is.
type contrasted struct {
	slow, fast *workloads.Result
	gain       stats.Interval
}

// rule is the contrast as one of the rules.
func (c contrast) rule() Rule {
	r := c.Rule
	r.look = c.see
	return r
}

// see finds the pairs, and speaks of the one with the largest gain.
func (c *contrast) see(s *Subject) []Piece {
	if c.onGPU && !s.Run.Meta.Engine.GPU {
		return nil
	}
	all := c.pairs(s)
	better := slices.DeleteFunc(slices.Clone(all), func(p contrasted) bool { return !(p.gain.Lo >= matters) || !p.gain.Bounded() })
	if len(better) == 0 {
		return nil
	}
	best := slices.MaxFunc(better, func(a, b contrasted) int {
		return int(math.Copysign(1, a.gain.Median-b.gain.Median))
	})
	text := fmt.Sprintf("%s is %s, in %s", c.fastWay, si.ChangeFrom(best.gain.Median, best.gain.Lo, best.gain.Hi, c.slowWords), best.slow.Case)
	if len(all) > 1 {
		text += fmt.Sprintf("; by 5 %% or more in %d of %d cases", len(better), len(all))
	}
	return []Piece{{
		Text: sentence(text), Gain: Gain{best.gain, Measured}, Trial: s.trial(best.slow, best.fast),
		Evidence: []Figure{
			ofResult("Time, "+best.slow.Variant, best.slow.Time(), "s", best.slow),
			ofResult("Time, "+best.fast.Variant, best.fast.Time(), "s", best.fast),
			ofResult("Speed-up", best.gain, "×", best.fast),
		},
	}}
}

// pairs are the slow ways of each case beside the fastest of the fast ones.
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

// pair reports whether two results are the ways of the contrast, and fit for a conclusion.
func (c *contrast) pair(slow, fast *workloads.Result) bool {
	return slices.Contains(c.slow, way(slow, c.axis)) && slices.Contains(c.fast, way(fast, c.axis)) &&
		has(slow, c.where) && has(fast, c.where) && fit(slow) && fit(fast)
}

// sentence is a text as one: with a capital and a period.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
