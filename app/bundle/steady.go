package bundle

import "time"

// UseClock replaces time.Now.
func (b *Bundle) UseClock(now func() time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock = now
}

func (b *Bundle) now() time.Time {
	if b.clock == nil {
		return time.Now()
	}
	return b.clock()
}

// steady is a time as the run's files have it: that of the wall clock when the run began, and what has passed since. A wall clock that is
// set meanwhile, by hand or by a time server, so changes neither order nor durations. Only time.Now knows what has passed: a time from
// elsewhere stays as it is.
func (b *Bundle) steady(t time.Time) time.Time {
	began := b.run.Meta.Started
	if t.IsZero() || began.IsZero() || t.Before(began) { // a result that another run has measured
		return t
	}
	return began.Add(t.Sub(began))
}
