// Package machine reports what the CPU engine must know about the machine: memory, the processor's name and its last-level cache.
package machine

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"

	"assay/internal/cgroup"
)

// Memory is the memory of the machine, in bytes.
type Memory struct {
	Total     int64
	Available int64 // without swapping
	Resident  int64 // used by this process; 0: unknown
}

// Spare is the available memory that is not reserved, if buffers of booked bytes are live in a process that used base bytes
// without them: their untouched pages are still available, but must not be reserved twice.
func (m Memory) Spare(booked, base int64) int64 {
	touched := max(0, m.Resident-base)
	return m.Available - max(0, booked-touched)
}

// Reserve is what buffers must leave for the rest of the process: inputs, references, results, garbage. Without it a small
// container is killed instead of a buffer refused.
func (m Memory) Reserve() int64 { return min(64<<20, m.Total/8) }

// within lowers m to the limit of a control group.
func (m Memory) within(limit cgroup.Memory) Memory {
	m.Total, m.Available = min(m.Total, limit.Limit), min(m.Available, limit.Available)
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
