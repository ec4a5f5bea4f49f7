package cpu

import (
	"sync"
	"unsafe"

	"assay/gpu"
)

// buffer implements gpu.Buffer. Its memory lives while refs > 0: its owner holds one until Release, each command
// buffer in flight and each access holds another.
type buffer struct {
	engine  *engine
	size    int
	storage gpu.Storage
	label   string

	mu       sync.Mutex
	mem      unsafe.Pointer // C memory
	refs     int
	released bool
}

// Size is the buffer's size in bytes.
func (b *buffer) Size() int { return b.size }

// Storage is the mode the buffer was made with. On this engine it only decides whether Bytes is there.
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
		release(b.mem, b.size)
		b.engine.unbook(b.size, b)
	}
}

func (b *buffer) bytes() []byte { return unsafe.Slice((*byte)(b.mem), b.size) }

// access runs f on the memory of the n bytes at off.
func (b *buffer) access(op string, off, n int, f func(mem []byte)) error {
	if err := b.retain(op); err != nil {
		return err
	}
	defer b.drop()
	if err := gpu.CheckRange(op, off, n, b.size); err != nil {
		return err
	}
	f(b.bytes()[off : off+n])
	return nil
}

// Write copies src into the buffer from byte offset off on.
func (b *buffer) Write(off int, src []byte) error {
	return b.access("write", off, len(src), func(mem []byte) { copy(mem, src) })
}

// Read copies from byte offset off on into dst.
func (b *buffer) Read(off int, dst []byte) error {
	return b.access("read", off, len(dst), func(mem []byte) { copy(dst, mem) })
}

// Fill sets every byte to v.
func (b *buffer) Fill(v byte) error {
	return b.access("fill", 0, b.size, func(mem []byte) {
		mem[0] = v
		for done := 1; done < len(mem); done *= 2 {
			copy(mem[done:], mem[:done])
		}
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
