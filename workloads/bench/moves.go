package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// Moves is work that moves bytes without a kernel, by the host or by commands in the queue. It is verified: what arrives must equal what was
// sent.
type Moves struct {
	Sent     []byte
	To       Place                           // the destination; a buffer, if commands move them
	Host     func(ctx context.Context) error // moves them once; nil: the commands move them
	Commands []gpu.Command
	Still    bool // nothing moves: the bytes are already at the destination
}

// Place is a destination for bytes, such as a buffer.
type Place interface {
	Write(off int, src []byte) error
	Read(off int, dst []byte) error
	Fill(b byte) error
}

// Memory is the host's memory as a place.
type Memory []byte

// Write is part of Place.
func (m Memory) Write(off int, src []byte) error {
	copy(m[off:], src)
	return nil
}

// Read is part of Place.
func (m Memory) Read(off int, dst []byte) error {
	copy(dst, m[off:])
	return nil
}

// Fill is part of Place.
func (m Memory) Fill(b byte) error {
	for i := range m {
		m[i] = b
	}
	return nil
}

// Moves is the work of moving bytes. Its traffic is twice what is sent: each byte is read and written.
func (s *Scope) Moves(m Moves) (Work, error) {
	w := &moves{Moves: m, scope: s, now: s.bench.now()}
	if !m.Still {
		w.arrivals = newArrivals(s, m.Sent)
	}
	if m.Host != nil {
		return w, nil
	}
	var err error
	w.program, err = s.prepare(m.Commands...)
	return w, err
}

type moves struct {
	Moves
	scope    *Scope
	now      func() time.Time
	program  gpu.Program
	arrivals *arrivals // nil: no sample is verified
}

func (m *moves) runsAlone() bool { return m.Host != nil }

// Reps is part of Work.
func (m *moves) Reps(reps int) int { return max(1, reps) }

// MaxReps is part of Work.
func (m *moves) MaxReps() int { return maxLaunches }

// Start is part of Work.
func (m *moves) Start(ctx context.Context, reps int) (measure.Pending, error) {
	if m.Host == nil {
		b := m.scope.bench
		wait, err := b.start(ctx, b.Queue, m.program, reps)
		if err != nil {
			return nil, err
		}
		return func() (float64, error) {
			t, err := wait()
			return t.Device / float64(reps), err
		}, nil
	}
	began := m.now()
	for range reps {
		if err := m.Host(ctx); err != nil {
			return nil, err
		}
	}
	seconds := m.now().Sub(began).Seconds() / float64(reps)
	return func() (float64, error) { return seconds, nil }, nil
}

// Round is part of Verifier.
func (m *moves) Round() int { return 1 }

// Poison is part of Verifier.
func (m *moves) Poison() error { return m.To.Fill(gpu.PoisonByte) }

// Verify is part of Verifier.
func (m *moves) Verify(context.Context) (measure.Check, error) {
	got := make([]byte, len(m.Sent))
	if err := m.To.Read(0, got); err != nil {
		return measure.Check{}, err
	}
	c := measure.Check{OK: bytes.Equal(got, m.Sent), Checked: len(got), Outputs: len(got)}
	for i := range got {
		if got[i] != m.Sent[i] {
			c.Failure = fmt.Sprintf("byte %d of what arrived is %d, want %d", i, got[i], m.Sent[i])
			break
		}
	}
	return c, nil
}

// Cost is part of Costed.
func (m *moves) Cost() shaders.Cost {
	if m.Still {
		return shaders.Cost{}
	}
	return shaders.Cost{Bytes: 2 * float64(len(m.Sent))}
}

// Launches is part of Costed.
func (m *moves) Launches() int { return 0 }

// Stored returns a buffer in the given storage mode instead of the pool's; the scope releases it.
//
//go:noinline
func (s *Scope) Stored(storage gpu.Storage, bytes int, label string) (gpu.Buffer, error) {
	b, err := s.bench.Engine.NewBuffer(aligned(bytes), storage, label)
	if err == nil {
		s.owned = append(s.owned, b)
	}
	return b, err
}

// Storage returns the storage mode in which the engine’s kernels access their data fastest.
func (s *Scope) Storage() gpu.Storage { return s.bench.Engine.Info().Storage() }

// Wrapped returns host memory that the device uses in place, and its buffer, which the scope releases; ErrUnsupported if the engine cannot do that.
//
//go:noinline
func (s *Scope) Wrapped(bytes int, label string) (gpu.Buffer, []byte, error) {
	mem, free, err := pages(bytes)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.Wrap(mem, label, free)
	if err != nil {
		free()
		return nil, nil, err
	}
	s.owned = append(s.owned, b)
	return b, mem, nil
}

// Wrap makes a buffer of whole host pages; see gpu.NoCopier.
func (s *Scope) Wrap(mem []byte, label string, done func()) (gpu.Buffer, error) {
	e, can := gpu.As[gpu.NoCopier](s.bench.Engine)
	if !can {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "wrap", "", "the %s engine copies all memory of the host", s.bench.Engine.Info().Engine)
	}
	return e.Wrap(mem, label, done)
}

// Pages returns host memory in whole pages, which is freed with the scope.
func (s *Scope) Pages(bytes int) ([]byte, error) {
	mem, free, err := pages(bytes)
	if err == nil {
		s.after = append(s.after, free)
	}
	return mem, err
}

func pages(bytes int) (mem []byte, free func(), err error) {
	page := os.Getpagesize()
	mem, err = unix.Mmap(-1, 0, (bytes+page-1)/page*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%d B of pages: %w", bytes, err)
	}
	return mem, func() { _ = unix.Munmap(mem) }, nil
}
