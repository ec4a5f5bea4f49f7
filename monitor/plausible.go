package monitor

import (
	"fmt"
	"math"
)

// plausibleIn returns the range that values of a unit can have on any machine; ok is false for a unit without limits. Sensors and drivers sometimes
// report nonsense: all bits set, a counter that went backward, a value in another unit.
func plausibleIn(unit string) (limits Range, ok bool) {
	for _, known := range [...]struct {
		unit   string
		lo, hi float64
	}{
		{"°C", -100, 300},
		{"W", -1e6, 1e6},  // a battery that is being charged takes power
		{"ratio", 0, 1e6}, // of one core, or of a limit that is exceeded
		{"B", 0, 1e18},
		{"Hz", 0, 1e12},
		{"FLOP/s", 0, 1e21},
		{"B/s", -1e18, 1e18}, // growth is negative while it shrinks
	} {
		if known.unit == unit {
			return Range{Lo: known.lo, Hi: known.hi}, true
		}
	}
	return Range{}, false
}

// plausible returns the reading, without its value if that is impossible for its unit: such a value must not become a mean, an alert or a
// verdict.
func (r Reading) plausible() Reading {
	if r.Status != OK || r.Text != "" {
		return r
	}
	said := ""
	limits, known := plausibleIn(r.Unit)
	switch {
	case math.IsNaN(r.Value):
		said = "not a number (NaN)"
	case math.IsInf(r.Value, 0):
		said = "an infinite value"
	case known && (r.Value < limits.Lo || r.Value > limits.Hi):
		said = Format(r.Value, r.Unit)
	default:
		return r
	}
	r.Value, r.Provenance = 0, ""
	return r.failed(fmt.Sprintf("%s reports %s, which is implausible", r.Source, said))
}
