package cpu

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"
)

// systemMemory is the memory of the machine, in bytes.
type systemMemory struct {
	total     int64
	available int64 // without swapping
	resident  int64 // used by this process; 0: unknown
}

// spare is the available memory that is not reserved, if buffers of booked bytes are live in a process that used base bytes
// without them: their untouched pages are still available, but must not be reserved twice.
func (m systemMemory) spare(booked, base int64) int64 {
	touched := max(0, m.resident-base)
	return m.available - max(0, booked-touched)
}

// cgroup is the text of a control group's files memory.max, memory.current and memory.stat.
type cgroup struct{ most, current, stat string }

// limit lowers m to the limit of the control group. Cached file pages count as in use there, but the kernel drops them before
// an allocation fails, as for the machine's MemAvailable.
func (m systemMemory) limit(g cgroup) systemMemory {
	limit, err := strconv.ParseInt(strings.TrimSpace(g.most), 10, 64)
	if err != nil { // "max": there is no limit
		return m
	}
	m.total = min(m.total, limit)
	if used, err := strconv.ParseInt(strings.TrimSpace(g.current), 10, 64); err == nil {
		used = max(0, used-fileCache(g.stat))
		m.available = min(m.available, max(0, limit-used))
	}
	return m
}

// fileCache reads the bytes of cached file pages from the text of memory.stat. Its line "file" cannot be used, since it
// includes shared memory, which cannot be dropped.
func fileCache(stat string) int64 {
	var sum int64
	for line := range strings.Lines(stat) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key != "inactive_file" && key != "active_file" {
			continue
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			sum += n
		}
	}
	return sum
}

// parseStatm reads the resident set, in bytes, from the text of Linux's /proc/self/statm; 0 if it is missing.
func parseStatm(text string, page int64) int64 {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * page
}

// parseCPUName reads the model name from the text of Linux's /proc/cpuinfo; empty if it has none.
func parseCPUName(text []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if key = strings.TrimSpace(key); ok && (key == "model name" || key == "Model") {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
