//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"sync"
	"unsafe"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// buffer implements gpu.Buffer. A private buffer is device memory; a shared one is pinned host memory, which the device accesses
// over its bus.
type buffer struct {
	enginekit.Buffer
	engine *engine
	memory memory
}

// NewBuffer allocates on the device or, for shared storage, on the host.
func (e *engine) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	if storage == gpu.Shared {
		return e.addBuffer(bytes, storage, label, func() (memory, error) { return e.device.newHostMemory(bytes) }, e.device.freeHost)
	}
	return e.addBuffer(bytes, storage, label, func() (memory, error) { return e.device.newMemory(bytes) }, e.device.free)
}

// Wrap pins the caller's pages, which the device then accesses. If the device is lost, done is never called.
func (e *engine) Wrap(mem []byte, label string, done func()) (gpu.Buffer, error) {
	if err := enginekit.CheckPages(mem, label); err != nil {
		return nil, err
	}
	free := func(m memory) {
		e.device.unwrap(m)
		if done != nil && e.Lost() == nil {
			done()
		}
	}
	return e.addBuffer(len(mem), gpu.Shared, label, func() (memory, error) { return e.device.wrapMemory(mem) }, free)
}

// addBuffer registers a buffer and lets create allocate its memory. If that fails, deferred frees run first.
func (e *engine) addBuffer(bytes int, storage gpu.Storage, label string, create func() (memory, error), free func(memory)) (gpu.Buffer, error) {
	if err := e.enter("allocate", label); err != nil {
		return nil, err
	}
	defer e.leave()
	b := &buffer{engine: e}
	request := enginekit.Request{Bytes: bytes, Storage: storage, Label: label, Limit: e.info.MaxBuffer}
	var refused error
	err := e.buffers.Allocate(&b.Buffer, request, nil, func() (func(), error) {
		b.memory, refused = create()
		if refused != nil && kindOf(refused) == gpu.ErrOutOfMemory && e.frees.now() {
			b.memory, refused = create()
		}
		if refused != nil {
			return nil, refused
		}
		return func() { e.frees.add(func() { free(b.memory) }) }, nil
	})
	switch {
	case refused != nil:
		return nil, e.noMemory(bytes, label, refused) // the buffer no longer counts
	case err != nil:
		return nil, err
	}
	return b, nil
}

// noMemory is the error for an allocation that failed, with how much is live and how much the device has left.
func (e *engine) noMemory(bytes int, label string, why error) error {
	if kindOf(why) != gpu.ErrOutOfMemory {
		return e.failed("allocate", label, why)
	}
	m := e.Memory()
	free, total, err := e.device.memory()
	if err != nil {
		return e.failed("allocate", label, err)
	}
	return gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B: %w; %d buffers of %d B are live, the device has %d B free of %d B",
		label, bytes, why, m.Buffers, m.Bytes, free, total)
}

// access checks an operation on the n bytes at off and runs f while neither the memory nor the device can be released.
func (b *buffer) access(op string, off, n int, f func() error) error {
	return b.Access(op, off, n, func() error {
		if err := b.engine.enter(op, ""); err != nil {
			return err
		}
		defer b.engine.leave()
		if n == 0 {
			return nil
		}
		return f()
	})
}

// bytes is the memory of a shared buffer.
func (b *buffer) bytes() []byte { return unsafe.Slice((*byte)(b.memory.host), b.Size()) }

// Write copies src into the buffer from byte offset off on; through a staging buffer, if it is private.
func (b *buffer) Write(off int, src []byte) error {
	return b.access("write", off, len(src), func() error {
		if b.Storage() == gpu.Private {
			return b.engine.copier.upload(b.Label(), b.memory.address+uint64(off), src)
		}
		copy(b.bytes()[off:], src)
		return nil
	})
}

// Read copies from byte offset off on into dst; through a staging buffer, if it is private.
func (b *buffer) Read(off int, dst []byte) error {
	return b.access("read", off, len(dst), func() error {
		if b.Storage() == gpu.Private {
			return b.engine.copier.download(b.Label(), b.memory.address+uint64(off), dst)
		}
		copy(dst, b.bytes()[off:])
		return nil
	})
}

// Fill sets every byte to v.
func (b *buffer) Fill(v byte) error {
	return b.access("fill", 0, b.Size(), func() error {
		if b.Storage() == gpu.Private {
			return b.engine.copier.fill(b.Label(), b.memory.address, b.Size(), v)
		}
		enginekit.FillBytes(b.bytes(), v)
		return nil
	})
}

// Bytes is the memory of a shared buffer.
func (b *buffer) Bytes() []byte {
	if !b.Visible() {
		return nil
	}
	return b.bytes()
}

// frees defers freeing memory while submissions are in flight: the driver would wait for all of them, in the middle of a
// measurement, and forever if one hangs. The zero value is ready for use.
type frees struct {
	mu       sync.Mutex
	inFlight int
	later    []func()
}

// begin and end surround a submission.
func (f *frees) begin() {
	f.mu.Lock()
	f.inFlight++
	f.mu.Unlock()
}

func (f *frees) end() {
	f.mu.Lock()
	f.inFlight--
	idle := f.inFlight == 0
	f.mu.Unlock()
	if idle {
		f.now()
	}
}

// add frees now, or once nothing is in flight.
func (f *frees) add(free func()) {
	f.mu.Lock()
	busy := f.inFlight > 0
	if busy {
		f.later = append(f.later, free)
	}
	f.mu.Unlock()
	if !busy {
		free()
	}
}

// now frees what was deferred; false if there was nothing.
func (f *frees) now() bool {
	f.mu.Lock()
	all := f.later
	f.later = nil
	f.mu.Unlock()
	for _, free := range all {
		free()
	}
	return len(all) > 0
}
