package app

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"assay/gpu"
)

// ownedPool is the pool of one open engine.
type ownedPool struct {
	engine gpu.Engine
	info   gpu.Info
	pool   *gpu.Pool
	// Guarded by pools.mu.
	runID  string          // the run that the counters cover; empty before the first
	warmed int64           // process growth from prewarming between runs, in bytes
	left   []gpu.LiveLease // what that run left live at its end, at most PoolLeases; it has been released since
}

// pools keeps a pool for each open engine, from its first use until the engine closes.
type pools struct {
	// setting serializes changes of settings, so that all pools get the last one.
	setting sync.Mutex

	mu       sync.Mutex
	all      map[gpu.Engine]*ownedPool
	shown    *ownedPool // the last one used
	runs     int        // number of runs begun
	lacking  error      // why shown is nil
	settings PoolSettings
}

func newPools() *pools {
	return &pools{
		all: map[gpu.Engine]*ownedPool{}, lacking: errors.New("no run has used one, and none was prewarmed"),
		settings: DefaultPoolSettings(),
	}
}

// of returns the engine's pool, created if needed; it is the one shown from now on.
func (p *pools) of(e gpu.Engine) *ownedPool {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.all[e]
	if own == nil {
		info := e.Info()
		own = &ownedPool{engine: e, info: info, pool: gpu.NewPool(e, p.settings.options(info))}
		p.all[e] = own
	}
	p.shown = own
	return own
}

// begin is of, with the counters reset for a run. warmed is the process growth from buffers already cached, in bytes.
func (p *pools) begin(e gpu.Engine, runID string) (own *ownedPool, warmed int64) {
	own = p.of(e)
	own.pool.ResetStats()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs++
	own.runID, own.left = runID, nil
	warmed, own.warmed = min(own.warmed, own.pool.Stats().CachedBytes), 0
	return own, warmed
}

// leave records leases that a run left live in an engine's pool, before they are released.
func (p *pools) leave(e gpu.Engine, leases []gpu.LiveLease) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.all[e]; own != nil {
		own.left = append(own.left, leases[:min(len(leases), PoolLeases-len(own.left))]...)
	}
}

// current returns the last pool used and the number of runs begun, or why there is no pool.
func (p *pools) current() (own *ownedPool, runs int, lacking error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown, p.runs, p.lacking
}

// live returns the engine's memory outside its pool's cache: buffers in use, and those allocated without the pool. The two
// counts are read at different moments, but never underestimate it.
func (p *pools) live(e gpu.Engine) gpu.Memory {
	p.mu.Lock()
	own := p.all[e]
	p.mu.Unlock()
	mem := e.Memory()
	if own == nil {
		return mem
	}
	s := own.pool.Stats()
	return gpu.Memory{
		Bytes:   max(s.LiveBytes, mem.Bytes-s.CachedBytes),
		Buffers: max(int64(s.Live), mem.Buffers-int64(s.Cached)),
	}
}

// set changes the settings of all current and later pools, and returns the previous ones. For
// other pools the caller must hold the device; they are then recreated at the next use.
func (p *pools) set(to PoolSettings) (before PoolSettings) {
	p.setting.Lock()
	defer p.setting.Unlock()
	p.mu.Lock()
	before, p.settings = p.settings, to
	all := slices.Collect(maps.Values(p.all))
	p.mu.Unlock()
	for _, own := range all {
		if to.differentPools(before) {
			p.drop(own.engine, errors.New("its settings were changed; it is recreated at the next use"))
			continue
		}
		own.pool.SetCapacity(to.Capacity)
		own.pool.SetBudget(to.BudgetOn(own.info))
		own.pool.SetMode(to.Mode)
		own.pool.SetLog(to.log())
	}
	return before
}

// list returns all pools.
func (p *pools) list() []*ownedPool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.all))
}

// emptyAll frees everything that is cached. The caller holds the device.
func (p *pools) emptyAll() error {
	p.mu.Lock()
	all := slices.Collect(maps.Values(p.all))
	for _, own := range all {
		own.warmed = 0
	}
	p.mu.Unlock()
	var err error
	for _, own := range all {
		_, e := own.pool.Clear()
		err = errors.Join(err, e)
	}
	return err
}

// drop closes the pool of an engine that is about to close. The caller holds the device.
func (p *pools) drop(e gpu.Engine, why error) {
	p.mu.Lock()
	own := p.all[e]
	delete(p.all, e)
	if own != nil && p.shown == own {
		p.shown, p.lacking = nil, why
	}
	p.mu.Unlock()
	if own != nil {
		_ = own.pool.Close() // the engine reports what is live or cannot be released when it closes
	}
}

// warm records the process growth from prewarming, in bytes.
func (own *ownedPool) warm(bytes int64, p *pools) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own.warmed += bytes
}
