//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"sync"

	"assay/internal/statm"
)

// codeMemory adds up the host memory that the driver takes when it loads code. The driver keeps it for kernels that are loaded
// once, so a check for leaks has to know it.
type codeMemory struct {
	mu    sync.Mutex
	bytes int64
}

// during runs a function that may load code. Other allocations of the process in the meantime count as well.
func (c *codeMemory) during(load func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, err := statm.Own()
	load()
	after, err2 := statm.Own()
	if err == nil && err2 == nil {
		c.bytes += max(0, after-before)
	}
}

// CodeBytes returns how much the process grew while the driver loaded code.
func (e *engine) CodeBytes() int64 {
	trimHost() // memory of programs' graphs
	e.code.mu.Lock()
	defer e.code.mu.Unlock()
	return e.code.bytes
}
