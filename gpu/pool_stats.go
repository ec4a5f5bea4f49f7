package gpu

import (
	"cmp"
	"slices"
	"time"
)

// books are a pool's counters; bytes are granted ones unless said otherwise.
type books struct {
	acquires, reuses, creates, evictions, frees int64
	live, requested, cached, highWater          int64
}

// Stats is a pool's state at one moment. Bytes are those of the engine's buffers unless said otherwise.
type Stats struct {
	Acquires  int64 // leases granted; reuses and those that needed a new buffer
	Reuses    int64 // leases served from the cache
	Creates   int64 // buffers allocated, prewarmed ones among them
	Evictions int64 // cached buffers freed for the capacity, the budget or an engine out of memory
	Frees     int64 // buffers given back to the engine for whatever reason

	Live          int   // leases out
	LiveBytes     int64 // of them
	LiveRequested int64 // bytes that were asked for
	Cached        int   // buffers waiting for reuse
	CachedBytes   int64
	StrandedBytes int64 // cached in classes that served none of the last StrandedAfter acquires
	HighWater     int64 // most bytes held at once, live and cached
	Classes       int   // size classes with a live or cached buffer
	Budget        int64 // bytes; 0: none
	Capacity      int   // buffers cached per class
}

// ReuseRate is the share of acquires served from the cache, in [0, 1]; ok is false when nothing was acquired.
func (s Stats) ReuseRate() (rate float64, ok bool) {
	if s.Acquires == 0 {
		return 0, false
	}
	return float64(s.Reuses) / float64(s.Acquires), true
}

// Waste is the share of live bytes that nobody asked for, in [0, 1); ok is false when nothing is live.
func (s Stats) Waste() (ratio float64, ok bool) {
	if s.LiveBytes == 0 {
		return 0, false
	}
	return float64(s.LiveBytes-s.LiveRequested) / float64(s.LiveBytes), true
}

// Stats is the pool's state now.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.books
	s := Stats{
		Acquires: b.acquires, Reuses: b.reuses, Creates: b.creates, Evictions: b.evictions, Frees: b.frees,
		Live: p.live.len, LiveBytes: b.live, LiveRequested: b.requested,
		Cached: p.cached.len, CachedBytes: b.cached, HighWater: b.highWater,
		Budget: p.budget, Capacity: p.capacity,
	}
	for _, c := range p.classes {
		if c.live+len(c.free) > 0 {
			s.Classes++
		}
		if p.isStranded(c) {
			s.StrandedBytes += int64(c.size * len(c.free))
		}
	}
	return s
}

func (p *Pool) isStranded(c *class) bool { return p.books.acquires-c.last >= p.stranded }

// ClassStats is the state of one size class.
type ClassStats struct {
	Size             int // bytes of each buffer
	Live, Cached     int // buffers
	Acquires, Reuses int64
	Stranded         bool // it served none of the last StrandedAfter acquires
}

// Classes lists the size classes that were ever used, the smallest first.
func (p *Pool) Classes() []ClassStats {
	p.mu.Lock()
	rows := make([]ClassStats, 0, len(p.classes))
	for _, c := range p.classes {
		rows = append(rows, ClassStats{c.size, c.live, len(c.free), c.acquires, c.reuses, p.isStranded(c)})
	}
	p.mu.Unlock()
	slices.SortFunc(rows, func(a, b ClassStats) int { return cmp.Compare(a.Size, b.Size) })
	return rows
}

// LiveLease describes one lease that is out.
type LiveLease struct {
	Label     string
	Requested int // bytes asked for
	Granted   int // bytes of the engine's buffer
	Age       time.Duration
	Site      Site // where it was acquired
}

// Live lists the leases that are out, the oldest first.
func (p *Pool) Live() []LiveLease {
	p.mu.Lock()
	now := time.Since(p.start)
	leases := make([]LiveLease, 0, p.live.len)
	sites := make([]site, 0, p.live.len)
	for s := p.live.first; s != nil; s = s.next {
		leases = append(leases, LiveLease{Label: s.label, Requested: s.requested, Granted: s.class.size, Age: now - s.since})
		sites = append(sites, s.site)
	}
	p.mu.Unlock()
	for i := range leases {
		leases[i].Site = sites[i].resolve()
	}
	return leases
}
