package monitor

import (
	"encoding/binary"
	"errors"
	"slices"
)

// gpuTimes is how long the GPU has been in each state since the start: off, then its clocks from the lowest.
type gpuTimes struct {
	off   int64
	clock []int64
}

// decodeGPUTimes sums the channels of all GPUs. Their states are OFF and then P1, P2, … from the lowest clock up; a chip uses only the
// first few.
func decodeGPUTimes(rows []reportRow) (t gpuTimes, ok bool) {
	for i := range rows {
		if !isGPUStates(rows[i]) {
			continue
		}
		clock := 0
		for _, s := range rows[i].states {
			if s.ticks < 0 {
				return gpuTimes{}, false
			}
			if s.state == "OFF" || s.state == "IDLE" || s.state == "DOWN" {
				t.off += s.ticks
				continue
			}
			if clock == len(t.clock) {
				t.clock = append(t.clock, 0)
			}
			t.clock[clock] += s.ticks
			clock++
		}
	}
	return t, len(t.clock) > 0
}

// since returns the times in the interval after an earlier sample; ok is false if there is none.
func (t gpuTimes) since(earlier gpuTimes) (d gpuTimes, ok bool) {
	if len(t.clock) != len(earlier.clock) || t.off < earlier.off {
		return gpuTimes{}, false
	}
	d.off = t.off - earlier.off
	for i := range t.clock {
		if t.clock[i] < earlier.clock[i] {
			return gpuTimes{}, false
		}
		d.clock = append(d.clock, t.clock[i]-earlier.clock[i])
	}
	return d, d.off+d.on() > 0
}

// on is the time in which the GPU was not off.
func (t gpuTimes) on() (ticks int64) {
	for _, c := range t.clock {
		ticks += c
	}
	return ticks
}

// busy is the share of time in which the GPU was not off.
func (t gpuTimes) busy() float64 { return float64(t.on()) / float64(t.off+t.on()) }

// mean is the mean clock while the GPU was not off, by a table of the states' clocks in Hz.
func (t gpuTimes) mean(table []float64) (hertz float64, err error) {
	if t.on() == 0 {
		return 0, absent("the GPU was off and had no clock")
	}
	for i, ticks := range t.clock {
		if ticks == 0 {
			continue
		}
		if i >= len(table) {
			return 0, errors.New("the GPU was in a state missing from its table of clocks")
		}
		hertz += table[i] * float64(ticks)
	}
	return hertz / float64(t.on()), nil
}

// voltageTable is a table of the power manager in the I/O registry, "voltage-states9", as its bytes.
type voltageTable struct {
	name string
	data []byte
}

// gpuClocks finds the GPU's clocks in Hz among the power manager's tables, without the state "off". The tables have no titles.
// Those of the GPU begin with a clock of 0 and increase; on M1 to M4 it is voltage-states9, later chips have other numbers.
func gpuClocks(tables []voltageTable) ([]float64, error) {
	var found []float64
	for _, t := range tables {
		clocks, ok := decodeGPUClocks(t.data)
		switch {
		case !ok:
		case t.name == "voltage-states9":
			return clocks, nil
		case found != nil && !slices.Equal(found, clocks):
			return nil, absent("the power manager has several candidate tables of GPU clocks")
		default:
			found = clocks
		}
	}
	if found == nil {
		return nil, absent("the power manager has no table of GPU clocks")
	}
	return found, nil
}

// Range of clocks in Hz for a GPU's top state, and the maximum number of states in a table.
const (
	lowestTop    = 200e6
	highestTop   = 4e9
	maxGPUClocks = 64
)

// decodeGPUClocks reads a table of clock and voltage, 4 bytes each, little-endian. The clocks are in Hz, or in kHz.
func decodeGPUClocks(b []byte) (hertz []float64, ok bool) {
	if len(b)%8 != 0 || len(b) < 16 || len(b)/8 > maxGPUClocks || binary.LittleEndian.Uint32(b) != 0 {
		return nil, false
	}
	previous := uint32(0)
	for at := 8; at < len(b); at += 8 {
		clock := binary.LittleEndian.Uint32(b[at:])
		if clock <= previous {
			return nil, false
		}
		hertz, previous = append(hertz, float64(clock)), clock
	}
	if float64(previous) < lowestTop {
		for i := range hertz {
			hertz[i] *= 1e3
		}
	}
	top := hertz[len(hertz)-1]
	return hertz, top >= lowestTop && top <= highestTop
}

// gpuThrottle estimates throttling from the clock: how far, under load, it is below the highest clock under load so far. It
// cannot detect a limit that applies from the start; the clock's share of the top state shows that.
type gpuThrottle struct{ best float64 }

// gpuLoaded is the share of time above which a GPU's clock is not lowered to save power.
const gpuLoaded = 0.9

// next is the share by which the clock has dropped, or the reason why that is not known. share is the clock ÷ that of the top
// state.
func (g *gpuThrottle) next(busy, share float64) (dropped float64, err error) {
	if busy < gpuLoaded {
		return 0, absent("the GPU is mostly idle, so its clock is not representative")
	}
	g.best = max(g.best, share)
	return 1 - share/g.best, nil
}
