package uitest

import (
	"context"
	"fmt"
	"sync"

	"assay/app"
	"assay/gpu"
)

// Pool is the pool of a Session: tests script its state and see the requests.
type Pool struct {
	State   *app.PoolState // nil: there is none
	Lacking error          // why, an app.ErrNoPool, if it is nil
	Refused error          // returned by every change, if not nil
	Freed   gpu.Freed      // what a change frees
	PoolLog *app.PoolLog   // nil: there is none
	Warm    chan struct{}  // if not nil, a prewarming waits for it, or for its context

	pool     sync.Mutex
	asked    []string
	order    app.LiveOrder
	settings *app.PoolSettings // nil: the default
}

// Reopen resets the pool as in a new session.
func (p *Pool) Reopen() {
	p.pool.Lock()
	defer p.pool.Unlock()
	p.settings = nil
}

// poolService is a Pool as desk.PoolService.
type poolService struct{ *Pool }

// Asked lists the requests to the pool and the leak lab, in order.
func (p *Pool) Asked() []string {
	p.pool.Lock()
	defer p.pool.Unlock()
	return append([]string(nil), p.asked...)
}

// Order returns the order in which the live leases were last requested.
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

// State is part of desk.PoolService.
func (p poolService) State(order app.LiveOrder) (app.PoolState, error) {
	p.pool.Lock()
	defer p.pool.Unlock()
	p.order = order
	switch {
	case p.Pool.State != nil:
		state := *p.Pool.State
		state.Live, state.Left = order.Sorted(state.Live), order.Sorted(state.Left)
		return state, nil
	case p.Lacking != nil:
		return app.PoolState{}, p.Lacking
	}
	return app.PoolState{}, fmt.Errorf("%w: no run has used one, and none was prewarmed", app.ErrNoPool)
}

// Settings is part of desk.PoolService.
func (p poolService) Settings() app.PoolSettings {
	p.pool.Lock()
	defer p.pool.Unlock()
	if p.settings == nil {
		return app.DefaultPoolSettings()
	}
	return *p.settings
}

// Set is part of desk.PoolService. New settings count as requests.
func (p poolService) Set(to app.PoolSettings) error {
	before := p.Settings()
	var err error
	if to.Capacity != before.Capacity {
		err = p.ask("capacity %d", to.Capacity)
	}
	if to.Budget != before.Budget {
		err = p.ask("budget %d", to.Budget)
	}
	if to.Mode != before.Mode {
		err = p.ask("mode %v", to.Mode)
	}
	if to.Policy != before.Policy {
		err = p.ask("policy %v", to.Policy)
	}
	if to.LogLeases != before.LogLeases {
		err = p.ask("log leases %v", to.LogLeases)
	}
	if to.Off != before.Off {
		err = p.ask("off %v", to.Off)
	}
	if err == nil {
		p.pool.Lock()
		p.settings = &to
		p.pool.Unlock()
	}
	return err
}

// Clear is part of desk.PoolService.
func (p poolService) Clear() (gpu.Freed, error) { return p.Freed, p.ask("clear") }

// ClearSize is part of desk.PoolService.
func (p poolService) ClearSize(bytes int) (gpu.Freed, error) {
	return p.Freed, p.ask("clear %d", bytes)
}

// Shrink is part of desk.PoolService.
func (p poolService) Shrink(maxCached int64) (gpu.Freed, error) {
	return p.Freed, p.ask("shrink %d", maxCached)
}

// Prewarm is part of desk.PoolService.
func (p poolService) Prewarm(ctx context.Context, engine string, bytes, n int) (made int, err error) {
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

// Log is part of desk.PoolService.
func (p poolService) Log() (app.PoolLog, bool) {
	if p.PoolLog == nil {
		return app.PoolLog{}, false
	}
	return *p.PoolLog, true
}

// Leaks is the leak lab of a Session.
type Leaks struct {
	Baseline *app.LeakBaseline // nil: none was set
	Check    app.LeakCheck
	LeakErr  error // returned by baseline and check, if not nil
	Curve    *app.LeakCurve

	Auto    *int64         // tolerance of checks after runs; nil: there are none
	Checked *app.LeakCheck // the last one

	tolerances []int64
}

// leakService is Leaks as desk.LeakService.
type leakService struct{ *Leaks }

// Tolerances lists the tolerances of the checks so far. It is read after Desk.Settle.
func (l *Leaks) Tolerances() []int64 { return l.tolerances }

// SetBaseline is part of desk.LeakService.
func (l leakService) SetBaseline() (app.LeakBaseline, error) {
	if l.LeakErr != nil {
		return app.LeakBaseline{}, l.LeakErr
	}
	b := l.Leaks.Check.Baseline
	l.Leaks.Baseline = &b
	return b, nil
}

// Baseline is part of desk.LeakService.
func (l leakService) Baseline() (app.LeakBaseline, bool) {
	if l.Leaks.Baseline == nil {
		return app.LeakBaseline{}, false
	}
	return *l.Leaks.Baseline, true
}

// Check is part of desk.LeakService.
func (l leakService) Check(tolerance int64) (app.LeakCheck, error) {
	l.tolerances = append(l.tolerances, tolerance)
	return l.Leaks.Check, l.LeakErr
}

// CheckAfterRuns is part of desk.LeakService.
func (l leakService) CheckAfterRuns(on bool, tolerance int64) error {
	l.Auto = nil
	if on {
		l.Auto = &tolerance
	}
	return nil
}

// Last is part of desk.LeakService.
func (l leakService) Last() (app.LeakCheck, bool) {
	if l.Checked == nil {
		return app.LeakCheck{}, false
	}
	return *l.Checked, true
}

// Curve is part of desk.LeakService.
func (l leakService) Curve() (app.LeakCurve, bool) {
	if l.Leaks.Curve == nil {
		return app.LeakCurve{}, false
	}
	return *l.Leaks.Curve, true
}
