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
	UsePolicy  Use = "changing the pool's size classes"
	UseProbe   Use = "probing an engine"
	UseRest    Use = "releasing the buffers of live tuning"
)

// measures reports whether a use cannot take place during a run: it times the device, or counts or replaces its buffers.
func (u Use) measures() bool {
	return u == UseRun || u == UseTuning || u == UseLeaks || u == UsePolicy || u == UseProbe
}

// interrupts reports whether u does not wait for another use to complete, but ends it.
func (u Use) interrupts(other Use) bool {
	switch other {
	case UsePrewarm:
		return u == UseRun || u == UsePool || u == UseLeaks || u == UsePolicy
	case UseTuning:
		return u == UseRun
	}
	return false
}

// ErrBusy is returned when a run is going on already: one at a time, so that they do not disturb each other.
var ErrBusy = errors.New("a run is in progress: stop it or wait until it ends")

// WaitError is the error of who stopped waiting for the device.
type WaitError struct {
	Holder Use
	Err    error // of the context
}

// Error names the holder.
func (e *WaitError) Error() string { return fmt.Sprintf("waiting for %s to end: %v", e.Holder, e.Err) }

// Unwrap is the error of the context.
func (e *WaitError) Unwrap() error { return e.Err }

// device is the exclusive right to the engines' memory and time: who measures, fills or empties a pool, or opens or closes
// the ledger of a run has a lease. A run has one from its start to its end, and shares it in between with who prewarms or
// empties its pool. The zero value is ready.
//
// Waiting for a lease comes before every lock of the session; settings and readings need none.
type device struct {
	mu      sync.Mutex
	holder  *Lease        // at work now
	run     *Lease        // of the run in progress or about to start
	changed chan struct{} // closed at the next change
}

// Lease is the exclusive right to the device, until it is released.
type Lease struct {
	device *device
	use    Use
	shared bool // a run that lets others in between
	ctx    context.Context
	cancel context.CancelCauseFunc // interrupts the work
}

// Acquire waits for the device, until ctx ends with *WaitError. What measures is refused at once during a run: ErrBusy.
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

// reserve makes a lease that has yet to wait. From now on that of a run keeps out all else that measures.
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

// refuses says why a lease is not available during the run. The caller holds mu.
func (d *device) refuses(l *Lease) error {
	if d.run != nil && d.run != l && l.use.measures() {
		return ErrBusy
	}
	return nil
}

// wait returns once the lease is the one at work.
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

// try takes the device if it is free, else it returns who has it and a channel that is closed when that may have changed.
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

// cause is the error of who is interrupted for this use.
func (u Use) cause() error {
	if u == UseRun {
		return ErrBusy
	}
	return context.Canceled
}

// announce wakes all who wait. The caller holds mu.
func (d *device) announce() {
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// bind is a context for the work under the lease: it ends with ctx, and when the work is interrupted, with the cause.
func (l *Lease) bind(ctx context.Context) (bound context.Context, unbind func()) {
	bound, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	return bound, func() {
		stop()
		cancel(nil)
	}
}

// share lets others prewarm and empty the pool of the run whose lease it is, one at a time.
func (l *Lease) share() {
	d := l.device
	d.mu.Lock()
	defer d.mu.Unlock()
	l.shared, d.holder = true, nil
	d.announce()
}

// unshare waits for who was let in, and lets nobody in anymore.
func (l *Lease) unshare() {
	l.device.mu.Lock()
	l.shared = false
	l.device.mu.Unlock()
	_ = l.wait(context.Background()) // it has no end, and a run is not refused for its own sake
}

// Release gives the device back. It may be called again.
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

// usedFor reports whether that is what the device is used for now.
func (d *device) usedFor(use Use) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.holder != nil && d.holder.use == use
}

// busy is ErrBusy where what measures would be refused.
func (d *device) busy() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.run != nil {
		return ErrBusy
	}
	return nil
}
