package app

import (
	"time"

	"assay/app/bundle"
	"assay/internal/severity"
)

// runEnergy counts what the device uses during a run. The counter is read where nothing is timed: at the start, between cases at most once
// in readEvery, so that no wrap is missed, and at the end.
type runEnergy struct {
	of          string                  // what counts
	joules      func() (float64, error) // since an unknown start; nil: there is no counter
	began, read time.Time
	from, to    float64 // J
	missing     string  // why there is no energy
}

// readEvery is how often the counter is read at least, where cases allow it; RAPL's wrap in ten minutes or more.
const readEvery = time.Minute

// openRunEnergy begins to count.
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

// again reads the counter if that is due.
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

// total is what the device used until now, or why that is not known.
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

// closeRunEnergy records what the device used.
func (a *activeRun) closeRunEnergy() {
	total := a.used.total(time.Now())
	a.bundle.Amend(func(m *bundle.Meta) { m.RunEnergy = &total })
	a.noted("Energy of the run", severity.Info, total.String())
}
