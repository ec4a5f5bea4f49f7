package monitor

import "assay/internal/cgroup"

// What raises the level of memory pressure on Linux: the share of the last 10 s in which some task stalled for memory, and
// the share of a control group's limit that is in use.
const (
	stallWarning, stallCritical = 0.10, 0.40
	groupWarning, groupCritical = 0.90, 0.97
	// groupReclaim is the share from which it matters that the kernel reclaims at the limit: below it that costs cached files only.
	groupReclaim = 0.80
)

// linuxLevel is the level of memory pressure on Linux, which has none of its own.
type linuxLevel struct {
	reading Reading
	before  cgroup.Pressure
	again   bool // before was read
}

// read is the worse of what stalls and what a control group's limit tell. Where neither is known it is the reason why there
// are no stalls.
func (l *linuxLevel) read(stalls Reading, group cgroup.Pressure, limited bool) Reading {
	before, again := l.before, l.again
	l.before, l.again = group, limited
	r := l.reading
	r.Source = stalls.Source
	switch {
	case stalls.Status == OK:
		r = r.reported(stallLevel(stalls.Value))
	case !limited:
		r.Status, r.Reason = stalls.Status, stalls.Reason
		return r
	}
	if !limited {
		return r
	}
	of := l.reading
	of.Source = group.Source
	if !again {
		before = group
	}
	if of = of.reported(groupLevel(group, before)); r.yields(&of) {
		return of
	}
	return r
}

// stallLevel is the level of a share of time with stalls.
func stallLevel(share float64) State {
	switch {
	case share >= stallCritical:
		return Critical
	case share >= stallWarning:
		return Warning
	}
	return Normal
}

// groupLevel is the level of a control group with a limit, which was so before.
func groupLevel(now, before cgroup.Pressure) State {
	switch {
	case now.Share >= groupCritical || now.Kills > before.Kills:
		return Critical
	case now.Share >= groupWarning, now.Reclaims > before.Reclaims && now.Share >= groupReclaim:
		return Warning
	}
	return Normal
}
