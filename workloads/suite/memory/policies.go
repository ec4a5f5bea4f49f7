package memory

import "assay/workloads/measure"

// bounds are where an adaptive batch starts and stays.
type bounds struct{ least, start, most int }

// policy is a way to adapt a batch to limits that can only be found by trying.
type policy struct {
	name, title, about string
	words              string // in sentences
	// next returns the batch of the next step; false: it has settled.
	next func(b bounds, tried []measure.Trial[int]) (int, bool)
}

func policies() []policy {
	return []policy{
		{
			name: "doubling", title: "Double and halve", words: "doubling and halving",
			about: "Doubles the batch after one within the limits and halves it after one beyond them: the published rule.", next: doubling,
		},
		{
			name: "bisection", title: "Bisection", words: "bisection",
			about: "Does the same until one batch is within the limits and a larger one is not, then goes halfway between them.", next: bisection,
		},
	}
}

// doubling settles only at an end: at the maximum batch if it is within the limits, or at the minimum if it is not.
func doubling(b bounds, tried []measure.Trial[int]) (int, bool) {
	if len(tried) == 0 {
		return b.start, true
	}
	last := tried[len(tried)-1]
	next := min(2*last.Setting, b.most)
	if last.Err != nil {
		next = max(last.Setting/2, b.least)
	}
	return next, next != last.Setting
}

// apart sets how close bisection gets: the gap between the largest good and the smallest bad batch is at most 1/apart of the former.
const apart = 8

// bisection settles when the largest batch within the limits is close to the smallest beyond them, or at an end.
func bisection(b bounds, tried []measure.Trial[int]) (int, bool) {
	good, bad := 0, 0 // none
	for _, t := range tried {
		if t.Err == nil {
			good = max(good, t.Setting)
		} else if bad == 0 || t.Setting < bad {
			bad = t.Setting
		}
	}
	if good == 0 || bad == 0 || good > bad { // or noise near the limit
		return doubling(b, tried)
	}
	if bad-good <= max(1, good/apart) {
		return 0, false
	}
	return good + (bad-good)/2, true
}
