package cpu

import (
	"fmt"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// TestContract runs the engine contract on every instruction set of this machine, on one thread and on several.
func TestContract(t *testing.T) {
	for _, name := range ISAs() {
		for _, threads := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, threads), func(t *testing.T) {
				gputest.Contract(t, func() (gpu.Engine, error) { return OpenWith(Options{name, threads}) })
			})
		}
	}
}
