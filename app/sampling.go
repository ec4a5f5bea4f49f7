package app

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/workloads/measure"
)

// Sampling is how long a run samples each case. Zero values are measure's defaults, and the budget of Quick.
type Sampling struct {
	Precision  float64       // relative difference that matters: the aim is an interval of medians within half of it
	Time       time.Duration // of a case of one or two variants
	MinSamples int
	Energy     Energy // empty: EnergyOff
	// Warmups and WarmupTime are the minimum warm-up of each variant, which also lasts until its times are stable.
	Warmups    int
	WarmupTime time.Duration
	Schedule   measure.Schedule // replaces everything but Energy
}

// Limits of Sampling.
const (
	MinPrecision, MaxPrecision = 0.0005, 0.5
	MinTime, MaxTime           = 50 * time.Millisecond, time.Hour
	MaxMinSamples              = 100_000
	MaxWarmups                 = 100_000
	MaxWarmupTime              = 10 * time.Minute
)

// Or returns s with missing values taken from other.
func (s Sampling) Or(other Sampling) Sampling {
	return Sampling{
		Precision: cmp.Or(s.Precision, other.Precision), Time: cmp.Or(s.Time, other.Time), MinSamples: cmp.Or(s.MinSamples, other.MinSamples),
		Energy: cmp.Or(s.Energy, other.Energy), Warmups: cmp.Or(s.Warmups, other.Warmups), WarmupTime: cmp.Or(s.WarmupTime, other.WarmupTime),
		Schedule: cmp.Or(s.Schedule, other.Schedule),
	}
}

// Check returns an error that names what is out of range.
func (s Sampling) Check() error {
	switch {
	case s.Precision != 0 && !(s.Precision >= MinPrecision && s.Precision <= MaxPrecision):
		return fmt.Errorf("precision must be between %g and %g %% (you entered %g %%)", 50*MinPrecision, 50*MaxPrecision, 50*s.Precision)
	case s.Time != 0 && (s.Time < MinTime || s.Time > MaxTime):
		return fmt.Errorf("time per case must be between %v and %v (you entered %v)", MinTime, MaxTime, s.Time)
	case s.MinSamples < 0 || s.MinSamples > MaxMinSamples:
		return fmt.Errorf("minimum samples must be between 1 and %d (you entered %d)", MaxMinSamples, s.MinSamples)
	case s.Warmups < 0 || s.Warmups > MaxWarmups:
		return fmt.Errorf("warm-up must be between 0 and %d samples (you entered %d)", MaxWarmups, s.Warmups)
	case s.WarmupTime < 0 || s.WarmupTime > MaxWarmupTime:
		return fmt.Errorf("warm-up time must be between 0 and %v (you entered %v)", MaxWarmupTime, s.WarmupTime)
	case s.Energy != "" && !slices.Contains(EnergyChoices(), s.Energy):
		return fmt.Errorf("energy must be off or auto (you entered %q)", s.Energy)
	}
	return s.Schedule.Check()
}
