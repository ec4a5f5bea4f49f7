package gputest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"assay/gpu"
)

// Caching is an engine with a cache in memory, and a log of compiles.
type Caching struct {
	gpu.Engine
	Log     []gpu.Compile // what Compiles returns
	Damaged []string      // IDs of the entries that Verify finds damaged

	mu      sync.Mutex
	entries []gpu.CacheEntry
}

// NewCaching wraps an engine; its cache has the given entries.
func NewCaching(e gpu.Engine, entries ...gpu.CacheEntry) *Caching {
	return &Caching{Engine: e, entries: entries}
}

// Compiles implements gpu.CompileLog.
func (c *Caching) Compiles() []gpu.Compile { return c.Log }

// Cache implements gpu.Cached.
func (c *Caching) Cache() (gpu.Cache, error) { return (*cached)(c), nil }

// cached is the cache of the engine.
type cached Caching

func (c *cached) About() (folder, kept string) { return "/caches/fake", "Code of kernels." }

func (c *cached) Entries() ([]gpu.CacheEntry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.entries), nil
}

func (c *cached) Verify(context.Context) ([]gpu.CacheEntry, error) {
	all, err := c.Entries()
	for i := range all {
		if slices.Contains(c.Damaged, all[i].ID) {
			all[i].Fault = gpu.CacheDamaged
		}
	}
	return all, err
}

func (c *cached) Remove(id string) error {
	if strings.HasPrefix(id, "locked") {
		return fmt.Errorf("%s is in use", id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = slices.DeleteFunc(c.entries, func(e gpu.CacheEntry) bool { return e.ID == id })
	return nil
}
