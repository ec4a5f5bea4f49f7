// Package enginekit is shared by all engines: reference-counted buffers and the registry of live ones, memory reservation,
// submissions to wait for, and closing within a deadline.
package enginekit

import "sync"

// counted is an object with memory that exists while references > 0: the owner has one until release, and each user another.
type counted struct {
	free func() // frees the memory; called once, by the last to drop a reference

	mu         sync.Mutex
	references int
	released   bool
}

// open starts the count with the owner's reference.
func (c *counted) open(free func()) { c.free, c.references = free, 1 }

// retain retains the memory until drop; false if the owner has released it.
func (c *counted) retain() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.released {
		return false
	}
	c.references++
	return true
}

func (c *counted) drop() {
	c.mu.Lock()
	c.references--
	last := c.references == 0
	c.mu.Unlock()
	if last {
		c.free()
	}
}

// release drops the owner's reference; false if it was dropped before.
func (c *counted) release() bool {
	c.mu.Lock()
	first := !c.released
	c.released = true
	c.mu.Unlock()
	if first {
		c.drop()
	}
	return first
}

// live returns true until release.
func (c *counted) live() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.released
}
