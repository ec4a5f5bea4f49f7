package own

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"go.starlark.net/starlark"
)

// comparison accumulates the comparison of one output.
type comparison struct {
	b               *bound
	got             View
	truth           *Truth
	compared, wrong int
	largest         float64
	first           string // the first wrong element, in words
}

// add compares element i with what it should be.
func (o *comparison) add(i int, want Number) {
	e := o.got.Element
	got, want := o.got.Number(i), e.stored(want)
	limit := o.allowed(want)
	off := e.off(got, want)
	if o.compared++; !math.IsInf(off, 0) {
		o.largest = max(o.largest, off)
	}
	if off == 0 || off <= limit && !math.IsInf(limit, 0) {
		return
	}
	if o.wrong++; o.wrong == 1 {
		o.first = o.words(i, got, want, limit)
	}
}

// allowed returns the tolerance for a result.
func (o *comparison) allowed(want Number) float64 {
	abs, rel := o.got.scalar.abs, o.got.scalar.rel
	if o.truth.Abs >= 0 || o.truth.Rel >= 0 {
		abs, rel = max(o.truth.Abs, 0), max(o.truth.Rel, 0)
	}
	return abs + rel*math.Abs(want.Value)
}

// words describe the first wrong element, with as many digits as it takes to show the difference.
func (o *comparison) words(i int, got, want Number, limit float64) string {
	e := o.got.Element
	for digits := 7; ; digits += 2 {
		a, b := e.words(got, digits), e.words(want, digits)
		if a != b || digits > 17 {
			return fmt.Sprintf("%s[%d] is %s, want %s ± %.2g", o.b.of.Name, i, a, b, limit)
		}
	}
}

// byScript compares all elements, or, if there are more than the reference's limit, the first, the last and random ones.
func (o *comparison) byScript(s *script, f *starlark.Function) error {
	n := o.got.Len()
	s.begin()
	for _, i := range chosen(n, o.truth.Limit) {
		want, err := s.element(f, i, o.got.Element)
		if errors.Is(err, errSteps) && o.compared > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		o.add(i, want)
	}
	return nil
}

// chosen returns at most `limit` of n indices: the first, the last, and random ones.
func chosen(n, limit int) []int {
	if n <= limit {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	r := rand.New(rand.NewPCG(uint64(n), 1))
	all, taken := []int{0, n - 1}, map[int]bool{}
	for last := n - limit; last < n-2; last++ { // Floyd's algorithm on the indices between: each at most once, all equally likely
		i := r.IntN(last + 1)
		if taken[i] {
			i = last
		}
		taken[i] = true
		all = append(all, i+1)
	}
	return all[:limit]
}
