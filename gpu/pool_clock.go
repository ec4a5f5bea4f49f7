package gpu

import "time"

// moment is a time on the clock and on the processor's counter. Leases are stamped with the counter, which is read in a few
// nanoseconds; it is converted to a time only on request.
type moment struct {
	time  time.Time
	ticks uint64
}

func now() moment { return moment{time.Now(), ticks()} }

// until returns the span from m to end.
func (m moment) until(end moment) span { return span{m, end} }

// span converts counts of the processor into times between two moments at which both are known. A counter that was
// reset, as after sleep, yields one of the two.
type span struct{ start, end moment }

// after returns how long after the start the counter stood at that count.
func (s span) after(ticks uint64) time.Duration {
	all := s.end.time.Sub(s.start.time)
	switch {
	case ticks <= s.start.ticks:
		return 0
	case ticks >= s.end.ticks:
		return all
	}
	return time.Duration(float64(all) * (float64(ticks-s.start.ticks) / float64(s.end.ticks-s.start.ticks)))
}

func (s span) time(ticks uint64) time.Time { return s.start.time.Add(s.after(ticks)) }

// age returns how long before the end the counter stood at that count.
func (s span) age(ticks uint64) time.Duration { return s.end.time.Sub(s.start.time) - s.after(ticks) }
