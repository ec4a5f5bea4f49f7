package monitor

import (
	"context"
	"path/filepath"
	"time"

	"assay/internal/cgroup"
)

// maxClocks is the maximum number of processors' files that are read in a tick; reading a clock may interrupt its processor.
const maxClocks = 16

// Loads above which a clock below base, or below the best seen, means throttling rather than power saving. A few busy cores reach a
// higher clock than all can, so only clocks under full load are compared with one another.
const (
	busyEnough = 0.5
	fullLoad   = 0.9
)

// throttleSource reads how much the processor is throttled. It prefers the time that the processor reports as
// throttled (exact), then its count of throttle events (only whether), then its clock against the base clock.
type throttleSource struct {
	times  []*file // ms throttled since boot, per core and package
	counts []*file // throttle events since boot
	clocks []*file // kHz
	base   uint64  // kHz, 0 if not reported
	best   uint64  // kHz, of the fastest core under full load so far
	prev   []uint64
	at     time.Time
	stat   *file // for the clocks: whether the processor has work
	load   cpuTime
	quota  quota
	out    [1]Reading
}

func newThrottleSource(r roots) *throttleSource {
	s := &throttleSource{stat: r.procFile("stat", 512), quota: quota{groups: cgroup.Open(r.proc, r.sys)}}
	const cpus = "devices/system/cpu/cpu[0-9]*/"
	s.times = s.files(r, cpus+"thermal_throttle/*_throttle_total_time_ms")
	s.counts = s.files(r, cpus+"thermal_throttle/*_throttle_count")
	s.clocks = s.files(r, cpus+"cpufreq/scaling_cur_freq")
	for _, p := range r.glob(cpus + "cpufreq/base_frequency") {
		base, _ := only([]byte(r.text(p)))
		s.base = max(s.base, base)
	}
	return s
}

// files opens nothing yet. If there are many processors, it selects evenly spaced ones.
func (s *throttleSource) files(r roots, pattern string) []*file {
	paths := r.glob(pattern)
	step := max(1, (len(paths)+maxClocks-1)/maxClocks)
	var files []*file
	for i := 0; i < len(paths); i += step {
		files = append(files, r.sysFile(filepath.Clean(paths[i])))
	}
	return files
}

func (s *throttleSource) Name() string { return "throttling" }

// Read is part of Source. Of the processor and its time quota, the one that throttles more counts.
func (s *throttleSource) Read(context.Context) []Reading {
	s.out[0] = s.processor()
	if r, limited := s.quota.read(); limited && (s.out[0].Status != OK || r.Status == OK && r.Value >= s.out[0].Value) {
		s.out[0] = r
	}
	return s.out[:]
}

func (s *throttleSource) processor() Reading {
	switch {
	case len(s.times) > 0:
		return s.fromCounters(s.times, true)
	case len(s.counts) > 0:
		return s.fromCounters(s.counts, false)
	case len(s.clocks) > 0:
		return s.fromClocks()
	}
	return Template(Throttling, "/sys/devices/system/cpu").unavailable(noThrottle)
}

// fromCounters is the increase of the fastest counter: of milliseconds as a share of the time, of events 1 or 0.
func (s *throttleSource) fromCounters(files []*file, milliseconds bool) Reading {
	r := Template(Throttling, "/sys/devices/system/cpu/cpu*/thermal_throttle")
	now, first := time.Now(), s.prev == nil
	if first {
		s.prev = make([]uint64, len(files))
	}
	var most uint64
	for i, f := range files {
		v, err := f.uint()
		if err != nil {
			return r.without(err)
		}
		if !first {
			most = max(most, grown(s.prev[i], v))
		}
		s.prev[i] = v
	}
	elapsed := now.Sub(s.at)
	s.at = now
	switch {
	case first || elapsed <= 0:
		return r.unavailable(needsTwo)
	case milliseconds:
		return r.ok(min(1, float64(most)/1e3/elapsed.Seconds()))
	case most > 0:
		return r.estimated(1) // throttled in this interval; the duration is not reported
	}
	return r.ok(0)
}

// fromClocks returns how far the fastest core is below the base clock or, if none is reported, below the best clock so far.
func (s *throttleSource) fromClocks() Reading {
	r := Template(Throttling, "/sys/devices/system/cpu/cpu*/cpufreq")
	busy, ok := s.busy()
	if !ok {
		return r.unavailable(needsTwo)
	}
	if busy < busyEnough || s.base == 0 && busy < fullLoad {
		return r.unavailable(idleClock)
	}
	var fastest uint64
	for _, f := range s.clocks {
		v, err := f.uint()
		if err != nil {
			return r.without(err)
		}
		fastest = max(fastest, v)
	}
	if s.base > 0 {
		return r.estimated(clockBelow(fastest, s.base))
	}
	s.best = max(s.best, fastest)
	return r.estimated(clockBelow(fastest, s.best))
}

// busy is the host's load since the previous call.
func (s *throttleSource) busy() (ratio float64, ok bool) {
	b, err := s.stat.read()
	if err != nil {
		return 0, false
	}
	now, err := decodeStat(b)
	if err != nil {
		return 0, false
	}
	prev := s.load
	s.load = now
	if prev == (cpuTime{}) {
		return 0, false
	}
	return now.busySince(prev)
}
