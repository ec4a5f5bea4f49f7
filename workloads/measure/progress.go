package measure

import "time"

// Phase is what a case is doing.
type Phase string

// Phases of a case, in order.
const (
	Preparing   Phase = "preparing inputs"
	Compiling   Phase = "compiling kernels"
	Verifying   Phase = "verifying"
	Calibrating Phase = "calibrating" // finding how many repetitions make a sample
	WarmingUp   Phase = "warming up"
	Sampling    Phase = "sampling"
	Rechecking  Phase = "verifying again"
)

// Progress is where a case stands.
type Progress struct {
	Phase    Phase
	Variant  string
	Samples  int           // of each variant so far
	Width    float64       // of the widest interval so far, end to end, relative to its median; 0 before there is one
	Spent    time.Duration // of Budget
	Budget   time.Duration
	Estimate time.Duration // of the time that this case still needs
}

func (r *runner) progress(p Phase, i int) {
	r.report(Progress{
		Phase: p, Variant: r.subjects[i].Name, Samples: len(r.results[i].Samples), Width: r.width,
		Spent: r.spent(), Budget: r.o.Budget, Estimate: r.estimate(len(r.results[i].Samples)),
	})
}

// round is how long one sample of each of the subjects idx takes.
func (r *runner) round(idx []int) time.Duration {
	var d time.Duration
	for _, i := range idx {
		d += r.took[i]
	}
	return d
}

// estimate is how long the case still needs after n samples of each: the rest of the budget, or less if the interval
// narrows as it should, with the square root of the samples; and the second verification.
func (r *runner) estimate(n int) time.Duration {
	round, left := r.round(r.alive()), max(0, r.o.Budget-r.spent())
	if round == 0 { // nothing has run yet
		return left
	}
	if n < r.o.MinSamples && !r.o.Brief {
		left = max(left, round*time.Duration(r.o.MinSamples-n))
	} else if narrow := r.width / r.o.Precision; r.width > 0 && narrow < 1e3 {
		left = min(left, time.Duration(float64(round)*float64(n)*max(0, narrow*narrow-1)))
	}
	left = min(left, round*time.Duration(max(0, r.o.MaxSamples-n)))
	if r.o.Brief {
		return left + r.checking
	}
	return left + r.checking + round // which the second verification runs
}
