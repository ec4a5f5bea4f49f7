package monitor

import "time"

// energyCounter turns samples of an energy counter in µJ, which begins again at 0 after wrap, into watts.
type energyCounter struct {
	wrap uint64 // the highest value, 0 if it is not known
	prev uint64
	at   time.Time
}

// next is the mean power since the previous sample, or why there is none. A counter that stands still is not 0 W: some
// systems stop updating it.
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
