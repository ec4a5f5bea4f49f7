package cpu

import (
	"fmt"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
)

// TestContract runs the engine contract on every instruction set of this machine.
func TestContract(t *testing.T) {
	for _, o := range settings() {
		t.Run(fmt.Sprintf("%s/%d", o.ISA, o.Threads), func(t *testing.T) {
			gputest.Contract(t, func() (gpu.Engine, error) { return OpenWith(o) })
		})
	}
}

// The CPU engine is what everything falls back to: it must run every kernel that is not a platform's library.
func TestSupportsAll(t *testing.T) {
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, k := range catalog.All() {
		if err := e.Supports(k); (err == nil) != (k.Impl.Library == shaders.Own) {
			t.Errorf("kernel %s of library %q: %v", k.Name, k.Impl.Library, err)
		}
	}
}
