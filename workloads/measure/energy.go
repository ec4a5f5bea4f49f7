package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/internal/stats"
)

// EnergyCounter counts the energy that the device uses.
type EnergyCounter struct {
	About  string        // what is counted, and by what
	Period time.Duration // approximate maximum time between two updates under load
	// Joules returns the energy since an arbitrary start; nil: there is no counter, for the reason in Why.
	Joules func() (float64, error)
	Why    string
	// Windows is how many windows are measured per variant [5].
	Windows int
	// Sleep waits while nothing runs; nil: real time.
	Sleep func(ctx context.Context, d time.Duration)
}

// Energy is what a variant consumed while it ran without a pause. The zero value: not measured.
type Energy struct {
	PerRep    stats.Interval // in J per repetition
	AboveIdle stats.Interval // the part of it beyond what the idle device would have used in that time
	Watts     stats.Interval // mean power
	Idle      stats.Interval // power before and after, with nothing running; unknown if the counter did not advance
	Seconds   stats.Interval // per repetition, by the host's clock
	Busy      float64        // share of the time that the device worked
	Windows   int
	About     string // what was counted, and what disturbed it
	Why       string // why there is no measurement
}

// Lengths of a burst, which consists of a lead and a window.
const (
	defaultWindows = 5
	minLead        = 500 * time.Millisecond // clocks and power settle
	leadPeriods    = 2
	minWindow      = time.Second
	maxWindow      = 10 * time.Second
	windowPeriods  = 20
	minPoll        = 2 * time.Millisecond
	stalePeriods   = 10
)

func (c *EnergyCounter) lead() time.Duration { return max(minLead, leadPeriods*c.Period) }

func (c *EnergyCounter) window() time.Duration {
	return min(max(minWindow, windowPeriods*c.Period), maxWindow)
}

// stale is how long the counter may fail to advance while something runs.
func (c *EnergyCounter) stale() time.Duration { return max(minWindow, stalePeriods*c.Period) }

func (c *EnergyCounter) windows() int {
	if c.Windows > 0 {
		return c.Windows
	}
	return defaultWindows
}

// Expect returns how long the energy measurement of a case with that many variants takes.
func (c *EnergyCounter) Expect(variants int) time.Duration {
	if c == nil || c.Joules == nil {
		return 0
	}
	return time.Duration(c.windows()*variants+2) * (c.lead() + c.window() + c.Period)
}

// energyWindow is one interval between two updates of the counter.
type energyWindow struct {
	seconds, joules float64
	reps            float64
	busy            float64 // seconds that the device worked
}

func (w *energyWindow) watts() float64 { return w.joules / w.seconds }

// errStale is the error of a counter that does not advance.
var errStale = errors.New("the energy counter did not advance")

// energy measures the energy of the variants: idle, interleaved bursts of each (A B B A), idle again.
func (r *runner) energy(ctx context.Context) {
	c := r.o.Energy
	if c == nil {
		return
	}
	alive := r.alive()
	if c.Joules == nil {
		r.noEnergy(alive, c.Why)
		return
	}
	defer func() { r.powering = 0 }()
	r.lapEnds()
	windows := make([][]energyWindow, len(r.subjects))
	idle := []energyWindow{r.idle(ctx)}
	for pass := range c.windows() {
		for _, i := range turns(pass, r.alive()) {
			w, err := r.burst(ctx, i)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				r.noEnergy(alive, err.Error())
				return
			}
			windows[i] = append(windows[i], w)
			r.powering -= c.lead() + c.window()
		}
	}
	idle = append(idle, r.idle(ctx))
	about := c.About
	if d := r.o.Duty; d != nil {
		about += "; the device " + d.Words() + ", pauses included"
	}
	if over := r.lapEnds(); over != "" {
		about += "; disturbed: " + over
	}
	for _, i := range r.alive() {
		r.results[i].Energy = summarizeEnergy(windows[i], idle)
		r.results[i].Energy.About = about
	}
}

// noEnergy returns why there is no measurement.
func (r *runner) noEnergy(subjects []int, why string) {
	for _, i := range subjects {
		r.results[i].Energy = Energy{Why: why}
	}
}

// lapEnds ends a lap of the surroundings and returns what disturbed it; empty: nothing known.
func (r *runner) lapEnds() string {
	if r.o.Lap == nil {
		return ""
	}
	values := r.lapOver()
	return r.o.words(values, r.o.exceeded(values))
}

// burst runs subject i without a pause while reading the counter.
func (r *runner) burst(ctx context.Context, i int) (energyWindow, error) {
	r.progress(Powering, i)
	p, done := pipeline{runner: r, depth: inFlight}, energyWindow{}
	defer p.drain()
	return r.between(ctx, &done, func() error {
		if resting, err := p.resting(ctx); resting || err != nil {
			return err
		}
		p.push(ctx, i, func(seconds float64) {
			done.reps += float64(r.results[i].Reps)
			done.busy += seconds * float64(r.results[i].Reps)
		})
		return errors.Join(ctx.Err(), r.results[i].Err)
	})
}

// idle reads the counter while nothing runs; unknown if it does not advance.
func (r *runner) idle(ctx context.Context) energyWindow {
	sleep := r.o.Energy.Sleep
	if sleep == nil {
		sleep = pause
	}
	r.o.Spans.Enter(Powering, "")
	r.o.Duty.Pause()
	w, err := r.between(ctx, &energyWindow{}, func() error {
		sleep(ctx, max(minPoll, r.o.Energy.Period/10))
		return ctx.Err()
	})
	if err != nil {
		return energyWindow{seconds: math.NaN()}
	}
	return w
}

// between repeats step for a lead, and then from an update of the counter to the first one at least a window later. Both ends are
// updates, so the counter's lag is the same at both. done returns what the steps have done.
func (r *runner) between(ctx context.Context, done *energyWindow, step func() error) (energyWindow, error) {
	c, began := r.o.Energy, r.spent()
	var first, last *energyWindow
	read, moved := began, began
	level, err := c.Joules()
	for last == nil {
		if err == nil {
			err = step()
		}
		if err != nil {
			return energyWindow{}, err
		}
		now := r.spent()
		if now-read < minPoll {
			continue
		}
		read = now
		was := level
		if level, err = c.Joules(); err != nil {
			return energyWindow{}, err
		}
		switch {
		case level < was:
			return energyWindow{}, errors.New("the energy counter went backward")
		case level == was && now-moved > c.stale()+r.elapsedMost():
			return energyWindow{}, fmt.Errorf("%w for %.1f s", errStale, (now - moved).Seconds())
		case level == was:
			continue
		}
		moved = now
		here := energyWindow{now.Seconds(), level, done.reps, done.busy}
		switch {
		case first == nil && now-began >= c.lead():
			first = &here
		case first != nil && here.seconds-first.seconds >= c.window().Seconds():
			last = &here
		}
	}
	return energyWindow{last.seconds - first.seconds, last.joules - first.joules, last.reps - first.reps, last.busy - first.busy}, nil
}

// elapsedMost returns the longest sample; the counter is read between samples.
func (r *runner) elapsedMost() time.Duration { return slices.Max(r.elapsed) }

// summarizeEnergy computes a variant's energy from its windows and the idle ones.
func summarizeEnergy(windows, idle []energyWindow) Energy {
	if len(windows) == 0 {
		return Energy{}
	}
	n := len(windows)
	perRep, watts, seconds := make([]float64, n), make([]float64, n), make([]float64, n)
	busy, all := 0.0, 0.0
	for i := range windows {
		w := &windows[i]
		if w.reps <= 0 {
			return Energy{Why: "no repetition ended within a window of the energy counter"}
		}
		perRep[i], watts[i], seconds[i] = w.joules/w.reps, w.watts(), w.seconds/w.reps
		busy, all = busy+w.busy, all+w.seconds
	}
	e := Energy{
		PerRep: stats.Mean(perRep), Watts: stats.Mean(watts), Seconds: stats.Mean(seconds), Busy: min(1, busy/all), Windows: n,
		Idle: idlePower(idle), AboveIdle: stats.Unknown(),
	}
	if e.Idle.Bounded() {
		beyond := make([]float64, n)
		for i := range beyond {
			beyond[i] = perRep[i] - e.Idle.Median*seconds[i]
		}
		e.AboveIdle = stats.Mean(beyond)
		e.AboveIdle.Lo -= (e.Idle.Hi - e.Idle.Median) * e.Seconds.Median
		e.AboveIdle.Hi += (e.Idle.Median - e.Idle.Lo) * e.Seconds.Median
	}
	return e
}

// idlePower returns the mean of the power before and after, with both as its interval.
func idlePower(idle []energyWindow) stats.Interval {
	var watts []float64
	for i := range idle {
		if w := idle[i].watts(); !math.IsNaN(w) {
			watts = append(watts, w)
		}
	}
	if len(watts) < len(idle) || len(watts) == 0 {
		return stats.Unknown()
	}
	lo, hi := slices.Min(watts), slices.Max(watts)
	return stats.Interval{Median: (lo + hi) / 2, Lo: lo, Hi: hi}
}
