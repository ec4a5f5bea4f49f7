package memory

import "assay/workloads"

// Limits of a case: all of its buffers are live at once, and a repetition, which cannot be stopped, ends within seconds on the slowest
// of Apple's GPUs.
const (
	maxHeld = 8 << 30 // bytes
	maxOps  = 4e12    // FLOP
)

// limit is an amount that follows from some parameters, and the maximum for a case.
type limit struct {
	amount, most float64
	unit, of     string // "B", "of buffers"
}

// within rejects the first amount above its limit, naming the parameters that it follows from.
func within(params []string, limits ...limit) error {
	for _, l := range limits {
		if l.amount > l.most {
			return workloads.Excessive(params, l.amount, l.unit, l.of, l.most)
		}
	}
	return nil
}
