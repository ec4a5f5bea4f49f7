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
	Quiet       Phase = "measuring in quiet mode" // several of these, of which nothing is told
)

// Phases lists those that are recorded. Traces name spans by them, and gpu/metal/signpost.h has the same list.
func Phases() []Phase {
	return []Phase{Preparing, Compiling, Verifying, Calibrating, WarmingUp, Waiting, Anchoring, Cooling, Resting, Paused, Sampling, Powering, Rechecking}
}

// Level reports whether live memory should stay the same during the phase: variants acquire what they need up to their warm-up,
// one after another, which looks like a leak on a slow device.
func (p Phase) Level() bool { return p == Sampling || p == Powering }

// Progress is the progress of a case.
type Progress struct {
	Phase    Phase
	Why      string  // of Cooling: "18 % slower than at the start (compute)"; of Resting: "the device works at most 50 % of the time"
	Part     float64 // of the phase that is done, 0…1; 0: not known
	Variant  string
	Samples  int           // of each variant so far
	Width    float64       // of the widest interval so far, end to end, relative to its median; 0 before there is one
	Spent    time.Duration // of Budget
	Budget   time.Duration
	Series   bool          // a series is sampled: it pauses only where a window ends, which may take minutes
	Estimate time.Duration // of the time that this case still needs
}

// Doing is the phase in words, with how much of it is done: "preparing inputs, 34 %".
func (p *Progress) Doing() string {
	switch {
	case p.Why != "":
		return string(p.Phase) + ": " + p.Why
	case p.Part <= 0:
		return string(p.Phase)
	}
	return fmt.Sprintf("%s, %.0f %%", p.Phase, 100*min(1, p.Part))
}

// reportEvery is the minimum interval between reports while sampling: reporting every sample would cost time.
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

// enter begins a phase of subject i. Those that are sampled take turns.
func (r *runner) enter(p Phase, i int) {
	variant := r.subjects[i].Name
	r.phase = p
	r.o.Spans.By(variant)
	if r.taken(p) && len(r.subjects) > 1 {
		variant = ""
	}
	r.o.Spans.Enter(p, variant)
}

// taken reports whether subjects take turns in a phase.
func (r *runner) taken(p Phase) bool { return p == Sampling || p == WarmingUp && r.o.Schedule.Fixed() }

// waiting reports that the case waits for the machine to become quiet.
func (r *runner) waiting() {
	r.o.Spans.Enter(Waiting, "")
	left := r.o.QuietTimeout - r.laps.waited
	r.report(Progress{Phase: Waiting, Spent: r.spent(), Budget: r.o.Budget, Estimate: left + r.estimate(0)})
}

// round is the duration of one sample of each of the subjects idx.
func (r *runner) round(idx []int) time.Duration {
	var d time.Duration
	for _, i := range idx {
		d += r.elapsed[i]
	}
	return d
}

// estimate is the time that the case still needs after n samples of each: the rest of the budget, or less if the
// intervals narrow with the square root of the samples as expected; and the second verification.
func (r *runner) estimate(n int) time.Duration {
	round, left := r.round(r.alive()), max(0, r.o.Budget-r.spent())
	if round == 0 { // nothing has run yet
		return left + r.powering
	}
	if s := r.o.Schedule; s.Fixed() {
		left := s.Active*s.Repeat - n // of steps that count, and as many of the others as belong to them
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
	return left + r.powering + r.checking + round // which the second verification runs
}

// minTimeSamples estimates from the first n how many samples of each last MinTime.
func (r *runner) minTimeSamples(n int) float64 {
	if sampled := r.sampledTime(r.alive()); n > 0 && sampled > 0 {
		return float64(n) * r.o.MinTime.Seconds() / sampled
	}
	return 0
}
