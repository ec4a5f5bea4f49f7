package monitor

import "time"

// energyCounter converts samples of an energy counter in µJ, which restarts at 0 after wrap, to watts.
type energyCounter struct {
	wrap uint64 // the highest value, 0 if unknown
	prev uint64
	at   time.Time
}

// next is the mean power since the previous sample, or the reason why there is none. A counter that does not change does not
// mean 0 W, since some systems stop updating it.
func (e *energyCounter) next(microjoules uint64, now time.Time) (watts float64, reason string) {
	prev, at := e.prev, e.at
	e.prev, e.at = microjoules, now
	elapsed := now.Sub(at).Seconds()
	if at.IsZero() || elapsed <= 0 {
		return 0, needsTwo
	}
	used := microjoules - prev
	if microjoules < prev {
		if e.wrap < prev || e.wrap < microjoules {
			return 0, "the energy counter went backward"
		}
		used = e.wrap - prev + microjoules
	}
	if used == 0 {
		return 0, stale
	}
	return float64(used) * 1e-6 / elapsed, ""
}
