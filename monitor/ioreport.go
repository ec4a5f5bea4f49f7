package monitor

import (
	"encoding/binary"
	"math"
	"strings"
)

// reportRow is one channel of a sample of IOReport, the statistics that macOS's drivers publish. Values accumulate from boot.
type reportRow struct {
	group, subgroup, channel, unit string
	value                          int64
	element                        []byte // the driver's own record of a simple channel, empty if there is none
	states                         []residency
}

// residency is the time that a channel has spent in a state, in ticks that can only be compared with each other.
type residency struct {
	state string
	ticks int64
}

// reportSample is the rows at one time.
type reportSample struct {
	ticks uint64  // mach_absolute_time of the moment
	tick  float64 // seconds of a tick
	rows  []reportRow
}

// now is the time in seconds since an unknown start.
func (s *reportSample) now() float64 { return float64(s.ticks) * s.tick }

// noReportValue is the value of a channel that has none or that this user cannot read.
const noReportValue = math.MinInt64

// reportElement is what a driver publishes for a simple channel.
type reportElement struct {
	stamp uint64 // mach_absolute_time at which the driver published it
	value int64
}

// elementSize is the length of a record: provider, channel, type, stamp, four values; 8 bytes each.
const elementSize = 64

// decodeElement reads a record of the format "simple"; ok is false for any other.
func decodeElement(b []byte) (e reportElement, ok bool) {
	const format, stamp, value, simple = 16, 24, 32, 1
	if len(b) != elementSize || b[format] != simple {
		return reportElement{}, false
	}
	at := binary.LittleEndian.Uint64(b[stamp:])
	if at == 0 {
		return reportElement{}, false // never published
	}
	return reportElement{at, int64(binary.LittleEndian.Uint64(b[value:]))}, true
}

// Groups of the channels that are read.
const (
	energyGroup   = "Energy Model"
	gpuGroup      = "GPU Stats"
	gpuStates     = "GPU Performance States"
	gpuStateTimes = "GPUPH"
)

// wantedChannel reports whether a channel is read at all: a chip publishes hundreds.
func wantedChannel(r reportRow) bool {
	if isGPUStates(r) {
		return true
	}
	for _, rail := range rails() {
		if r.group == energyGroup && rail.matches(r.channel) {
			return true
		}
	}
	return false
}

func isGPUStates(r reportRow) bool {
	base, _ := withoutDie(r.channel)
	return r.group == gpuGroup && r.subgroup == gpuStates && base == gpuStateTimes
}

// withoutDie removes the prefix of channel names on chips with several dies, and on macOS 27: "DIE_0_CPU Energy",
// "DIE0_CPU Energy", "DIE0 CPU Energy".
func withoutDie(channel string) (base string, died bool) {
	rest, ok := strings.CutPrefix(channel, "DIE")
	if !ok {
		return channel, false
	}
	rest = strings.TrimPrefix(rest, "_")
	after := strings.TrimLeft(rest, "0123456789")
	if after == rest || after == "" || after[0] != '_' && after[0] != ' ' {
		return channel, false
	}
	return after[1:], true
}

// rail is a part of the chip and the names of its energy channels. A chip publishes a part as a whole, by dies, or by
// units; only the first pattern that matches any channel is used, so that nothing counts twice.
type rail struct {
	metric   string
	alwaysOn bool // it uses energy whenever the machine runs, so 0 W means a stalled counter
	patterns []func(channel string) bool
}

func rails() []rail {
	return []rail{
		{PowerCPU, true, named("CPU Energy")},
		{PowerGPU, false, append(named("GPU Energy"), numbered("GPU"))},
		{PowerGPUSRAM, false, append(named("GPU SRAM"), numbered("GPU SRAM"))},
		{PowerANE, false, append(named("ANE"), numbered("ANE"))},
		{PowerDRAM, true, append(named("DRAM"), numbered("DRAM"))},
	}
}

// named matches a channel of exactly that name, then one of each die.
func named(name string) []func(string) bool {
	return []func(string) bool{
		func(channel string) bool { return channel == name },
		func(channel string) bool {
			base, died := withoutDie(channel)
			return died && base == name
		},
	}
}

// numbered matches the units of a part: "ANE0", and "ANE0_1" for unit 0 of die 1.
func numbered(name string) func(string) bool {
	return func(channel string) bool {
		base, _ := withoutDie(channel)
		rest, ok := strings.CutPrefix(base, name)
		if !ok || rest == "" {
			return false
		}
		unit, die, hasDie := strings.Cut(rest, "_")
		return isDigits(unit) && (!hasDie || isDigits(die))
	}
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (r *rail) matches(channel string) bool {
	for _, matches := range r.patterns {
		if matches(channel) {
			return true
		}
	}
	return false
}

// rows are the indices of the rail's channels in a sample.
func (r *rail) rows(rows []reportRow) []int {
	for _, matches := range r.patterns {
		var found []int
		for i := range rows {
			if rows[i].group == energyGroup && matches(rows[i].channel) {
				found = append(found, i)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}
