package app

import (
	"maps"
	"slices"
	"sync"
	"time"

	"assay/gpu"
	"assay/workloads"
	"assay/workloads/measure"
)

// Quiet mode: while a run times something, the monitor reads nothing and no window redraws. Disturbances are read between laps of
// sampling, when nothing is in flight; no lap includes that time.

// quietMode is the reason of readings that were not taken.
const quietMode = "quiet mode"

// quietRedraw is the minimum interval between redraws, between laps of a long case.
const quietRedraw = time.Second

// quiet is the state of quiet mode. The zero value is off.
type quiet struct {
	mu      sync.Mutex
	on      bool
	read    time.Time // the newest reading in quiet mode; zero: none
	drawn   time.Time
	windows map[int]func(on bool)
	opened  int
}

// onHost reports whether an engine, if there is one, runs kernels on the processor.
func onHost(e gpu.Engine) bool { return e != nil && !e.Info().GPU }

// OnQuiet registers something that redraws, such as a window. f(true) returns when it has drawn what is new and will draw no
// more; f(false) lets it continue. f is called on the run's goroutine.
func (s *Session) OnQuiet(f func(on bool)) (cancel func()) {
	q := &s.quiet
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.windows == nil {
		q.windows = map[int]func(bool){}
	}
	id := q.opened
	q.opened++
	q.windows[id] = f
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.windows, id)
	}
}

// tell tells the windows.
func (q *quiet) tell(on bool) {
	q.mu.Lock()
	q.drawn = time.Now()
	all := slices.Collect(maps.Values(q.windows))
	q.mu.Unlock()
	for _, f := range all {
		f(on)
	}
}

// timing reports whether the session is quiet.
func (q *quiet) timing() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.on
}

// set sets whether the session is quiet, and reports whether that is new.
func (q *quiet) set(on bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.on == on {
		return false
	}
	q.on, q.read = on, time.Time{}
	return true
}

// due reports whether a reading is due, and whether a redraw is.
func (q *quiet) due(interval time.Duration, now time.Time) (read, draw bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.on || now.Sub(q.read) < interval {
		return false, false
	}
	q.read = now
	return true, now.Sub(q.drawn) >= quietRedraw
}

// hush keeps the session quiet from now on. Readings not taken meanwhile are recorded as not available, rather than repeated.
// Windows keep showing the last readings until the next pause, a moment later.
func (s *Session) hush() {
	if s.quiet.timing() {
		return
	}
	s.monitor.Hold(true)
	s.ticking.Lock()
	s.quiet.set(true)
	if newest := s.snapshot(); !newest.Time.IsZero() {
		s.keep(newest.Without(s.config.Now(), quietMode))
	}
	s.ticking.Unlock()
	s.quiet.tell(true)
}

// unhush ends quiet mode.
func (s *Session) unhush() {
	if !s.quiet.set(false) {
		return
	}
	s.monitor.Hold(false)
	s.quiet.tell(false)
}

// betweenLaps reads and redraws what is due while the session is quiet, and reports whether it did. Nothing must be in flight.
func (s *Session) betweenLaps() bool {
	read, draw := s.quiet.due(s.config.Interval, time.Now())
	if !read {
		return false
	}
	snap := s.monitor.Tick(s.ctx)
	if s.ctx.Err() != nil {
		return true
	}
	s.ticking.Lock()
	s.take(snap)
	s.ticking.Unlock()
	if draw {
		if run := s.open(); run != nil {
			s.publish(run.quietly)
		}
		s.quiet.tell(true)
	}
	return true
}

// timed reports whether nothing should disturb a phase: its measurements are the result, or decide how to measure it.
func timed(p measure.Phase) bool {
	return p == measure.Calibrating || p == measure.WarmingUp || p == measure.Sampling || p == measure.Resting || p == measure.Powering
}

// tellProgress publishes progress as it is shown, and makes the session quiet during timed phases if the run asks for that.
func (a *activeRun) tellProgress(p, shown workloads.Progress, left float64) {
	update := ProgressUpdate{RunID: a.meta.ID, At: time.Now(), Progress: shown, Fraction: a.fraction(&p), Left: left}
	if !a.meta.Quiet || !timed(p.Measure.Phase) || p.Measure.Series && a.meta.QuietOnHost {
		a.session.unhush()
		a.session.publish(update)
		return
	}
	update.Measure = measure.Progress{Phase: measure.Quiet, Spent: p.Measure.Spent, Budget: p.Measure.Budget, Estimate: p.Measure.Estimate}
	a.quietly = update
	if !a.session.quiet.timing() { // otherwise nothing shows it
		a.session.publish(update)
		a.session.hush()
	}
}
