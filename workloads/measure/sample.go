package measure

import (
	"context"
	"math"

	"assay/internal/stats"
)

// sample makes passes over the variants in turn until a reason to stop holds for all, or the schedule has ended.
func (r *runner) sample(ctx context.Context) {
	p := pipeline{runner: r, depth: inFlight}
	if r.o.Short {
		p.depth = 1 // each sample must complete before there is time for the next
	}
	defer p.drain()
	r.openLaps(ctx)
	for pass := 0; ctx.Err() == nil; pass++ {
		if r.mayStop(pass) || r.lapDue() {
			p.drain()
		}
		if r.lapDue() {
			r.nextLap(ctx, pass)
		}
		alive := r.alive()
		if len(alive) == 0 || r.stopped(ctx, pass, alive) {
			return
		}
		for _, i := range turns(r.turn(pass), alive) {
			p.step(ctx, pass, i)
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// kept returns how many of the passes count: the undisturbed ones.
func (r *runner) kept(pass int) int { return pass - r.laps.skipped }

// turn returns how many samples of each variant count before a pass, so that they pair up as one pass and its reverse.
func (r *runner) turn(pass int) int {
	if r.o.Schedule.Fixed() {
		return r.o.Schedule.counted(pass)
	}
	return r.kept(pass)
}

// mayStop reports whether sampling may end after a number of passes, which requires all samples to complete first.
func (r *runner) mayStop(pass int) bool {
	if r.o.Schedule.Fixed() {
		return pass >= r.o.Schedule.steps()
	}
	n := r.kept(pass)
	return r.o.Short || n >= r.o.MaxSamples || r.looks.due(n) || pass >= r.o.LateSamples && r.spent() >= r.o.Budget
}

// stopped sets the reason to end sampling after a number of passes, and reports whether there is one. Ending with a disturbed lap may
// drop the very samples that were the reason to end.
func (r *runner) stopped(ctx context.Context, pass int, alive []int) bool {
	stop := r.stop(pass, alive)
	if stop != "" {
		if r.endLap(ctx, pass) && stop != StopBudget {
			stop = ""
			r.beginLap(pass)
		}
	}
	for _, i := range alive {
		r.results[i].Stop = stop
	}
	return stop != ""
}

// stop returns the reason to end sampling, or "" to continue. LateSamples takes precedence over the budget, except in a
// short measurement, which takes one sample of each variant and then only what fits.
func (r *runner) stop(pass int, alive []int) Stop {
	if r.o.Schedule.Fixed() {
		if pass >= r.o.Schedule.steps() {
			return StopSchedule
		}
		return ""
	}
	n := r.kept(pass)
	if r.o.Short && n > 0 && r.spent()+r.round(alive)+r.checking > r.o.Budget {
		return StopBudget
	}
	precise := false
	if r.looks.due(n) {
		precise = r.look(n, alive)
	}
	switch {
	case precise:
		return StopPrecision
	case n >= r.o.MaxSamples:
		return StopSamples
	case !r.o.Short && pass >= r.o.LateSamples && r.spent() >= r.o.Budget:
		return StopBudget
	}
	return ""
}

// looks schedules the checks of the intervals. Stopping at the first of many checks that found an interval narrow by
// chance would reduce its coverage; so checks come at growing numbers of samples, always after whole rounds A B B A.
type looks struct {
	next  int
	at    int     // samples of each variant at the last look
	width float64 // widest interval at the last look, end to end, relative to its estimate; 0 before there is one
	ratio float64 // the largest ratio of an interval's width to the one wanted, at the last look
}

const lookGrowth = 1.5

func (l *looks) due(n int) bool { return n >= l.next && n%2 == 0 }

// look records the widths of the intervals after n samples of each variant, and reports whether all are narrow enough
// and have enough samples.
func (r *runner) look(n int, alive []int) bool {
	next := int(math.Ceil(lookGrowth * float64(n)))
	if n < r.o.MinSamples {
		next = min(next, r.o.MinSamples)
	}
	r.looks = looks{next: next, at: n}
	enough := n >= r.o.MinSamples && r.sampledTime(alive) >= r.o.MinTime.Seconds()
	for _, t := range r.targets(alive) {
		r.looks.width = max(r.looks.width, t.Width())
		r.looks.ratio = max(r.looks.ratio, t.Width()/t.width)
		enough = enough && float64(t.N) >= t.perTau*t.Tau
	}
	return enough && r.looks.ratio <= 1
}

// A target is an estimate that must become precise.
type target struct {
	stats.Estimate
	width  float64 // wanted, end to end, relative
	perTau float64 // samples wanted for each Tau, so that Tau itself is known well enough
}

// targets are the ratios of compared subjects, and the medians of the others.
func (r *runner) targets(alive []int) []target {
	compared := make([]bool, len(r.subjects))
	var out []target
	for _, i := range alive {
		if j := r.against(i, alive); j >= 0 {
			compared[i], compared[j] = true, true
			ratio := stats.Speedup(r.results[j].Samples, r.results[i].Samples)
			out = append(out, target{ratio, 0.8 * r.o.Precision, 20})
		}
	}
	for _, i := range alive {
		if !compared[i] {
			out = append(out, target{stats.Median(r.results[i].Samples), r.o.Precision, 30})
		}
	}
	return out
}

// sampledTime is the device time of all samples of a subject, for the subject with the shortest.
func (r *runner) sampledTime(alive []int) float64 {
	shortest := math.Inf(1)
	for _, i := range alive {
		sum := 0.0
		for _, s := range r.results[i].Samples {
			sum += s * float64(r.results[i].Reps)
		}
		shortest = min(shortest, sum)
	}
	return shortest
}
