package app

import (
	"fmt"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/monitor/leak"
)

// What a run's pool did, as events. There may be millions, so they are summed: the first events of a kind are reported as they
// come, later ones more and more rarely, and the sums include all of them.

// poolAct is a kind of action of the pool, or on it; act and cause are those of bundle.PoolSum.
type poolAct struct{ act, cause string }

// Kinds of actions on the pool.
const (
	actEvicted = "evicted"
	actRefused = "refused"
	actCleared = "cleared"
	actShrunk  = "shrunk"

	forRequest  = "request"
	forPressure = "pressure"
)

// actOf returns the kind of a pool's own event.
func actOf(e *gpu.PoolEvent) poolAct {
	kind := poolAct{actEvicted, "capacity"}
	if e.Act == gpu.PoolRefused {
		kind.act = actRefused
	}
	switch e.Cause {
	case gpu.ForBudget:
		kind.cause = "budget"
	case gpu.ForDevice:
		kind.cause = "device"
	}
	return kind
}

// actWords are the words of an event.
type actWords struct {
	poolAct
	title    string
	words    string // after how many there were
	severity severity.Level
}

// acts lists all kinds.
func acts() []actWords {
	return []actWords{
		{poolAct{actEvicted, "capacity"}, "Buffers evicted", "evicted, more than a size class may cache", severity.Info},
		{poolAct{actEvicted, "budget"}, "Buffers evicted", "evicted to keep within the pool’s budget", severity.Info},
		{poolAct{actEvicted, "device"}, "Buffers evicted", "evicted because the device had no room", severity.Info},
		{poolAct{actRefused, "budget"}, "Requests refused", "refused, beyond the pool’s budget", severity.Warning},
		{poolAct{actRefused, "device"}, "Requests refused", "refused because the device had no room", severity.Warning},
		{poolAct{actCleared, forRequest}, "Pool cleared", "freed", severity.Info},
		{poolAct{actShrunk, forRequest}, "Pool shrunk", "freed", severity.Info},
		{poolAct{actShrunk, forPressure}, "Pool shrunk", "freed under memory pressure", severity.Warning},
		{poolAct{actCleared, forPressure}, "Pool cleared", "freed under critical memory pressure", severity.Warning},
	}
}

// poolSum is what is to be reported for a kind.
type poolSum struct {
	count, bytes int64
	first, last  time.Time
	cases        int
	caseName     string // the last
	label        string // of a request
	why          string // of a reaction
}

func (s *poolSum) add(more poolSum) {
	if s.count == 0 {
		s.first = more.first
	}
	if more.caseName != s.caseName || s.cases == 0 {
		s.cases++
	}
	s.count, s.bytes = s.count+more.count, s.bytes+more.bytes
	s.last, s.caseName, s.label, s.why = more.last, more.caseName, more.label, more.why
}

// How many events of a kind are reported as they come, and the pause after a later one: twice as long as the pause before it.
const (
	actsTold                = 20
	actsPause, maxActsPause = time.Second, 10 * time.Minute
)

// poolTally sums what a run's pool did until it is reported. The zero value is ready.
type poolTally struct {
	mu    sync.Mutex
	sums  map[poolAct]poolSum
	pace  map[poolAct]pace
	named string // the case in progress
}

// pace is when the next event of a kind may be reported.
type pace struct {
	told  int
	pause time.Duration
	next  time.Time
}

// add counts what happened.
func (t *poolTally) add(kind poolAct, s poolSum) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sums == nil {
		t.sums, t.pace = map[poolAct]poolSum{}, map[poolAct]pace{}
	}
	s.caseName = t.named
	sum := t.sums[kind]
	sum.add(s)
	t.sums[kind] = sum
}

// enter sets the case in progress.
func (t *poolTally) enter(caseName string) {
	t.mu.Lock()
	t.named = caseName
	t.mu.Unlock()
}

// due removes and returns what is to be reported now, or everything.
func (t *poolTally) due(now time.Time, all bool) []bundle.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	var events []bundle.Event
	for _, w := range acts() { // in a fixed order
		sum, is := t.sums[w.poolAct]
		p := t.pace[w.poolAct]
		if !is || !all && now.Before(p.next) {
			continue
		}
		if p.told++; p.told >= actsTold {
			p.pause = min(max(2*p.pause, actsPause), maxActsPause)
			p.next = now.Add(p.pause)
		}
		t.pace[w.poolAct] = p
		delete(t.sums, w.poolAct)
		events = append(events, sum.event(&w))
	}
	return events
}

// event returns the sum as an event.
func (s *poolSum) event(w *actWords) bundle.Event {
	e := bundle.Event{
		From: s.first, Time: s.last, Kind: bundle.PoolActed, Severity: w.severity, Title: w.title,
		Pool: &bundle.PoolSum{Act: w.act, Cause: w.cause, Count: s.count, Bytes: s.bytes},
	}
	what := buffersOf(int(s.count), s.bytes)
	if w.act == actRefused {
		what = requestsOf(s.count, s.bytes)
	}
	e.Text = what + " " + w.words
	if s.label != "" {
		e.Text += fmt.Sprintf("; the last for %q", s.label)
	}
	if s.why != "" {
		e.Text += ": " + s.why
	}
	switch {
	case s.cases == 1:
		e.Case = s.caseName
	case s.cases > 1:
		e.Text += fmt.Sprintf(", in %d cases", s.cases)
	}
	return e
}

// requestsOf states a number of requests and their bytes in words.
func requestsOf(n, bytes int64) string {
	if n == 1 {
		return fmt.Sprintf("1 request (%s)", leak.Bytes(float64(bytes)))
	}
	return fmt.Sprintf("%d requests (%s)", n, leak.Bytes(float64(bytes)))
}

// sumPoolEvents adds up what the pool did since the last time, in the case in progress.
func (a *activeRun) sumPoolEvents() {
	for _, e := range a.pool.TakeEvents() {
		a.acts.add(actOf(&e), poolSum{count: e.Count, bytes: e.Bytes, first: e.First, last: e.Last, label: e.Label})
	}
}

// nameActs sets the case that the pool's actions belong to from now on; empty: between cases.
func (a *activeRun) nameActs(caseName string) {
	a.sumPoolEvents()
	a.acts.enter(caseName)
}

// takePoolEvents records what the pool did since the last time: what is due, or all of it.
func (a *activeRun) takePoolEvents(all bool) {
	a.takePoolLog(all)
	a.sumPoolEvents()
	for _, e := range a.acts.due(time.Now(), all) {
		a.keep(a.bundle.Event(e))
		if e.Severity != severity.Info {
			a.session.publish(NoteUpdate{a.meta.ID, e})
		}
	}
}

// freed counts what was freed at the user's request, or under pressure.
func (a *activeRun) freed(kind poolAct, f gpu.Freed) {
	if f.Buffers == 0 {
		return
	}
	now := time.Now()
	a.acts.add(kind, poolSum{count: int64(f.Buffers), bytes: f.Bytes, first: now, last: now})
}
