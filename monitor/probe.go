package monitor

import (
	"context"
	"math"
	"time"
)

// Lap is what disturbed this process between two readings of a Probe. NaN means not known.
type Lap struct {
	Others    float64 // share of all core time that other programs used
	OthersGPU float64 // share of the time in which the GPU worked for other programs
	Steal     float64 // share of all core time that the hypervisor gave to other virtual machines
	Stalled   float64 // share of the time in which some task waited for memory
	Swapped   float64 // B/s moved to and from swap
}

// Probe reads what disturbs measurements, and is cheap enough to be read between samples. It is not safe for concurrent use. The
// kernels count core time in steps of 10 ms per core, so laps below a quarter of a second are coarse.
type Probe struct {
	cores    func(context.Context) (cpuTime, error)
	counters func() (stalled, swapped float64) // seconds and bytes so far; NaN: not known
	gpu      *gpuUse
	clock    coreClock
	stalled  rate
	swapped  rate
	now      func() time.Time
}

// NewProbe returns a probe of this machine. Its first lap is not known.
func NewProbe() *Probe {
	p := newProbe(systemProbe())
	p.gpu = newGPUUse(gpuClients())
	return p
}

func newProbe(cores func(context.Context) (cpuTime, error), counters func() (stalled, swapped float64)) *Probe {
	return &Probe{cores: cores, counters: counters, gpu: newGPUUse(nil), now: time.Now}
}

// Lap returns what has disturbed this process since the last call.
func (p *Probe) Lap() Lap {
	nan := math.NaN()
	lap := Lap{nan, nan, nan, nan, nan}
	if use, ok := p.use(); ok {
		lap.Others, lap.Steal = use.others, use.steal
	}
	lap.OthersGPU, _ = p.gpu.share()
	stalled, swapped := p.counters()
	now := p.now()
	if share, ok := p.stalled.next(stalled, now); ok && share >= 0 {
		lap.Stalled = min(1, share)
	}
	if perSecond, ok := p.swapped.next(swapped, now); ok && perSecond >= 0 {
		lap.Swapped = perSecond
	}
	return lap
}

func (p *Probe) use() (coreUse, bool) {
	now, err := p.cores(context.Background())
	if err != nil {
		return coreUse{}, false
	}
	own, err := OwnTime()
	if err != nil {
		return coreUse{}, false
	}
	use, why := p.clock.next(now, own)
	return use, why == ""
}
