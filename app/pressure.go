package app

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/internal/si"
	"assay/monitor"
	"assay/workloads/measure"
)

// How Assay reacts to memory pressure: at the level "warning" the pools free half of what they cache, and at "critical" all
// of it, repeatedly while it lasts. A run waits before its next case until the pressure is no longer critical.

// freeAgain is the time between two reactions to one level.
const freeAgain = 10 * time.Second

// PressurePause is the maximum time that a run waits before a case while memory pressure is critical, unless its request says
// otherwise.
const PressurePause = 2 * time.Minute

// ranks of the levels that Assay reacts to, from monitor.State.
const (
	warningRank  = 2
	criticalRank = monitor.MaxRank
)

// pressure is the memory pressure as last seen by the monitor. The zero value has none.
type pressure struct {
	mu      sync.Mutex
	rank    int
	why     string        // of the newest snapshot with a level
	next    time.Time     // of the next reaction
	endured bool          // the pressure was critical for longer than a run waits, or the user continued anyway
	changed chan struct{} // closed at the next change; nil: nobody waits
}

// take takes a snapshot and returns which reaction is due: the rank of its level, or 0.
func (p *pressure) take(s *monitor.Snapshot) (due int, why string) {
	r, _ := s.Find(monitor.MemoryPressureLevel)
	rank := 0
	if r.Status == monitor.OK {
		rank, _ = r.Text.Rank()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	risen := rank > p.rank
	if rank != p.rank {
		p.announce()
	}
	p.rank, p.why = rank, pressureWords(s, &r)
	if rank < criticalRank {
		p.endured = false
	}
	if rank < warningRank || !risen && s.Time.Before(p.next) {
		return 0, ""
	}
	p.next = s.Time.Add(freeAgain)
	return rank, p.why
}

// announce wakes all waiters. The caller holds mu.
func (p *pressure) announce() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// pressureWords says what the level was derived from.
func pressureWords(s *monitor.Snapshot, level *monitor.Reading) string {
	stalls, _ := s.Find(monitor.MemoryPressure)
	if stalls.Status == monitor.OK && stalls.Source == level.Source {
		return fmt.Sprintf("tasks waited for memory %s of the last 10 s", si.Format(stalls.Value, "ratio"))
	}
	if full, _ := s.Find(monitor.HostMemoryFull); full.Status == monitor.OK && full.Source == level.Source {
		return fmt.Sprintf("%s of %s is used", si.Format(full.Value, "ratio"), level.Source)
	}
	return "by " + level.Source
}

// wait waits until the pressure is no longer critical, the user continues, the time is up or ctx ends; endured: it did not ease.
func (p *pressure) wait(ctx context.Context, limit time.Duration) (endured bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		p.mu.Lock()
		if p.rank < criticalRank || p.endured {
			defer p.mu.Unlock()
			return p.endured
		}
		if p.changed == nil {
			p.changed = make(chan struct{})
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			p.endure()
			return true
		}
	}
}

// endure ends waiting until the pressure has eased once.
func (p *pressure) endure() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rank >= criticalRank {
		p.endured = true
		p.announce()
	}
}

// critical reports whether a run has to wait, and why.
func (p *pressure) critical() (why string, is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why, p.rank >= criticalRank && !p.endured
}

// GoOn ends a run's pause under critical memory pressure.
func (r *Runs) GoOn() { r.session.pressure.endure() }

// react frees cached buffers of all pools if a snapshot says that memory is short.
func (s *Session) react(snap *monitor.Snapshot) {
	due, why := s.pressure.take(snap)
	if due == 0 {
		return
	}
	kind, free := poolAct{actShrunk, forPressure}, halve
	if due >= criticalRank {
		kind, free = poolAct{actCleared, forPressure}, (*gpu.Pool).Clear
	}
	run := s.open()
	for _, own := range s.engines.pools.list() {
		freed, _ := free(own.pool) // the engine does not hold what it cannot release
		if run != nil && own.pool == run.pool && freed.Buffers > 0 {
			run.freedUnderPressure(kind, freed, why)
		}
	}
}

// halve frees half of what a pool caches.
func halve(p *gpu.Pool) (gpu.Freed, error) { return p.ShrinkToFit(p.Stats().CachedBytes / 2) }

// freedUnderPressure records a reaction in the run, which disturbed its case.
func (a *activeRun) freedUnderPressure(kind poolAct, f gpu.Freed, why string) {
	now := time.Now()
	a.poolChanged.Store(true)
	a.acts.add(kind, poolSum{count: int64(f.Buffers), bytes: f.Bytes, first: now, last: now, why: why})
	a.takePoolEvents(false)
}

// awaitMemory waits before a case while memory pressure is critical.
func (a *activeRun) awaitMemory(ctx context.Context, caseName string) {
	p := &a.session.pressure
	why, critical := p.critical()
	limit := cmp.Or(a.request.PressurePause, PressurePause)
	if !critical || limit < 0 {
		return
	}
	began := time.Now()
	a.paused("Run paused", caseName, fmt.Sprintf(
		"memory pressure is critical: %s. The run continues when it eases, or after %s at the latest", why, si.Time(limit.Seconds())))
	progress := a.progress
	progress.Case, progress.Measure = caseName, measure.Progress{Phase: measure.Paused, Estimate: limit}
	a.Progress(progress)
	a.spans.Of(a.workload, caseName)
	a.spans.Enter(measure.Paused, "")
	endured := p.wait(ctx, limit)
	a.spans.End()
	how := "memory pressure eased"
	switch {
	case ctx.Err() != nil:
		how = "it was stopped"
	case endured && time.Since(began) >= limit:
		how = "memory pressure stayed critical"
	case endured:
		how = "the user continued"
	}
	a.paused("Run resumed", caseName, fmt.Sprintf("after %s: %s", si.Time(time.Since(began).Seconds()), how))
}

// paused records that a run waits or has stopped waiting.
func (a *activeRun) paused(title, caseName, text string) {
	e := bundle.Event{
		Time: time.Now(), Kind: bundle.PoolActed, Severity: severity.Warning, Title: title, Text: text, Case: caseName,
		Pool: &bundle.PoolSum{Act: "paused", Cause: forPressure},
	}
	if title != "Run paused" {
		e.Pool.Act = "resumed"
	}
	a.keep(a.bundle.Event(e))
	a.session.publish(NoteUpdate{a.meta.ID, e})
}
