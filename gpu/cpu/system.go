package cpu

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// systemMemory is what the machine has, in bytes.
type systemMemory struct {
	total     int64
	available int64 // without swapping
}

// parseMeminfo reads the text of Linux's /proc/meminfo.
func parseMeminfo(text []byte) (systemMemory, error) {
	var m systemMemory
	fields := map[string]*int64{"MemTotal:": &m.total, "MemAvailable:": &m.available}
	for line := range bytes.Lines(text) {
		parts := strings.Fields(string(line))
		if len(parts) != 3 || fields[parts[0]] == nil {
			continue
		}
		kib, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil {
			return systemMemory{}, fmt.Errorf("meminfo: %s %w", parts[0], err)
		}
		*fields[parts[0]] = kib * 1024
	}
	if m.total <= 0 || m.available <= 0 {
		return systemMemory{}, fmt.Errorf("meminfo: no MemTotal or MemAvailable")
	}
	return m, nil
}

// limit lowers m to a control group's limit and use, as its files memory.max and memory.current give them.
func (m systemMemory) limit(most, current string) systemMemory {
	most, current = strings.TrimSpace(most), strings.TrimSpace(current)
	limit, err := strconv.ParseInt(most, 10, 64)
	if err != nil { // "max": there is no limit
		return m
	}
	m.total = min(m.total, limit)
	if used, err := strconv.ParseInt(current, 10, 64); err == nil {
		m.available = min(m.available, max(0, limit-used))
	}
	return m
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
