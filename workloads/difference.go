package workloads

import (
	"fmt"
	"slices"

	"assay/internal/stats"
)

// difference is the rule by which findings tell ways apart.
func difference() stats.Rule { return stats.Rule{Floor: stats.InTurns} }

// floorText says which differences the rule counts.
func floorText() string { return fmt.Sprintf("more than %.0f %%", 100*stats.InTurns) }

// noDifference says that the rule finds none, of which the intervals may show a little.
func noDifference(ratios ...stats.Interval) string {
	if slices.ContainsFunc(ratios, shown) {
		return "no certain difference of " + floorText()
	}
	return "no measurable difference"
}

// shown reports whether an interval is on one side of 1, however little.
func shown(ratio stats.Interval) bool { return ratio.Lo > 1 || ratio.Hi < 1 }

// gained reports whether one of them is above 1, however little.
func gained(list []Extreme) bool {
	return slices.ContainsFunc(list, func(e Extreme) bool { return e.Value.Lo > 1 })
}
