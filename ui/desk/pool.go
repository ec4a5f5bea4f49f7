package desk

import (
	"context"
	"encoding/json"
	"errors"

	"assay/app"
	"assay/gpu"
)

// PoolSession is what the window needs of app.Session to show the pool of buffers, and to change it. What frees or makes
// buffers may take a while: it is called through Background.
type PoolSession interface {
	PoolState(app.LiveOrder) (app.PoolState, error)
	PoolSetCapacity(buffers int) error
	PoolSetBudget(bytes int64) error
	PoolSetMode(gpu.Mode) error
	PoolClear() (gpu.Freed, error)
	PoolClearSize(bytes int) (gpu.Freed, error)
	PoolShrink(maxCached int64) (gpu.Freed, error)
	PoolPrewarm(ctx context.Context, engine string, bytes, n int) (made int, err error)
}

// LeakSession is what the window needs of app.Session to look for leaks. Baseline and check take tenths of a second: they
// are called through Background.
type LeakSession interface {
	SetLeakBaseline() (app.LeakBaseline, error)
	LeakBaseline() (app.LeakBaseline, bool)
	LeakCheck(tolerance int64) (app.LeakCheck, error)
	LeakCurve() (app.LeakCurve, bool)
}

// LeakWorkload is the workload that leaks on purpose.
const LeakWorkload = "leak"

// PoolChoices is what was chosen for all pools of buffers and for leak checks; what was not is as usual.
type PoolChoices struct {
	Capacity  int      // buffers that each size class caches
	Budget    int64    // bytes, app.PoolBudgetDefault or app.PoolBudgetNone
	Mode      gpu.Mode // what buffers are lent with
	Tolerance int64    // bytes, of a leak check
}

// usualPool is what holds where nothing was chosen.
func usualPool() PoolChoices {
	return PoolChoices{app.PoolCapacityDefault, app.PoolBudgetDefault, gpu.ModeDirty, app.LeakToleranceDefault}
}

// Pool is what was chosen last. What is stored and can be chosen nowhere is as good as none.
func (s Settings) Pool() PoolChoices {
	usual := usualPool()
	c := usual
	if json.Unmarshal([]byte(s.Store.String(keyPool)), &c) != nil {
		return usual
	}
	if c.Capacity < app.PoolCapacityMin || c.Capacity > app.PoolCapacityMax {
		c.Capacity = usual.Capacity
	}
	if c.Budget != app.PoolBudgetNone && c.Budget < app.PoolBudgetMin {
		c.Budget = usual.Budget
	}
	if c.Mode > gpu.ModeDirty {
		c.Mode = usual.Mode
	}
	if c.Tolerance < app.LeakToleranceMin || c.Tolerance > app.LeakToleranceMax {
		c.Tolerance = usual.Tolerance
	}
	return c
}

// SetPool remembers what was chosen.
func (s Settings) SetPool(c PoolChoices) {
	if data, err := json.Marshal(c); err == nil { // such a struct always can be
		s.Store.SetString(keyPool, string(data))
	}
}

// NextEngine is what is known of the engine that the next run takes; nothing before it is open, or where none can be.
func (d *Desk) NextEngine() gpu.Info {
	for _, e := range d.Model.Engines {
		if e.Available && (e.Name == d.Model.Engine || d.Model.Engine == anyEngine && !e.Info.Simulated) {
			return e.Info
		}
	}
	return gpu.Info{}
}

// recallPool has the session's pools be as was chosen before. A budget that no engine of this machine has room for is forgotten.
func (d *Desk) recallPool() {
	c, most := d.Settings.Pool(), int64(0)
	for _, e := range d.Model.Engines {
		most = max(most, app.PoolBudgetMost(e.Info))
	}
	if c.Budget > most {
		c.Budget = app.PoolBudgetDefault
		d.Settings.SetPool(c)
	}
	d.applyPool(usualPool(), c)
}

// applyPool has the session's pools be set to what is new of some choices.
func (d *Desk) applyPool(before, c PoolChoices) {
	if before == c {
		return
	}
	d.Background(func() func() {
		var refused []error
		if c.Capacity != before.Capacity {
			refused = append(refused, d.Session.PoolSetCapacity(c.Capacity))
		}
		if c.Budget != before.Budget {
			refused = append(refused, d.Session.PoolSetBudget(c.Budget))
		}
		if c.Mode != before.Mode {
			refused = append(refused, d.Session.PoolSetMode(c.Mode))
		}
		err := errors.Join(refused...)
		return func() {
			if err != nil {
				d.Fail("Cannot set the pool to what was chosen", err)
			}
		}
	})
}
