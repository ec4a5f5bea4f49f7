package monitor

import "time"

// rate converts samples of a level to its change per second.
type rate struct {
	level float64
	at    time.Time
}

// next is the change per second since the previous sample; ok is false for the first.
func (r *rate) next(level float64, now time.Time) (perSecond float64, ok bool) {
	prev := *r
	r.level, r.at = level, now
	elapsed := now.Sub(prev.at).Seconds()
	if prev.at.IsZero() || elapsed <= 0 {
		return 0, false
	}
	return (level - prev.level) / elapsed, true
}
