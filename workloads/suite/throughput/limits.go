package throughput

import "assay/workloads"

// Limits of a case. A dispatch takes about a tenth of a second at most on the slowest of Apple's GPUs, an M1 with 2.6 TFLOP/s and 68
// GB/s; all operands of a case, which are live at the same time, fit machines with 8 GB. A CPU takes longer for the largest, and
// has no watchdog that would end them.
const (
	maxOps    = 40e9 // for kernels that reach a sixth of the peak
	fastOps   = 2 * 4096 * 4096 * 4096
	maxBytes  = 5e9
	maxMemory = 4 << 30
)

// load is what the largest case of a run demands of a device.
type load struct {
	ops, bytes float64 // for its largest dispatch
	memory     float64 // for all of its variants
}

// within rejects a load above the limits, naming the parameters that determine it.
func (l load) within(ops float64, params ...string) error {
	switch {
	case l.ops > ops:
		return workloads.Excessive(params, l.ops, "FLOP", "per dispatch", ops)
	case l.bytes > maxBytes:
		return workloads.Excessive(params, l.bytes, "B", "per dispatch", maxBytes)
	case l.memory > maxMemory:
		return workloads.Excessive(params, l.memory, "B", "of operands", maxMemory)
	}
	return nil
}
