package monitor

import (
	"context"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/load"
)

// cpuSource reads the host's CPU times and load average.
type cpuSource struct {
	prev cpu.TimesStat
	has  bool
}

func (s *cpuSource) Name() string { return "cpu" }

func (s *cpuSource) Read(ctx context.Context) []Reading {
	return []Reading{s.readTimes(ctx), readLoad(ctx)}
}

func (s *cpuSource) readTimes(ctx context.Context) Reading {
	r := Template(HostCPU, "host_statistics")
	times, err := cpu.TimesWithContext(ctx, false)
	if err != nil {
		return r.without(err)
	}
	if len(times) == 0 {
		return r.failed("macOS returned no CPU times")
	}
	now, prev, had := times[0], s.prev, s.has
	s.prev, s.has = now, true
	if !had {
		return r.unavailable(needsTwo)
	}
	busy := now.User + now.System + now.Nice - prev.User - prev.System - prev.Nice
	idle := now.Idle - prev.Idle
	if busy < 0 || idle < 0 || busy+idle == 0 {
		return r.unavailable(stale)
	}
	return r.ok(busy / (busy + idle))
}

func readLoad(ctx context.Context) Reading {
	r := Template(HostLoad, "getloadavg")
	average, err := load.AvgWithContext(ctx)
	if err != nil {
		return r.without(err)
	}
	return r.ok(average.Load1)
}
