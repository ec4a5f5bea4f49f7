package workloads

import (
	"errors"

	"assay/gpu"
)

// InputCache holds what cases have built and never write to, such as inputs, for the cases after them. Someone who moves
// a slider measures often, and most of a quick measurement would go into making the same inputs again. It is not safe
// for concurrent use, and serves one pool.
type InputCache struct {
	limit      int64
	bytes      int64
	generation int // counts cases
	items      []*cachedInput
}

// cachedInput is one thing, with the buffers it is made of.
type cachedInput struct {
	key        string
	value      any
	leases     []gpu.Lease
	bytes      int64
	generation int // in which it was used last
}

// NewInputCache caches up to limit bytes of buffers; what the case at hand uses stays whatever its size.
func NewInputCache(limit int64) *InputCache { return &InputCache{limit: limit} }

// Bytes is the size of the cached buffers.
func (c *InputCache) Bytes() int64 { return c.bytes }

// Release returns all buffers to their pool.
func (c *InputCache) Release() error {
	c.NextCase()
	return c.Evict()
}

// NextCase says that a new case begins: what it does not use may be evicted.
func (c *InputCache) NextCase() { c.generation++ }

// Evict releases everything that the case at hand does not use.
func (c *InputCache) Evict() error { return c.shrink(0) }

// shrink drops the least recently used, until at most limit bytes are cached or all is in use.
func (c *InputCache) shrink(limit int64) error {
	var errs error
	for c.bytes > limit || limit == 0 {
		oldest := -1
		for i, item := range c.items {
			if item.generation != c.generation && (oldest < 0 || item.generation < c.items[oldest].generation) {
				oldest = i
			}
		}
		if oldest < 0 {
			break
		}
		errs = errors.Join(errs, c.drop(oldest))
	}
	return errs
}

func (c *InputCache) drop(i int) error {
	var errs error
	for _, l := range c.items[i].leases {
		errs = errors.Join(errs, l.Release())
	}
	c.bytes -= c.items[i].bytes
	c.items = append(c.items[:i], c.items[i+1:]...)
	return errs
}

// Get returns what is cached under the key, and marks it as used by the case at hand.
func (c *InputCache) Get(key string) (value any, ok bool) {
	for _, item := range c.items {
		if item.key == key {
			item.generation = c.generation
			return item.value, true
		}
	}
	return nil, false
}

// Put caches a value and takes over the leases of the buffers it is made of.
func (c *InputCache) Put(key string, value any, leases []gpu.Lease) error {
	item := &cachedInput{key: key, value: value, leases: leases, generation: c.generation}
	for _, l := range leases {
		item.bytes += int64(l.Size())
	}
	c.items, c.bytes = append(c.items, item), c.bytes+item.bytes
	return c.shrink(c.limit)
}
