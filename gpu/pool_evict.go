package gpu

import (
	"errors"
	"slices"
)

// keep caches s and returns what that evicts: the class's oldest beyond its capacity, the pool's oldest beyond its
// budget, or s itself if nothing is cached. The caller holds p.mu and releases the victims after unlocking it.
func (p *Pool) keep(s *slot) (victims []*slot) {
	if p.closed || p.capacity == 0 {
		p.freed(s)
		return []*slot{s}
	}
	s.class.free = append(s.class.free, s)
	p.cached.pushBack(s)
	p.counters.cached += int64(s.class.size)
	if len(s.class.free) > p.capacity {
		oldest := p.evict(s.class.free[0])
		p.evicted(ForCapacity, oldest)
		victims = append(victims, oldest)
	}
	if p.budget > 0 {
		victims = append(victims, p.overBudget()...)
	}
	return victims
}

// uncache takes s, no longer in its class's free list, out of the cached bytes. The caller holds p.mu.
func (p *Pool) uncache(s *slot) {
	p.cached.remove(s)
	p.counters.cached -= int64(s.class.size)
}

// evict takes the cached slot s out of the pool. The caller holds p.mu.
func (p *Pool) evict(s *slot) *slot {
	i := slices.Index(s.class.free, s)
	s.class.free = slices.Delete(s.class.free, i, i+1)
	p.uncache(s)
	p.freed(s)
	return s
}

// trim takes out the least recently used until at most limit bytes are cached. The caller holds p.mu.
func (p *Pool) trim(limit int64) (victims []*slot) {
	for p.counters.cached > limit {
		victims = append(victims, p.evict(p.cached.first))
	}
	return victims
}

// overBudget takes out what the budget has no room for. The caller holds p.mu.
func (p *Pool) overBudget() []*slot {
	if p.budget == 0 {
		return nil
	}
	victims := p.trim(max(p.budget-p.counters.live-p.pending, 0))
	p.evicted(ForBudget, victims...)
	return victims
}

// evictAll frees everything cached, for an engine that has run out of memory, and returns how many buffers that was.
func (p *Pool) evictAll() int {
	p.mu.Lock()
	victims := p.trim(0)
	p.evicted(ForDevice, victims...)
	p.mu.Unlock()
	_ = release(victims) // a buffer that the engine cannot release is already gone
	return len(victims)
}

// release returns slots to the engine.
func release(victims []*slot) error {
	var err error
	for _, s := range victims {
		err = errors.Join(err, s.buffer.Release())
	}
	return err
}

// Freed is what left a pool's cache.
type Freed struct {
	Buffers int
	Bytes   int64
}

func (f *Freed) add(s *slot) {
	f.Buffers++
	f.Bytes += int64(s.class.size)
}

// ShrinkToFit frees the least recently used buffers until at most maxCached bytes are cached. The error concerns buffers
// that the engine could not release; the pool no longer counts them.
func (p *Pool) ShrinkToFit(maxCached int64) (Freed, error) {
	p.mu.Lock()
	victims := p.trim(max(maxCached, 0))
	p.mu.Unlock()
	return free(victims)
}

// Clear frees everything cached. Errors are as for ShrinkToFit.
func (p *Pool) Clear() (Freed, error) { return p.ShrinkToFit(0) }

// ClearSize frees everything cached in the class that serves requests of that many bytes. Errors are as for ShrinkToFit.
func (p *Pool) ClearSize(bytes int) (Freed, error) {
	if bytes < 1 {
		return Freed{}, nil
	}
	p.mu.Lock()
	var victims []*slot
	if c := p.classes[min(p.policy.class(bytes), p.maxBuffer)]; c != nil {
		for len(c.free) > 0 {
			victims = append(victims, p.evict(c.free[0]))
		}
	}
	p.mu.Unlock()
	return free(victims)
}

// free returns slots to the engine and reports how much that is.
func free(victims []*slot) (f Freed, err error) {
	for _, s := range victims {
		f.add(s)
	}
	return f, release(victims)
}

// SetCapacity sets how many buffers each class caches and evicts the excess. A disabled pool still caches nothing.
func (p *Pool) SetCapacity(n int) {
	p.mu.Lock()
	if !p.disabled {
		p.capacity = max(n, 0)
	}
	var victims []*slot
	for _, c := range p.classes {
		for len(c.free) > p.capacity {
			victims = append(victims, p.evict(c.free[0]))
		}
	}
	p.evicted(ForCapacity, victims...)
	p.mu.Unlock()
	_ = release(victims) // a buffer that the engine cannot release is already gone
}

// SetBudget sets the limit on live and cached bytes together (0: none) and evicts the excess. Live leases stay.
func (p *Pool) SetBudget(bytes int64) {
	p.mu.Lock()
	p.budget = max(bytes, 0)
	victims := p.overBudget()
	p.mu.Unlock()
	_ = release(victims) // a buffer that the engine cannot release is already gone
}

// SetMode sets what the buffers of later leases contain.
func (p *Pool) SetMode(m Mode) {
	p.mu.Lock()
	p.mode = m
	p.mu.Unlock()
}
