package desk

import (
	"encoding/json"

	"assay/app"
	"assay/gpu"
)

// LeakWorkload is the workload that leaks on purpose.
const LeakWorkload = "leak"

// PoolChoices is what was chosen for all pools of buffers and for leak checks; what was not is as usual.
type PoolChoices struct {
	app.PoolSettings
	Tolerance int64 // bytes, of a leak check
}

// usualPool is what holds where nothing was chosen.
func usualPool() PoolChoices { return PoolChoices{app.DefaultPoolSettings(), app.LeakToleranceDefault} }

// Pool is what was chosen last. A setting that is out of its range is as good as none.
func (s Settings) Pool() PoolChoices {
	usual := usualPool()
	c := usual
	if json.Unmarshal([]byte(s.Store.String(keyPool)), &c) != nil {
		return usual
	}
	c.PoolSettings = c.Usual(gpu.Info{})
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
	if e := d.Model.NextEngine(); e != nil && e.Available {
		return e.Info
	}
	return gpu.Info{}
}

// recallPool has the session's pools be as was chosen before. A budget that no engine of this machine has room for is forgotten.
func (d *Desk) recallPool() {
	c, largest := d.Settings.Pool(), gpu.Info{}
	for _, e := range d.Model.Engines {
		if app.PoolBudgetMax(e.Info) > app.PoolBudgetMax(largest) {
			largest = e.Info
		}
	}
	if fitting := c.Usual(largest); fitting != c.PoolSettings {
		c.PoolSettings = fitting
		d.Settings.SetPool(c)
	}
	d.applyPool(c.PoolSettings)
}

// applyPool sets the session's pools.
func (d *Desk) applyPool(settings app.PoolSettings) {
	d.Background(func() func() {
		if d.Session.Pool.Settings() == settings {
			return nil
		}
		err := d.Session.Pool.Set(settings)
		return func() {
			if err != nil {
				d.Fail("Cannot change the pool settings", err)
			}
		}
	})
}
