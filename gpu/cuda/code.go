//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"sync"

	"assay/internal/statm"
)

// codeMemory adds up the memory of the host that the driver takes when it loads code. It keeps that for kernels that are loaded once,
// so that a check for leaks has to know it.
type codeMemory struct {
	mu    sync.Mutex
	bytes int64
}

// during runs what may load code. What else the process allocates meanwhile counts as well.
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

// CodeBytes is how much the process grew by while the driver loaded code.
func (e *engine) CodeBytes() int64 {
	trimHost() // graphs, which programs had
	e.code.mu.Lock()
	defer e.code.mu.Unlock()
	return e.code.bytes
}
