package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"assay/internal/stats"
	"assay/workloads"
)

// CrossPlan asks from which value of a number on B is faster than A, or no longer is.
type CrossPlan struct {
	ABPlan
	Along    string // a parameter of whole numbers, or the axis of a sweep
	From, To int
	Width    float64 // relative width of the interval to reach: 0.05 is 5 %
}

// CrossPoint is what a comparison at one place shows.
type CrossPoint struct {
	At      int
	Speedup stats.Estimate // of B over A
	Verdict stats.Verdict
	Rounds  int
	Aside   int
}

// CrossResult is what a bisection shows. If the ends have different verdicts, the crossing lies between Lo, up to which the first
// is certain, and Hi, from which the other is certain; At is where the interpolated speeds would be equal.
type CrossResult struct {
	Plan   CrossPlan
	Points []CrossPoint // in ascending order
	Found  bool
	At     float64
	Lo, Hi int
	Why    string // there is no crossing, or it is uncertain whether there is one
}

// minCrossWidth is the smallest width that can be asked for.
const minCrossWidth = 0.001

// Check refuses a search that cannot be carried out.
func (p *CrossPlan) Check(w *workloads.Workload) error {
	switch {
	case p.Range() != nil:
		return p.Range()
	case !(p.Width >= minCrossWidth && p.Width <= 1):
		return fmt.Errorf("width must be between %g and 100 %% (you entered %g %%)", 100*minCrossWidth, 100*p.Width)
	}
	return p.varies(w)
}

// Range refuses a range with nothing between its ends.
func (p *CrossPlan) Range() error {
	switch {
	case p.From < 1:
		return fmt.Errorf("from must be 1 or more (you entered %d)", p.From)
	case p.To <= p.From:
		return fmt.Errorf("to must be larger than from (you entered from %d to %d)", p.From, p.To)
	}
	return nil
}

// varies refuses a place that neither side's case depends on.
func (p *CrossPlan) varies(w *workloads.Workload) error {
	for _, side := range []*ABSide{&p.A, &p.B} {
		var ends [2]workloads.Values
		for i, at := range []int{p.From, p.To} {
			there, err := along(w, p.Along, at)
			if err == nil {
				ends[i], err = w.One(side.Params.With(there), p.Along, side.Variant != "")
			}
			if err != nil {
				return fmt.Errorf("at %d: %w", at, err)
			}
		}
		if param, err := w.Param(p.Along); !w.SameCase(ends[0], ends[1]) || err == nil && param.Role == workloads.RoleVariant {
			return nil
		}
	}
	return fmt.Errorf("the cases at %d and at %d are the same: with these settings %s changes nothing", p.From, p.To, p.Along)
}

// along returns the values that put a case at a place of a sweep, or of a parameter.
func along(w *workloads.Workload, name string, at int) (workloads.Values, error) {
	if s := w.Sweep(name); s != nil {
		return workloads.Values{s.From: at, s.To: at}, nil
	}
	if s := w.SweepOf(name); s != nil {
		return workloads.Values{s.From: at, s.To: at}, nil
	}
	p, err := w.Param(name)
	if err != nil {
		return nil, err
	}
	if p.Type != workloads.Int {
		return nil, fmt.Errorf("%s is not a whole number: nothing can be bisected along it", name)
	}
	return workloads.Values{name: at}, nil
}

// Crossover compares both sides at both ends and bisects between them. tell is called after each place, with a copy.
func (t *Tuner) Crossover(ctx context.Context, p CrossPlan, tell func(*CrossResult)) (r *CrossResult, err error) {
	s := t.session
	err = s.measuring(ctx, p.Workload, func(ctx context.Context, w *workloads.Workload) error {
		if err := p.Check(w); err != nil {
			return err
		}
		r, err = BisectBy(p, func(at int) (CrossPoint, error) {
			there, _ := along(w, p.Along, at)
			one := p.ABPlan
			one.A.Params, one.B.Params = p.A.Params.With(there), p.B.Params.With(there)
			ab, err := s.compareSides(ctx, w, one, p.Along, nil)
			if err != nil {
				return CrossPoint{}, fmt.Errorf("at %d: %w", at, err)
			}
			return CrossPoint{At: at, Speedup: ab.Speedup, Verdict: ab.Verdict, Rounds: ab.Rounds, Aside: ab.Aside}, nil
		}, tell)
		return err
	})
	return r, err
}

// BisectBy bisects with a function that compares both sides at a place. tell is called after each place, with a copy.
func BisectBy(p CrossPlan, compare func(at int) (CrossPoint, error), tell func(*CrossResult)) (*CrossResult, error) {
	r := &CrossResult{Plan: p, At: math.NaN()}
	err := r.bisect(compare, tell)
	return r, err
}

// errNoCrossing ends a bisection that found no crossing.
var errNoCrossing = errors.New("no crossing")

// bisect narrows the place down by comparisons.
func (r *CrossResult) bisect(compare func(at int) (CrossPoint, error), tell func(*CrossResult)) error {
	at := func(x int) (CrossPoint, error) {
		p, err := compare(x)
		if err == nil {
			i, _ := slices.BinarySearchFunc(r.Points, x, func(p CrossPoint, x int) int { return p.At - x })
			r.Points = slices.Insert(r.Points, i, p)
			r.conclude()
			if tell != nil {
				now := *r
				now.Points = slices.Clone(r.Points)
				tell(&now)
			}
		}
		return p, err
	}
	lo, hi, err := r.ends(at)
	if errors.Is(err, errNoCrossing) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.narrow(at, lo, hi)
}

// ends compares at both ends: a crossing lies between two certain verdicts that differ.
func (r *CrossResult) ends(at func(int) (CrossPoint, error)) (lo, hi CrossPoint, err error) {
	if lo, err = at(r.Plan.From); err == nil {
		hi, err = at(r.Plan.To)
	}
	if err != nil {
		return lo, hi, err
	}
	switch {
	case r.Unsure():
		r.Why = r.unsureWhy()
	case lo.Verdict == hi.Verdict:
		r.Why = "B is " + string(lo.Verdict) + " at both ends"
	}
	if r.Why != "" {
		return lo, hi, errNoCrossing
	}
	return lo, hi, nil
}

// Unsure reports whether nothing can be said about a crossing, since it is uncertain at both ends which side is faster.
func (r *CrossResult) Unsure() bool {
	n := len(r.Points)
	return !r.Found && (n < 2 || !r.Points[0].sure() || !r.Points[n-1].sure())
}

// sure reports whether one side is certainly faster.
func (p *CrossPoint) sure() bool { return p.Verdict == stats.Faster || p.Verdict == stats.Slower }

// narrow bisects between two places with certain verdicts that differ. A middle place with neither verdict splits the search: where
// the first verdict stops being certain, and where the other starts to be.
func (r *CrossResult) narrow(at func(int) (CrossPoint, error), lo, hi CrossPoint) error {
	for !r.close(lo.At, hi.At) {
		p, err := at(between(lo.At, hi.At))
		if err != nil {
			return err
		}
		switch p.Verdict {
		case lo.Verdict:
			lo = p
		case hi.Verdict:
			hi = p
		default:
			if err := r.edge(at, lo, p); err != nil {
				return err
			}
			return r.edge(at, hi, p)
		}
	}
	return nil
}

// edge bisects between a certain place and an uncertain one, to find where it stops being certain.
func (r *CrossResult) edge(at func(int) (CrossPoint, error), sure, unsure CrossPoint) error {
	for !r.close(sure.At, unsure.At) {
		p, err := at(between(sure.At, unsure.At))
		if err != nil {
			return err
		}
		if p.Verdict == sure.Verdict {
			sure = p
		} else {
			unsure = p
		}
	}
	return nil
}

// close reports whether two places need not be distinguished.
func (r *CrossResult) close(a, b int) bool {
	a, b = min(a, b), max(a, b)
	return b-a <= 1 || float64(b) <= float64(a)*(1+r.Plan.Width)
}

// between returns the geometric mean of two places that are not neighbors.
func between(a, b int) int {
	lo, hi := min(a, b), max(a, b)
	mid := int(math.Round(math.Sqrt(float64(lo) * float64(hi))))
	return min(max(mid, lo+1), hi-1)
}

// conclude finds the interval: from the last place that has the first one's certain verdict, to the first place after it that has
// the last one's.
func (r *CrossResult) conclude() {
	n := len(r.Points)
	first, last := &r.Points[0], &r.Points[n-1]
	r.Found = false
	if n < 2 || !first.sure() || !last.sure() || first.Verdict == last.Verdict {
		return
	}
	lo, hi := first, last
	for i := range r.Points {
		if p := &r.Points[i]; p.Verdict == first.Verdict {
			lo = p
		}
	}
	for i := n - 1; i >= 0 && r.Points[i].At > lo.At; i-- {
		if p := &r.Points[i]; p.Verdict == last.Verdict {
			hi = p
		}
	}
	r.Found, r.Lo, r.Hi, r.At = true, lo.At, hi.At, equalAt(lo, hi)
}

// equalAt returns where the speedup would be 1 if its logarithm were linear in the logarithm of the place.
func equalAt(lo, hi *CrossPoint) float64 {
	a, b := math.Log(lo.Speedup.Median), math.Log(hi.Speedup.Median)
	x, y := math.Log(float64(lo.At)), math.Log(float64(hi.At))
	return math.Exp(x + (y-x)*a/(a-b))
}
