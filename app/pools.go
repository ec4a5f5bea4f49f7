package app

import (
	"context"
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
	runID  string // the run that the counters are of; empty before the first
	warmed int64  // by how many bytes prewarming between runs has grown the process
}

// pools keeps a pool for each open engine, from its first use until the engine closes.
type pools struct {
	// books is held by who prewarms or empties a pool, and by a run that opens or closes its books: none may see
	// another's half-done work. It is taken before every other lock but tuner.measuring; settings and readings go without
	// it.
	books sync.Mutex
	// setting is held while settings reach the pools, so that the last one stands in all of them.
	setting sync.Mutex

	mu       sync.Mutex
	all      map[gpu.Engine]*ownedPool
	shown    *ownedPool // the one used last
	runs     int        // how many runs have begun
	lacking  error      // why shown is nil
	settings poolSettings
	cut      context.CancelFunc // ends the prewarming that is under way; nil if there is none
}

// poolSettings are those of every pool of a session.
type poolSettings struct {
	capacity int
	budget   int64 // PoolBudgetDefault: a share of the engine's working set
	mode     gpu.Mode
}

func newPools() *pools {
	return &pools{
		all: map[gpu.Engine]*ownedPool{}, lacking: errors.New("no run has used one yet, and none was prewarmed"),
		// inputs are written whole, and outputs poisoned before they are verified
		settings: poolSettings{capacity: PoolCapacityDefault, budget: PoolBudgetDefault, mode: gpu.ModeDirty},
	}
}

// budgetOn is the budget on an engine, in bytes; 0: none.
func (s poolSettings) budgetOn(i gpu.Info) int64 {
	switch {
	case s.budget == PoolBudgetDefault:
		return int64(memoryShare * float64(i.WorkingSet))
	case i.WorkingSet > 0: // the setting may be from an engine with more
		return min(s.budget, i.WorkingSet)
	}
	return s.budget
}

// hold takes the books. A prewarming that is under way goes on to its end first, or ends at once if cut.
func (p *pools) hold(cut bool) (release func()) {
	if cut {
		p.mu.Lock()
		if p.cut != nil {
			p.cut()
		}
		p.mu.Unlock()
	}
	p.books.Lock()
	return p.books.Unlock
}

// of is the engine's pool, made if need be; it is the one shown from now on.
func (p *pools) of(e gpu.Engine) *ownedPool {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.all[e]
	if own == nil {
		info := e.Info()
		o := gpu.PoolOptions{
			Budget: p.settings.budgetOn(info), Mode: p.settings.mode, Capacity: p.settings.capacity,
		}
		if o.Capacity == 0 {
			o.Capacity = -1 // 0 would be the pool's own default
		}
		own = &ownedPool{engine: e, info: info, pool: gpu.NewPool(e, o)}
		p.all[e] = own
	}
	p.shown = own
	return own
}

// begin is of, with counters that begin anew for a run. warmed is by how many bytes the buffers that are cached already
// have grown the process.
func (p *pools) begin(e gpu.Engine, runID string) (own *ownedPool, warmed int64) {
	own = p.of(e)
	own.pool.ResetStats()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs++
	own.runID = runID
	warmed, own.warmed = min(own.warmed, own.pool.Stats().CachedBytes), 0
	return own, warmed
}

// current is the pool used last, how many runs have begun, and why there is none.
func (p *pools) current() (own *ownedPool, runs int, lacking error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown, p.runs, p.lacking
}

// live is what an engine holds but for what its pool caches: what is lent out, and what was made without the pool. The
// two counts are not of the same moment, but never less than what is lent out.
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

// apply changes the settings, of every pool that there is and of later ones.
func (p *pools) apply(set func(*poolSettings), on func(*ownedPool, poolSettings)) {
	p.setting.Lock()
	defer p.setting.Unlock()
	p.mu.Lock()
	set(&p.settings)
	settings, all := p.settings, slices.Collect(maps.Values(p.all))
	p.mu.Unlock()
	for _, own := range all {
		on(own, settings)
	}
}

// emptyAll frees all that is cached. The caller holds the books.
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

// drop closes the pool of an engine that is about to close. The caller holds the books.
func (p *pools) drop(e gpu.Engine, why error) {
	p.mu.Lock()
	own := p.all[e]
	delete(p.all, e)
	if own != nil && p.shown == own {
		p.shown, p.lacking = nil, why
	}
	p.mu.Unlock()
	if own != nil {
		_ = own.pool.Close() // what is live or cannot be released, the engine tells of when it closes
	}
}
