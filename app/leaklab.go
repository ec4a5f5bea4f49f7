package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"assay/gpu"
	"assay/monitor"
	"assay/monitor/leak"
)

// Limits and default of a leak check's tolerance, in bytes.
const (
	LeakToleranceMin     = 0
	LeakToleranceMax     = 1_000_000_000_000
	LeakToleranceDefault = 50_000_000 // less than the leak control leaks by default
)

// LeakBaseline is the memory in use when the baseline was set.
type LeakBaseline struct {
	Taken  time.Time
	Engine string // the engine of the live bytes and device memory; empty if none was open
	Levels leak.Levels
}

// leakBaseline is a LeakBaseline and the engine itself, which may have been reopened since.
type leakBaseline struct {
	LeakBaseline
	engine gpu.Engine
}

// LeakCheck is the verdict of a check.
type LeakCheck struct {
	Taken    time.Time
	Baseline LeakBaseline
	leak.Comparison
}

// ErrNoBaseline is returned by a leak check without a baseline.
var ErrNoBaseline = errors.New("leak check: no baseline")

// Leaks is the service that looks for leaks: between runs by a baseline, during a run by the slope of live bytes.
type Leaks struct{ session *Session }

// Leaks is the service that looks for leaks.
func (s *Session) Leaks() *Leaks { return &Leaks{s} }

// SetBaseline empties the pools and records the memory use of the process, the engine and its device as the baseline of
// later checks. It takes a few tenths of a second. During a run it fails with ErrBusy: emptying the cache would disturb
// the measurement, and a run has its own baseline and check.
func (l *Leaks) SetBaseline() (LeakBaseline, error) {
	s := l.session
	now, err := s.levels("leak baseline")
	if err != nil {
		return LeakBaseline{}, err
	}
	s.mu.Lock()
	s.baseline, s.leakAuto.last = now, nil
	s.mu.Unlock()
	s.clear(checkAlert)
	return now.LeakBaseline, nil
}

// Baseline returns the last baseline set; false if there is none.
func (l *Leaks) Baseline() (LeakBaseline, bool) {
	s := l.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.baseline == nil {
		return LeakBaseline{}, false
	}
	return s.baseline.LeakBaseline, true
}

// Check empties the pools and compares what is in use with the baseline: growth of more than tolerance bytes, from
// LeakToleranceMin to LeakToleranceMax, is a leak, and an alert. It takes a few tenths of a second. Without a baseline
// it fails with ErrNoBaseline, during a run with ErrBusy.
func (l *Leaks) Check(tolerance int64) (LeakCheck, error) {
	s := l.session
	if err := checkTolerance(tolerance); err != nil {
		return LeakCheck{}, err
	}
	s.mu.Lock()
	base := s.baseline
	s.mu.Unlock()
	if base == nil {
		return LeakCheck{}, ErrNoBaseline
	}
	now, err := s.levels("leak check")
	if err != nil {
		return LeakCheck{}, err
	}
	before := base.Levels
	if base.engine != nil && base.engine != now.engine {
		missing := leak.Amount{Missing: "the baseline is of another engine"}
		before.Engine, before.Device = missing, missing
	}
	check := LeakCheck{now.Taken, base.LeakBaseline, leak.Compare(before, now.Levels, tolerance)}
	if check.Leaking {
		s.raise(checkAlert, check.Cause)
	} else if check.Known {
		s.clear(checkAlert)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leakAuto.last = &check
	return check, nil
}

// checkTolerance says what is wrong with a tolerance.
func checkTolerance(bytes int64) error {
	if bytes < LeakToleranceMin || bytes > LeakToleranceMax {
		return fmt.Errorf("leak check: tolerance of %d B, want %d to %d B", bytes, LeakToleranceMin, LeakToleranceMax)
	}
	return nil
}

// levels releases the buffers of live tuning, empties the pools and reads the memory in use.
func (s *Session) levels(what string) (*leakBaseline, error) {
	s.tuner.stop(context.Canceled)
	lease, err := s.device.Acquire(s.ctx, UseLeaks)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer lease.Release()
	s.tuner.closeBench()
	if err := s.engines.pools.emptyAll(); err != nil {
		return nil, fmt.Errorf("%s: empty the pools: %w", what, err)
	}
	debug.FreeOSMemory() // garbage is not a leak
	now := &leakBaseline{LeakBaseline: LeakBaseline{Taken: time.Now()}}
	bytes, err := monitor.Footprint(context.Background())
	now.Levels.Process = amount(bytes, err)
	engine, ok := s.engines.current()
	if !ok {
		none := leak.Amount{Missing: "no engine is open"}
		now.Levels.Engine, now.Levels.Device = none, none
		return now, nil
	}
	now.engine, now.Engine = engine, engine.Info().Engine
	now.Levels.Engine.Bytes = engine.Memory().Bytes
	now.Levels.Device = deviceAmount(engine)
	return now, nil
}

func amount(bytes int64, err error) leak.Amount {
	if err != nil {
		return leak.Amount{Missing: err.Error()}
	}
	return leak.Amount{Bytes: bytes}
}

func deviceAmount(engine gpu.Engine) leak.Amount {
	reporter, ok := gpu.As[gpu.MemoryReporter](engine)
	if !ok {
		return leak.Amount{Missing: "the device does not count allocations"}
	}
	m, err := reporter.DeviceMemory()
	if err != nil {
		return leak.Amount{Missing: err.Error()}
	}
	return leak.Amount{Bytes: m.Allocated}
}
