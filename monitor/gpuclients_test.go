package monitor

import (
	"errors"
	"math"
	"testing"
	"time"
)

// clientScript gives one list of connections after another, a second apart.
type clientScript struct {
	lists [][]gpuClient
	err   error
	at    time.Time
}

func (s *clientScript) use() *gpuUse {
	s.at = time.Unix(1000, 0)
	u := newGPUUse(func() ([]gpuClient, error) {
		if len(s.lists) == 0 {
			return nil, s.err
		}
		list := s.lists[0]
		s.lists = s.lists[1:]
		return list, nil
	})
	u.own = 100
	u.now = func() time.Time {
		s.at = s.at.Add(time.Second)
		return s.at
	}
	return u
}

// Connections as ioreg shows them for an Apple GPU: a program has several, this one is among them, and some close and open.
func twoSeconds() *clientScript {
	return &clientScript{lists: [][]gpuClient{
		{{1, "pid 533, WindowServer", 10}, {2, "pid 700, blender", 5}, {3, "pid 100, assay", 7}, {4, "pid 700, blender", 1}, {9, "kernel", 3}},
		{{1, "pid 533, WindowServer", 10.05}, {2, "pid 700, blender", 5.25}, {3, "pid 100, assay", 7.9}, {4, "pid 700, blender", 1.1}, {9, "kernel", 4}},
		{{1, "pid 533, WindowServer", 10.1}, {3, "pid 100, assay", 8.8}, {5, "pid 701, game, the 2nd", 0.2}},
	}, err: errors.New("kern_return_t 5")}
}

func TestGPUOthers(t *testing.T) {
	script := twoSeconds()
	s := &gpuOthersSource{use: script.use()}
	wantNone(t, read(s), GPUOthers, Unavailable, needsTwo)
	wantValue(t, read(s), GPUOthers, 0.4, "IOAccelerator") // 0.05 + 0.25 + 0.1
	wantValue(t, read(s), GPUOthers, 0.25, "IOAccelerator")
	wantNone(t, read(s), GPUOthers, Failed, "kern_return_t 5")
	script.err = nil
	wantNone(t, read(s), GPUOthers, Unavailable, uncountedClients)
	wantNone(t, read(newGPUOthersSource(nil)), GPUOthers, Unavailable, noGPUClients)

	over := &clientScript{lists: [][]gpuClient{{{1, "pid 1, a", 0}}, {{1, "pid 1, a", 0.8}, {2, "pid 2, b", 0.9}}}}
	s = &gpuOthersSource{use: over.use()}
	read(s)
	wantValue(t, read(s), GPUOthers, 1, "IOAccelerator") // one program's vertices and another's fragments at once
}

func TestBusiestOnTheGPU(t *testing.T) {
	u := twoSeconds().use()
	if top, ok := u.busiest(); ok {
		t.Errorf("%+v from one reading", top)
	}
	if top, ok := u.busiest(); !ok || top.Name != "blender" || !near(top.Share, 0.35) {
		t.Errorf("%+v, %v; want blender's two connections", top, ok)
	}
	if top, ok := u.busiest(); !ok || top.Name != "game, the 2nd" || !near(top.Share, 0.2) {
		t.Errorf("%+v, %v; want the one that was opened since", top, ok)
	}
}

func TestGPUClientProgram(t *testing.T) {
	for creator, want := range map[string]struct {
		pid  int
		name string
		ok   bool
	}{
		"pid 533, WindowServer": {533, "WindowServer", true},
		"pid 7,Music, and more": {7, "Music, and more", true},
		"pid 9":                 {9, "process 9", true},
		"pid 9, ":               {9, "process 9", true},
		"pid x, y":              {0, "y", false},
		"WindowServer":          {0, "", false},
		"":                      {0, "", false},
	} {
		c := gpuClient{creator: creator}
		if pid, name, ok := c.program(); pid != want.pid || name != want.name || ok != want.ok {
			t.Errorf("%q: %d, %q, %v; want %+v", creator, pid, name, ok, want)
		}
	}
}

// The probe reports the share of each lap, independent of the monitor's.
func TestProbeReadsTheGPU(t *testing.T) {
	p := newProbe(nil, func() (float64, float64) { return math.NaN(), math.NaN() })
	p.cores = failingTimes
	p.gpu = twoSeconds().use()
	if lap := p.Lap(); !math.IsNaN(lap.OthersGPU) {
		t.Errorf("the first lap: %+v", lap)
	}
	if lap := p.Lap(); !near(lap.OthersGPU, 0.4) {
		t.Errorf("the second lap: %+v, want 0.4 of the GPU", lap)
	}
}
