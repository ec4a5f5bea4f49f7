package desk

import (
	"encoding/json"
	"slices"

	"assay/app"
	"assay/gpu"
	"assay/monitor"
)

// LeakWorkload is the workload that leaks deliberately.
const LeakWorkload = "leak"

// PoolChoices are the user's settings for all pools and leak checks; the other settings keep their defaults.
type PoolChoices struct {
	app.PoolSettings
	Tolerance int64 // of a leak check, in bytes
	AutoCheck bool  // a leak check after each run
	// Bands are custom ranges of good reuse rates, in the order of the published ones; empty: the published ones.
	Bands []monitor.Range `json:",omitempty"`
}

// PublishedBands are the published ranges of good reuse rates.
func PublishedBands() []monitor.Range {
	m, _ := monitor.Lookup(monitor.PoolReuse)
	return slices.Clone(m.Good)
}

// ReuseBands are the ranges of good reuse rates in force: the user's, or the published ones.
func (s Settings) ReuseBands() []monitor.Range {
	published, own := PublishedBands(), s.Pool().Bands
	if len(own) != len(published) {
		return published
	}
	out := PublishedBands()
	for i, b := range own {
		if !(b.Lo >= 0 && b.Lo <= b.Hi && b.Hi <= 1) {
			return published
		}
		out[i].Lo, out[i].Hi = b.Lo, b.Hi
	}
	return out
}

// usualPool returns the default settings.
func usualPool() PoolChoices {
	return PoolChoices{PoolSettings: app.DefaultPoolSettings(), Tolerance: app.LeakToleranceDefault}
}

// Pool returns the last settings. A setting that is out of range is replaced by the default.
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

// SetPool remembers the settings.
func (s Settings) SetPool(c PoolChoices) {
	if data, err := json.Marshal(c); err == nil { // never fails for such a struct
		s.Store.SetString(keyPool, string(data))
	}
}

// NextEngine returns the info of the next run's engine; zero before it is open, or if none opens.
func (d *Desk) NextEngine() gpu.Info {
	if e := d.Model.NextEngine(); e != nil && e.Available {
		return e.Info
	}
	return gpu.Info{}
}

// recallPool applies the stored settings to the session's pools. A budget too large for every engine of this machine is
// dropped.
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
