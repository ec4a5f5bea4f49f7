package enginekit

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"assay/gpu"
)

// Registry counts an engine's live buffers. The zero Registry is ready for use.
type Registry struct {
	mu     sync.Mutex
	closed bool
	memory gpu.Memory
	live   map[*Buffer]struct{}
	// live programs; closing frees those that were not released.
	programs map[*Program]struct{}
}

// Request describes a buffer to allocate.
type Request struct {
	Bytes   int
	Storage gpu.Storage
	Label   string
	Limit   int64 // for one buffer, in bytes
}

// Memory counts buffers until their memory is freed.
func (r *Registry) Memory() gpu.Memory {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.memory
}

// Allocate makes b a live buffer. It checks q, reserves its bytes, and calls create, which allocates the memory and returns
// how to free it. admit may refuse depending on what is live; its calls are serialized, and nil admits everything.
func (r *Registry) Allocate(b *Buffer, q Request, admit func(live gpu.Memory) error, create func() (free func(), err error)) error {
	if q.Storage > gpu.Private {
		return gpu.Errorf(gpu.ErrInvalid, "allocate", "", "%q: storage mode %d", q.Label, uint8(q.Storage))
	}
	if err := r.reserve(q, admit); err != nil {
		return err
	}
	free, err := create()
	if err != nil {
		r.forget(q.Bytes, nil)
		return err
	}
	b.registry, b.size, b.storage, b.label = r, q.Bytes, q.Storage, q.Label
	b.open(func() {
		free()
		r.forget(b.size, b)
	})
	if !r.add(b) { // closed meanwhile
		_ = b.Release()
		return gpu.Errorf(gpu.ErrClosed, "allocate", "", "%q", q.Label)
	}
	return nil
}

func (r *Registry) reserve(q Request, admit func(gpu.Memory) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return gpu.Errorf(gpu.ErrClosed, "allocate", "", "%q", q.Label)
	}
	if err := gpu.CheckSize(q.Bytes, q.Limit, q.Label); err != nil {
		return err
	}
	if admit != nil {
		if err := admit(r.memory); err != nil {
			return err
		}
	}
	r.memory.Bytes += int64(q.Bytes)
	r.memory.Buffers++
	return nil
}

func (r *Registry) add(b *Buffer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	if r.live == nil {
		r.live = map[*Buffer]struct{}{}
	}
	r.live[b] = struct{}{}
	return true
}

// forget stops counting a buffer; b is nil if it was never created.
func (r *Registry) forget(bytes int, b *Buffer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memory.Bytes -= int64(bytes)
	r.memory.Buffers--
	delete(r.live, b)
}

// Close refuses new buffers.
func (r *Registry) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
}

func (r *Registry) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

func (r *Registry) addProgram(p *Program) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	if r.programs == nil {
		r.programs = map[*Program]struct{}{}
	}
	r.programs[p] = struct{}{}
	return true
}

func (r *Registry) forgetProgram(p *Program) {
	r.mu.Lock()
	delete(r.programs, p)
	r.mu.Unlock()
}

// FreeLive releases the programs and buffers that their owners did not release; the error names the buffers.
func (r *Registry) FreeLive() error {
	r.mu.Lock()
	all := slices.Collect(maps.Keys(r.live))
	programs := slices.Collect(maps.Keys(r.programs))
	r.mu.Unlock()
	for _, p := range programs {
		p.release()
	}
	var labels []string
	var bytes int64
	for _, b := range all {
		if b.Release() != nil {
			continue // released by its owner already
		}
		labels = append(labels, b.label)
		bytes += int64(b.size)
	}
	return leftLive(labels, bytes)
}

// maxLabels is the maximum number of labels an error lists.
const maxLabels = 5

// leftLive is the error for closing an engine while buffers with these labels, of that many bytes in total, were live; nil if
// there were none.
func leftLive(labels []string, bytes int64) error {
	if len(labels) == 0 {
		return nil
	}
	names := slices.Clone(labels)
	for i, l := range names {
		names[i] = strconv.Quote(l)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > maxLabels {
		names = append(names[:maxLabels], "…")
	}
	return gpu.Errorf(gpu.ErrInvalid, "close", "", "%d buffers (%d B) were still live: %s", len(labels), bytes, strings.Join(names, ", "))
}
