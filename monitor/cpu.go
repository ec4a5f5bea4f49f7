package monitor

import (
	"bytes"
	"errors"
)

// cpuTime is how long all cores together were busy and idle since boot, in units of the kernel's clock tick, and how much of
// the busy time another virtual machine had the core.
type cpuTime struct{ busy, idle, steal uint64 }

// tick is the unit of cpuTime, in seconds: both kernels count for programs in 1/100 s, whatever their own clock is.
const tick = 0.01

// decodeStat reads the first line of /proc/stat: "cpu user nice system idle iowait irq softirq steal guest guest_nice".
// Guest time is part of user time and not counted again; kernels before 2.6 have fewer fields.
func decodeStat(b []byte) (cpuTime, error) {
	first, _ := line(b)
	rest, found := bytes.CutPrefix(first, []byte("cpu "))
	if !found {
		return cpuTime{}, errors.New("/proc/stat does not start with the cpu line")
	}
	var fields [8]uint64
	n := 0
	for ; n < len(fields); n++ {
		v, r, ok := number(rest)
		if !ok {
			break
		}
		fields[n], rest = v, r
	}
	if n < 4 {
		return cpuTime{}, errors.New("the cpu line of /proc/stat has fewer than four times")
	}
	user, nice, system, idle, wait := fields[0], fields[1], fields[2], fields[3], fields[4]
	return cpuTime{busy: user + nice + system + fields[5] + fields[6] + fields[7], idle: idle + wait, steal: fields[7]}, nil
}

// busySince is the busy share of the time between two samples. The kernel's idle time may decrease by a tick or so, which
// counts as 0; ok is false if no time has passed.
func (t cpuTime) busySince(prev cpuTime) (ratio float64, ok bool) {
	busy, idle := grown(prev.busy, t.busy), grown(prev.idle, t.idle)
	if busy+idle == 0 {
		return 0, false
	}
	return float64(busy) / (float64(busy) + float64(idle)), true
}

// coreUse is how the time of all cores was spent, each as a share of it.
type coreUse struct{ busy, own, others, steal float64 }

// useSince returns the use between two samples, in which this process used own seconds. Ticks are coarser than own time, so the
// others' share is known to a tick or two per core.
func (t cpuTime) useSince(prev cpuTime, own float64) (u coreUse, ok bool) {
	u.busy, ok = t.busySince(prev)
	if !ok {
		return coreUse{}, false
	}
	all := tick * float64(grown(prev.busy, t.busy)+grown(prev.idle, t.idle))
	u.steal = min(u.busy, tick*float64(grown(prev.steal, t.steal))/all)
	u.own = min(u.busy-u.steal, max(0, own)/all)
	u.others = u.busy - u.steal - u.own
	return u, true
}

// grown is how much a counter has increased, 0 if it decreased.
func grown(from, to uint64) uint64 {
	if to < from {
		return 0
	}
	return to - from
}

// decodeLoad reads the 1-minute load average, the first number of /proc/loadavg.
func decodeLoad(b []byte) (float64, error) {
	v, _, ok := decimal(b)
	if !ok {
		return 0, errors.New("/proc/loadavg does not start with a number")
	}
	return v, nil
}
