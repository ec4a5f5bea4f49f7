package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// burner is a device with an energy counter on a scripted clock.
type burner struct {
	clock
	load, idle float64       // in W
	period     time.Duration // of the counter
	joules     float64       // consumed so far
	shown      float64       // shown by the counter
	updated    time.Time
	stalls     time.Time // from then on the counter does not advance; zero: it always does
	worked     float64   // seconds
	marks      []level   // at some updates
}

func newBurner(load, idle float64, period time.Duration) *burner {
	b := &burner{clock: clock{time.Unix(1e9, 0)}, load: load, idle: idle, period: period}
	b.updated = b.now
	return b
}

// pass advances time in steps of a millisecond at a given power.
func (b *burner) pass(seconds, watts float64) {
	for left := seconds; left > 0; left -= 1e-3 {
		step := min(left, 1e-3)
		b.advance(step)
		b.joules += watts * step
		if b.now.Sub(b.updated) >= b.period && (b.stalls.IsZero() || b.now.Before(b.stalls)) {
			b.updated, b.shown = b.now, b.joules
			if n := len(b.marks); n == 0 || b.now.Sub(b.marks[n-1].at) >= 40*time.Millisecond {
				b.marks = append(b.marks, level{b.now, b.joules})
			}
		}
	}
}

func (b *burner) duty(o DutyOptions) *Duty {
	o.Joules, o.Period = func() (float64, error) { return b.shown, nil }, b.period
	o.Now = func() time.Time { return b.now }
	o.Sleep = func(_ context.Context, d time.Duration) { b.pass(d.Seconds(), b.idle) }
	return NewDuty(o)
}

func (b *burner) subject(name string, seconds float64) Subject {
	return Subject{
		Name: name, MaxReps: 1,
		Check: func(context.Context) (Check, error) { return Check{OK: true, Checked: 1}, nil },
		Start: func(context.Context, int) (Pending, error) {
			return func() (float64, error) {
				b.pass(seconds, b.load)
				b.worked += seconds
				return seconds, nil
			}, nil
		},
	}
}

func (b *burner) options(d *Duty) Options {
	return Options{Duty: d, Now: func() time.Time { return b.now }, MinSamples: 200, LateSamples: 20, MaxSamples: 400, MinTime: 3 * time.Second}
}

// meanAfter is the highest mean power over intervals of the given length, among those that begin after a given time.
func (b *burner) meanAfter(t *testing.T, from time.Time, length time.Duration) (highest float64) {
	t.Helper()
	for i := range b.marks {
		if b.marks[i].at.Before(from) {
			continue
		}
		for k := i + 1; k < len(b.marks); k++ {
			if took := b.marks[k].at.Sub(b.marks[i].at); took >= length {
				highest = max(highest, (b.marks[k].joules-b.marks[i].joules)/took.Seconds())
				break
			}
		}
	}
	if highest == 0 {
		t.Fatal("the case was too short")
	}
	return highest
}

func TestPowerStaysBelowTheCap(t *testing.T) {
	for _, c := range []struct {
		load, idle, limit float64
		period            time.Duration
		share             float64 // expected
	}{
		{300, 70, 150, 100 * time.Millisecond, 80.0 / 230},
		{300, 70, 250, 20 * time.Millisecond, 180.0 / 230},
		{60, 10, 15, 2 * time.Millisecond, 5.0 / 50},
		{40, 5, 20, 1700 * time.Millisecond, 15.0 / 35},
		{80, 10, 200, 100 * time.Millisecond, 1},
	} {
		b := newBurner(c.load, c.idle, c.period)
		d := b.duty(DutyOptions{Cap: c.limit})
		began := b.now
		results, err := Case(t.Context(), []Subject{b.subject("a", 0.01), b.subject("b", 0.01)}, b.options(d), nil)
		if err != nil || !results[0].OK() || !results[1].OK() {
			t.Fatal(err, results[0].Err, results[1].Err)
		}
		use, name := results[0].Duty, fmt.Sprintf("%g W of %g", c.limit, c.load)
		settled := began.Add(max(time.Second, 4*c.period))
		// An interval may begin and end with a burst, and so contain one more burst than pauses.
		length := max(3*time.Second, 6*c.period)
		burst := (c.load - c.limit) * max(0.15, 1.3*c.period.Seconds()) / length.Seconds()
		if mean := b.meanAfter(t, settled, length); mean > c.limit+max(0, burst) {
			t.Errorf("%s: a mean of %.1f W", name, mean)
		}
		if share := use.WorkedShare(); share > 1.1*c.share || share < 0.6*c.share {
			t.Errorf("%s: the device worked %.2f of the time, want about %.2f", name, share, c.share)
		}
		if c.share < 1 && use.Power.Median > c.limit*1.03 || use.Power.Median < min(c.limit, c.load)*0.75 {
			t.Errorf("%s: told a mean of %v", name, use.Power)
		}
		warned := strings.Contains(fmt.Sprint(results[0].Warnings), "taken with a duty of")
		if warned != (c.share < 1) && c.share < 1 {
			t.Errorf("%s: warnings %v", name, results[0].Warnings)
		}
	}
}

func TestDutyIsNeverExceeded(t *testing.T) {
	for _, share := range []float64{0.05, 0.25, 0.5, 0.9} {
		b := newBurner(100, 10, 100*time.Millisecond)
		d := b.duty(DutyOptions{Share: share})
		began := b.now
		told := 0
		results, err := Case(t.Context(), []Subject{b.subject("a", 0.01)}, b.options(d), func(p Progress) {
			if p.Phase == Resting && strings.Contains(p.Doing(), "at most") {
				told++
			}
		})
		if err != nil || !results[0].OK() {
			t.Fatal(err, results[0].Err)
		}
		all := b.now.Sub(began).Seconds()
		use := results[0].Duty
		if b.worked > share*all+1e-6 || use.WorkedShare() > share+1e-9 || use.WorkedShare() < 0.9*share {
			t.Errorf("%g: worked %.2f of %.2f s, told %.3f", share, b.worked, all, use.WorkedShare())
		}
		if power := 10 + 90*use.WorkedShare(); math.Abs(use.Power.Median-power) > 0.1*power || !use.Power.Bounded() {
			t.Errorf("%g: power %v, want about %.1f W", share, use.Power, power)
		}
		if use.Dropped == 0 || told < 3 || len(results[0].Samples) < 200 {
			t.Errorf("%g: %d samples dropped, pauses told %d times, %d samples", share, use.Dropped, told, len(results[0].Samples))
		}
	}
}

func TestCapThatCannotBeKept(t *testing.T) {
	t.Run("the counter stalls", func(t *testing.T) {
		b := newBurner(300, 70, 100*time.Millisecond)
		b.stalls = b.now.Add(3 * time.Second)
		results, err := Case(t.Context(), []Subject{b.subject("a", 0.01)}, b.options(b.duty(DutyOptions{Cap: 150})), nil)
		if err != nil || !errors.Is(results[0].Err, errStale) || !strings.Contains(results[0].Err.Error(), "power cap of 150 W") {
			t.Errorf("%v, %v", err, results[0].Err)
		}
		if after := b.now.Sub(b.stalls); after > 3*time.Second {
			t.Errorf("noticed after %v", after)
		}
	})
	t.Run("below idle", func(t *testing.T) {
		b := newBurner(300, 70, 100*time.Millisecond)
		results, err := Case(t.Context(), []Subject{b.subject("a", 0.01)}, b.options(b.duty(DutyOptions{Cap: 60})), nil)
		if err != nil || results[0].Err == nil || !strings.Contains(results[0].Err.Error(), "idle, the device already uses 70") {
			t.Errorf("%v, %v", err, results[0].Err)
		}
	})
	t.Run("a share needs no counter", func(t *testing.T) {
		b := newBurner(300, 70, 100*time.Millisecond)
		b.stalls = b.now
		results, err := Case(t.Context(), []Subject{b.subject("a", 0.01)}, b.options(b.duty(DutyOptions{Share: 0.5})), nil)
		if err != nil || !results[0].OK() || results[0].Duty.Power.Bounded() {
			t.Errorf("%v, %v, power %v", err, results[0].Err, results[0].Duty.Power)
		}
	})
	if NewDuty(DutyOptions{Share: 1}) != nil {
		t.Error("all of the time is a limit")
	}
}

func TestSeriesKeepsItsDuty(t *testing.T) {
	b := newBurner(100, 10, 100*time.Millisecond)
	d := b.duty(DutyOptions{Share: 0.5})
	work, windows, samples := b.subject("a", 0.01), 0, 0
	s := Series{
		Duration: 10 * time.Second, Window: time.Second, Duty: d, Now: func() time.Time { return b.now }, Resting: func(time.Duration) {},
		Start: func(ctx context.Context) (Pending, error) { return work.Start(ctx, 1) },
	}
	d.Begin()
	began := b.now
	if _, err := s.WarmUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), func(w Window) error {
		windows, samples = windows+1, samples+len(w.Samples)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if all := b.now.Sub(began).Seconds(); windows < 7 || windows > 10 || samples < 300 || b.worked > 0.55*all {
		t.Errorf("%d windows of %d samples; worked %.2f of %.2f s", windows, samples, b.worked, all)
	}
}
