package cgroup

import (
	"path/filepath"
	"strconv"
	"strings"
)

// CPU is a quota of processor time.
type CPU struct {
	Cores              float64 // the quota: 0.5 is half the time of one core
	Periods, Throttled int64   // how many periods the group ran in, and in how many it used up its quota
	Source             string  // the file of Periods and Throttled
}

// CPU returns the smallest quota from the group up to the root; false if there is none.
func (g Groups) CPU() (CPU, bool) {
	var c CPU
	for _, f := range g.cpu {
		cores, ok := f.cores()
		if !ok || c.Source != "" && cores >= c.Cores {
			continue
		}
		c = CPU{
			Cores: cores, Periods: f.stat("cpu.stat", "nr_periods"), Throttled: f.stat("cpu.stat", "nr_throttled"),
			Source: filepath.Join(f.path, "cpu.stat"),
		}
	}
	return c, c.Source != ""
}

// cores parses the quota of a group: "max 100000" in version 2 means none, as does -1 in version 1.
func (f folder) cores() (float64, bool) {
	quota, ok := f.number("cpu.cfs_quota_us")
	period, known := f.number("cpu.cfs_period_us")
	if f.v2 {
		q, p, _ := strings.Cut(strings.TrimSpace(read(filepath.Join(f.path, "cpu.max"))), " ")
		var bad, worse error
		quota, bad = strconv.ParseInt(q, 10, 64)
		period, worse = strconv.ParseInt(p, 10, 64)
		ok, known = bad == nil, worse == nil
	}
	if !ok || !known || quota <= 0 || period <= 0 {
		return 0, false
	}
	return float64(quota) / float64(period), true
}
