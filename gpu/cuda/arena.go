//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"sync"

	"assay/gpu"
)

const (
	arenaBytes = 1 << 20 // of a chunk; a larger request gets its own
)

// arena is device memory for the parameters of programs, which are small and many.
type arena struct {
	engine *engine

	mu      sync.Mutex
	current *chunk // nil: none yet
}

// chunk is filled from its start. Once nothing in it is live it is filled again, or freed if another chunk has replaced it.
type chunk struct {
	memory      memory
	bytes, used int
	live        int
}

// place is a piece of a chunk.
type place struct {
	chunk  *chunk
	offset int
}

func (p place) address() uint64 { return p.chunk.memory.address + uint64(p.offset) }

// aligned rounds up to the alignment of buffers.
func aligned(bytes int) int { return (bytes + gpu.Align - 1) / gpu.Align * gpu.Align }

// take returns a place with that many bytes; give returns it.
func (a *arena) take(bytes int) (place, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	bytes = aligned(bytes)
	if a.current == nil || a.current.used+bytes > a.current.bytes {
		size := max(bytes, arenaBytes)
		m, err := a.engine.device.newMemory(size)
		if err != nil {
			return place{}, a.engine.noMemory(size, "parameters", err)
		}
		a.retire()
		a.current = &chunk{memory: m, bytes: size}
	}
	p := place{a.current, a.current.used}
	a.current.used += bytes
	a.current.live++
	return p, nil
}

// retire frees the current chunk if nothing in it is live; otherwise its last give does.
func (a *arena) retire() {
	if c := a.current; c != nil && c.live == 0 {
		a.free(c)
	}
	a.current = nil
}

func (a *arena) free(c *chunk) { a.engine.frees.add(func() { a.engine.device.free(c.memory) }) }

// give returns a place that nothing in flight uses.
func (a *arena) give(p place) {
	if p.chunk == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p.chunk.live--
	switch {
	case p.chunk.live > 0:
	case p.chunk == a.current:
		p.chunk.used = 0
	default:
		a.free(p.chunk)
	}
}

// close frees the memory; nothing in it is used any more.
func (a *arena) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retire()
}
