package memory

import "assay/workloads"

// Limits of a case: all of its buffers are there at once, and a repetition, which cannot be stopped, ends within seconds on the slowest
// of Apple's GPUs.
const (
	maxHeld = 8 << 30 // bytes
	maxOps  = 4e12    // FLOP
)

// limit is an amount that some parameters make, and the most that a case may have.
type limit struct {
	amount, most float64
	unit, of     string // "B", "of buffers"
}

// within refuses the first amount above its limit, by the parameters that it follows from.
func within(params []string, limits ...limit) error {
	for _, l := range limits {
		if l.amount > l.most {
			return workloads.Excessive(params, l.amount, l.unit, l.of, l.most)
		}
	}
	return nil
}
