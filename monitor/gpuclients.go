package monitor

import (
	"context"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// gpuClient is a program's connection to the GPU's driver; a program may have several.
type gpuClient struct {
	id      uint64  // no other connection ever has it
	creator string  // "pid 533, WindowServer"; the system cuts the name after 16 characters
	seconds float64 // that the GPU has worked for it so far
}

// gpuClientReader lists the connections to all GPUs. nil: this system does not have them.
type gpuClientReader func() ([]gpuClient, error)

// Reasons why the GPU time of programs cannot be read.
const (
	noGPUClients     = "only macOS says how long each program uses the GPU"
	uncountedClients = "the GPU's driver does not count the time of each program"
)

// program returns who made a connection; ok is false if that is not stated.
func (c *gpuClient) program() (pid int, name string, ok bool) {
	number, name, _ := strings.Cut(c.creator, ",")
	number, ok = strings.CutPrefix(strings.TrimSpace(number), "pid ")
	if !ok {
		return 0, "", false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(number))
	if name = strings.TrimSpace(name); name == "" {
		name = "process " + strconv.Itoa(pid)
	}
	return pid, name, err == nil
}

// gpuUse is how long the GPU worked for each program other than this one between two readings.
type gpuUse struct {
	read   gpuClientReader
	own    int // process ID
	now    func() time.Time
	at     time.Time
	before map[uint64]float64 // seconds by connection
}

func newGPUUse(read gpuClientReader) *gpuUse {
	return &gpuUse{read: read, own: os.Getpid(), now: time.Now}
}

// next returns the seconds of each other program since the previous call, by name, and how long ago that was. A connection made since
// then counts in full; one that was closed is not seen.
func (u *gpuUse) next() (seconds map[string]float64, elapsed float64, err error) {
	if u.read == nil {
		return nil, 0, absent(noGPUClients)
	}
	clients, err := u.read()
	if err != nil {
		return nil, 0, err
	}
	if len(clients) == 0 {
		return nil, 0, absent(uncountedClients)
	}
	before, now := u.before, u.now()
	elapsed = now.Sub(u.at).Seconds()
	u.before, u.at = make(map[uint64]float64, len(clients)), now
	seconds = map[string]float64{}
	for i := range clients {
		c := &clients[i]
		u.before[c.id] = c.seconds
		pid, name, ok := c.program()
		if used := c.seconds - before[c.id]; ok && pid != u.own && used > 0 {
			seconds[name] += used
		}
	}
	if before == nil || elapsed <= 0 {
		return nil, 0, absent(needsTwo)
	}
	return seconds, elapsed, nil
}

// share is the share of time in which the GPU worked for others. Work of several kinds may overlap.
func (u *gpuUse) share() (float64, error) {
	seconds, elapsed, err := u.next()
	if err != nil {
		return math.NaN(), err
	}
	sum := 0.0
	for _, s := range seconds {
		sum += s
	}
	return min(1, sum/elapsed), nil
}

// busiest returns the other program that the GPU worked for most.
func (u *gpuUse) busiest() (top BusyGPU, ok bool) {
	seconds, elapsed, err := u.next()
	if err != nil {
		return BusyGPU{}, false
	}
	for _, name := range slices.Sorted(maps.Keys(seconds)) {
		if share := min(1, seconds[name]/elapsed); share > top.Share {
			top = BusyGPU{name, share}
		}
	}
	return top, top.Share > 0
}

// gpuOthersSource reads how much of the GPU other programs use.
type gpuOthersSource struct {
	use *gpuUse
	out [1]Reading
}

func newGPUOthersSource(read gpuClientReader) *gpuOthersSource {
	return &gpuOthersSource{use: newGPUUse(read)}
}

func (s *gpuOthersSource) Name() string { return "gpu clients" }

func (s *gpuOthersSource) Read(context.Context) []Reading {
	r := Template(GPUOthers, "IOAccelerator clients, accumulatedGPUTime")
	if share, err := s.use.share(); err != nil {
		s.out[0] = r.without(err)
	} else {
		s.out[0] = r.ok(share)
	}
	return s.out[:]
}
