package workloads

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Tunable reports whether one setting of the workload is a point on a chart that live tuning can measure.
func (w *Workload) Tunable() bool { return !w.Control && !w.Series }

// Narrow reduces checked values to one case that shows the effect of the parameter moved. If moved shows on several sweeps, the case is
// at the sweep end named by last, the place of the previous narrowing, provided that moved shows there. It returns the place for
// the next call, which is empty if no sweep is narrowed. The error explains why there is no such case.
func (w *Workload) Narrow(v Values, moved, last string) (narrow Values, place string, err error) {
	p, err := w.Param(moved)
	if err == nil {
		err = w.Check(v)
	}
	if err != nil {
		return nil, "", err
	}
	if !w.Tunable() {
		return nil, "", &WorkloadError{w, "", errors.New("no single points to tune: run it")}
	}
	places, err := w.places(v, p)
	if err != nil {
		return nil, "", &WorkloadError{w, p.Name, err}
	}
	if len(places) > 0 {
		place = places[0]
	}
	if slices.Contains(places, last) {
		place = last
	}
	return w.pin(v, place), place, nil
}

// places lists the sweep ends that can choose the case when p was moved, the usual one first: p itself if it is a sweep end,
// otherwise those where p shows.
func (w *Workload) places(v Values, p *Param) ([]string, error) {
	switch p.Role {
	case RoleFinding:
		return nil, fmt.Errorf("it only affects the findings of a whole run: run it")
	case RolePlan:
		if len(w.Sweeps) == 0 {
			return nil, errors.New("it only selects what a run measures: choose one of its cases")
		}
		return nil, fmt.Errorf("it only selects what a run sweeps: move %s to measure a point", w.sweepTitles())
	}
	if p.Applies != nil {
		if err := p.Applies(v); err != nil {
			return nil, err
		}
	}
	if s := w.SweepOf(p.Name); s != nil {
		if blocking := w.blocked(s, v); blocking != nil {
			return nil, fmt.Errorf("%s has no %s: choose %s", v.String(blocking.Name), strings.ToLower(s.Title),
				blocking.having(s.Axis))
		}
		return []string{p.Name}, nil
	}
	var places []string
	for i := range w.Sweeps {
		s := &w.Sweeps[i]
		if w.blocked(s, v) == nil && (len(p.Sweeps) == 0 || slices.Contains(p.Sweeps, s.Axis)) {
			places = append(places, s.To, s.From)
		}
	}
	return places, nil
}

// blocked returns the parameter whose value excludes the sweep; nil: there is none. A plan can be changed, so it blocks
// nothing.
func (w *Workload) blocked(s *Sweep, v Values) *Param {
	return w.excludes(s.Axis, func(p *Param) string {
		if p.Role == RolePlan {
			return p.All
		}
		return v.String(p.Name)
	})
}

// sweepTitles names what the sweeps vary: "a matrix or a batch".
func (w *Workload) sweepTitles() string {
	var titles []string
	for i := range w.Sweeps {
		titles = append(titles, "a "+strings.ToLower(w.Sweeps[i].Title))
	}
	return strings.Join(titles, " or ")
}

// pin returns v with the sweep that has place as an end reduced to that value, and each parameter that names several things reduced to
// one of them.
func (w *Workload) pin(v Values, place string) Values {
	one := v.With(nil)
	axis := ""
	if s := w.SweepOf(place); s != nil {
		one[s.From], one[s.To], axis = v[place], v[place], s.Axis
	}
	for i := range w.Params {
		p := &w.Params[i]
		if p.All != "" && (p.several(one) || p.Role == RolePlan) {
			if c := p.typical(one, axis); c != nil {
				one[p.Name] = c.Value
			}
		}
	}
	return one
}

// Curve identifies the points of one curve: it names the values of a case's parameters that no axis shows, and is empty
// if there are none.
func (w *Workload) Curve(v Values) string {
	var curve []string
	for i := range w.Params {
		if p := &w.Params[i]; w.unseen(p) {
			curve = append(curve, fmt.Sprintf("%s %v", p.Name, v[p.Name]))
		}
	}
	return strings.Join(curve, ", ")
}

// unseen reports whether a parameter is part of every case and shown by no axis.
func (w *Workload) unseen(p *Param) bool {
	return p.Role == RoleCase && !w.hasAxis(p.Name) && !w.hasAxis(p.Axis)
}

// CaseParams lists the parameters that are part of a result's case but shown by none of its settings: results that
// differ in them did different work.
func (w *Workload) CaseParams(r *Result) []*Param {
	var out []*Param
	for i := range w.Params {
		p := &w.Params[i]
		if w.unseen(p) && (len(p.Sweeps) == 0 || slices.ContainsFunc(p.Sweeps, func(axis string) bool { return r.Setting(axis) != nil })) {
			out = append(out, p)
		}
	}
	return out
}

// One reduces checked values to one case: at the largest place of the sweep that they choose or, if along is not empty, of the first sweep that shows
// along, a parameter or an axis. With variants, the case has the variants that the values compare, otherwise a typical one of them.
func (w *Workload) One(v Values, along string, variants bool) (Values, error) {
	if err := w.CheckAll(v); err != nil {
		return nil, err
	}
	if !w.Tunable() {
		return nil, &WorkloadError{w, "", errors.New("no single points to measure: run it")}
	}
	for i := range w.Sweeps {
		s := &w.Sweeps[i]
		if w.shows(s, along) && w.blocked(s, v) == nil && w.excludes(s.Axis, func(p *Param) string { return v.String(p.Name) }) == nil {
			return w.keeping(w.pin(v, s.To), v, variants), nil
		}
	}
	if along != "" && len(w.Sweeps) > 0 {
		return nil, &WorkloadError{w, "", fmt.Errorf("no case with these settings depends on %s", along)}
	}
	return w.keeping(w.pin(v, ""), v, variants), nil
}

// shows reports whether cases of the sweep depend on a parameter or an axis of that name; all of them do on the empty name.
func (w *Workload) shows(s *Sweep, along string) bool {
	if other := w.SweepOf(along); other != nil {
		return s == other
	}
	if other := w.Sweep(along); other != nil {
		return s == other
	}
	p, err := w.Param(along)
	return err != nil || len(p.Sweeps) == 0 || slices.Contains(p.Sweeps, s.Axis)
}

// SameCase reports whether two sets of narrowed values belong to one case: they differ at most in variants and findings.
func (w *Workload) SameCase(a, b Values) bool {
	if !reflect.DeepEqual(w.Points(a), w.Points(b)) {
		return false
	}
	for i := range w.Params {
		p := &w.Params[i]
		s := w.SweepOf(p.Name)
		switch {
		case a[p.Name] == b[p.Name], p.Role == RoleVariant, p.Role == RoleFinding, w.Unused(p, a) != "" && w.Unused(p, b) != "":
		case s != nil && !s.Variants, p.Type == Choice && w.hasAxis(p.Name): // the points tell it
		default:
			return false
		}
	}
	return true
}

// keeping returns one with the variants that v has.
func (w *Workload) keeping(one, v Values, variants bool) Values {
	for i := range w.Params {
		if p := &w.Params[i]; variants && p.Role == RoleVariant {
			one[p.Name] = v[p.Name]
		}
	}
	return one
}
