package monitor

import (
	"fmt"
	"strings"
)

// sensor is a temperature and its limits as reported by the machine, in °C; 0: not reported.
type sensor struct {
	label    string
	celsius  float64
	passive  float64 // from here on the system throttles
	critical float64 // at this point it shuts down
}

// Temperatures outside this range are from sensors that are off or not connected, for which drivers report 0, −274, 127.5 or
// 65 261 °C.
const (
	coldest = -40
	hottest = 150
)

// celsius converts what /sys/class/thermal and hwmon give, 1/1000 °C. ok is false outside the range of sensors.
func celsius(milli int64) (c float64, ok bool) {
	c = float64(milli) / 1000
	return c, c > coldest && c <= hottest && milli != 0
}

// limit is celsius for a trip point; 0 if no machine reaches it.
func limit(milli int64) float64 {
	c, ok := celsius(milli)
	if !ok || c < 30 || c == 127 {
		return 0
	}
	return c
}

// Margins to the limits, in °C, at which a thermal state begins. They are Assay's own choice: Linux has no interface
// for the thermal state, so the reading is an estimate.
const (
	fairMargin     = 10 // below the passive limit
	criticalMargin = 3  // below the critical limit
	loneSerious    = 10 // below the critical limit, if there is no passive limit
	loneFair       = 20
)

// state is the sensor's thermal state; ok is false if it has no limit.
func (s sensor) state() (state State, ok bool) {
	passive := s.passive
	if passive == 0 || s.critical > 0 && passive >= s.critical {
		passive = s.critical - loneSerious
		if s.critical == 0 {
			return "", false
		}
	}
	switch {
	case s.critical > 0 && s.celsius >= s.critical-criticalMargin:
		return Critical, true
	case s.celsius >= passive:
		return Serious, true
	case s.celsius >= passive-fairMargin:
		return Fair, true
	}
	return Nominal, true
}

// worst is the sensor in the worst thermal state, the hottest of those; ok is false if none has a limit.
func worst(sensors []sensor) (state State, of sensor, ok bool) {
	top := -1
	for _, s := range sensors {
		text, stated := s.state()
		rank, _ := text.Rank()
		if stated && (rank > top || rank == top && s.celsius > of.celsius) {
			state, of, top = text, s, rank
		}
	}
	return state, of, top >= 0
}

// metricName makes a label usable as a part of a metric: "Package id 0" is "package_id_0".
func metricName(label string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, label)
}

// distinct makes labels unique by appending numbers to repeated ones.
func distinct(label string, seen map[string]int) string {
	seen[metricName(label)]++
	if n := seen[metricName(label)]; n > 1 {
		return fmt.Sprintf("%s %d", label, n)
	}
	return label
}

// Reasons of machines without sensors, such as virtual ones.
const (
	noSensor = "this machine has no temperature sensor"
	noLimits = "no temperature sensor on this machine reports its limits"
)
