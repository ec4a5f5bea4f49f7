package measure

import (
	"math"
	"time"
)

// elsewhere measures how long a device did not run samples that it had queued. Two samples are in flight, so when one completes, the
// next is already waiting. Any time until that one completes beyond its own duration was spent on other programs sharing the device,
// or the device was idle. Sample times alone do not show this: a sample may fit into a time slice, or always span one of the other
// program's.
type elsewhere struct {
	wall time.Duration // between the ends of samples that had to wait
	busy float64       // seconds of the samples' own work
}

func (e *elsewhere) add(wall time.Duration, own float64) {
	e.wall += wall
	e.busy += own
}

// occupied returns how long a sample of subject i kept the device busy, in seconds.
func (r *runner) occupied(i int, each float64) float64 {
	if of := r.subjects[i].Occupies; of != nil {
		return of(r.results[i].Reps, each)
	}
	return each * float64(r.results[i].Reps)
}

// share returns the share of the time since the last call; NaN: not known.
func (e *elsewhere) share() float64 {
	defer func() { *e = elsewhere{} }()
	if e.wall <= 0 {
		return math.NaN()
	}
	return max(0, 1-e.busy/e.wall.Seconds())
}

// lapOver returns the factors since the last call.
func (r *runner) lapOver() []float64 {
	values, share := r.o.Lap(), r.elsewhere.share()
	for i, f := range r.o.Factors {
		if f.Elsewhere && i < len(values) {
			values[i] = share
		}
	}
	return values
}
