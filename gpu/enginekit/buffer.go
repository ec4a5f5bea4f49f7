package enginekit

import (
	"os"
	"unsafe"

	"assay/gpu"
)

// Buffer is the core of an engine's buffer, which embeds it: size, storage, and a count of the users of its memory.
// Registry.Allocate makes it live.
type Buffer struct {
	counted
	registry *Registry
	size     int
	storage  gpu.Storage
	label    string
}

// Owned is an engine's own buffer.
type Owned interface {
	gpu.Buffer
	Core() *Buffer
}

// Core returns the buffer for enginekit.
func (b *Buffer) Core() *Buffer { return b }

// Size is the buffer's size in bytes.
func (b *Buffer) Size() int { return b.size }

// Storage is the storage mode of the buffer.
func (b *Buffer) Storage() gpu.Storage { return b.storage }

// Label names the buffer in errors.
func (b *Buffer) Label() string { return b.label }

// Visible reports whether the host can access the memory: it is shared and was not released.
func (b *Buffer) Visible() bool { return b.storage == gpu.Shared && b.live() }

// Access checks an operation on the n bytes at off and runs f while the memory cannot be released. The error is ErrReleased,
// ErrRange or that of f.
func (b *Buffer) Access(op string, off, n int, f func() error) error {
	if !b.retain() {
		return b.gone(op)
	}
	defer b.drop()
	if err := gpu.CheckRange(op, off, n, b.size); err != nil {
		return err
	}
	return f()
}

// Release frees the memory once nothing in flight uses it; ErrReleased if it was called before.
func (b *Buffer) Release() error {
	if !b.release() {
		return b.gone("release")
	}
	return nil
}

func (b *Buffer) gone(op string) error {
	return gpu.Errorf(gpu.ErrReleased, op, "", "%q, %d B", b.label, b.size)
}

// CheckPages returns an error if memory to wrap is not whole pages.
func CheckPages(mem []byte, label string) error {
	return checkPages(uintptr(unsafe.Pointer(unsafe.SliceData(mem))), len(mem), os.Getpagesize(), label)
}

func checkPages(address uintptr, bytes, page int, label string) error {
	if bytes < 1 || bytes%page != 0 || address%uintptr(page) != 0 {
		return gpu.Errorf(gpu.ErrInvalid, "wrap", "", "%q: %d B at 0x%x, want whole pages of %d B", label, bytes, address, page)
	}
	return nil
}

// FillBytes sets every byte of mem to v.
func FillBytes(mem []byte, v byte) {
	if len(mem) == 0 {
		return
	}
	mem[0] = v
	for done := 1; done < len(mem); done *= 2 {
		copy(mem[done:], mem[:done])
	}
}

// Bindings are the buffers that work uses until it has ended.
type Bindings struct {
	list   []*Buffer
	leases []gpu.Wrapper
}

// Bind finds the engine's own buffer of b and retains its memory until h is dropped. The error is ErrInvalid for buffers of
// another registry and ErrReleased for released ones.
func Bind[B Owned](h *Bindings, r *Registry, b gpu.Buffer) (own B, err error) {
	inner, err := gpu.Resolve(b)
	if err != nil {
		return own, err
	}
	own, ok := inner.(B)
	if !ok || own.Core().registry != r {
		return own, gpu.Errorf(gpu.ErrInvalid, "bind", "", "the buffer belongs to another engine")
	}
	core := own.Core()
	if !core.retain() {
		return own, core.gone("bind")
	}
	h.list = append(h.list, core)
	if lease, ok := b.(gpu.Wrapper); ok {
		h.leases = append(h.leases, lease)
	}
	return own, nil
}

// Drop releases all buffers.
func (h *Bindings) Drop() {
	for _, b := range h.list {
		b.drop()
	}
	h.list, h.leases = nil, nil
}

// current returns nil if all leases are still valid.
func (h *Bindings) current() error {
	for _, l := range h.leases {
		if _, err := l.Unwrap(); err != nil {
			return err
		}
	}
	return nil
}
