package monitor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// MinInterval is the shortest time between ticks. Kernel counters advance in steps of 10 ms, so shorter
// intervals would mostly show the steps.
const MinInterval = 50 * time.Millisecond

// maxWait is the maximum time that a tick waits for its sources; maxRead is how long a read may take before its context ends.
const (
	maxWait = 250 * time.Millisecond
	maxRead = 10 * time.Second
)

// Monitor reads sources at an interval. If a source panics or hangs, only its own readings are missing. If it answers after
// its tick, its readings become part of the next one, marked as late.
type Monitor struct {
	interval time.Duration
	wait     time.Duration // a tick gives up on sources that have not answered within it

	mu    sync.Mutex // one tick at a time
	slots []*slot
	last  time.Time // when the previous tick began
	held  bool
	now   func() time.Time
}

// New returns a monitor of sources. An interval below MinInterval is an error.
func New(sources []Source, interval time.Duration) (*Monitor, error) {
	if interval < MinInterval {
		return nil, fmt.Errorf("monitor: interval %v is below the minimum of %v", interval, MinInterval)
	}
	m := &Monitor{interval: interval, wait: min(interval*4/5, maxWait), now: time.Now}
	for _, s := range sources {
		m.slots = append(m.slots, &slot{source: s, name: s.Name(), done: make(chan result, 1)})
	}
	return m, nil
}

// UseClock replaces time.Now as the clock for ticks.
func (m *Monitor) UseClock(now func() time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = now
}

// Interval returns the time between the ticks of Run.
func (m *Monitor) Interval() time.Duration { return m.interval }

// Run ticks immediately and then at every interval, and calls each with every snapshot, until ctx is done. Ticks are at
// multiples of the interval after the first: if each is slow, ticks are skipped but not shifted. It returns ctx's error. While held, it
// reads nothing.
func (m *Monitor) Run(ctx context.Context, each func(Snapshot)) error {
	ticker := time.NewTicker(m.interval)
	defer ticker.Stop()
	for {
		snap, read := m.next(ctx)
		if err := ctx.Err(); err != nil {
			return err // an interrupted tick is discarded
		}
		if read {
			each(snap)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// Hold stops Run from reading, or lets it read again. It waits for a tick in progress. Tick still reads.
func (m *Monitor) Hold(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = on
}

// next is the tick that is due, unless the monitor is held.
func (m *Monitor) next(ctx context.Context) (snap Snapshot, read bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held {
		return Snapshot{}, false
	}
	return m.tick(ctx), true
}

// Tick reads every source once. Rates cover the time since the previous tick, so the first tick has none.
func (m *Monitor) Tick(ctx context.Context) Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tick(ctx)
}

// tick reads every source once. The caller holds mu.
func (m *Monitor) tick(ctx context.Context) Snapshot {
	begin := m.now()
	wait, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()

	count := 1
	for _, s := range m.slots {
		s.start(ctx, begin)
		count += len(s.readings)
	}
	snap := Snapshot{Time: begin, Readings: make([]Reading, 0, count)}
	for _, s := range m.slots {
		snap.Readings = s.collect(wait, begin, snap.Readings)
	}
	snap.Readings = joint(snap.Readings)
	snap.Cost = time.Since(begin)
	snap.Readings = append(snap.Readings, m.cost(begin, snap.Cost))
	m.last = begin
	return snap
}

// cost is the duration of this tick as a share of the time since the previous one.
func (m *Monitor) cost(begin time.Time, took time.Duration) Reading {
	r := Template(MonitorCost, "monitor")
	if m.last.IsZero() {
		return r.unavailable(needsTwo)
	}
	period := begin.Sub(m.last)
	if period <= 0 {
		return r.unavailable(needsTwo)
	}
	return r.estimated(took.Seconds() / period.Seconds())
}

// slot is a source and the read in flight, if any.
type slot struct {
	source   Source
	name     string
	readings []Reading // of the last answer; they name what is missing if there is none
	done     chan result
	since    time.Time // start of the read in flight; zero when idle
	late     *result   // an answer that came after its tick and has not been delivered
}

// result is a source's answer: readings, or why there are none.
type result struct {
	readings []Reading
	panicked string
	at       time.Time // when the source answered
}

// start begins a read unless one is still in flight. An answer that arrived since the last tick is kept for this one.
func (s *slot) start(ctx context.Context, now time.Time) {
	if !s.since.IsZero() {
		select {
		case r := <-s.done:
			r.readings = slices.Clone(r.readings) // the next read may reuse the source's slice
			s.late = &r
		default:
			return
		}
	}
	s.since = now
	ctx, cancel := context.WithTimeout(ctx, maxRead) // a slow read outlives its tick
	go func() {
		defer cancel()
		s.done <- s.read(ctx)
	}()
}

// read converts a panic of the source to a result.
func (s *slot) read(ctx context.Context) (r result) {
	defer func() {
		if p := recover(); p != nil {
			r = result{panicked: fmt.Sprint("the reader panicked: ", p)}
		}
		r.at = time.Now()
	}()
	return result{readings: s.source.Read(ctx)}
}

// collect waits for the answer until ctx is done and appends it. If there is none, it appends the late answer of the previous
// read, or the reason why there is none.
func (s *slot) collect(ctx context.Context, now time.Time, to []Reading) []Reading {
	late := s.late
	s.late = nil
	if r, ok := s.answer(ctx); ok {
		s.since = time.Time{}
		return s.accept(r, 0, to)
	}
	if late != nil {
		return s.accept(*late, now.Sub(late.at), to)
	}
	return s.missing(fmt.Sprintf("no answer for %.2g s", time.Since(s.since).Seconds()), to)
}

// answer waits for the read in flight until ctx is done.
func (s *slot) answer(ctx context.Context) (r result, ok bool) {
	select { // an available answer counts even if ctx is done
	case r = <-s.done:
		return r, true
	default:
	}
	select {
	case r = <-s.done:
		return r, true
	case <-ctx.Done():
		return result{}, false
	}
}

// accept appends copies of an answer's readings, so that the source can reuse its slice, without values that are implausible.
func (s *slot) accept(r result, late time.Duration, to []Reading) []Reading {
	if r.panicked != "" {
		return s.missing(r.panicked, to)
	}
	s.readings = append(s.readings[:0], r.readings...)
	for _, one := range r.readings {
		one.Late = late
		to = append(to, one.plausible())
	}
	return to
}

// missing appends a failed reading for each metric of the source's last answer, or one for the source itself.
func (s *slot) missing(reason string, to []Reading) []Reading {
	if len(s.readings) == 0 {
		return append(to, Reading{Metric: "source." + s.name, Title: s.name, Source: s.name}.failed(reason))
	}
	for _, r := range s.readings {
		r.Value, r.Text, r.Provenance = 0, "", ""
		to = append(to, r.failed(reason))
	}
	return to
}
