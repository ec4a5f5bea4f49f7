package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/gpu"
	"assay/internal/si"
	"assay/shaders/catalog"
)

// KernelCache is what an engine keeps of compiled kernels on disk, and how much this session used it.
type KernelCache struct {
	Engine  string         `json:"engine"`
	Title   string         `json:"-"`
	Device  string         `json:"device"`
	Missing string         `json:"not_available,omitempty"` // why there is no cache; then there is no folder or entry either
	Folder  string         `json:"folder,omitempty"`
	Kept    string         `json:"kept,omitempty"` // what is in it, a sentence
	Entries []CachedKernel `json:"entries"`
	Bytes   int64          `json:"bytes"`
	Session CacheUse       `json:"session"`
}

// CacheUse counts the kernels that an engine made ready since it was opened.
type CacheUse struct {
	Hits    int `json:"hits"`     // found in the cache
	Misses  int `json:"misses"`   // compiled from source
	BuiltIn int `json:"built_in"` // part of the program: the cache was not consulted
}

// CachedKernel is the compiled code of one kernel on disk.
type CachedKernel struct {
	ID        string    `json:"id"`                  // unique in the cache
	Kernel    string    `json:"kernel,omitempty"`    // the entry point; empty: unknown
	Constants string    `json:"constants,omitempty"` // "transpose_b=1"
	Device    string    `json:"device,omitempty"`
	System    string    `json:"system,omitempty"`
	Bytes     int64     `json:"bytes"`
	Stored    time.Time `json:"stored"`
	Cold      float64   `json:"cold_s,omitempty"` // time to compile it when it was stored; 0: unknown
	Warm      float64   `json:"warm_s,omitempty"` // to a pipeline from the cache, most recently in this session; 0: not loaded
	Fault     string    `json:"fault,omitempty"`  // why it will not be loaded; empty: no fault is known
}

// Name is the entry point with its constants.
func (k *CachedKernel) Name() string {
	switch {
	case k.Kernel == "":
		return "not known"
	case k.Constants == "":
		return k.Kernel
	}
	return k.Kernel + "{" + k.Constants + "}"
}

// Age returns the time since it was stored, in the largest unit: "3 days".
func (k *CachedKernel) Age(now time.Time) string {
	switch d := now.Sub(k.Stored); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return si.Counted(int(d.Minutes()), "minute")
	case d < 24*time.Hour:
		return si.Counted(int(d.Hours()), "hour")
	default:
		return si.Counted(int(d.Hours()/24), "day")
	}
}

// Faulty returns the IDs of the entries that will not be loaded.
func (c *KernelCache) Faulty() (ids []string) {
	for i := range c.Entries {
		if k := &c.Entries[i]; k.Fault != "" {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// Cache lists what an engine, by name or "auto", keeps on disk; it opens the engine. It does not read the content.
func (k *Kernels) Cache(engine string) (KernelCache, error) {
	return k.cache(engine, gpu.Cache.Entries)
}

// VerifyCache is Cache, but also compares each entry's content with its checksum.
func (k *Kernels) VerifyCache(ctx context.Context, engine string) (KernelCache, error) {
	return k.cache(engine, func(c gpu.Cache) ([]gpu.CacheEntry, error) { return c.Verify(ctx) })
}

func (k *Kernels) cache(engine string, list func(gpu.Cache) ([]gpu.CacheEntry, error)) (KernelCache, error) {
	found, err := k.session.engines.peek(engine)
	if err != nil {
		return KernelCache{}, err
	}
	out := KernelCache{
		Engine: found.spec.Name, Title: found.spec.Title, Device: found.engine.Info().Device, Entries: []CachedKernel{},
		Session: cacheUse(found.engine),
	}
	store, err := gpu.CacheOf(found.engine)
	if errors.Is(err, gpu.ErrUnsupported) {
		out.Missing = reduced(err).Error()
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.Folder, out.Kept = store.About()
	entries, err := list(store)
	warm := warmTimes(found.engine)
	for i := range entries {
		e := cachedKernel(&entries[i])
		e.Warm = warm[e.Name()]
		out.Entries, out.Bytes = append(out.Entries, e), out.Bytes+e.Bytes
	}
	return out, err
}

func cachedKernel(e *gpu.CacheEntry) CachedKernel {
	return CachedKernel{
		ID: e.ID, Kernel: e.Kernel, Constants: e.Constants, Device: e.Device, System: e.System, Bytes: e.Bytes, Stored: e.Stored,
		Cold: e.Seconds, Fault: cmp.Or(e.Fault, outdated(e)),
	}
}

// outdated says why Assay no longer asks for an entry; empty: it does, or the kernel is a user's.
func outdated(e *gpu.CacheEntry) string {
	k, known := catalog.Find(e.Kernel)
	if !known || e.Source == "" || e.Source == k.Impl.Source.Hash() {
		return ""
	}
	return "of another source: the kernel was changed since"
}

// cacheUse counts entries of an engine's log.
func cacheUse(engine gpu.Engine) CacheUse {
	var u CacheUse
	all, _ := compiles(engine)
	for i := range all {
		switch c := &all[i]; {
		case c.BuiltIn:
			u.BuiltIn++
		case c.Warm:
			u.Hits++
		default:
			u.Misses++
		}
	}
	return u
}

// warmTimes returns the seconds that kernels last took from the cache, by name.
func warmTimes(engine gpu.Engine) map[string]float64 {
	times := map[string]float64{}
	all, _ := compiles(engine)
	for i := range all {
		if c := &all[i]; c.Warm && !c.BuiltIn {
			k := CachedKernel{Kernel: c.Kernel, Constants: c.Constants}
			times[k.Name()] = c.Seconds
		}
	}
	return times
}

// CacheFreed is what was removed from a cache.
type CacheFreed struct {
	Kernels int
	Bytes   int64
}

// ClearCache removes the entries with those IDs; those already gone do not count. What an engine has in memory stays there. It
// fails with ErrBusy during a run.
func (k *Kernels) ClearCache(engine string, ids []string) (CacheFreed, error) {
	var freed CacheFreed
	lease, err := k.session.device.Acquire(k.session.ctx, UseCache)
	if err != nil {
		return freed, err
	}
	defer lease.Release()
	found, err := k.session.engines.peek(engine)
	if err != nil {
		return freed, err
	}
	store, err := gpu.CacheOf(found.engine)
	if err != nil {
		return freed, fmt.Errorf("the cache of %s is not available: %w", found.spec.Title, reduced(err))
	}
	entries, err := store.Entries()
	for i := range entries {
		e := &entries[i]
		if !slices.Contains(ids, e.ID) {
			continue
		}
		if err := store.Remove(e.ID); err != nil {
			return freed, fmt.Errorf("remove %s from the cache: %w", e.ID, err)
		}
		freed.Kernels, freed.Bytes = freed.Kernels+1, freed.Bytes+e.Bytes
	}
	return freed, err
}

// IDs returns the IDs of the entries.
func (c *KernelCache) IDs() []string {
	ids := make([]string, len(c.Entries))
	for i := range c.Entries {
		ids[i] = c.Entries[i].ID
	}
	return ids
}

// Find returns the IDs of the entries that the names mean: a kernel's entry point, the same with its constants, or an entry's ID.
// A name that means none is an error.
func (c *KernelCache) Find(names []string) (ids []string, err error) {
	for _, name := range names {
		before := len(ids)
		for i := range c.Entries {
			if k := &c.Entries[i]; name == k.Kernel || name == k.ID || name == k.Name() {
				ids = append(ids, k.ID)
			}
		}
		if len(ids) == before {
			return nil, fmt.Errorf("the cache has no kernel %q", name)
		}
	}
	return ids, nil
}
