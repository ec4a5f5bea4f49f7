package app

import (
	"time"

	"assay/app/bundle"
	"assay/internal/severity"
)

// runEnergy counts the energy that the device uses during a run. The counter is read while nothing is timed: at the start,
// between cases at most once per readEvery, so that no wrap is missed, and at the end.
type runEnergy struct {
	of          string                  // what is counted, and by what
	joules      func() (float64, error) // since an unknown start; nil: there is no counter
	began, read time.Time
	from, to    float64 // J
	missing     string  // why there is no energy
}

// readEvery is how often the counter is read if cases allow it; RAPL's wraps after ten minutes or more.
const readEvery = time.Minute

// openRunEnergy starts counting.
func (a *activeRun) openRunEnergy() {
	counter, err := a.session.energyOf(a.engine)
	if err != nil {
		a.used = runEnergy{missing: err.Error()}
		return
	}
	a.used.begin(counter.About, counter.Joules, time.Now())
}

func (e *runEnergy) begin(of string, joules func() (float64, error), now time.Time) {
	*e = runEnergy{of: of, joules: joules, began: now}
	e.update(now)
	e.from = e.to
}

// again reads the counter if a reading is due.
func (e *runEnergy) again(now time.Time) {
	if now.Sub(e.read) >= readEvery {
		e.update(now)
	}
}

func (e *runEnergy) update(now time.Time) {
	if e.joules == nil || e.missing != "" {
		return
	}
	joules, err := e.joules()
	if err != nil {
		e.missing = err.Error()
		return
	}
	e.to, e.read = joules, now
}

// total returns the energy that the device has used so far, or why it is unknown.
func (e *runEnergy) total(now time.Time) bundle.RunEnergy {
	e.update(now)
	switch {
	case e.missing != "":
		return bundle.RunEnergy{Missing: e.missing}
	case e.to <= e.from:
		return bundle.RunEnergy{Missing: "the energy counter did not advance during the run"}
	}
	return bundle.RunEnergy{Joules: e.to - e.from, Seconds: now.Sub(e.began).Seconds(), Of: e.of}
}

// closeRunEnergy records the energy that the device used.
func (a *activeRun) closeRunEnergy() {
	total := a.used.total(time.Now())
	a.bundle.Amend(func(m *bundle.Meta) { m.RunEnergy = &total })
	a.noted("Energy of the run", severity.Info, total.String())
}
