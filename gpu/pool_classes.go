package gpu

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Policy says how requests are rounded up to size classes.
type Policy uint8

// Policies of a Pool.
const (
	PolicyFine  Policy = iota // 32 classes per power of two, at least 16 B: wastes < 5 % from 320 B on
	PolicyPow2                // powers of two: few classes, wastes up to 50 %
	PolicyExact               // no rounding: no waste, but reuse only among equal sizes
)

// String returns the policy's name.
func (p Policy) String() string {
	c, _ := Policies().Find(p)
	return c.Name
}

// Granted returns how many bytes the buffer has that serves a request of n ≥ 1 bytes.
func (p Policy) Granted(n int) int { return p.class(n) }

// class returns the size that serves a request of n ≥ 1 bytes; n itself if rounding would overflow.
func (p Policy) class(n int) int {
	switch p {
	case PolicyFine:
		granule := 16
		if log2 := bits.Len(uint(n)) - 1; log2 > 9 {
			granule = 1 << (log2 - 5)
		}
		if n > math.MaxInt-granule {
			return n
		}
		return (n + granule - 1) &^ (granule - 1)
	case PolicyPow2:
		if n > math.MaxInt/2+1 {
			return n
		}
		return 1 << bits.Len(uint(n-1))
	}
	return n
}

// class is one size of a pool's buffers; guarded by Pool.mu.
type class struct {
	size             int
	free             []*slot // most recently used last
	live             int
	requested        int64 // bytes that the live leases asked for
	acquires, reuses int64
	last             int64 // the pool's count of acquires when this class last served one
}

// maxEmptyClasses is the maximum number of classes without a buffer that are kept for their counts. Without rounding, every size is its
// own class, and each Stats would walk all of them.
const maxEmptyClasses = 1024

// class finds or creates the class of that size. The caller holds p.mu and asks again once it has released it: the class
// may have been dropped in the meantime.
func (p *Pool) class(size int) *class {
	near := &p.near[uint64(size)*0x9E3779B97F4A7C15>>(64-nearBits)] // a multiplicative hash
	if c := *near; c != nil && c.size == size {
		return c
	}
	c := p.classes[size]
	if c == nil {
		if len(p.classes) >= p.dropAt {
			p.dropEmpty()
		}
		c = &class{size: size, last: p.counters.acquires}
		p.classes[size] = c
	}
	*near = c
	return c
}

// near is a table of the most recently used classes, which saves a map lookup.
const (
	nearBits    = 4
	nearClasses = 1 << nearBits
)

func (c *class) empty() bool { return c.live+len(c.free) == 0 }

// dropEmpty drops the empty classes that have been idle the longest, half of those that may be kept; their counts remain in the
// pool's own. The caller holds p.mu.
func (p *Pool) dropEmpty() {
	var empty []*class
	for _, c := range p.classes {
		if c.empty() {
			empty = append(empty, c)
		}
	}
	slices.SortFunc(empty, func(a, b *class) int { return cmp.Compare(b.last, a.last) })
	for _, c := range empty[min(len(empty), maxEmptyClasses/2):] {
		delete(p.classes, c.size)
	}
	clear(p.near[:])
	p.dropAt = len(p.classes) + maxEmptyClasses/2
}

// pop takes the most recently used slot, whose memory is most likely still in a cache; nil if there is none.
func (c *class) pop() *slot {
	n := len(c.free) - 1
	if n < 0 {
		return nil
	}
	s := c.free[n]
	c.free[n] = nil
	c.free = c.free[:n]
	return s
}

// list is a doubly linked list of slots through their own links; a slot is in at most one list.
type list struct {
	first, last *slot
	len         int
}

func (l *list) pushBack(s *slot) {
	s.prev, s.next = l.last, nil
	if l.last == nil {
		l.first = s
	} else {
		l.last.next = s
	}
	l.last = s
	l.len++
}

func (l *list) remove(s *slot) {
	if s.prev == nil {
		l.first = s.next
	} else {
		s.prev.next = s.next
	}
	if s.next == nil {
		l.last = s.prev
	} else {
		s.next.prev = s.prev
	}
	s.prev, s.next = nil, nil
	l.len--
}
