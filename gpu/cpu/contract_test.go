package cpu

import (
	"fmt"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// TestContract runs the engine contract on every instruction set of this machine.
func TestContract(t *testing.T) {
	for _, o := range settings() {
		t.Run(fmt.Sprintf("%s/%d", o.ISA, o.Threads), func(t *testing.T) {
			gputest.Contract(t, func() (gpu.Engine, error) { return OpenWith(o) })
		})
	}
}
