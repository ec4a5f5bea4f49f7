package target

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// decodeStat parses /proc/PID/stat. Times are in ticks of a hundredth of a second, on all architectures.
func decodeStat(b []byte) (p Process, err error) {
	begin, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if begin < 0 || end < begin {
		return p, errors.New("stat has no name")
	}
	if p.PID, err = strconv.Atoi(string(bytes.TrimSpace(b[:begin]))); err != nil {
		return p, fmt.Errorf("stat: %w", err)
	}
	p.Name = string(b[begin+1 : end])
	f := bytes.Fields(b[end+1:])
	const state, parent, group, user, system, threads, start = 0, 1, 2, 11, 12, 17, 19
	if len(f) <= start {
		return p, fmt.Errorf("stat has %d fields after the name, want at least %d", len(f), start+1)
	}
	p.ended = f[state][0] == 'Z' || f[state][0] == 'X'
	var n [start + 1]int64
	for _, i := range []int{parent, group, user, system, threads, start} {
		if n[i], err = strconv.ParseInt(string(f[i]), 10, 64); err != nil {
			return p, fmt.Errorf("stat: %w", err)
		}
	}
	p.Parent, p.Group, p.Threads, p.Start = int(n[parent]), int(n[group]), int(n[threads]), uint64(n[start])
	p.Seconds = float64(n[user]+n[system]) / 100
	return p, nil
}

// keyed parses a file with lines such as "Rss:  1784 kB" to bytes; a line without a number is ignored.
func keyed(b []byte) map[string]float64 {
	out := map[string]float64{}
	for line := range bytes.Lines(b) {
		key, rest, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		f := bytes.Fields(rest)
		if len(f) == 0 {
			continue
		}
		v, err := strconv.ParseUint(string(f[0]), 10, 63)
		if err != nil {
			continue
		}
		scale := 1.0
		if len(f) > 1 {
			scale = unitOf(string(f[1]))
		}
		out[string(key)] = float64(v) * scale
	}
	return out
}

// unitOf returns the bytes in one of the kernel's units; its kB is a KiB.
func unitOf(unit string) float64 {
	switch unit {
	case "kB", "KiB":
		return 1 << 10
	case "MiB":
		return 1 << 20
	case "GiB":
		return 1 << 30
	}
	return 1
}

// decodeRollup parses /proc/PID/smaps_rollup. Memory shared by several processes counts proportionally, so that the sum over a tree is
// its total.
func decodeRollup(b []byte) (u usage, err error) {
	v := keyed(b)
	for _, key := range []string{"Rss", "Anonymous", "Swap"} {
		if _, ok := v[key]; !ok {
			return u, fmt.Errorf("smaps_rollup has no %s", key)
		}
	}
	u.resident = known(v["Rss"])
	if _, ok := v["Pss_Anon"]; !ok { // before Linux 5.3
		u.anonymous, u.swap, u.footprint = known(v["Anonymous"]), known(v["Swap"]), known(v["Anonymous"]+v["Swap"])
		return u, nil
	}
	u.anonymous, u.swap = known(v["Pss_Anon"]), known(v["SwapPss"])
	u.footprint = known(v["Pss_Anon"] + v["Pss_Shmem"] + v["SwapPss"] + v["Private_Hugetlb"])
	return u, nil
}

// decodeStatus parses the memory in /proc/PID/status, for processes whose smaps_rollup is not readable.
func decodeStatus(b []byte) (u usage, err error) {
	v := keyed(b)
	if _, ok := v["VmRSS"]; !ok {
		return u, errors.New("the process has no memory of its own")
	}
	if _, ok := v["RssAnon"]; !ok {
		return u, errors.New("this kernel does not distinguish file memory from other memory")
	}
	u.resident, u.anonymous, u.swap = known(v["VmRSS"]), known(v["RssAnon"]), known(v["VmSwap"])
	u.footprint = known(v["RssAnon"] + v["RssShmem"] + v["VmSwap"] + v["HugetlbPages"])
	return u, nil
}
