package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"assay/gpu"
	"assay/monitor"
	"assay/monitor/leak"
)

// PoolLeases is the maximum number of live leases in a PoolState: the oldest, which may be leaks.
const PoolLeases = 10_000

// ErrNoPool is wrapped in an error that says why there is no pool; if the device was lost it wraps gpu.ErrDeviceLost as
// well.
var ErrNoPool = errors.New("there is no pool")

// PoolState is a snapshot of the last used pool. Bytes are those of the engine's buffers unless noted otherwise.
type PoolState struct {
	Engine    string // "cpu", "metal"
	Device    string // the device's own name
	Simulated bool   // no such device is present

	Running bool   // a run is using it
	RunID   string // the run of the counters: in progress, or the last; empty before the first

	Stats   gpu.Stats        // counters since that run began; capacity, budget (0: none) and mode
	Classes []gpu.ClassStats // those with buffers or used by the run, the smallest first
	Live    []gpu.LiveLease  // in the requested order
	LeftOut int              // younger live leases omitted from Live
	Left    []gpu.LiveLease  // what the last run left live, in the same way; it has been released since. None during a run

	Memory     gpu.Memory // live in the engine, including the pool's cache
	WorkingSet int64      // bytes that may be live without penalty; 0: not reported
	BudgetMax  int64      // bytes, the largest budget that can be set
	Prewarming bool       // buffers are being prewarmed now
}

// Pool is the service for the engines' pools of buffers. Its settings apply to all of them.
type Pool struct{ session *Session }

// Pool is the service for pools of buffers.
func (s *Session) Pool() *Pool { return &Pool{s} }

// State copies the state of the pool; order applies to its live leases. It never waits for the device. The error
// is an ErrNoPool that says why there is none.
func (p *Pool) State(order LiveOrder) (PoolState, error) {
	s := p.session
	pools := s.engines.pools
	own, _, why := pools.current()
	if own == nil {
		return PoolState{}, fmt.Errorf("%w: %w", ErrNoPool, why)
	}
	snap := own.pool.Snapshot(PoolLeases)
	state := PoolState{
		Engine: own.info.Engine, Device: own.info.Device, Simulated: own.info.Simulated,
		Stats: snap.Stats, Classes: snap.Classes, Live: order.Sorted(snap.Live), LeftOut: snap.Stats.Live - len(snap.Live),
		Memory: own.engine.Memory(), WorkingSet: own.info.WorkingSet, BudgetMax: PoolBudgetMax(own.info),
	}
	pools.mu.Lock()
	state.RunID = own.runID
	left := own.left
	pools.mu.Unlock()
	state.Prewarming = s.device.usedFor(UsePrewarm)
	s.mu.Lock()
	state.Running = s.active != nil && s.active.pool == own.pool
	s.mu.Unlock()
	if !state.Running {
		state.Left = order.Sorted(left)
	}
	return state, nil
}

// Clear frees all cached buffers and ends a prewarming. It waits while a run opens or closes its ledger.
func (p *Pool) Clear() (gpu.Freed, error) {
	return p.session.poolFree("cleared", (*gpu.Pool).Clear)
}

// ClearSize frees the cached buffers of the class that serves requests of the given bytes. It may wait like Clear.
func (p *Pool) ClearSize(bytes int) (gpu.Freed, error) {
	if bytes < 1 {
		return gpu.Freed{}, fmt.Errorf("clear a size class: %d B, want 1 B or more", bytes)
	}
	return p.session.poolFree(fmt.Sprintf("cleared of buffers of %d B", bytes), func(pool *gpu.Pool) (gpu.Freed, error) {
		return pool.ClearSize(bytes)
	})
}

// Shrink frees the least recently used buffers until at most maxCached bytes are cached. It may wait like Clear.
func (p *Pool) Shrink(maxCached int64) (gpu.Freed, error) {
	if maxCached < 0 {
		return gpu.Freed{}, fmt.Errorf("shrink the pool: to %d B cached, want 0 B or more", maxCached)
	}
	return p.session.poolFree("shrunk to "+leak.Bytes(float64(maxCached)), func(pool *gpu.Pool) (gpu.Freed, error) {
		return pool.ShrinkToFit(maxCached)
	})
}

func (s *Session) poolFree(what string, free func(*gpu.Pool) (gpu.Freed, error)) (gpu.Freed, error) {
	lease, err := s.device.Acquire(s.ctx, UsePool)
	if err != nil {
		return gpu.Freed{}, err
	}
	defer lease.Release()
	own, _, why := s.engines.pools.current()
	if own == nil {
		return gpu.Freed{}, fmt.Errorf("%w: %w", ErrNoPool, why)
	}
	freed, err := free(own.pool)
	s.poolChanged("the pool was %s: %s freed", what, buffersOf(freed.Buffers, freed.Bytes))
	return freed, err
}

// buffersOf states a number of buffers and their bytes in words.
func buffersOf(n int, bytes int64) string {
	if n == 1 {
		return fmt.Sprintf("1 buffer (%s)", leak.Bytes(float64(bytes)))
	}
	return fmt.Sprintf("%d buffers (%s)", n, leak.Bytes(float64(bytes)))
}

// Prewarm opens the engine if needed ("auto" or empty: the first that works) and allocates cached buffers until there
// are n in the class that serves requests of the given bytes. It returns how many it made, even with an error. A
// canceled ctx, Clear, and the start and the end of a run end it early: buffers made so far stay. During a run only its
// own engine can be prewarmed, else ErrBusy.
func (p *Pool) Prewarm(ctx context.Context, engine string, bytes, n int) (made int, err error) {
	s := p.session
	if n < 1 || n > PoolCapacityMax {
		return 0, fmt.Errorf("prewarm the pool: %d buffers, want 1 to %d, and no more than its capacity", n,
			PoolCapacityMax)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)() // Close waits for the device
	lease, err := s.device.Acquire(ctx, UsePrewarm)
	if err != nil {
		return 0, fmt.Errorf("prewarm the pool: %w", err)
	}
	defer lease.Release()
	ctx, unbind := lease.bind(ctx)
	defer unbind()
	own, err := s.prewarmed(engine)
	if err != nil {
		return 0, err
	}
	made, err = s.prewarm(ctx, own, bytes, n)
	if errors.Is(err, gpu.ErrDeviceLost) && s.open() == nil { // a run drops its own engine
		s.engines.drop(own.engine)
	}
	return made, err
}

// prewarm allocates the buffers. The caller has the device.
func (s *Session) prewarm(ctx context.Context, own *ownedPool, bytes, n int) (made int, err error) {
	run := s.open()
	before := footprint(run == nil)
	made, err = own.pool.Prewarm(ctx, bytes, n)
	if err != nil && errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("prewarm the pool: made %d of %d buffers: %w", made, n, context.Cause(ctx))
	}
	if run == nil {
		own.warm(max(footprint(true)-before, 0), s.engines.pools)
	}
	s.poolChanged("%d buffers for requests of %s were prewarmed", made, leak.Bytes(float64(bytes)))
	return made, err
}

// prewarmed returns the pool to prewarm.
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

// footprint returns the process's memory in bytes, without garbage; 0 if not needed or unknown.
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
