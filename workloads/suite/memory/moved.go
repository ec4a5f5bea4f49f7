package memory

import (
	"context"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/reduce"
	"assay/workloads/bench"
)

// upload writes to a buffer in the storage that kernels prefer, a given number of bytes at a time.
func upload(size func(m *moved) int) func(m *moved) (bench.Work, error) {
	return func(m *moved) (bench.Work, error) {
		to, err := m.Stored(m.Storage(), len(m.sent), "upload")
		if err != nil {
			return nil, err
		}
		each := min(size(m), len(m.sent))
		return m.Moves(bench.Moves{Sent: m.sent, To: to, Host: func(context.Context) error {
			for at := 0; at < len(m.sent); at += each {
				if err := to.Write(at, m.sent[at:min(at+each, len(m.sent))]); err != nil {
					return err
				}
			}
			return nil
		}})
	}
}

func readback(m *moved) (bench.Work, error) {
	from, err := m.filled(m.Storage())
	if err != nil {
		return nil, err
	}
	to := make([]byte, len(m.sent))
	return m.Moves(bench.Moves{Sent: m.sent, To: bench.Memory(to), Host: func(context.Context) error { return from.Read(0, to) }})
}

// filled returns a buffer that holds the data to send.
//
//go:noinline
func (m *moved) filled(storage gpu.Storage) (gpu.Buffer, error) {
	b, err := m.Stored(storage, len(m.sent), "data")
	if err != nil {
		return nil, err
	}
	return b, b.Write(0, m.sent)
}

// inPlace returns host memory that holds the data to send, as a buffer.
//
//go:noinline
func (m *moved) inPlace() (gpu.Buffer, error) {
	b, mem, err := m.Wrapped(len(m.sent), "host memory")
	if err == nil {
		copy(mem, m.sent)
	}
	return b, err
}

// migrate copies with a command in the queue.
func migrate(from, to gpu.Storage) func(m *moved) (bench.Work, error) {
	return func(m *moved) (bench.Work, error) {
		source, err := m.filled(from)
		if err != nil {
			return nil, err
		}
		target, err := m.Stored(to, len(m.sent), "copy")
		if err != nil {
			return nil, err
		}
		return m.Moves(bench.Moves{
			Sent: m.sent, To: target,
			Commands: []gpu.Command{gpu.Copy{From: gpu.Binding{Buffer: source}, To: gpu.Binding{Buffer: target}, Bytes: len(m.sent)}},
		})
	}
}

// wrap creates a buffer on host memory and releases it.
func wrap(m *moved) (bench.Work, error) {
	mem, err := m.Pages(len(m.sent))
	if err != nil {
		return nil, err
	}
	once := func() error {
		b, err := m.Wrap(mem, "wrapped", nil)
		if err != nil {
			return err
		}
		return b.Release()
	}
	if err := once(); err != nil {
		return nil, err
	}
	return m.Moves(bench.Moves{
		Sent: m.sent, To: &wrapping{mem, m}, Still: true, Host: func(context.Context) error { return once() },
	})
}

// wrapping is host memory that already holds the data to send. It reads them as a device would.
type wrapping struct {
	bench.Memory
	moved *moved
}

func (w *wrapping) Read(off int, dst []byte) error {
	copy(w.Memory, w.moved.sent)
	b, err := w.moved.Wrap(w.Memory, "wrapped", nil)
	if err != nil {
		return err
	}
	if err := b.Read(off, dst); err != nil {
		return err
	}
	return b.Release()
}

// streamed writes chunks alternately to two shared buffers; the queue copies one while the host writes the other.
func streamed(m *moved) (bench.Work, error) {
	to, err := m.Stored(m.Storage(), len(m.sent), "stream")
	if err != nil {
		return nil, err
	}
	w, err := m.Streamed(to, m.sent, min(m.chunk, len(m.sent)))
	if err != nil {
		return nil, err
	}
	return m.Moves(bench.Moves{Sent: m.sent, To: to, Host: w})
}

// sum returns a launch that reads an entire buffer of sent data.
//
//go:noinline
func (m *moved) sum(b gpu.Buffer) (gpu.Launch, error) {
	const parts, each = 1024, 256
	n := len(m.sent) / 4
	p := reduce.ReduceParams{N: uint32(n), Parts: uint32(max(1, min(parts, n/each)))}
	out, err := m.Buffer(shaders.F32, int(p.Parts), "out")
	if err != nil {
		return gpu.Launch{}, err
	}
	return m.Dispatch(shaders.Pick{Op: "sum", Impl: shaders.Plain, Type: shaders.F32}, nil, p, b, out)
}

// reads is a kernel on a buffer.
func reads(of func(m *moved) (gpu.Buffer, error)) func(m *moved) (bench.Work, error) {
	return func(m *moved) (bench.Work, error) {
		b, err := of(m)
		if err != nil {
			return nil, err
		}
		d, err := m.sum(b)
		if err != nil {
			return nil, err
		}
		return m.Launches([]gpu.Launch{d}), nil
	}
}

// several returns launches that read a buffer one after the other.
//
//go:noinline
func (m *moved) several(b gpu.Buffer) ([]gpu.Launch, error) {
	var list []gpu.Launch
	for range m.uses {
		d, err := m.sum(b)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// uses uploads data and has kernels read them.
func uses(m *moved) (bench.Work, error) {
	b, err := m.Stored(m.Storage(), len(m.sent), "data")
	if err != nil {
		return nil, err
	}
	launches, err := m.several(b)
	if err != nil {
		return nil, err
	}
	w, err := m.Submitted(1, launches)
	if err != nil {
		return nil, err
	}
	w.Before = func() error { return b.Write(0, m.sent) }
	return w, nil
}

func usesInPlace(m *moved) (bench.Work, error) {
	b, err := m.inPlace()
	if err != nil {
		return nil, err
	}
	launches, err := m.several(b)
	if err != nil {
		return nil, err
	}
	return m.Submitted(1, launches)
}
