package app

import (
	"errors"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/monitor"
	"assay/workloads/measure"
)

// Energy is whether a run measures the energy of its variants.
type Energy string

// Choices of Energy.
const (
	EnergyOff  Energy = "off"
	EnergyAuto Energy = "auto" // if there is a counter; otherwise results say why there is none
)

// EnergyChoices lists them, the default first.
func EnergyChoices() []Energy { return []Energy{EnergyOff, EnergyAuto} }

// recorded returns the choice as a run keeps it: nothing if energy is not measured.
func (e Energy) recorded() string {
	if e == EnergyAuto {
		return string(e)
	}
	return ""
}

// EnergyCounters opens the energy counters that a system has; nil: it has none.
type EnergyCounters struct {
	GPU func(id string) (*monitor.EnergyCounter, error) // of the GPU with that ID; "": there is only one
	CPU func() (*monitor.EnergyCounter, error)
}

// quickWindows is how many windows a quick run measures.
const quickWindows = 3

// openEnergy opens the counter for the run's engine, if the run measures energy, and notes which it is, or why there is none.
func (a *activeRun) openEnergy() {
	if a.request.Sampling.Energy != EnergyAuto {
		return
	}
	a.energy = &measure.EnergyCounter{}
	if a.request.Quick {
		a.energy.Windows = quickWindows
	}
	text := ""
	if open, err := a.session.energyOf(a.engine); err != nil {
		a.energy.Why = err.Error()
		text = "not available: " + err.Error()
	} else {
		a.energy.About, a.energy.Period, a.energy.Joules = open.About, open.Period, open.Joules
		text = "measured by " + open.About
	}
	e := bundle.Event{Time: time.Now(), Kind: bundle.Noted, Title: "Energy", Text: text}
	a.event(e)
	a.session.publish(NoteUpdate{a.meta.ID, e})
}

// energyOf opens the counter for the hardware an engine runs on.
func (s *Session) energyOf(engine gpu.Engine) (*monitor.EnergyCounter, error) {
	info, counters := engine.Info(), s.config.Energy
	switch {
	case info.Simulated:
		return nil, errors.New("the device is simulated")
	case info.GPU && counters.GPU != nil:
		return counters.GPU(s.engines.deviceID())
	case !info.GPU && counters.CPU != nil:
		return counters.CPU()
	}
	return nil, errors.New("no counter is known for this device")
}
