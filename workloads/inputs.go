package workloads

import (
	"errors"

	"assay/gpu"
)

// InputCache caches read-only buffers that cases built, such as inputs, for later cases. Live tuning measures often and
// would otherwise spend most of its time rebuilding the same inputs. It is not safe for concurrent use and belongs to one pool.
type InputCache struct {
	limit      int64
	bytes      int64
	generation int // counts cases
	items      []*cachedInput
}

// cachedInput is one cached value and its buffers.
type cachedInput struct {
	key        string
	value      any
	leases     []gpu.Lease
	bytes      int64
	generation int // of its last use
}

// NewInputCache returns a cache of up to limit bytes of buffers; inputs of the current case stay regardless of size.
func NewInputCache(limit int64) *InputCache { return &InputCache{limit: limit} }

// Bytes returns the size of the cached buffers.
func (c *InputCache) Bytes() int64 { return c.bytes }

// Release returns all buffers to their pool.
func (c *InputCache) Release() error {
	c.NextCase()
	return c.Evict()
}

// NextCase starts a new case: inputs that it does not use may be evicted.
func (c *InputCache) NextCase() { c.generation++ }

// Evict releases everything that the current case does not use.
func (c *InputCache) Evict() error { return c.shrink(0) }

// shrink evicts the least recently used inputs until at most limit bytes are cached or all are in use.
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

// Get returns the value cached under key, and marks it as used by the current case.
func (c *InputCache) Get(key string) (value any, ok bool) {
	for _, item := range c.items {
		if item.key == key {
			item.generation = c.generation
			return item.value, true
		}
	}
	return nil, false
}

// Put caches a value and takes ownership of the leases of its buffers.
func (c *InputCache) Put(key string, value any, leases []gpu.Lease) error {
	item := &cachedInput{key: key, value: value, leases: leases, generation: c.generation}
	for _, l := range leases {
		item.bytes += int64(l.Size())
	}
	c.items, c.bytes = append(c.items, item), c.bytes+item.bytes
	return c.shrink(c.limit)
}
