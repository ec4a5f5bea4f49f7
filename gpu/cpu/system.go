package cpu

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"

	"assay/internal/cgroup"
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

// reserve is what buffers must leave for the rest of the process: inputs, references, results, garbage. Without it a small
// container is killed instead of a buffer refused.
func (m systemMemory) reserve() int64 { return min(64<<20, m.total/8) }

// within lowers m to the limit of a control group.
func (m systemMemory) within(limit cgroup.Memory) systemMemory {
	m.total, m.available = min(m.total, limit.Limit), min(m.available, limit.Available)
	return m
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
