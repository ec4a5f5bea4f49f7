package cpu

import (
	"unsafe"

	"assay/gpu/enginekit"
)

// buffer implements gpu.Buffer. Its storage mode only determines whether Bytes is available.
type buffer struct {
	enginekit.Buffer
	mem unsafe.Pointer // C memory
}

func (b *buffer) bytes() []byte { return unsafe.Slice((*byte)(b.mem), b.Size()) }

// Write copies src into the buffer from byte offset off on.
func (b *buffer) Write(off int, src []byte) error {
	return b.Access("write", off, len(src), func() error {
		copy(b.bytes()[off:], src)
		return nil
	})
}

// Read copies from byte offset off on into dst.
func (b *buffer) Read(off int, dst []byte) error {
	return b.Access("read", off, len(dst), func() error {
		copy(dst, b.bytes()[off:])
		return nil
	})
}

// Fill sets every byte to v.
func (b *buffer) Fill(v byte) error {
	return b.Access("fill", 0, b.Size(), func() error {
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
