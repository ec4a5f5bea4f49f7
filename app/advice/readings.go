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
	timed  bool   // only readings taken while kernels ran, if that is known; else the whole run
	while  string // another metric, which must have been above `above`; empty: always
	above  float64
	limit  float64
	low    bool   // it is a lower limit
	needs  int    // minimum number of readings beyond the limit, so that one moment does not cause advice
	saw    string // after the value: "of all core time went to other programs"
	so     string // what that means, in a sentence
	slows  bool   // the value is the share of the time that is lost
	onGPU  bool   // only for runs on GPUs
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
	list, source, when := c.readings(s)
	beyond := slices.DeleteFunc(slices.Clone(list), func(v float64) bool { return (v < c.limit) != c.low })
	if len(beyond) < max(1, c.needs) {
		return nil
	}
	worst, unit, what, limit := slices.Max(beyond), "", "Highest", "limit "
	if c.low {
		worst, what, limit = slices.Min(beyond), "Lowest", "at least "
	}
	m, known := monitor.Lookup(c.metric)
	title := c.metric
	if known {
		unit, title = m.Unit, m.Title
	}
	p := Piece{
		Text: c.says(when, mean(list), worst, unit, len(beyond), len(list)),
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

// readings returns the values that the rule looks at, and when they were read, in words.
func (c *reading) readings(s *Subject) (list []float64, source, when string) {
	if c.while != "" {
		list, source = s.values(c.metric, c.while, c.above)
	} else if c.timed {
		list, source = s.values(c.metric, monitor.EngineBytes, 0)
	}
	if c.while != "" && c.while != monitor.EngineBytes {
		m, _ := monitor.Lookup(c.while)
		return list, source, "while that was more than " + monitor.Format(c.above, m.Unit)
	}
	if c.while != "" || len(list) >= max(1, c.needs) {
		return list, source, "while kernels ran"
	}
	list, source = s.values(c.metric, "", 0)
	return list, source, "over the run"
}

// says describes what was seen: the mean, and the extreme, labeled as such.
func (c *reading) says(when string, average, worst float64, unit string, beyond, of int) string {
	extreme, side := " at most", "above"
	if c.low {
		extreme, side = " at the lowest", "below"
	}
	shown := monitor.Format(worst, unit)
	text := fmt.Sprintf("On average %s %s %s (%s)", monitor.Format(average, unit), c.saw, when, shown+extreme)
	if average < 0 { // as much was returned as was taken
		text = fmt.Sprintf("At times %s %s %s", shown, c.saw, when)
	}
	return strings.TrimSpace(fmt.Sprintf("%s; %s of %s are %s %s. %s", text, si.Count(beyond), si.Counted(of, "reading"), side, monitor.Format(c.limit, unit), c.so))
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
				Do: "Make the work fit into memory: quit other programs, reduce the batch, or store in a smaller format.",
			},
			metric: monitor.HostSwapGrowth, limit: 1e6, needs: 2, saw: "went to swap",
		},
		{
			Rule: Rule{
				ID: "throttled", Title: "Throttled", Needs: "readings of throttling",
				Do: "Let the machine cool down, improve its cooling or power, or measure at a lower duty; then measure again.",
			},
			metric: monitor.Throttling, limit: monitor.ThrottledShare, needs: 2, saw: "of the speed was lost to throttling", so: "Times measured then are too long.", slows: true, timed: true,
		},
		{
			Rule: Rule{
				ID: "gpu-throttled", Title: "GPU throttled", Needs: "readings of the GPU’s clock and what limits it",
				Do: "Let the GPU cool down, or raise its power limit; then measure again.",
			},
			metric: monitor.GPUThrottling, limit: monitor.ThrottledShare, needs: 2, onGPU: true, slows: true, timed: true,
			saw: "of the GPU’s highest clock was held back", so: "Times measured then are too long.",
		},
		{
			Rule: Rule{
				ID: "not-quiet", Title: "Other programs were busy", Needs: "readings of the processor",
				Do: "Quit or pause them, then measure the disturbed cases again (assay run --again).",
			},
			metric: monitor.HostOthers, limit: monitor.QuietShare, needs: 3, timed: true, saw: "of all core time went to other programs",
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
			metric: monitor.PoolStranded, limit: 100e6, needs: 3, saw: "was cached in sizes that nothing requests",
		},
		{
			Rule: Rule{
				ID: "pool-waste", Title: "The pool wastes memory", Needs: "readings of the buffer pool",
				Do: "Use finer size classes, or request sizes that are multiples of them.",
			},
			metric: monitor.PoolWaste, while: monitor.PoolWasted, above: 1e6, limit: 0.05, needs: 3, saw: "of live bytes was lost to rounding up",
		},
	}
}

// lowered returns a title in lower case for use in a sentence; capitalized names stay.
func lowered(title string) string {
	if len(title) > 1 && title[1] >= 'A' && title[1] <= 'Z' {
		return title
	}
	return strings.ToLower(title[:1]) + title[1:]
}
