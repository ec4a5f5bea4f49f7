package monitor

import "assay/internal/cgroup"

// quota reads how often a control group's quota of processor time was used up.
type quota struct {
	groups cgroup.Groups
	prev   cgroup.CPU
}

// read returns the share of the scheduler's periods since the last read in which all threads had to wait for the next one. It returns
// false if there is no quota.
func (q *quota) read() (Reading, bool) {
	now, limited := q.groups.CPU()
	if !limited {
		return Reading{}, false
	}
	r, prev := Template(Throttling, now.Source), q.prev
	q.prev = now
	if prev.Source != now.Source {
		return r.unavailable(needsTwo), true
	}
	periods, throttled := now.Periods-prev.Periods, now.Throttled-prev.Throttled
	if periods <= 0 {
		return r.ok(0), true // nothing ran
	}
	return r.ok(min(1, max(0, float64(throttled)/float64(periods)))), true
}
