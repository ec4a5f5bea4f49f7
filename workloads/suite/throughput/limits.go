package throughput

import (
	"fmt"
	"strings"

	"assay/internal/si"
	"assay/workloads"
)

// Limits of a case. A dispatch stays near a tenth of a second on the slowest of Apple's GPUs, an M1 of 2.6 TFLOP/s and 68 GB/s;
// all operands of a case, which are there at once, fit machines of 8 GB.
const (
	maxOps    = 40e9 // of kernels that reach a sixth of the peak
	fastOps   = 2 * 4096 * 4096 * 4096
	maxBytes  = 5e9
	maxMemory = 4 << 30
)

// load is what the largest case of a run asks of a device.
type load struct {
	ops, bytes float64 // of its largest dispatch
	memory     float64 // of all of its variants
}

// within refuses a load above the limits, by the parameters that it follows from.
func (l load) within(ops float64, params ...string) error {
	refuse := func(what, limit string) error {
		last := len(params) - 1
		named := "{" + params[last] + "} makes"
		if last > 0 {
			named = "{" + strings.Join(params[:last], "}, {") + "} and {" + params[last] + "} make"
		}
		return &workloads.ParamError{Params: params, Text: fmt.Sprintf("%s %s; the maximum is %s", named, what, limit)}
	}
	switch {
	case l.ops > ops:
		return refuse(si.Format(l.ops, "FLOP")+" per dispatch", si.Format(ops, "FLOP"))
	case l.bytes > maxBytes:
		return refuse(si.Bytes(l.bytes)+" per dispatch", si.Bytes(maxBytes))
	case l.memory > maxMemory:
		return refuse(si.Bytes(l.memory)+" of operands", si.Bytes(maxMemory))
	}
	return nil
}
