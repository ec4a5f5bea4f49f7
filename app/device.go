package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Use is what a lease on the device is for, in words.
type Use string

// Uses of the device.
const (
	UseRun     Use = "a run"
	UseTuning  Use = "live tuning"
	UsePrewarm Use = "prewarming the pool"
	UsePool    Use = "freeing pooled buffers"
	UseLeaks   Use = "a leak check"
	UsePolicy  Use = "setting up the pool again"
	UseProbe   Use = "probing an engine"
	UseDevice  Use = "changing the device"
	UseCache   Use = "clearing the kernel cache"
	UseRest    Use = "releasing the buffers of live tuning"
)

// measures reports whether a use is not allowed during a run: it times the device, counts or replaces its buffers, or removes
// what a run may be about to measure.
func (u Use) measures() bool {
	return u == UseRun || u == UseTuning || u == UseLeaks || u == UsePolicy || u == UseProbe || u == UseSelfTest || u == UseDevice || u == UseCache || u == UseOwn || u == UseDrill
}

// interrupts reports whether u ends another use instead of waiting for it.
func (u Use) interrupts(other Use) bool {
	switch other {
	case UsePrewarm:
		return u == UseRun || u == UsePool || u == UseLeaks || u == UsePolicy || u == UseDevice
	case UseTuning:
		return u == UseRun
	}
	return false
}

// ErrBusy is returned when a run is already in progress: one at a time, so that runs do not disturb each other.
var ErrBusy = errors.New("a run is in progress: stop it or wait until it ends")

// ErrSurveying is returned while weights are being surveyed, which keeps all cores busy: nothing is timed meanwhile, and only
// one survey runs at a time.
var ErrSurveying = errors.New("a survey of weights is in progress: cancel it or wait until it ends")

// WaitError is the error of a canceled wait for the device.
type WaitError struct {
	Holder Use
	Err    error // of the context
}

// Error names the holder.
func (e *WaitError) Error() string { return fmt.Sprintf("waiting for %s to end: %v", e.Holder, e.Err) }

// Unwrap returns the error of the context.
func (e *WaitError) Unwrap() error { return e.Err }

// device is the exclusive right to the engines' memory and time: measuring, filling or emptying a pool, and opening or
// closing the ledger of a run need a lease. A run holds one from start to end, and in between shares it for prewarming or
// emptying its pool. The zero value is ready.
//
// Wait for a lease before taking any lock of the session; settings and readings need no lease.
type device struct {
	mu      sync.Mutex
	holder  *Lease        // using the device now
	run     *Lease        // the run in progress or about to start
	changed chan struct{} // closed at the next change

	surveying bool // nothing may be timed
}

// Lease is the exclusive right to the device, until it is released.
type Lease struct {
	device *device
	use    Use
	shared bool // a run that shares its lease
	ctx    context.Context
	cancel context.CancelCauseFunc // interrupts the work
}

// Acquire waits for the device; if ctx ends it returns *WaitError. During a run, uses that measure fail at once with
// ErrBusy.
func (d *device) Acquire(ctx context.Context, use Use) (*Lease, error) {
	l, err := d.reserve(use)
	if err != nil {
		return nil, err
	}
	if err := l.wait(ctx); err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

// reserve makes a lease that still has to wait. From now on, a run's lease excludes all other measuring.
func (d *device) reserve(use Use) (*Lease, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := &Lease{device: d, use: use}
	if err := d.refuses(l); err != nil {
		return nil, err
	}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	if use == UseRun {
		d.run = l
		d.announce()
	}
	return l, nil
}

// refuses returns why a lease is not available during the run. The caller holds mu.
func (d *device) refuses(l *Lease) error {
	switch {
	case d.run != nil && d.run != l && l.use.measures():
		return ErrBusy
	case d.surveying && (l.use == UseRun && d.run != l || l.use == UseTuning):
		return ErrSurveying
	}
	return nil
}

// survey keeps runs and live tuning from beginning until end is called. It fails during either.
func (d *device) survey() (end func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.surveying:
		return nil, ErrSurveying
	case d.run != nil, d.holder != nil && d.holder.use == UseTuning:
		return nil, ErrBusy
	}
	d.surveying = true
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.surveying = false
	}, nil
}

// wait returns once the lease holds the device.
func (l *Lease) wait(ctx context.Context) error {
	for {
		holder, changed, err := l.try()
		if err != nil || changed == nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return &WaitError{holder, ctx.Err()}
		}
	}
}

// try acquires the device if it is free, else it returns the holder and a channel that is closed when that may have
// changed.
func (l *Lease) try() (holder Use, changed <-chan struct{}, err error) {
	d := l.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.refuses(l); err != nil {
		return "", nil, err
	}
	free := d.run == nil || d.run == l || d.run.shared
	if d.holder == nil && free {
		d.holder = l
		return "", nil, nil
	}
	holder = UseRun
	if d.holder != nil {
		holder = d.holder.use
		if l.use.interrupts(holder) {
			d.holder.cancel(l.use.cause())
		}
	}
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return holder, d.changed, nil
}

// cause returns the error of a lease interrupted for this use.
func (u Use) cause() error {
	if u == UseRun {
		return ErrBusy
	}
	return context.Canceled
}

// announce wakes all waiters. The caller holds mu.
func (d *device) announce() {
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// bind returns a context for the work under the lease: it ends with ctx, or with the cause if the work is
// interrupted.
func (l *Lease) bind(ctx context.Context) (bound context.Context, unbind func()) {
	bound, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	if l.ctx.Err() != nil { // AfterFunc acts later, maybe after the work
		cancel(context.Cause(l.ctx))
	}
	return bound, func() {
		stop()
		cancel(nil)
	}
}

// share lets others, one at a time, prewarm and empty the pool of the lease's run.
func (l *Lease) share() {
	d := l.device
	d.mu.Lock()
	defer d.mu.Unlock()
	l.shared, d.holder = true, nil
	d.announce()
}

// unshare ends sharing and waits for the current user.
func (l *Lease) unshare() {
	l.device.mu.Lock()
	l.shared = false
	l.device.mu.Unlock()
	_ = l.wait(context.Background()) // cannot fail: ctx does not end, and a run does not exclude itself
}

// Release releases the device. It may be called more than once.
func (l *Lease) Release() {
	d := l.device
	d.mu.Lock()
	defer d.mu.Unlock()
	l.cancel(nil)
	if d.holder == l {
		d.holder = nil
	}
	if d.run == l {
		d.run = nil
	}
	d.announce()
}

// usedFor reports whether the device is now used for u.
func (d *device) usedFor(use Use) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.holder != nil && d.holder.use == use
}

// busy returns ErrBusy if measuring is not allowed now.
func (d *device) busy() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.run != nil {
		return ErrBusy
	}
	return nil
}
