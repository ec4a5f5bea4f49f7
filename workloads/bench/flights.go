package bench

import (
	"cmp"
	"slices"
	"time"

	"assay/gpu"
)

// Flight records one command buffer of a repetition, in seconds since the repetition began.
type Flight struct {
	Submit    float64 // Submit was called …
	Submitted float64 // … and returned
	Waited    float64 // the wait for it returned
	Timing    gpu.Timing
}

// maxTraced is the maximum number of repetitions kept: the last ones.
const maxTraced = 512

// Trace records each command buffer in the first repetition of each sample, which takes a few clock readings.
func (w *Submitted) Trace() { w.trace = true }

// Typical returns the recorded repetition of median duration; nil if there is none.
func (w *Submitted) Typical() []Flight {
	if len(w.traced) == 0 {
		return nil
	}
	all := slices.Clone(w.traced)
	slices.SortFunc(all, func(a, b []Flight) int { return cmp.Compare(a[len(a)-1].Waited, b[len(b)-1].Waited) })
	return all[len(all)/2]
}

// recorder records the flights of a repetition; a nil one records nothing.
type recorder struct {
	now     func() time.Time
	began   time.Time
	flights []Flight
}

// recorder returns the recorder of the repetition that begins.
func (w *Submitted) recorder() *recorder {
	if !w.trace || w.noted {
		return nil
	}
	return &recorder{w.now, w.now(), make([]Flight, 0, len(w.buffers))}
}

func (r *recorder) since() float64 { return r.now().Sub(r.began).Seconds() }

func (r *recorder) submit() {
	if r != nil {
		r.flights = append(r.flights, Flight{Submit: r.since()})
	}
}

func (r *recorder) submitted() {
	if r != nil {
		r.flights[len(r.flights)-1].Submitted = r.since()
	}
}

func (r *recorder) waited(i int, t gpu.Timing) {
	if r != nil {
		r.flights[i].Waited, r.flights[i].Timing = r.since(), t
	}
}

// keep keeps the record of a repetition that did not fail.
func (w *Submitted) keep(r *recorder) {
	if r == nil || len(r.flights) == 0 {
		return
	}
	if len(w.traced) < maxTraced {
		w.traced = append(w.traced, r.flights)
	} else {
		w.traced[w.recorded%maxTraced] = r.flights
	}
	w.recorded++
}
