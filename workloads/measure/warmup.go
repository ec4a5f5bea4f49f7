package measure

import (
	"cmp"
	"context"
	"slices"
	"time"

	"assay/internal/stats"
)

// calibrate finds how many repetitions make one sample last SampleTime. Each subject has its own count, except those of about the same
// duration.
func (r *runner) calibrate(ctx context.Context) {
	for _, i := range r.alive() {
		if ctx.Err() != nil {
			return
		}
		r.results[i].Reps = 1
		if r.o.Short && r.results[i].Check.Elapsed >= r.o.SampleTime.Seconds() {
			continue // known to be long enough
		}
		r.progress(Calibrating, i)
		r.lengthen(ctx, i)
	}
	if !r.o.Short {
		r.level()
	}
}

// aboutAsLong is the maximum ratio of the repetitions of subjects that level gives the same number.
const aboutAsLong = 1.5

// level gives subjects of about the same duration the same number of repetitions, the largest of theirs. The first repetitions of a
// sample, which find the caches as others left them, then have the same weight in each.
func (r *runner) level() {
	order := r.alive()
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.results[j].Reps, r.results[i].Reps) })
	most := 0
	for _, i := range order {
		reps := &r.results[i].Reps
		if float64(most) > aboutAsLong*float64(*reps) || most == 0 {
			most = *reps
		}
		if limit := r.subjects[i].MaxReps; most != *reps && (limit <= 0 || most <= limit) {
			*reps, r.elapsed[i] = most, 0
		}
	}
}

// lengthen raises the repetitions of subject i until its samples last SampleTime. The small margin keeps the samples of all variants
// about equally long, so that submission overhead affects all alike.
func (r *runner) lengthen(ctx context.Context, i int) {
	res, limit, want := &r.results[i], r.subjects[i].MaxReps, r.o.SampleTime.Seconds()
	if limit <= 0 {
		limit = 1 << 20
	}
	for res.Reps < limit && ctx.Err() == nil {
		elapsed, ok := r.shortest(ctx, i)
		if !ok || elapsed >= want {
			return
		}
		grown := float64(res.Reps) * min(1.05*want/max(elapsed, 1e-9), 16)
		res.Reps, r.elapsed[i] = min(max(int(grown), res.Reps+1), limit), 0
	}
}

// shortest returns the duration of a sample of subject i, in seconds. A sample that seems long enough is repeated: the first may have
// been a cold start or an interruption.
func (r *runner) shortest(ctx context.Context, i int) (float64, bool) {
	reps := float64(r.results[i].Reps)
	first, ok := r.once(ctx, i)
	if !ok || first*reps < r.o.SampleTime.Seconds() {
		return first * reps, ok
	}
	second, ok := r.once(ctx, i)
	return min(first, second) * reps, ok
}

// Warm-up ends when the medians of two successive windows agree, or after a share of the budget.
const (
	warmWindow = 4
	warmAgree  = 0.03
	warmPart   = 4
	shortPart  = 8
)

func (r *runner) warmUp(ctx context.Context) {
	if r.o.Schedule.Fixed() { // a schedule has its own warm-up steps
		return
	}
	alive, start, part := r.alive(), r.spent(), r.o.Budget/warmPart
	if r.o.Short {
		part = r.o.Budget / shortPart
	}
	for turn, i := range alive {
		share := start + part*time.Duration(turn+1)/time.Duration(len(alive))
		times := r.warm(ctx, i, share)
		r.results[i].Warmups = len(times)
		if r.results[i].Err == nil && !stable(times) && !r.o.Short { // a short measurement has its own warning
			r.results[i].Warnings = append(r.results[i].Warnings, Warning{Unsettled, "warm-up did not stabilize in time"})
		}
		r.recheck(ctx, i, times)
	}
	if !r.o.Short {
		r.level() // again: the first calibration may have seen a cold start
	}
}

// warm runs subject i until its times are stable or its share of the budget is spent, and for at least as long as requested.
func (r *runner) warm(ctx context.Context, i int, share time.Duration) (times []float64) {
	began := r.spent()
	for ctx.Err() == nil {
		before, over := r.spent(), stable(times) || !r.mayWarm(i, len(times), share)
		if over && (r.o.Short || len(times) >= r.o.MinWarmups && before-began >= r.o.MinWarmTime) {
			break
		}
		r.progress(WarmingUp, i)
		t, ok := r.once(ctx, i)
		if !ok {
			break
		}
		times = append(times, t)
		if over { // requested warm-up: sampling keeps its time
			r.o.Budget += r.spent() - before
		}
	}
	return times
}

// mayWarm reports whether subject i may run once more after n warm-ups, which should end by share.
func (r *runner) mayWarm(i, n int, share time.Duration) bool {
	if r.o.Short {
		return r.spent()+r.elapsed[i] <= share
	}
	return n == 0 || r.spent() < share
}

// recheck calibrates subject i again if its warm samples are far shorter than those used for calibration.
func (r *runner) recheck(ctx context.Context, i int, times []float64) {
	res := &r.results[i]
	if res.Err != nil || len(times) == 0 {
		return
	}
	warm := stats.Median(times[max(0, len(times)-warmWindow):]).Median
	if warm*float64(res.Reps) < r.o.SampleTime.Seconds()/2 {
		r.lengthen(ctx, i)
	}
}

// stable reports whether the last two windows of times have nearly the same median.
func stable(times []float64) bool {
	n := len(times)
	if n < 2*warmWindow {
		return false
	}
	before := stats.Median(times[n-2*warmWindow : n-warmWindow]).Median
	after := stats.Median(times[n-warmWindow:]).Median
	return after <= before*(1+warmAgree) && after >= before*(1-warmAgree)
}
