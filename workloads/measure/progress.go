package measure

import (
	"fmt"
	"time"
)

// Phase is a phase of measuring a case.
type Phase string

// Phases of a case, in order.
const (
	Preparing   Phase = "preparing inputs"
	Compiling   Phase = "compiling kernels"
	Verifying   Phase = "verifying"
	Calibrating Phase = "calibrating" // finding how many repetitions make a sample
	WarmingUp   Phase = "warming up"
	Waiting     Phase = "waiting for a quiet machine"
	Anchoring   Phase = "reading the anchor"
	Cooling     Phase = "cooling down"
	Resting     Phase = "idle between bursts"
	Paused      Phase = "paused: memory pressure is critical"
	Sampling    Phase = "sampling"
	Powering    Phase = "measuring energy"
	Rechecking  Phase = "verifying again"
	Quiet       Phase = "measuring in quiet mode" // several of the phases, not reported individually
)

// Phases lists the phases that are recorded. Traces use them as span names, and gpu/metal/signpost.h has the same list.
func Phases() []Phase {
	return []Phase{Preparing, Compiling, Verifying, Calibrating, WarmingUp, Waiting, Anchoring, Cooling, Resting, Paused, Sampling, Powering, Rechecking}
}

// Level reports whether live memory should stay constant during the phase: up to their warm-up, variants acquire memory one after
// another, which looks like a leak on a slow device.
func (p Phase) Level() bool { return p == Sampling || p == Powering }

// Progress is the progress of a case.
type Progress struct {
	Phase    Phase
	Why      string  // of Cooling: "18 % slower than at the start (compute)"; of Resting: "the device works at most 50 % of the time"
	Part     float64 // share of the phase that is done, 0…1; 0: not known
	Variant  string
	Samples  int           // per variant so far
	Width    float64       // of the widest interval so far, end to end, relative to its median; 0 before there is one
	Spent    time.Duration // part of Budget
	Budget   time.Duration
	Series   bool          // a series is sampled: it pauses only at the end of a window, which may take minutes
	Estimate time.Duration // the time this case still needs
}

// Doing describes the phase and its progress: "preparing inputs, 34 %".
func (p *Progress) Doing() string {
	switch {
	case p.Why != "":
		return string(p.Phase) + ": " + p.Why
	case p.Part <= 0:
		return string(p.Phase)
	}
	return fmt.Sprintf("%s, %.0f %%", p.Phase, 100*min(1, p.Part))
}

// reportEvery is the minimum interval between reports while sampling: reporting every sample would take time.
const reportEvery = 50 * time.Millisecond

func (r *runner) progress(p Phase, i int) {
	r.enter(p, i)
	now := r.spent()
	if n := len(r.results[i].Samples); r.taken(p) && (n > 0 || p == WarmingUp) && !r.looks.due(n) && now < r.reported+reportEvery {
		return
	}
	r.reported = now
	r.report(Progress{
		Phase: p, Variant: r.subjects[i].Name, Samples: len(r.results[i].Samples), Width: r.looks.width,
		Spent: now, Budget: r.o.Budget, Estimate: r.estimate(len(r.results[i].Samples)),
	})
}

// enter starts a phase of subject i. In the sampling phases, subjects alternate.
func (r *runner) enter(p Phase, i int) {
	variant := r.subjects[i].Name
	r.phase = p
	r.o.Spans.By(variant)
	if r.taken(p) && len(r.subjects) > 1 {
		variant = ""
	}
	r.o.Spans.Enter(p, variant)
}

// taken reports whether subjects alternate in a phase.
func (r *runner) taken(p Phase) bool { return p == Sampling || p == WarmingUp && r.o.Schedule.Fixed() }

// waiting reports that the case is waiting for the machine to become quiet.
func (r *runner) waiting() {
	r.o.Spans.Enter(Waiting, "")
	left := r.o.QuietTimeout - r.laps.waited
	r.report(Progress{Phase: Waiting, Spent: r.spent(), Budget: r.o.Budget, Estimate: left + r.estimate(0)})
}

// round returns the duration of one sample of each of the subjects idx.
func (r *runner) round(idx []int) time.Duration {
	var d time.Duration
	for _, i := range idx {
		d += r.elapsed[i]
	}
	return d
}

// estimate returns the time that the case still needs after n samples of each: the rest of the budget, or less if the intervals narrow
// with the square root of the sample count as expected, plus the second verification.
func (r *runner) estimate(n int) time.Duration {
	round, left := r.round(r.alive()), max(0, r.o.Budget-r.spent())
	if round == 0 { // nothing has run yet
		return left + r.powering
	}
	if s := r.o.Schedule; s.Fixed() {
		left := s.Active*s.Repeat - n // active steps, plus the waiting and warm-up steps that go with them
		return time.Duration(float64(round)*float64(left)*float64(s.steps())/float64(s.Active*s.Repeat)*r.o.Duty.Stretch()) + r.powering + r.checking + round
	}
	late := round * time.Duration(max(0, r.o.LateSamples-n))
	if wide := r.looks.ratio; wide > 0 && wide < 1e3 && !r.o.Short {
		needed := max(float64(r.looks.at)*wide*wide, float64(r.o.MinSamples), r.minTimeSamples(n))
		left = min(left, time.Duration(float64(round)*max(0, needed-float64(n))))
	}
	left = min(left, round*time.Duration(max(0, r.o.MaxSamples-n)))
	if r.o.Short {
		return left + r.checking
	}
	left = time.Duration(float64(max(left, late)) * r.o.Duty.Stretch())
	return left + r.powering + r.checking + round // the second verification runs one round
}

// minTimeSamples estimates from the first n how many samples of each last MinTime.
func (r *runner) minTimeSamples(n int) float64 {
	if sampled := r.sampledTime(r.alive()); n > 0 && sampled > 0 {
		return float64(n) * r.o.MinTime.Seconds() / sampled
	}
	return 0
}
