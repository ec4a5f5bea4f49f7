package measure

import (
	"math"
	"time"
)

// elsewhere tells how long a device did not run samples that it had. Two are in flight, so the next one waits for it when one completes: what
// passes until that completes beyond its own time went to other programs, which take turns with this one, or the device stood idle. Times of
// samples do not tell, as a sample may lie between two turns, or always span one.
type elsewhere struct {
	wall time.Duration // between the ends of samples that waited
	busy float64       // seconds of their own
}

func (e *elsewhere) add(wall time.Duration, own float64) {
	e.wall += wall
	e.busy += own
}

// occupied is how long a sample of subject i kept the device, in seconds.
func (r *runner) occupied(i int, each float64) float64 {
	if of := r.subjects[i].Occupies; of != nil {
		return of(r.results[i].Reps, each)
	}
	return each * float64(r.results[i].Reps)
}

// share is that of the time since the last call; NaN is not known.
func (e *elsewhere) share() float64 {
	defer func() { *e = elsewhere{} }()
	if e.wall <= 0 {
		return math.NaN()
	}
	return max(0, 1-e.busy/e.wall.Seconds())
}

// lapOver are the factors since the last call.
func (r *runner) lapOver() []float64 {
	values, share := r.o.Lap(), r.elsewhere.share()
	for i, f := range r.o.Factors {
		if f.Elsewhere && i < len(values) {
			values[i] = share
		}
	}
	return values
}
