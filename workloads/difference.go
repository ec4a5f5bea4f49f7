package workloads

import (
	"fmt"

	"assay/internal/stats"
)

// difference is the rule by which findings tell ways apart.
func difference() stats.Rule { return stats.Rule{Floor: stats.InTurns} }

// noDifference says that the rule finds none, of which the interval may show a little.
func noDifference(ratio stats.Interval) string {
	if ratio.Lo > 1 || ratio.Hi < 1 {
		return fmt.Sprintf("no certain difference of more than %.0f %%", 100*stats.InTurns)
	}
	return "no measurable difference"
}
