package monitor

import (
	"context"
	"fmt"
)

// thermalLevels are macOS's thermal state and pressure.
type thermalLevels struct {
	state       int // NSProcessInfo.thermalState: 0 nominal … 3 critical
	worst       int // the worst since the previous read, from its notification
	pressure    uint64
	pressureErr error // why the thermal pressure could not be read
}

// thermalReader reads macOS's thermal levels.
type thermalReader interface{ read() thermalLevels }

// Names of the two sources of the thermal state on macOS.
const (
	foundationThermal = "NSProcessInfo.thermalState"
	notifyThermal     = "notify(3) thermal pressure level"
)

// thermalStateSource reads both on macOS, because either may lag or be stuck: the worse one counts.
type thermalStateSource struct {
	open   func() thermalReader
	reader thermalReader
	out    [2]Reading
}

func (s *thermalStateSource) Name() string { return "thermal state" }

func (s *thermalStateSource) Read(context.Context) []Reading {
	if s.reader == nil {
		s.reader = s.open()
	}
	l := s.reader.read()
	s.out = [...]Reading{l.thermalState(), l.thermalPressure()}
	return s.out[:]
}

// thermalState is the worse of the two states; its Source is where that came from.
func (l thermalLevels) thermalState() Reading {
	state, known := foundationState(max(l.state, l.worst))
	_, pressed, pressureKnown := pressureState(l.pressure)
	pressureKnown = pressureKnown && l.pressureErr == nil
	rank, _ := state.Rank()
	pressedRank, _ := pressed.Rank()
	switch {
	case !known && !pressureKnown:
		return Template(ThermalState, foundationThermal).failed(fmt.Sprintf("unknown state %d", l.state))
	case !known || pressureKnown && pressedRank > rank:
		return Template(ThermalState, notifyThermal).reported(pressed)
	case pressureKnown && pressedRank == rank:
		return Template(ThermalState, foundationThermal+", "+notifyThermal).reported(state)
	}
	return Template(ThermalState, foundationThermal).reported(state)
}

// thermalPressure is the thermal pressure, the finer of the two.
func (l thermalLevels) thermalPressure() Reading {
	r := Template(ThermalPressure, notifyThermal)
	if l.pressureErr != nil {
		return r.without(l.pressureErr)
	}
	name, _, ok := pressureState(l.pressure)
	if !ok {
		return r.failed(fmt.Sprintf("unknown level %d", l.pressure))
	}
	return r.reported(name)
}

// foundationState is an NSProcessInfoThermalState in words.
func foundationState(level int) (state State, ok bool) {
	states := [...]State{Nominal, Fair, Serious, Critical}
	if level < 0 || level >= len(states) {
		return "", false
	}
	return states[level], true
}

// pressureState is macOS's OSThermalPressureLevel in words, and the corresponding thermal state. iOS has
// other numbers.
func pressureState(level uint64) (name, state State, ok bool) {
	levels := [...][2]State{
		{Nominal, Nominal}, {Moderate, Fair}, {Heavy, Serious}, {Trapping, Critical}, {Sleeping, Critical},
	}
	if level >= uint64(len(levels)) {
		return "", "", false
	}
	return levels[level][0], levels[level][1], true
}
