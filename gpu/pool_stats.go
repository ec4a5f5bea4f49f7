package gpu

import (
	"cmp"
	"slices"
	"time"
)

// counters are those of a pool; bytes are granted bytes unless stated otherwise.
type counters struct {
	acquires, reuses, creates, evictions, frees int64
	live, requested, cached, highWater          int64
}

// Stats is a pool's state at one moment. Bytes are those of the engine's buffers unless stated otherwise.
type Stats struct {
	Acquires  int64 // leases granted, reused or newly created
	Reuses    int64 // leases served from the cache
	Creates   int64 // buffers allocated, including prewarmed ones
	Evictions int64 // cached buffers freed because of the capacity, the budget or an engine out of memory
	Frees     int64 // buffers released to the engine for any reason

	Live          int   // live leases
	LiveBytes     int64 // of the live leases
	LiveRequested int64 // bytes they requested
	Cached        int   // buffers waiting for reuse
	CachedBytes   int64
	StrandedBytes int64 // cached in classes that served none of the last StrandedAfter acquires
	HighWater     int64 // maximum bytes held at once, live and cached
	Classes       int   // size classes with a live or cached buffer
	Budget        int64 // bytes; 0: none
	Capacity      int   // buffers cached per class
	Mode          Mode  // of later leases
	Policy        Policy
	Disabled      bool // nothing is reused
}

// ReuseRate returns the share of acquires served from the cache, in [0, 1]; ok is false if nothing was acquired.
func (s Stats) ReuseRate() (rate float64, ok bool) {
	if s.Acquires == 0 {
		return 0, false
	}
	return float64(s.Reuses) / float64(s.Acquires), true
}

// Waste returns the share of live bytes lost to rounding up, in [0, 1); ok is false if nothing is live.
func (s Stats) Waste() (ratio float64, ok bool) {
	if s.LiveBytes == 0 {
		return 0, false
	}
	return float64(s.LiveBytes-s.LiveRequested) / float64(s.LiveBytes), true
}

// ResetStats restarts the counters, as if everything live and cached now had always been there.
func (p *Pool) ResetStats() {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.counters
	b.acquires, b.reuses, b.creates, b.evictions, b.frees, b.highWater = 0, 0, 0, 0, 0, p.held()
	p.journal = journal{}
	for _, c := range p.classes {
		c.acquires, c.reuses, c.last = 0, 0, 0
	}
}

// Stats returns the pool's current state.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats()
}

// stats is Stats; the caller holds p.mu.
func (p *Pool) stats() Stats {
	b := p.counters
	s := Stats{
		Acquires: b.acquires, Reuses: b.reuses, Creates: b.creates, Evictions: b.evictions, Frees: b.frees,
		Live: p.live.len, LiveBytes: b.live, LiveRequested: b.requested,
		Cached: p.cached.len, CachedBytes: b.cached, HighWater: b.highWater,
		Budget: p.budget, Capacity: p.capacity, Mode: p.mode, Policy: p.policy, Disabled: p.disabled,
	}
	for _, c := range p.classes {
		if !c.empty() {
			s.Classes++
		}
		if p.isStranded(c) {
			s.StrandedBytes += int64(c.size * len(c.free))
		}
	}
	if len(p.classes)-s.Classes > maxEmptyClasses { // many were released at once
		p.dropEmpty()
	}
	return s
}

func (p *Pool) isStranded(c *class) bool { return p.counters.acquires-c.last >= p.stranded }

// ClassStats is the state of one size class.
type ClassStats struct {
	Size             int   // bytes of each buffer
	Live, Cached     int   // buffers
	LiveRequested    int64 // bytes that the live leases requested, out of Live × Size
	Acquires, Reuses int64 // since the counters started
	Stranded         bool  // it served none of the last StrandedAfter acquires
}

// Classes lists the size classes that hold a buffer or were used since the counters started, smallest first. If very
// many hold none, only the most recently used of those are listed.
func (p *Pool) Classes() []ClassStats {
	p.mu.Lock()
	rows := p.rows()
	p.mu.Unlock()
	slices.SortFunc(rows, bySize)
	return rows
}

func bySize(a, b ClassStats) int { return cmp.Compare(a.Size, b.Size) }

// rows returns the classes in any order. The caller holds p.mu.
func (p *Pool) rows() []ClassStats {
	rows := make([]ClassStats, 0, len(p.classes))
	for _, c := range p.classes {
		if c.empty() && c.acquires == 0 {
			continue
		}
		rows = append(rows, ClassStats{
			Size: c.size, Live: c.live, Cached: len(c.free), LiveRequested: c.requested,
			Acquires: c.acquires, Reuses: c.reuses, Stranded: p.isStranded(c),
		})
	}
	return rows
}

// LiveLease describes one live lease.
type LiveLease struct {
	ID        uint64 // unique in the pool, over time
	Label     string
	Requested int // bytes asked for
	Granted   int // bytes of the engine's buffer
	Age       time.Duration
	Owner     string // who owns it, as Own said when it was acquired; empty: nobody in particular
	Site      Site   // where it was acquired
	// Trace is the call stack that led there, innermost first, as far as it is recorded. Leases from one place share it.
	Trace []Site
}

// Live lists the live leases, oldest first.
func (p *Pool) Live() []LiveLease {
	p.mu.Lock()
	leases, sites := p.oldest(p.live.len)
	p.mu.Unlock()
	p.locate(leases, sites)
	return leases
}

// oldest describes the n oldest leases, except for the sites, which are resolved without p.mu. The caller holds p.mu.
func (p *Pool) oldest(n int) ([]LiveLease, []site) {
	clock := p.start.until(now())
	n = min(max(n, 0), p.live.len)
	leases, sites := make([]LiveLease, 0, n), make([]site, 0, n)
	for s := p.live.first; len(leases) < n; s = s.next {
		leases = append(leases, LiveLease{
			ID: s.id, Label: s.label, Requested: s.requested, Granted: s.class.size, Age: clock.age(s.since), Owner: p.owner(s.id),
		})
		sites = append(sites, s.site)
	}
	return leases, sites
}

// locate resolves sites, each once: there are many leases, but few lines that acquire them.
func (p *Pool) locate(leases []LiveLease, sites []site) {
	p.mu.Lock()
	helpers := p.helpers
	p.mu.Unlock()
	known := map[site][]Site{}
	for i, s := range sites {
		trace, ok := known[s]
		if !ok {
			trace = s.trace(helpers)
			known[s] = trace
		}
		if leases[i].Trace = trace; len(trace) > 0 {
			leases[i].Site = trace[0]
		}
	}
}

// PoolSnapshot is everything a pool reports about itself at one moment.
type PoolSnapshot struct {
	Stats   Stats
	Classes []ClassStats // as Classes
	Live    []LiveLease  // as Live, but at most as many as requested; Stats.Live counts all
}

// Snapshot returns the pool's state with at most that many of the oldest leases.
func (p *Pool) Snapshot(leases int) PoolSnapshot {
	p.mu.Lock()
	s := PoolSnapshot{Stats: p.stats(), Classes: p.rows()}
	live, sites := p.oldest(leases)
	p.mu.Unlock()
	slices.SortFunc(s.Classes, bySize)
	p.locate(live, sites)
	s.Live = live
	return s
}
