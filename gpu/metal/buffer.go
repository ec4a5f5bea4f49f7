//go:build (darwin || metalsim) && cgo

package metal

import (
	"unsafe"

	"assay/gpu"
	"assay/gpu/enginekit"
)

// buffer implements gpu.Buffer. If a command buffer never ends, Metal keeps its memory.
type buffer struct {
	enginekit.Buffer
	engine *engine
	memory memory
}

// NewBuffer allocates on the device. Private memory is rounded up to whole words because blits require it.
func (e *engine) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	return e.addBuffer(bytes, storage, label, func() (memory, error) {
		_, room := window(0, bytes)
		return e.device.newMemory(room, storage == gpu.Private, label)
	})
}

// Wrap makes a buffer from the caller's pages. Metal calls done; a command buffer that hangs delays the call until it ends.
func (e *engine) Wrap(mem []byte, label string, done func()) (gpu.Buffer, error) {
	if err := enginekit.CheckPages(mem, label); err != nil {
		return nil, err
	}
	if done == nil {
		done = func() {}
	}
	return e.addBuffer(len(mem), gpu.Shared, label, func() (memory, error) {
		return e.device.wrapMemory(mem, label, done)
	})
}

// addBuffer registers a buffer and lets create make its memory.
func (e *engine) addBuffer(bytes int, storage gpu.Storage, label string, create func() (memory, error)) (gpu.Buffer, error) {
	if err := e.enter("allocate", label); err != nil {
		return nil, err
	}
	defer e.leave()
	b := &buffer{engine: e}
	request := enginekit.Request{Bytes: bytes, Storage: storage, Label: label, Limit: e.info.MaxBuffer}
	admit := func(live gpu.Memory) error { return e.admit(bytes, label, live) }
	var refused error
	err := e.buffers.Allocate(&b.Buffer, request, admit, func() (free func(), err error) {
		if b.memory, refused = create(); refused != nil {
			return nil, refused
		}
		e.resident.add(b.memory)
		return b.free, nil
	})
	switch {
	case refused != nil:
		return nil, e.noMemory(bytes, label, refused) // the buffer no longer counts
	case err != nil:
		return nil, err
	}
	return b, nil
}

// admit refuses more buffers than a process may have resources.
func (e *engine) admit(bytes int, label string, live gpu.Memory) error {
	if limit := e.caps.resourceLimit; limit > 0 && live.Buffers >= limit {
		return gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B; %d buffers are live, the system allows %d resources",
			label, bytes, live.Buffers, limit)
	}
	return nil
}

func (b *buffer) free() {
	b.engine.resident.remove(b.memory)
	b.memory.release()
}

// noMemory is the error for an allocation that failed, with how much is live and how much the device recommends.
func (e *engine) noMemory(bytes int, label string, why error) error {
	m := e.Memory()
	return gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "",
		"%q: %d B: %v; %d buffers of %d B are live, the device holds %d B for this process, %d B are its working set, "+
			"%d B the limit for one buffer", label, bytes, why, m.Buffers, m.Bytes, e.device.allocated(), e.info.WorkingSet,
		e.info.MaxBuffer)
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
func (b *buffer) bytes() []byte { return unsafe.Slice((*byte)(b.memory.contents), b.Size()) }

// Write copies src into the buffer from byte offset off on; through a staging buffer, if it is private.
func (b *buffer) Write(off int, src []byte) error {
	return b.access("write", off, len(src), func() error {
		if b.Storage() == gpu.Private {
			return b.engine.copier.upload(b, off, src)
		}
		copy(b.bytes()[off:], src)
		return nil
	})
}

// Read copies from byte offset off on into dst; through a staging buffer, if it is private.
func (b *buffer) Read(off int, dst []byte) error {
	return b.access("read", off, len(dst), func() error {
		if b.Storage() == gpu.Private {
			return b.engine.copier.download(b, off, dst)
		}
		copy(dst, b.bytes()[off:])
		return nil
	})
}

// Fill sets every byte to v.
func (b *buffer) Fill(v byte) error {
	return b.access("fill", 0, b.Size(), func() error {
		if b.Storage() == gpu.Private {
			return b.engine.copier.fill(b, v)
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
