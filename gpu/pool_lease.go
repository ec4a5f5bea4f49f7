package gpu

import "sync/atomic"

// slot is one of the engine's buffers held by a pool.
type slot struct {
	// generation advances when a lease ends, so that leases of earlier generations are known to be stale. It is written under
	// pool.mu by publish, and loaded atomically without it.
	generation uint64
	pool       *Pool
	class      *class
	buffer     Buffer

	prev, next *slot  // in Pool.live or Pool.cached; guarded by pool.mu, like the fields below
	id         uint64 // of the lease; unique in the pool
	requested  int
	label      string
	since      uint64 // ticks
	site       site
	number     uint64 // of the buffer, in the pool's log
}

// Lease is a buffer acquired from a Pool. It is a Buffer of the requested size; copies of it are the same
// lease. After Release, every method but Size and Storage fails with ErrReleased, even if the memory is in use again.
type Lease struct {
	slot       *slot
	generation uint64
	size       int
}

var (
	_ Buffer  = Lease{}
	_ Wrapper = Lease{}
)

// Size returns the number of bytes requested.
func (l Lease) Size() int { return l.size }

// Storage returns the pool's storage mode.
func (l Lease) Storage() Storage {
	if l.slot == nil {
		return Shared
	}
	return l.slot.pool.storage
}

// Unwrap returns the engine's buffer, which may be larger than the lease.
func (l Lease) Unwrap() (Buffer, error) { return l.buffer("use") }

func (l Lease) buffer(op string) (Buffer, error) {
	if l.slot == nil || atomic.LoadUint64(&l.slot.generation) != l.generation {
		return nil, l.stale(op)
	}
	return l.slot.buffer, nil
}

func (l Lease) stale(op string) error { return Errorf(ErrReleased, op, "", "a lease of %d B", l.size) }

// Write copies src into the lease from byte offset off.
func (l Lease) Write(off int, src []byte) error {
	b, err := l.span("write", off, len(src))
	if err != nil {
		return err
	}
	return b.Write(off, src)
}

// Read copies from byte offset off into dst.
func (l Lease) Read(off int, dst []byte) error {
	b, err := l.span("read", off, len(dst))
	if err != nil {
		return err
	}
	return b.Read(off, dst)
}

func (l Lease) span(op string, off, n int) (Buffer, error) {
	b, err := l.buffer(op)
	if err != nil {
		return nil, err
	}
	return b, CheckRange(op, off, n, l.size)
}

// Fill sets every byte.
func (l Lease) Fill(v byte) error {
	b, err := l.buffer("fill")
	if err != nil {
		return err
	}
	return b.Fill(v)
}

// Bytes returns the lease's memory if the host can see it, and otherwise nil.
func (l Lease) Bytes() []byte {
	b, err := l.buffer("see")
	if err != nil {
		return nil
	}
	mem := b.Bytes()
	if mem == nil {
		return nil
	}
	return mem[:l.size:l.size]
}

// Release returns the buffer to the pool, or to the engine if the pool has no room for it.
func (l Lease) Release() error {
	s := l.slot
	if s == nil {
		return l.stale("release")
	}
	p := s.pool
	p.mu.Lock()
	if s.generation != l.generation {
		p.mu.Unlock()
		return l.stale("release")
	}
	victims := p.retire(s)
	p.mu.Unlock()
	if victims == nil {
		return nil
	}
	return release(victims)
}
