package gputest

import (
	"assay/gpu/enginekit"
)

// fakeBuffer is memory of one Fake.
type fakeBuffer struct {
	enginekit.Buffer
	data []byte // the user must not access elements concurrently
}

// Write copies src into the buffer.
func (b *fakeBuffer) Write(off int, src []byte) error {
	return b.Access("write", off, len(src), func() error {
		copy(b.data[off:], src)
		return nil
	})
}

// Read copies from the buffer into dst.
func (b *fakeBuffer) Read(off int, dst []byte) error {
	return b.Access("read", off, len(dst), func() error {
		copy(dst, b.data[off:])
		return nil
	})
}

// Fill sets every byte.
func (b *fakeBuffer) Fill(v byte) error {
	return b.Access("fill", 0, b.Size(), func() error {
		enginekit.FillBytes(b.data, v)
		return nil
	})
}

// Bytes is the memory of a shared buffer.
func (b *fakeBuffer) Bytes() []byte {
	if !b.Visible() {
		return nil
	}
	return b.data
}
