//go:build (darwin || metalsim) && cgo

package metal

import (
	"os"
	"sync"
	"unsafe"

	"assay/gpu"
)

// buffer implements gpu.Buffer. Its memory lives while refs > 0: its owner holds one until Release, each command
// buffer in flight and each access holds another. Metal keeps what a command buffer uses that never ends.
type buffer struct {
	engine  *engine
	memory  memory
	size    int
	storage gpu.Storage
	label   string

	mu       sync.Mutex
	refs     int
	released bool
}

// NewBuffer allocates on the device. Private memory is rounded up to whole words, which blits need.
func (e *engine) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	if storage > gpu.Private {
		return nil, gpu.Errorf(gpu.ErrInvalid, "allocate", "", "%q: storage mode %d", label, uint8(storage))
	}
	return e.addBuffer(bytes, label, func() (*buffer, error) {
		_, room := window(0, bytes)
		m, err := e.device.newMemory(room, storage == gpu.Private, label)
		return &buffer{memory: m, storage: storage}, err
	})
}

// NewBufferNoCopy makes a buffer of the caller's pages. Metal itself calls done, which a command buffer that hangs
// delays until it ends.
func (e *engine) NewBufferNoCopy(mem []byte, label string, done func()) (gpu.Buffer, error) {
	address := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	if err := checkPages(address, len(mem), os.Getpagesize(), label); err != nil {
		return nil, err
	}
	if done == nil {
		done = func() {}
	}
	return e.addBuffer(len(mem), label, func() (*buffer, error) {
		m, err := e.device.wrapMemory(mem, label, done)
		return &buffer{memory: m, storage: gpu.Shared}, err
	})
}

// addBuffer books a buffer and lets create make it.
func (e *engine) addBuffer(bytes int, label string, create func() (*buffer, error)) (gpu.Buffer, error) {
	if err := e.enter("allocate", label); err != nil {
		return nil, err
	}
	defer e.leave()
	if err := e.book(bytes, label); err != nil {
		return nil, err
	}
	b, err := create()
	if err != nil {
		e.unbook(bytes, nil)
		return nil, e.noMemory(bytes, label, err)
	}
	b.engine, b.size, b.label, b.refs = e, bytes, label, 1
	e.resident.add(b.memory)
	e.mu.Lock()
	e.buffers[b] = struct{}{}
	closed := e.closed
	e.mu.Unlock()
	if closed { // in the meantime, so that Close may not have seen the buffer
		_ = b.Release()
		return nil, gpu.Errorf(gpu.ErrClosed, "allocate", "", "%q", label)
	}
	return b, nil
}

// book counts a buffer, if there may be one more.
func (e *engine) book(bytes int, label string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := gpu.CheckSize(bytes, e.info.MaxBuffer, label); err != nil {
		return err
	}
	if limit := e.caps.ResourceLimit; limit > 0 && e.memory.Buffers >= limit {
		return gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B; %d buffers are live, the system allows %d resources",
			label, bytes, e.memory.Buffers, limit)
	}
	e.memory.Bytes += int64(bytes)
	e.memory.Buffers++
	return nil
}

// unbook takes a buffer out of the books; b is nil if it never came to be.
func (e *engine) unbook(bytes int, b *buffer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.memory.Bytes -= int64(bytes)
	e.memory.Buffers--
	delete(e.buffers, b)
}

// noMemory says what there is beside what was asked.
func (e *engine) noMemory(bytes int, label string, why error) error {
	m := e.Memory()
	return gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "",
		"%q: %d B: %v; %d buffers of %d B are live, the device holds %d B for this process, %d B are its working set, "+
			"%d B the limit for one buffer", label, bytes, why, m.Buffers, m.Bytes, e.device.allocated(), e.info.WorkingSet,
		e.info.MaxBuffer)
}

// Size is the buffer's size in bytes.
func (b *buffer) Size() int { return b.size }

// Storage is the mode the buffer was made with.
func (b *buffer) Storage() gpu.Storage { return b.storage }

// retain keeps the memory until drop, unless the owner has released it.
func (b *buffer) retain(op string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.released {
		return gpu.Errorf(gpu.ErrReleased, op, "", "%q, %d B", b.label, b.size)
	}
	b.refs++
	return nil
}

func (b *buffer) drop() {
	b.mu.Lock()
	b.refs--
	last := b.refs == 0
	b.mu.Unlock()
	if last {
		b.free()
	}
}

func (b *buffer) free() {
	b.engine.resident.remove(b.memory)
	b.memory.release()
	b.engine.unbook(b.size, b)
}

// access checks an operation on the n bytes at off and runs f while the memory is there.
func (b *buffer) access(op string, off, n int, f func() error) error {
	if err := b.retain(op); err != nil {
		return err
	}
	defer b.drop()
	if err := b.engine.enter(op, ""); err != nil {
		return err
	}
	defer b.engine.leave()
	if err := gpu.CheckRange(op, off, n, b.size); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	return f()
}

// bytes is the memory of a shared buffer.
func (b *buffer) bytes() []byte { return unsafe.Slice((*byte)(b.memory.contents), b.size) }

// Write copies src into the buffer from byte offset off on; through a staging buffer, if it is private.
func (b *buffer) Write(off int, src []byte) error {
	return b.access("write", off, len(src), func() error {
		if b.storage == gpu.Private {
			return b.engine.copier.upload(b, off, src)
		}
		copy(b.bytes()[off:], src)
		return nil
	})
}

// Read copies from byte offset off on into dst; through a staging buffer, if it is private.
func (b *buffer) Read(off int, dst []byte) error {
	return b.access("read", off, len(dst), func() error {
		if b.storage == gpu.Private {
			return b.engine.copier.download(b, off, dst)
		}
		copy(dst, b.bytes()[off:])
		return nil
	})
}

// Fill sets every byte to v.
func (b *buffer) Fill(v byte) error {
	return b.access("fill", 0, b.size, func() error {
		if b.storage == gpu.Private {
			return b.engine.copier.fill(b, v)
		}
		mem := b.bytes()
		mem[0] = v
		for done := 1; done < len(mem); done *= 2 {
			copy(mem[done:], mem[:done])
		}
		return nil
	})
}

// Bytes is the memory of a shared buffer.
func (b *buffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.released || b.storage != gpu.Shared {
		return nil
	}
	return b.bytes()
}

// Release gives the memory back once nothing in flight needs it.
func (b *buffer) Release() error {
	b.mu.Lock()
	if b.released {
		b.mu.Unlock()
		return gpu.Errorf(gpu.ErrReleased, "release", "", "%q, %d B", b.label, b.size)
	}
	b.released = true
	b.mu.Unlock()
	b.drop()
	return nil
}
