package gpu

import "slices"

// mark says who owns the leases from an ID on.
type mark struct {
	from  uint64
	owner string
}

// maxMarks is how many marks are kept before those that no live lease needs are dropped.
const maxMarks = 256

// Own says who owns the leases acquired from now until the next call, such as a case; empty: nobody in
// particular. It returns the ID of the last lease before. It adds no cost to Acquire.
func (p *Pool) Own(owner string) (last uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.marks); n > 0 && p.marks[n-1].from > p.leases { // nothing has been acquired since
		p.marks = p.marks[:n-1]
	}
	p.marks = append(p.marks, mark{p.leases + 1, owner})
	if len(p.marks) > maxMarks {
		p.marks = slices.Delete(p.marks, 0, p.unneeded())
	}
	return p.leases
}

// unneeded returns how many of the first marks no live lease needs. The caller holds p.mu.
func (p *Pool) unneeded() int {
	oldest := p.leases + 1
	if s := p.live.first; s != nil {
		oldest = s.id
	}
	return max(0, p.markOf(oldest))
}

// markOf returns the index of a lease's mark; −1 if it has none. The caller holds p.mu.
func (p *Pool) markOf(id uint64) int {
	at, found := slices.BinarySearchFunc(p.marks, id, func(m mark, id uint64) int {
		switch {
		case m.from < id:
			return -1
		case m.from > id:
			return 1
		}
		return 0
	})
	if found {
		return at
	}
	return at - 1
}

// owner returns who owns a lease. The caller holds p.mu.
func (p *Pool) owner(id uint64) string {
	if at := p.markOf(id); at >= 0 {
		return p.marks[at].owner
	}
	return ""
}
