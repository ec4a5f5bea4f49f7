package uitest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"assay/app"
	"assay/gpu"
)

// KernelCache is the cache of compiled kernels of the engine "metal"; the CPU engine has none.
type KernelCache struct {
	Refuses error // what clearing answers; nil: it clears

	mu   sync.Mutex
	gone []string // IDs
}

// cachedKernels are the entries; the last one is damaged.
func cachedKernels() []app.CachedKernel {
	ago := func(hours int) time.Time { return time.Now().Add(-time.Duration(hours)*time.Hour - 30*time.Minute) }
	return []app.CachedKernel{
		{
			ID: "a", Kernel: "norm_f32", Constants: "threads=64", Device: "Apple M3", System: "23A344", Bytes: 18_200, Stored: ago(2),
			Cold: 0.083, Warm: 0.0021,
		},
		{
			ID: "b", Kernel: "product_f16", Constants: "has_bias=1,transpose_b=1", Device: "Apple M3", System: "23A344", Bytes: 61_000,
			Stored: ago(75), Cold: 0.412,
		},
		{
			ID: "c", Kernel: "product_f32", Device: "Apple M1", System: "22G91", Bytes: 58_400, Stored: ago(24 * 40), Cold: 0.39,
			Fault: "for another device, this is Apple M3",
		},
		{ID: "d", Kernel: "scale_f32", Device: "Apple M3", System: "23A344", Bytes: 9_100, Stored: ago(3), Cold: 0.031, Warm: 0.0017},
	}
}

// Cache is part of desk.KernelService.
func (k Kernels) Cache(engine string) (app.KernelCache, error) {
	if engine == "cpu" {
		return app.KernelCache{Engine: "cpu", Title: "CPU", Missing: "the kernels of engine cpu are part of the program"}, nil
	}
	c := app.KernelCache{
		Engine: engine, Title: "Metal", Device: "Apple M3", Folder: "/Users/ada/Library/Caches/Assay/metal",
		Kept: "Pipelines as binary archives, one for each kernel and its constants.", Session: app.CacheUse{Hits: 2, Misses: 1},
	}
	k.Disk.mu.Lock()
	defer k.Disk.mu.Unlock()
	for _, e := range cachedKernels() {
		if !slices.Contains(k.Disk.gone, e.ID) {
			c.Entries, c.Bytes = append(c.Entries, e), c.Bytes+e.Bytes
		}
	}
	return c, nil
}

// VerifyCache is part of desk.KernelService.
func (k Kernels) VerifyCache(_ context.Context, engine string) (app.KernelCache, error) {
	c, err := k.Cache(engine)
	for i := range c.Entries {
		if c.Entries[i].ID == "d" {
			c.Entries[i].Fault = gpu.CacheDamaged
		}
	}
	return c, err
}

// ClearCache is part of desk.KernelService.
func (k Kernels) ClearCache(engine string, ids []string) (freed app.CacheFreed, err error) {
	if engine == "cpu" {
		return freed, errors.New("the cache of CPU is not available")
	}
	if k.Disk.Refuses != nil {
		return freed, k.Disk.Refuses
	}
	k.Disk.mu.Lock()
	defer k.Disk.mu.Unlock()
	for _, e := range cachedKernels() {
		if slices.Contains(ids, e.ID) && !slices.Contains(k.Disk.gone, e.ID) {
			k.Disk.gone = append(k.Disk.gone, e.ID)
			freed.Kernels, freed.Bytes = freed.Kernels+1, freed.Bytes+e.Bytes
		}
	}
	return freed, nil
}
