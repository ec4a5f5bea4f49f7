package bench

import (
	"bytes"
	"fmt"
	"math"

	"assay/shaders"
	"assay/workloads/measure"
)

// ending identifies the state after a number of repetitions of a segment, at some of its words.
type ending struct {
	slot
	reps int
}

// ends is what in-place samples left in their words. There is no reference for repetitions on their own output, but each sample begins
// with the same operands, so it must end the same as earlier ones.
type ends struct {
	seen  []byte
	alike int  // number of samples that left it
	loose bool // samples differ, as they may if the order of sums is not fixed: nothing is compared
}

// steady is how many samples must end the same before a deviating one counts as wrong.
const steady = 2

// nearby is the relative tolerance if the order of sums is not fixed.
const nearby = 1e-2

// repeat compares what a sample left in words without a reference with what earlier samples left.
func (w *witnesses) repeat(at ending, words []witness, got []byte) error {
	at.place = 0 // all have the same words
	e, ok := w.ends[at]
	switch {
	case !ok:
		w.ends[at] = &ends{seen: got, alike: 1}
		return nil
	case e.loose:
		return nil
	case bytes.Equal(e.seen, got):
		e.alike++
		return nil
	case e.alike < steady:
		e.loose = true
		return nil
	}
	first := 0
	for i := range words {
		x := &words[i]
		if !x.repeats {
			continue
		}
		now, was := got[first:][:len(x.seen)], e.seen[first:][:len(x.seen)]
		if first += len(x.seen); !x.close(now, was) {
			return fmt.Errorf("%w: kernel %s: byte %d of %s after %d repetitions in place is not as %d samples before left it: % x, was % x",
				measure.ErrOutput, x.launch.Kernel.Spec().Name, x.first, x.name(), at.reps, e.alike, now, was)
		}
	}
	e.loose = true
	return nil
}

// close reports whether values are equal except for the order of sums.
func (x *witness) close(now, was []byte) bool {
	if bytes.Equal(now, was) {
		return true
	}
	if !x.kind().Float() {
		return false
	}
	a, b := shaders.View{Type: x.kind(), Data: now}, shaders.View{Type: x.kind(), Data: was}
	for i := range a.Len() {
		p, q := a.At(i), b.At(i)
		if math.IsNaN(p) && math.IsNaN(q) {
			continue
		}
		if p != q && !(math.Abs(p-q) <= nearby*max(math.Abs(p), math.Abs(q))) {
			return false
		}
	}
	return true
}
