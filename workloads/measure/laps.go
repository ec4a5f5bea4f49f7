package measure

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"
)

// Factor is something outside a measurement that changes its times, such as other programs.
type Factor struct {
	Name  string                     // of its metric in results
	Limit float64                    // above it, samples are disturbed
	Text  func(value float64) string // "other programs used 63 % of the CPU"
	// Unknown says that the factor cannot be read, if that leaves a drift unexplained: "throttling cannot be read here".
	Unknown string
	// Elsewhere is true if the runner computes the value: the share of the time in which the device did not run samples that it had
	// queued.
	Elsewhere bool
	// Source names the metric of results that says how the value was obtained, or why there is none; Told returns that text, given
	// whether the value is known. Empty: there is no such metric.
	Source string
	Told   func(known bool) string
	// Apart replaces the text from Told for a case with work that must run alone, such as the host's own: the value is withheld,
	// because it could not be distinguished from the work. Empty: the value is reported.
	Apart string
}

// From returns the text of Source for a result.
func (f *Factor) From(r *Result, value float64) string {
	if f.Apart != "" && r.Alone {
		return f.Apart
	}
	return f.Told(!math.IsNaN(value))
}

// Surroundings report what else the machine does while samples are taken.
type Surroundings struct {
	Factors []Factor
	// Lap returns the mean of each factor since the last call, in the order of Factors; NaN: not known. It is called between samples.
	Lap func() []float64
	// Who names the source of a disturbance: "stress with 1.9 cores". It may take long, so the first call, when a lap was disturbed,
	// starts the observation, and the second comes at the end of the case. Empty: not known. May be nil.
	Who func(ctx context.Context) string
	// QuietTimeout is how long a case may wait for the machine to become quiet again, in addition to its budget; 0: no wait.
	QuietTimeout time.Duration
	// Sleep waits; nil: real time.
	Sleep func(ctx context.Context, d time.Duration)
}

// lapTime is the minimum length of a lap while sampling. Kernels count core time in steps of 10 ms per core.
const lapTime = 250 * time.Millisecond

// shortLap is the length below which the last lap of a case is judged like the one before it.
const shortLap = lapTime / 2

// laps divides the sampling of a case into intervals, and sets aside the samples of disturbed ones.
type laps struct {
	since     time.Duration // when the current lap began
	from      []int         // number of samples of each subject at that time
	pass      int           // number of passes at that time
	skipped   int           // passes whose samples were set aside
	aside     []aside
	disturbed bool      // whether the last completed lap was disturbed
	quiet     meanWhile // while samples were taken that count
	noisy     meanWhile // while samples were taken that were set aside
	waited    time.Duration
	asked     bool // whether Who has been asked
}

// aside holds the samples of a disturbed lap.
type aside struct {
	subject int
	SetAside
}

// meanWhile accumulates the mean of factors over laps, weighted by their lengths.
type meanWhile struct {
	sums, times []float64 // seconds
}

func (m *meanWhile) add(values []float64, d time.Duration) {
	for len(m.sums) < len(values) {
		m.sums, m.times = append(m.sums, 0), append(m.times, 0)
	}
	for i, v := range values {
		if !math.IsNaN(v) {
			m.sums[i] += v * d.Seconds()
			m.times[i] += d.Seconds()
		}
	}
}

// merge adds the laps of another meanWhile.
func (m *meanWhile) merge(o meanWhile) {
	for i := range o.sums {
		if o.times[i] > 0 {
			m.add(append(slices.Repeat([]float64{math.NaN()}, i), o.sums[i]/o.times[i]), duration(o.times[i]))
		}
	}
}

// means returns the means of the first n factors; NaN: not known.
func (m *meanWhile) means(n int) []float64 {
	out := slices.Repeat([]float64{math.NaN()}, n)
	for i := range m.sums {
		if m.times[i] > 0 {
			out[i] = m.sums[i] / m.times[i]
		}
	}
	return out
}

// exceeded lists the factors above their limits.
func (s *Surroundings) exceeded(values []float64) []int {
	var over []int
	for i, f := range s.Factors {
		if i < len(values) && values[i] > f.Limit {
			over = append(over, i)
		}
	}
	return over
}

// openLaps begins the first lap. If the machine has not been quiet since the case began and the case may wait, it waits first.
func (r *runner) openLaps(ctx context.Context) {
	if r.o.Lap == nil {
		return
	}
	if values := r.lapOver(); r.spent() >= shortLap && len(r.o.exceeded(values)) > 0 {
		r.waitForQuiet(ctx)
	}
	r.beginLap(0)
}

// beginLap begins a lap after a number of passes.
func (r *runner) beginLap(pass int) {
	l := &r.laps
	r.o.Spans.Lap(Sampling)
	l.since, l.pass, l.from = r.spent(), pass, l.from[:0]
	for i := range r.results {
		l.from = append(l.from, len(r.results[i].Samples))
	}
}

// lapDue reports whether the current lap is long enough to be judged.
func (r *runner) lapDue() bool { return r.o.Lap != nil && r.spent()-r.laps.since >= lapTime }

// endLap judges the current lap, which ends after a number of passes with all samples complete. The samples of a disturbed lap are set
// aside if they are taken again. It reports whether they were.
func (r *runner) endLap(ctx context.Context, pass int) (disturbed bool) {
	l := &r.laps
	if r.o.Lap == nil || pass == l.pass {
		return false
	}
	length, values := r.spent()-l.since, r.lapOver()
	if length >= shortLap || l.pass == 0 { // a case of a single lap has no better evidence
		l.disturbed = len(r.o.exceeded(values)) > 0
	} else {
		values = nil // too coarse
	}
	if !l.disturbed || !r.takesAgain() {
		l.quiet.add(values, length)
		return false
	}
	l.noisy.add(values, length)
	l.skipped += pass - l.pass
	why := r.o.words(values, r.o.exceeded(values))
	r.o.Spans.Tell(why)
	r.setAside(why)
	if !l.asked && r.o.Who != nil {
		l.asked = true
		r.o.Who(ctx)
	}
	return true
}

// takesAgain reports whether disturbed samples are set aside and taken again.
func (r *runner) takesAgain() bool { return !r.o.Short && !r.o.Schedule.Fixed() }

// nextLap ends the current lap and begins another once the machine is quiet or the case has waited long enough.
func (r *runner) nextLap(ctx context.Context, pass int) {
	if r.endLap(ctx, pass) {
		r.waitForQuiet(ctx)
	}
	r.beginLap(pass)
}

// setAside removes the samples of the current lap from the results; why names the disturbance.
func (r *runner) setAside(why string) {
	l := &r.laps
	for i := range r.results {
		res := &r.results[i]
		if taken := res.Samples[l.from[i]:]; len(taken) > 0 {
			l.aside = append(l.aside, aside{i, SetAside{l.from[i], slices.Clone(taken), why}})
			res.Samples, res.Aside = res.Samples[:l.from[i]], res.Aside+len(taken)
		}
		l.bound(i, r.o.MaxSamples)
	}
}

// bound drops the oldest set-aside samples of a subject as long as at least limit of them remain: a case may stay disturbed for an
// hour.
func (l *laps) bound(subject, limit int) {
	held := 0
	for _, a := range l.aside {
		if a.subject == subject {
			held += len(a.Samples)
		}
	}
	for {
		oldest := slices.IndexFunc(l.aside, func(a aside) bool { return a.subject == subject })
		if oldest < 0 || held-len(l.aside[oldest].Samples) < limit {
			return
		}
		held -= len(l.aside[oldest].Samples)
		l.aside = slices.Delete(l.aside, oldest, oldest+1)
	}
}

// waitForQuiet waits until a lap without work is undisturbed, for at most QuietTimeout in total. The wait does not count toward the
// case's budget.
func (r *runner) waitForQuiet(ctx context.Context) {
	r.o.Duty.Pause()
	r.o.WaitForQuiet(ctx, r.o.Now, r.o.QuietTimeout-r.laps.waited, r.waiting, func(d time.Duration) {
		r.laps.waited += d
		r.start = r.start.Add(d)
	})
}

// WaitForQuiet waits until a lap without work is undisturbed, for at most `limit`. It calls before at the start of each lap, and after
// at its end with the lap's length.
func (s *Surroundings) WaitForQuiet(ctx context.Context, now func() time.Time, limit time.Duration, before func(), after func(time.Duration)) {
	sleep := s.Sleep
	if sleep == nil {
		sleep = pause
	}
	for limit > 0 && ctx.Err() == nil {
		before()
		s.Lap()
		began := now()
		sleep(ctx, lapTime)
		d := now().Sub(began)
		limit -= d
		after(d)
		if len(s.exceeded(s.Lap())) == 0 {
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// judge decides which samples count, and adds the surroundings to the results. If quiet laps have too few samples, all samples count
// and the case is disturbed.
func (r *runner) judge(ctx context.Context) {
	if r.o.Lap == nil {
		return
	}
	l, n := &r.laps, len(r.o.Factors)
	r.tell(l.quiet.means(n))
	if !r.takesAgain() {
		r.warn(r.o.Judge(ctx, l.quiet.means(n)))
		return
	}
	if r.suffices() {
		for _, a := range l.aside {
			r.results[a.subject].SetAside = append(r.results[a.subject].SetAside, a.SetAside)
		}
		return
	}
	noisy := l.noisy.means(n)
	over := r.o.exceeded(noisy)
	if len(over) == 0 { // one factor in one lap, another in the next
		over = r.o.worst(noisy)
	}
	r.restore()
	r.warn(r.o.disturbance(ctx, noisy, over))
	l.quiet.merge(l.noisy)
	r.tell(l.quiet.means(n))
}

// tell adds the means of the factors to all results; laps covers the whole case.
func (r *runner) tell(means []float64) {
	alone := slices.ContainsFunc(r.subjects, func(s Subject) bool { return s.Alone })
	for i := range r.results {
		r.o.Told(&r.results[i], slices.Clone(means), alone)
	}
}

// Told records the surroundings in a result; alone: the work must run alone.
func (s *Surroundings) Told(r *Result, values []float64, alone bool) {
	for i := range values {
		if alone && i < len(s.Factors) && s.Factors[i].Apart != "" {
			values[i] = math.NaN()
		}
	}
	r.Around, r.Alone = values, alone
}

// suffices reports whether enough samples from quiet laps are left.
func (r *runner) suffices() bool {
	for _, i := range r.alive() {
		if len(r.laps.aside) > 0 && len(r.results[i].Samples) < r.o.LateSamples {
			return false
		}
	}
	return true
}

// warn adds warnings to all results with a time.
func (r *runner) warn(warnings []Warning) {
	for _, i := range r.alive() {
		r.results[i].Warnings = append(r.results[i].Warnings, warnings...)
	}
}

// restore puts the set-aside samples back at their original positions.
func (r *runner) restore() {
	for _, a := range slices.Backward(r.laps.aside) {
		res := &r.results[a.subject]
		res.Samples, res.Aside = slices.Insert(res.Samples, a.At, a.Samples...), res.Aside-len(a.Samples)
	}
	r.laps.aside = nil
}

// Judge warns about factors above their limits: what disturbed, and who caused it.
func (s *Surroundings) Judge(ctx context.Context, values []float64) []Warning {
	if over := s.exceeded(values); len(over) > 0 {
		return s.disturbance(ctx, values, over)
	}
	return nil
}

func (s *Surroundings) disturbance(ctx context.Context, values []float64, over []int) []Warning {
	text := "disturbed: " + s.words(values, over)
	if s.Who != nil {
		if who := s.Who(ctx); who != "" {
			text += " (" + who + ")"
		}
	}
	return []Warning{{Disturbed, text}}
}

// words lists factors: "other programs used 63 % of the CPU, throttled by 7 %".
func (s *Surroundings) words(values []float64, factors []int) string {
	words := make([]string, len(factors))
	for n, i := range factors {
		words[n] = s.Factors[i].Text(values[i])
	}
	return strings.Join(words, ", ")
}

// worst returns the factor closest to its limit.
func (s *Surroundings) worst(values []float64) []int {
	worst, share := -1, 0.0
	for i, f := range s.Factors {
		if part := values[i] / f.Limit; part > share {
			worst, share = i, part
		}
	}
	if worst < 0 {
		return nil
	}
	return []int{worst}
}

// driftCause continues "drifted by 9 %": what the surroundings showed in the meantime, or that they showed nothing.
func (s *Surroundings) driftCause(r *Result) string {
	if slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Kind == Disturbed }) {
		return " while disturbed"
	}
	if s.Lap == nil {
		return "; the machine was not observed"
	}
	why := "; no disturbance was seen"
	for i, f := range s.Factors {
		if f.Unknown != "" && (i >= len(r.Around) || math.IsNaN(r.Around[i])) {
			why += ", but " + f.Unknown
		}
	}
	return why
}
