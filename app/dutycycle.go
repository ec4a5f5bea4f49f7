package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/gpu"
	"assay/internal/si"
	"assay/workloads/measure"
)

// dutyCycle prepares the duty cycle that a request asks for; nil: the device may work all the time. A power cap is refused if the
// device's power is not measured, or if the device exceeds the cap even when idle.
func (s *Session) dutyCycle(ctx context.Context, engine gpu.Engine, t Throttling) (*measure.Duty, error) {
	o := measure.DutyOptions{Share: t.Duty, Cap: t.PowerCap}
	if measure.NewDuty(o) == nil {
		return nil, nil
	}
	counter, err := s.energyOf(engine)
	switch {
	case err == nil:
		o.Joules, o.Period = counter.Joules, counter.Period
	case t.PowerCap > 0:
		return nil, fmt.Errorf("power cap of %s: the power of this device is not available: %w", si.Format(t.PowerCap, "W"), err)
	}
	if t.PowerCap > 0 {
		if err := aboveIdle(ctx, &o, min(max(minIdleTime, idlePeriods*o.Period), maxIdleTime)); err != nil {
			return nil, fmt.Errorf("power cap: %w", err)
		}
	}
	return measure.NewDuty(o), nil
}

// aboveIdle returns an error if the device exceeds the cap while idle.
func aboveIdle(ctx context.Context, o *measure.DutyOptions, length time.Duration) error {
	watts, err := idlePower(ctx, o.Joules, o.Period, length)
	if err == nil && watts >= o.Cap {
		err = measure.CapBelowIdle(o.Cap, watts)
	}
	return err
}

// How long idle power is measured: over many updates of the counter, but briefly.
const (
	minIdleTime = time.Second
	maxIdleTime = 5 * time.Second
	idlePeriods = 10
)

// idlePower returns the power of an idle device, from one update of its counter to another.
func idlePower(ctx context.Context, joules func() (float64, error), period, length time.Duration) (watts float64, err error) {
	began := time.Now()
	level, err := joules()
	first, at := level, time.Time{} // of the first update
	for err == nil {
		select {
		case <-time.After(max(2*time.Millisecond, period/20)):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		var next float64
		if next, err = joules(); err != nil {
			break
		}
		now := time.Now()
		switch {
		case next == level && now.Sub(began) > 2*length+10*period:
			return 0, errors.New("the energy counter did not advance")
		case next == level:
			continue
		case at.IsZero():
			first, at = next, now
		case now.Sub(at) >= length:
			return (next - first) / now.Sub(at).Seconds(), nil
		}
		level = next
	}
	return 0, err
}
