package monitor

import (
	"context"
	"errors"
	"math"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/load"
)

// cpuSource reads the host's CPU times and load average.
type cpuSource struct{ use coreUseReader }

func newCPUSource() *cpuSource {
	return &cpuSource{newCoreUseReader("host_statistics", readCPUTime, false)}
}

func (s *cpuSource) Name() string { return "cpu" }

func (s *cpuSource) Read(ctx context.Context) []Reading {
	return append(s.use.read(ctx, nil), readLoad(ctx))
}

// readCPUTime reads the times of all cores. gopsutil has divided the kernel's counts by ticks per second.
func readCPUTime(ctx context.Context) (cpuTime, error) {
	times, err := cpu.TimesWithContext(ctx, false)
	if err != nil {
		return cpuTime{}, err
	}
	if len(times) == 0 {
		return cpuTime{}, errors.New("macOS returned no CPU times")
	}
	t := times[0]
	return cpuTime{busy: ticks(t.User + t.System + t.Nice), idle: ticks(t.Idle)}, nil
}

func ticks(seconds float64) uint64 { return uint64(math.Round(max(0, seconds) / tick)) }

func readLoad(ctx context.Context) Reading {
	r := Template(HostLoad, "getloadavg")
	average, err := load.AvgWithContext(ctx)
	if err != nil {
		return r.without(err)
	}
	return r.ok(average.Load1)
}
