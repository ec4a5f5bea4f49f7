package advice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/monitor"
)

// reading is a rule about a metric of the machine that was beyond a limit while the run measured.
type reading struct {
	Rule
	metric string
	while  string // another metric, which must have been above `above`; empty: always
	above  float64
	limit  float64
	low    bool // the limit is a lower one
	needs  int  // readings beyond the limit, so that a moment is not advice
	saw    string
	slows  bool // the value is the share of the time that is lost
	onGPU  bool // only for runs on GPUs
}

func (c reading) rule() Rule {
	r := c.Rule
	if r.Needs == "" {
		r.Needs = "readings of " + c.metric
	}
	r.look = c.see
	return r
}

func (c *reading) see(s *Subject) []Piece {
	if c.onGPU && !s.Run.Meta.Engine.GPU {
		return nil
	}
	list, source := s.values(c.metric, c.while, c.above)
	beyond := slices.DeleteFunc(slices.Clone(list), func(v float64) bool { return (v < c.limit) != c.low })
	if len(beyond) < max(1, c.needs) {
		return nil
	}
	worst, unit, what, side, limit := slices.Max(beyond), "", "Highest", "above", "limit "
	if c.low {
		worst, what, side, limit = slices.Min(beyond), "Lowest", "below", "at least "
	}
	m, known := monitor.Lookup(c.metric)
	title := c.metric
	if known {
		unit, title = m.Unit, m.Title
	}
	shown := monitor.Format(worst, unit)
	p := Piece{
		Text: fmt.Sprintf("%s %s; %s of %d readings are %s %s.", shown, c.saw, si.Count(len(beyond)), len(list), side, monitor.Format(c.limit, unit)),
		Gain: unknownGain(),
		Evidence: []Figure{
			number(what+", "+lowered(title), worst, unit, limit+monitor.Format(c.limit, unit), monitored(source, len(list))),
			number("Mean, "+lowered(title), mean(list), unit, "", monitored(source, len(list))),
		},
	}
	if lost := mean(list); c.slows && lost > 0 && lost < 1 {
		p.Gain.Speedup.Median, p.Gain.Speedup.Lo, p.Gain.Speedup.Hi, p.Gain.Basis = 1/(1-lost), math.Inf(-1), math.Inf(1), Bound
	}
	return []Piece{p}
}

// readingRules are the rules about the machine.
func readingRules() []Rule {
	var rules []Rule
	for _, c := range readings() {
		rules = append(rules, c.rule())
	}
	return rules
}

// fullShare is the share of memory from which on it counts as full.
const fullShare = 0.9

// minReuse is the reuse that a pool should reach.
const minReuse = 0.6

func readings() []reading {
	return []reading{
		{
			Rule: Rule{
				ID: "working-set", Title: "Working set almost full", Needs: "readings of the engine’s working set",
				Do: "Reduce the batch or the context, store in a smaller format, or free what the pool keeps: beyond the working set the system pages.",
			},
			metric: monitor.EngineWorkingSet, limit: fullShare, saw: "of the working set was in use",
		},
		{
			Rule: Rule{
				ID: "memory-full", Title: "Memory almost full", Needs: "readings of memory in use",
				Do: "Quit other programs, reduce the batch, or store in a smaller format: the system swaps when memory is full.",
			},
			metric: monitor.HostMemoryFull, limit: fullShare, saw: "of the machine’s memory was in use",
		},
		{
			Rule: Rule{
				ID: "swapping", Title: "The machine swapped", Needs: "readings of swap",
				Do: "Make what runs fit into memory: quit other programs, reduce the batch, or store in a smaller format.",
			},
			metric: monitor.HostSwapGrowth, limit: 1e6, needs: 2, saw: "went to swap",
		},
		{
			Rule: Rule{
				ID: "throttled", Title: "Throttled", Needs: "readings of throttling",
				Do: "Let the machine cool down, improve its cooling or power, or measure at a lower duty; then measure again.",
			},
			metric: monitor.Throttling, limit: monitor.ThrottledShare, needs: 2, saw: "throttling: times measured then are too long", slows: true,
		},
		{
			Rule: Rule{
				ID: "gpu-throttled", Title: "GPU throttled", Needs: "readings of the GPU’s clock and what limits it",
				Do: "Let the GPU cool down, or raise its power limit; then measure again.",
			},
			metric: monitor.GPUThrottling, limit: monitor.ThrottledShare, needs: 2, onGPU: true, slows: true,
			saw: "below the GPU’s highest clock",
		},
		{
			Rule: Rule{
				ID: "not-quiet", Title: "Other programs were busy", Needs: "readings of the processor",
				Do: "Quit or pause them, then measure the disturbed cases again (assay run --again).",
			},
			metric: monitor.HostOthers, limit: monitor.QuietShare, needs: 3, saw: "of all core time went to other programs",
		},
		{
			Rule: Rule{
				ID: "pool-reuse", Title: "Low pool reuse", Needs: "readings of the buffer pool while kernels ran",
				Do: "Round sizes to classes, raise the pool’s capacity or budget, or prewarm it.",
			},
			metric: monitor.PoolReuseRecent, while: monitor.EngineBytes, limit: minReuse, low: true, needs: 3, saw: "of the buffers came from the pool",
		},
		{
			Rule: Rule{
				ID: "pool-stranded", Title: "Memory stranded in the pool", Needs: "readings of the buffer pool",
				Do: "Shrink the pool to fit, or clear the size classes that nothing requests.",
			},
			metric: monitor.PoolStranded, limit: 100e6, needs: 3, saw: "is cached in sizes that nothing requests",
		},
		{
			Rule: Rule{
				ID: "pool-waste", Title: "The pool wastes memory", Needs: "readings of the buffer pool",
				Do: "Use finer size classes, or request sizes that are multiples of them.",
			},
			metric: monitor.PoolWaste, while: monitor.PoolWasted, above: 1e6, limit: 0.05, needs: 3, saw: "of live bytes is lost to rounding up",
		},
	}
}

// lowered is a title inside of a line; what is written in capitals stays.
func lowered(title string) string {
	if len(title) > 1 && title[1] >= 'A' && title[1] <= 'Z' {
		return title
	}
	return strings.ToLower(title[:1]) + title[1:]
}
