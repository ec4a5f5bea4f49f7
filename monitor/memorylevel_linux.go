package monitor

import "assay/internal/cgroup"

// What raises the level of memory pressure on Linux: the share of the last 10 s in which some task stalled on memory, and the used
// share of a control group's limit.
const (
	stallWarning, stallCritical = 0.10, 0.40
	groupWarning, groupCritical = 0.90, 0.97
	// groupReclaim is the share above which reclaiming at the limit matters: below it, that only costs cached files.
	groupReclaim = 0.80
)

// linuxLevel computes the level of memory pressure on Linux, which does not report one.
type linuxLevel struct {
	reading Reading
	before  cgroup.Pressure
	again   bool // before was read
}

// read returns the worse of the levels from stalls and from a control group's limit. If neither is known, it returns the reason why
// there are no stalls.
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

// groupLevel returns the level of a control group with a limit; before is its previous state.
func groupLevel(now, before cgroup.Pressure) State {
	switch {
	case now.Share >= groupCritical || now.Kills > before.Kills:
		return Critical
	case now.Share >= groupWarning, now.Reclaims > before.Reclaims && now.Share >= groupReclaim:
		return Warning
	}
	return Normal
}
