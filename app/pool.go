package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"assay/gpu"
	"assay/monitor"
	"assay/monitor/leak"
)

// Limits of the pool's settings, and what they are at first.
const (
	PoolCapacityMin = 0 // buffers that a class caches; 0: the pool caches none
	PoolCapacityMax = 1000
	// PoolCapacityDefault is the capacity at first.
	PoolCapacityDefault = 10

	PoolBudgetMin     = 1_000_000 // bytes, live and cached together; PoolState.BudgetMax says the most
	PoolBudgetNone    = 0         // no limit but the engine's
	PoolBudgetDefault = -1        // PoolBudgetShare of the engine's working set; none where that is not known
	PoolBudgetShare   = memoryShare
)

// PoolLeases is how many live leases a PoolState holds at most: the oldest, which are those that may leak.
const PoolLeases = 10_000

// ErrNoPool is wrapped in an error that says why there is no pool; one that went with its device wraps gpu.ErrDeviceLost
// as well.
var ErrNoPool = errors.New("there is no pool")

// PoolState is what the pool that was used last says of itself at one moment. Bytes are those of the engine's buffers
// unless said otherwise.
type PoolState struct {
	Engine    string // "cpu", "metal"
	Device    string // the device's own name
	Simulated bool   // no such device is present

	Running bool   // a run is using it
	RunID   string // the run that the counters are of: the one that goes on, or the last; empty before the first

	Stats   gpu.Stats        // counters since that run began; capacity, budget (0: none) and mode
	Classes []gpu.ClassStats // those that hold a buffer or that the run used, the smallest first
	Live    []gpu.LiveLease  // in the order asked for
	LeftOut int              // younger live leases that Live has no room for

	Memory     gpu.Memory // live in the engine; what the pool caches counts as live there
	WorkingSet int64      // bytes that may be live without penalty; 0: the engine does not say
	BudgetMax  int64      // bytes, the largest budget that can be set
	Prewarming bool       // buffers are being prewarmed now
}

// PoolState copies the state of the pool; order is that of its live leases. It never waits for the device. The error
// is an ErrNoPool that says why there is none.
func (s *Session) PoolState(order LiveOrder) (PoolState, error) {
	p := s.engines.pools
	own, _, why := p.current()
	if own == nil {
		return PoolState{}, fmt.Errorf("%w: %w", ErrNoPool, why)
	}
	snap := own.pool.Snapshot(PoolLeases)
	state := PoolState{
		Engine: own.info.Engine, Device: own.info.Device, Simulated: own.info.Simulated,
		Stats: snap.Stats, Classes: snap.Classes, Live: order.Sorted(snap.Live), LeftOut: snap.Stats.Live - len(snap.Live),
		Memory: own.engine.Memory(), WorkingSet: own.info.WorkingSet, BudgetMax: PoolBudgetMost(own.info),
	}
	p.mu.Lock()
	state.RunID, state.Prewarming = own.runID, p.cut != nil
	p.mu.Unlock()
	s.mu.Lock()
	state.Running = s.active != nil && s.active.pool == own.pool
	s.mu.Unlock()
	return state, nil
}

// PoolBudgetMost is the largest budget that can be set on an engine, in bytes.
func PoolBudgetMost(i gpu.Info) int64 {
	if i.WorkingSet > 0 {
		return i.WorkingSet
	}
	return max(i.MaxBuffer, PoolBudgetMin)
}

// PoolSetCapacity sets how many buffers each size class caches, from PoolCapacityMin to PoolCapacityMax, for all pools
// of the session, now and later. What is over it is freed, which may take a while where that is much.
func (s *Session) PoolSetCapacity(buffers int) error {
	if buffers < PoolCapacityMin || buffers > PoolCapacityMax {
		return fmt.Errorf("capacity of the pool: %d buffers per size class, want %d to %d", buffers, PoolCapacityMin,
			PoolCapacityMax)
	}
	s.engines.pools.apply(func(p *poolSettings) { p.capacity = buffers }, func(own *ownedPool, p poolSettings) {
		own.pool.SetCapacity(p.capacity)
	})
	s.poolChanged("the capacity was set to %d buffers per size class", buffers)
	return nil
}

// PoolSetBudget sets the limit on bytes live and cached together for all pools of the session, now and later:
// PoolBudgetDefault, PoolBudgetNone, or PoolBudgetMin to PoolState.BudgetMax. On an engine with a smaller working set
// that is the limit. Live leases stay; what is cached over it is freed, which may take a while where that is much.
func (s *Session) PoolSetBudget(bytes int64) error {
	most := int64(math.MaxInt64)
	if own, _, _ := s.engines.pools.current(); own != nil {
		most = PoolBudgetMost(own.info)
	}
	special := bytes == PoolBudgetDefault || bytes == PoolBudgetNone
	switch {
	case !special && bytes < PoolBudgetMin:
		return fmt.Errorf("budget of the pool: %d B, want %d B or more, %d for none, or %d for the default",
			bytes, PoolBudgetMin, PoolBudgetNone, PoolBudgetDefault)
	case bytes > most:
		return fmt.Errorf("budget of the pool: %s, want %s at most: the engine’s working set",
			leak.Bytes(float64(bytes)), leak.Bytes(float64(most)))
	}
	s.engines.pools.apply(func(p *poolSettings) { p.budget = bytes }, func(own *ownedPool, p poolSettings) {
		own.pool.SetBudget(p.budgetOn(own.info))
	})
	s.poolChanged("the budget was set to %s", budgetWords(bytes))
	return nil
}

func budgetWords(bytes int64) string {
	switch bytes {
	case PoolBudgetNone:
		return "none"
	case PoolBudgetDefault:
		return "its default"
	}
	return leak.Bytes(float64(bytes))
}

// PoolSetMode sets what later leases hold, for all pools of the session, now and later.
func (s *Session) PoolSetMode(m gpu.Mode) error {
	if m > gpu.ModeDirty {
		return fmt.Errorf("mode of the pool: %d, want %v, %v or %v", m, gpu.ModeZero, gpu.ModePoison, gpu.ModeDirty)
	}
	s.engines.pools.apply(func(p *poolSettings) { p.mode = m },
		func(own *ownedPool, p poolSettings) { own.pool.SetMode(p.mode) })
	s.poolChanged("the mode was set to %v", m)
	return nil
}

// PoolClear frees all that the pool caches, and cuts a prewarming short. It waits while a run opens or closes its books.
func (s *Session) PoolClear() (gpu.Freed, error) {
	return s.poolFree("cleared", func(p *gpu.Pool) (gpu.Freed, error) { return p.Clear() })
}

// PoolClearSize frees what is cached in the class that serves requests of that many bytes. It may wait as PoolClear.
func (s *Session) PoolClearSize(bytes int) (gpu.Freed, error) {
	if bytes < 1 {
		return gpu.Freed{}, fmt.Errorf("clear a size class: %d B, want 1 B or more", bytes)
	}
	return s.poolFree(fmt.Sprintf("cleared of the class of %d B", bytes), func(p *gpu.Pool) (gpu.Freed, error) {
		return p.ClearSize(bytes)
	})
}

// PoolShrink frees the least recently used buffers until at most maxCached bytes are cached. It may wait as PoolClear.
func (s *Session) PoolShrink(maxCached int64) (gpu.Freed, error) {
	if maxCached < 0 {
		return gpu.Freed{}, fmt.Errorf("shrink the pool: to %d B cached, want 0 B or more", maxCached)
	}
	return s.poolFree("shrunk to "+leak.Bytes(float64(maxCached)), func(p *gpu.Pool) (gpu.Freed, error) {
		return p.ShrinkToFit(maxCached)
	})
}

func (s *Session) poolFree(what string, free func(*gpu.Pool) (gpu.Freed, error)) (gpu.Freed, error) {
	defer s.engines.pools.hold(true)()
	own, _, why := s.engines.pools.current()
	if own == nil {
		return gpu.Freed{}, fmt.Errorf("%w: %w", ErrNoPool, why)
	}
	freed, err := free(own.pool)
	s.poolChanged("it was %s: %s freed", what, buffersOf(freed.Buffers, freed.Bytes))
	return freed, err
}

// buffersOf is a number of buffers in words.
func buffersOf(n int, bytes int64) string {
	if n == 1 {
		return fmt.Sprintf("1 buffer (%s)", leak.Bytes(float64(bytes)))
	}
	return fmt.Sprintf("%d buffers (%s)", n, leak.Bytes(float64(bytes)))
}

// PoolPrewarm opens the engine if need be ("auto" or empty: the first that works) and caches buffers until n of the
// class that serves requests of that many bytes are there. It returns how many it made, also beside an error. It takes
// as long as the engine does; the end of ctx, PoolClear and the end of a run cut it short. While a run goes on only its
// own engine can be prewarmed, else ErrBusy.
func (s *Session) PoolPrewarm(ctx context.Context, engine string, bytes, n int) (made int, err error) {
	own, made, err := s.prewarm(ctx, engine, bytes, n)
	if own != nil && errors.Is(err, gpu.ErrDeviceLost) && s.open() == nil { // a run drops its engine itself
		s.engines.drop(own.engine)
	}
	return made, err
}

func (s *Session) prewarm(ctx context.Context, engine string, bytes, n int) (own *ownedPool, made int, err error) {
	if n < 1 || n > PoolCapacityMax {
		return nil, 0, fmt.Errorf("prewarm the pool: %d buffers, want 1 to %d, and no more than its capacity", n,
			PoolCapacityMax)
	}
	s.tuner.measuring.Lock() // what a tuning takes must not count as prewarmed
	defer s.tuner.measuring.Unlock()
	p := s.engines.pools
	defer p.hold(false)()
	if own, err = s.prewarmed(engine); err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)() // Close waits for the books
	p.mu.Lock()
	p.cut = cancel
	p.mu.Unlock()
	run := s.open()
	before := footprint(run == nil)
	made, err = own.pool.Prewarm(ctx, bytes, n)
	grown := footprint(run == nil) - before
	p.mu.Lock()
	p.cut = nil
	if run == nil {
		own.warmed += max(grown, 0)
	}
	p.mu.Unlock()
	s.poolChanged("%d buffers for requests of %s were prewarmed", made, leak.Bytes(float64(bytes)))
	return own, made, err
}

// prewarmed is the pool to prewarm.
func (s *Session) prewarmed(engine string) (*ownedPool, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, errors.New("prewarm the pool: the session is closed")
	}
	if run := s.open(); run != nil {
		if e, ok := s.engines.opened(engine); !ok || e != run.engine {
			return nil, fmt.Errorf("prewarm the pool of engine %s: %w", engine, ErrBusy)
		}
		return s.engines.pools.of(run.engine), nil
	}
	if engine == "" {
		engine = "auto"
	}
	e, _, err := s.engines.get(engine)
	if err != nil {
		return nil, fmt.Errorf("prewarm the pool: %w", err)
	}
	return s.engines.pools.of(e), nil
}

// footprint is what the process uses, in bytes, without garbage; 0 where it is not wanted or not known.
func footprint(wanted bool) int64 {
	if !wanted {
		return 0
	}
	debug.FreeOSMemory()
	b, err := monitor.Footprint(context.Background())
	if err != nil {
		return 0
	}
	return b
}
