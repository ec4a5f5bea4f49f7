package gputest

import (
	"assay/gpu"
)

// fakeBuffer is memory of one Fake. data is nil once released.
type fakeBuffer struct {
	engine  *Fake
	storage gpu.Storage
	size    int
	data    []byte // guarded by engine.mu; its elements are the user's to keep apart
}

func (b *fakeBuffer) Size() int            { return b.size }
func (b *fakeBuffer) Storage() gpu.Storage { return b.storage }

// memory is the buffer's bytes, or ErrReleased.
func (b *fakeBuffer) memory(op string) ([]byte, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.data == nil {
		return nil, gpu.Errorf(gpu.ErrReleased, op, "", "a buffer of %d B", b.size)
	}
	return b.data, nil
}

// span is n bytes from off on.
func (b *fakeBuffer) span(op string, off, n int) ([]byte, error) {
	data, err := b.memory(op)
	if err != nil {
		return nil, err
	}
	if err := gpu.CheckRange(op, off, n, b.size); err != nil {
		return nil, err
	}
	return data[off : off+n], nil
}

func (b *fakeBuffer) Write(off int, src []byte) error {
	to, err := b.span("write", off, len(src))
	copy(to, src)
	return err
}

func (b *fakeBuffer) Read(off int, dst []byte) error {
	from, err := b.span("read", off, len(dst))
	copy(dst, from)
	return err
}

func (b *fakeBuffer) Fill(v byte) error {
	data, err := b.memory("fill")
	for i := range data {
		data[i] = v
	}
	return err
}

func (b *fakeBuffer) Bytes() []byte {
	if b.storage == gpu.Private {
		return nil
	}
	data, err := b.memory("see")
	if err != nil {
		return nil
	}
	return data
}

func (b *fakeBuffer) Release() error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.data == nil {
		return gpu.Errorf(gpu.ErrReleased, "release", "", "a buffer of %d B", b.size)
	}
	b.data = nil
	b.engine.bytes -= int64(b.size)
	delete(b.engine.buffers, b)
	return nil
}
