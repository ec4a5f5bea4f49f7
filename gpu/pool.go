package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Mode says what the buffer of a new lease contains.
type Mode uint8

// Modes of a Pool. PoisonByte in every byte reads as NaN in f16 and f32.
const (
	ModeZero   Mode = iota // zero bytes
	ModePoison             // PoisonByte in every byte
	ModeDirty              // whatever was there before: the fastest
)

// String returns the mode's name.
func (m Mode) String() string {
	c, _ := Modes().Find(m)
	return c.Name
}

// PoisonByte is the byte that ModePoison fills with.
const PoisonByte = 0xFF

// PoolOptions are the settings of a Pool. The zero value means fine classes, 10 cached buffers each, no budget, zeroed buffers.
type PoolOptions struct {
	Policy   Policy
	Storage  Storage
	Mode     Mode
	Capacity int   // buffers cached per size class; 0: 10; negative: none
	Budget   int64 // bytes live and cached together; 0: no limit
	// StrandedAfter is the number of acquires after which the cached bytes of a class that served none of them count as stranded; 0: 256.
	StrandedAfter int
	// Log selects what TakeLog returns; the zero value: nothing.
	Log PoolLog
	// Disabled makes every Acquire allocate and every Release free, for comparison.
	Disabled bool
}

// Pool keeps released buffers of an engine for reuse. It is safe for concurrent use.
//
// A released buffer may go to the next Acquire at once, so release a lease only when the work that uses it has finished.
type Pool struct {
	engine    Engine
	policy    Policy
	storage   Storage
	disabled  bool
	stranded  int64 // PoolOptions.StrandedAfter
	maxBuffer int
	start     moment

	mu       lock
	closed   bool
	mode     Mode
	capacity int
	budget   int64
	classes  map[int]*class
	near     [nearClasses]*class // of classes, by size: see near
	dropAt   int                 // at this many classes, empty ones are dropped
	live     list
	leases   uint64   // issued so far: the ID of the last one
	marks    []mark   // owners of leases, see Own
	cached   list     // least recently used first
	pending  int64    // bytes being allocated
	helpers  []string // see AddHelper; replaced, never changed
	counters counters
	journal  journal
	logged   poolLog
}

// NewPool returns a pool on e. Close the pool before the engine.
func NewPool(e Engine, o PoolOptions) *Pool {
	p := &Pool{
		engine: e, policy: o.Policy, storage: o.Storage, disabled: o.Disabled, stranded: int64(o.StrandedAfter),
		maxBuffer: int(min(e.Info().MaxBuffer, math.MaxInt)), start: now(),
		mode: o.Mode, capacity: max(o.Capacity, 0), budget: max(o.Budget, 0), classes: map[int]*class{}, dropAt: maxEmptyClasses,
	}
	if o.Capacity == 0 {
		p.capacity = 10
	}
	if p.stranded <= 0 {
		p.stranded = 256
	}
	p.logged.set(o.Log)
	if p.disabled {
		p.policy, p.capacity = PolicyExact, 0
	}
	return p
}

// AddHelper names a package, by import path, whose functions acquire for their callers: the callers' lines become the
// sites of such leases. Those functions must not be inlined.
func (p *Pool) AddHelper(pkg string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.helpers, pkg) {
		p.helpers = append(slices.Clip(p.helpers), pkg)
	}
}

// Acquire leases a buffer of at least the given number of bytes. The label, the time and the calling line are recorded until its Release.
// It fails with ErrOutOfMemory if the budget or the engine has no room even after cached buffers were freed.
//
//go:noinline
func (p *Pool) Acquire(bytes int, label string) (Lease, error) {
	if uint(bytes-1) >= uint(p.maxBuffer) {
		return Lease{}, CheckSize(bytes, int64(p.maxBuffer), label)
	}
	// The time is read before the lock: after it the processor would wait for both, one after the other.
	granted, since := min(p.policy.class(bytes), p.maxBuffer), ticks()
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return Lease{}, Errorf(ErrClosed, "acquire", "", "%q: %d B from a closed pool", label, bytes)
	}
	c := p.class(granted)
	s := c.pop()
	if s != nil {
		p.uncache(s)
		p.counters.reuses++
		c.reuses++
	} else {
		p.mu.Unlock()
		var err error
		if s, err = p.create(c, bytes, label, p.evictAll); err != nil {
			return Lease{}, err
		}
		since = ticks() // an engine may take long
		p.mu.Lock()
		s.class = p.class(granted)
		p.counters.highWater = max(p.counters.highWater, p.held())
		p.pending -= int64(granted)
	}
	p.lend(s, bytes, label, since)
	callers(&s.site)
	l, mode := Lease{s, s.generation, bytes}, p.mode
	p.mu.Unlock()
	if mode != ModeDirty {
		return l.filled(mode)
	}
	return l, nil
}

// lend puts s into the live list, leased at that count of the processor. The caller holds p.mu.
func (p *Pool) lend(s *slot, bytes int, label string, since uint64) {
	p.leases++
	s.id, s.requested, s.label, s.since = p.leases, bytes, label, since
	p.live.pushBack(s)
	p.counters.acquires++
	c := s.class
	c.live++
	c.acquires++
	c.last = p.counters.acquires
	c.requested += int64(bytes)
	p.counters.live += int64(c.size)
	p.counters.requested += int64(bytes)
	if p.logged.leases {
		p.log(LeaseAcquired, s, since)
	}
}

// filled prepares the buffer of a new lease.
func (l Lease) filled(mode Mode) (Lease, error) {
	var b byte
	if mode == ModePoison {
		b = PoisonByte
	}
	if err := l.slot.buffer.Fill(b); err != nil {
		return Lease{}, errors.Join(err, l.Release())
	}
	return l, nil
}

// create allocates a buffer for class c and leaves its bytes in p.pending. If the engine has run out, it tries again
// after evict has freed some buffers. It must be called without p.mu.
func (p *Pool) create(c *class, bytes int, label string, evict func() int) (*slot, error) {
	if err := p.reserve(c, bytes, label); err != nil {
		return nil, err
	}
	b, err := p.engine.NewBuffer(c.size, p.storage, label)
	if errors.Is(err, ErrOutOfMemory) && evict() > 0 {
		b, err = p.engine.NewBuffer(c.size, p.storage, label)
	}
	if err == nil {
		s := &slot{pool: p, class: c, buffer: b}
		p.mu.Lock()
		p.created(s, bytes, label)
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Lock()
	p.pending -= int64(c.size)
	held := p.room()
	if errors.Is(err, ErrOutOfMemory) {
		p.journal.add(PoolRefused, ForDevice, c.size, bytes, label)
	}
	p.mu.Unlock()
	if errors.Is(err, ErrOutOfMemory) {
		return nil, Errorf(ErrOutOfMemory, "acquire", "", "%q: %d B (granted %d B), %s: %w", label, bytes, c.size, held, err)
	}
	return nil, fmt.Errorf("acquire %q: %d B: %w", label, bytes, err)
}

// reserve makes room in the budget by evicting cached buffers.
func (p *Pool) reserve(c *class, bytes int, label string) error {
	p.mu.Lock()
	size := int64(c.size)
	if p.budget > 0 && p.counters.live+p.pending+size > p.budget {
		defer p.mu.Unlock()
		p.journal.add(PoolRefused, ForBudget, c.size, bytes, label)
		return Errorf(ErrOutOfMemory, "acquire", "", "%q: %d B (granted %d B), %s", label, bytes, c.size, p.room())
	}
	p.pending += size
	victims := p.overBudget()
	p.mu.Unlock()
	_ = release(victims) // fails only if the buffer is already gone
	return nil
}

// room describes what the pool holds. The caller holds p.mu.
func (p *Pool) room() string {
	budget := "no budget"
	if p.budget > 0 {
		budget = fmt.Sprintf("budget %d B", p.budget)
	}
	return fmt.Sprintf("live %d B, cached %d B, %s", p.counters.live, p.counters.cached, budget)
}

// held returns how much of the engine's memory the pool holds, in bytes. The caller holds p.mu.
func (p *Pool) held() int64 { return p.counters.live + p.counters.cached + p.pending }

// Prewarm caches buffers until there are n in the class that serves requests of that many bytes. It returns how many
// it created, even if the end of ctx or an error stops it. It evicts nothing: a budget without room is ErrOutOfMemory, and
// more than the capacity is ErrInvalid.
func (p *Pool) Prewarm(ctx context.Context, bytes, n int) (made int, err error) {
	const label = "prewarm"
	if err := CheckSize(bytes, int64(p.maxBuffer), label); err != nil {
		return 0, err
	}
	size := min(p.policy.class(bytes), p.maxBuffer)
	for ; ; made++ {
		p.mu.Lock()
		c := p.class(size)
		err := p.prewarmable(c, n)
		done := len(c.free) >= n
		p.mu.Unlock()
		if err != nil || done {
			return made, err
		}
		if err := ctx.Err(); err != nil {
			return made, fmt.Errorf("prewarm %d buffers of %d B: %w", n, size, err)
		}
		if err := p.warm(c, bytes, label); err != nil {
			return made, err
		}
	}
}

// warm caches one new buffer of class c.
func (p *Pool) warm(c *class, bytes int, label string) error {
	none := func() int { return 0 } // it would evict what is being prewarmed
	s, err := p.create(c, bytes, label, none)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.pending -= int64(c.size)
	s.class = p.class(c.size)
	s.class.last = p.counters.acquires // it is new, not stranded
	victims := p.keep(s)
	p.counters.highWater = max(p.counters.highWater, p.held())
	p.mu.Unlock()
	return release(victims)
}

// prewarmable returns why class c cannot hold n cached buffers. The caller holds p.mu.
func (p *Pool) prewarmable(c *class, n int) error {
	missing := int64(max(n-len(c.free), 0)) * int64(c.size)
	switch {
	case p.closed:
		return Errorf(ErrClosed, "prewarm", "", "%d buffers of %d B in a closed pool", n, c.size)
	case n > p.capacity:
		return Errorf(ErrInvalid, "prewarm", "", "%d buffers of %d B, the capacity is %d per class", n, c.size, p.capacity)
	case p.budget > 0 && p.held()+missing > p.budget:
		return Errorf(ErrOutOfMemory, "prewarm", "", "%d buffers of %d B, %s", n, c.size, p.room())
	}
	return nil
}

// Close frees everything cached. Leases still live are reported, and freed by their own Release.
func (p *Pool) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return Errorf(ErrClosed, "close", "", "the pool was closed before")
	}
	p.closed = true
	victims := p.trim(0)
	n, bytes := p.live.len, p.counters.live
	p.mu.Unlock()
	err := release(victims)
	if n > 0 {
		err = errors.Join(err, fmt.Errorf("close the pool: %d leases (%d B) are live", n, bytes))
	}
	return err
}
