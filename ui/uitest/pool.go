package uitest

import (
	"context"
	"fmt"
	"sync"

	"assay/app"
	"assay/gpu"
)

// Pool is the pool of a Session: tests say what it is like, and see what was asked of it.
type Pool struct {
	State   *app.PoolState // nil: there is none
	Lacking error          // why, an app.ErrNoPool where it is nil
	Refused error          // what every change returns, where not nil
	Freed   gpu.Freed      // what a change frees
	Warm    chan struct{}  // where not nil, a prewarming waits for it, or for the end of its context

	pool  sync.Mutex
	asked []string
	order app.LiveOrder
}

// Asked lists what was asked of the pool and of the leak lab, in order.
func (p *Pool) Asked() []string {
	p.pool.Lock()
	defer p.pool.Unlock()
	return append([]string(nil), p.asked...)
}

// Order is that in which the live leases were asked for last.
func (p *Pool) Order() app.LiveOrder {
	p.pool.Lock()
	defer p.pool.Unlock()
	return p.order
}

func (p *Pool) ask(format string, args ...any) error {
	p.pool.Lock()
	defer p.pool.Unlock()
	p.asked = append(p.asked, fmt.Sprintf(format, args...))
	return p.Refused
}

// PoolState is part of desk.PoolSession.
func (p *Pool) PoolState(order app.LiveOrder) (app.PoolState, error) {
	p.pool.Lock()
	defer p.pool.Unlock()
	p.order = order
	switch {
	case p.State != nil:
		state := *p.State
		state.Live = order.Sorted(state.Live)
		return state, nil
	case p.Lacking != nil:
		return app.PoolState{}, p.Lacking
	}
	return app.PoolState{}, fmt.Errorf("%w: no run has used one yet, and none was prewarmed", app.ErrNoPool)
}

// PoolSetCapacity is part of desk.PoolSession.
func (p *Pool) PoolSetCapacity(buffers int) error { return p.ask("capacity %d", buffers) }

// PoolSetBudget is part of desk.PoolSession.
func (p *Pool) PoolSetBudget(bytes int64) error { return p.ask("budget %d", bytes) }

// PoolSetMode is part of desk.PoolSession.
func (p *Pool) PoolSetMode(m gpu.Mode) error { return p.ask("mode %v", m) }

// PoolClear is part of desk.PoolSession.
func (p *Pool) PoolClear() (gpu.Freed, error) { return p.Freed, p.ask("clear") }

// PoolClearSize is part of desk.PoolSession.
func (p *Pool) PoolClearSize(bytes int) (gpu.Freed, error) { return p.Freed, p.ask("clear %d", bytes) }

// PoolShrink is part of desk.PoolSession.
func (p *Pool) PoolShrink(maxCached int64) (gpu.Freed, error) {
	return p.Freed, p.ask("shrink %d", maxCached)
}

// PoolPrewarm is part of desk.PoolSession.
func (p *Pool) PoolPrewarm(ctx context.Context, engine string, bytes, n int) (made int, err error) {
	if err := p.ask("prewarm %s %d × %d", engine, n, bytes); err != nil {
		return 0, err
	}
	if p.Warm != nil {
		select {
		case <-p.Warm:
		case <-ctx.Done():
			return n / 2, ctx.Err()
		}
	}
	return n, nil
}

// Leaks is the leak lab of a Session.
type Leaks struct {
	Baseline *app.LeakBaseline // nil: none was set
	Check    app.LeakCheck
	LeakErr  error // what baseline and check return, where not nil
	Curve    *app.LeakCurve

	tolerances []int64
}

// Tolerances lists those of the checks so far. It is read after Desk.Settle.
func (l *Leaks) Tolerances() []int64 { return l.tolerances }

// SetLeakBaseline is part of desk.LeakSession.
func (l *Leaks) SetLeakBaseline() (app.LeakBaseline, error) {
	if l.LeakErr != nil {
		return app.LeakBaseline{}, l.LeakErr
	}
	b := l.Check.Baseline
	l.Baseline = &b
	return b, nil
}

// LeakBaseline is part of desk.LeakSession.
func (l *Leaks) LeakBaseline() (app.LeakBaseline, bool) {
	if l.Baseline == nil {
		return app.LeakBaseline{}, false
	}
	return *l.Baseline, true
}

// LeakCheck is part of desk.LeakSession.
func (l *Leaks) LeakCheck(tolerance int64) (app.LeakCheck, error) {
	l.tolerances = append(l.tolerances, tolerance)
	return l.Check, l.LeakErr
}

// LeakCurve is part of desk.LeakSession.
func (l *Leaks) LeakCurve() (app.LeakCurve, bool) {
	if l.Curve == nil {
		return app.LeakCurve{}, false
	}
	return *l.Curve, true
}
