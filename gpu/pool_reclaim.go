package gpu

// Reclaim ends every live lease by force and caches or frees its buffer, so that after a reported leak everything that follows
// starts clean. Whoever still holds such a lease gets ErrReleased from it. It returns how many leases there were.
func (p *Pool) Reclaim() (int, error) {
	p.mu.Lock()
	var victims []*slot
	n := 0
	for s := p.live.first; s != nil; s = p.live.first {
		victims = append(victims, p.retire(s)...)
		n++
	}
	p.mu.Unlock()
	return n, release(victims)
}

// retire moves a live slot to the cache, or out of it. The caller holds p.mu.
func (p *Pool) retire(s *slot) (victims []*slot) {
	publish(&s.generation, s.generation+1)
	p.live.remove(s)
	c := s.class
	c.live--
	c.requested -= int64(s.requested)
	p.counters.live -= int64(c.size)
	p.counters.requested -= int64(s.requested)
	if p.logged.leases {
		p.log(LeaseReleased, s, ticks())
	}
	return p.keep(s)
}
