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

// steady returns a time as in the run's files: the wall clock's time when the run began, plus what has passed since. So a wall
// clock that is set meanwhile, by hand or by a time server, changes neither order nor durations. Only time.Now knows what has
// passed: a time from elsewhere stays as it is.
func (b *Bundle) steady(t time.Time) time.Time {
	began := b.run.Meta.Started
	if t.IsZero() || began.IsZero() || t.Before(began) { // a result measured by another run
		return t
	}
	return began.Add(t.Sub(began))
}
