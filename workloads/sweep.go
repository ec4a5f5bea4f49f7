package workloads

import (
	"math"
	"slices"
)

// Steps says how a sweep moves from one end to the other.
type Steps uint8

// Steps of a sweep. Both ends are always among the values.
const (
	Doubling Steps = iota // powers of two between the ends
	Doubled               // the first, twice it, four times it, …
	Tenfold               // the first, ten times it, …
	Listed                // the values of Sweep.List between the ends
)

// Sweep is an axis that runs between the values of two parameters.
type Sweep struct {
	Axis string // its name
	// From and To are the Int parameters that set the ends. Their role is RoleSweep.
	From, To string
	Steps    Steps
	List     []int // for Listed, in ascending order
	// Title is what grows, "Matrix"; About is one sentence about both ends.
	Title string
	About string
	// Idle reports that nothing depends on the sweep with these values, so it has only its first value; nil: never.
	Idle func(v Values) bool
	// Whole returns the value that a case really has when the sweep reaches n, for example if n does not divide into its parts; it never decreases as
	// n grows. Sweep values with the same result are one case. nil: every value is used as is.
	Whole func(v Values, at Point, n int) int
	// Variants is true if the sweep's values are variants of one case instead of separate cases.
	Variants bool
}

// Values lists the values of the sweep, in ascending order.
func (s *Sweep) Values(v Values) []int {
	from, to := v.Int(s.From), v.Int(s.To)
	out := []int{from}
	if s.Idle != nil && s.Idle(v) {
		return out
	}
	for _, n := range s.between(from, to) {
		if n > from && n < to {
			out = append(out, n)
		}
	}
	if to > from {
		out = append(out, to)
	}
	return out
}

// wholes returns the values that the cases at a point have.
func (s *Sweep) wholes(at Point, v Values) []int {
	values := s.Values(v)
	if s.Whole == nil {
		return values
	}
	for i, n := range values {
		values[i] = s.Whole(v, at, n)
	}
	return slices.Compact(values)
}

// between lists the steps near the two ends and all steps between them.
func (s *Sweep) between(from, to int) []int {
	var out []int
	switch s.Steps {
	case Doubling:
		for n := 1 << int(math.Log2(float64(max(from, 1)))); n < to; n *= 2 {
			out = append(out, n)
		}
	case Doubled:
		for n := max(from, 1); n < to; n *= 2 {
			out = append(out, n)
		}
	case Tenfold:
		for n := max(from, 1); n < to; n *= 10 {
			out = append(out, n)
		}
	case Listed:
		out = s.List
	}
	return out
}

// check rejects reversed ends.
func (s *Sweep) check(v Values) error {
	from, to := v.Int(s.From), v.Int(s.To)
	if from > to && to == 0 {
		return NewParamError([]string{s.From, s.To}, "{%s} is %v, but {%s} is not set: set both", s.From, from, s.To)
	}
	if from > to {
		return NewParamError([]string{s.From, s.To}, "{%s} is %v, above {%s}, which is %v", s.From, from, s.To, to)
	}
	return nil
}

// Sweep returns the sweep of the axis with that name, or nil if there is none.
func (w *Workload) Sweep(axis string) *Sweep {
	for i := range w.Sweeps {
		if w.Sweeps[i].Axis == axis {
			return &w.Sweeps[i]
		}
	}
	return nil
}

// SweepOf returns the sweep that has the named parameter as an end, or nil if there is none.
func (w *Workload) SweepOf(param string) *Sweep {
	for i := range w.Sweeps {
		if s := &w.Sweeps[i]; s.From == param || s.To == param {
			return s
		}
	}
	return nil
}

// Point is the settings of one case.
type Point []Setting

// Value returns the setting of an axis, or nil if the point has none with that name.
func (p Point) Value(axis string) any {
	for _, s := range p {
		if s.Name == axis {
			return s.Value
		}
	}
	return nil
}

// Int returns the setting of an axis of integers.
func (p Point) Int(axis string) int { return p.Value(axis).(int) }

// String returns the setting of an axis of names.
func (p Point) String(axis string) string { return p.Value(axis).(string) }

// with returns the point with one more setting.
func (p Point) with(name string, value any) Point {
	return append(p[:len(p):len(p)], Setting{name, value})
}

// Points lists the cases of a run with checked values: for each combination of its choices, the values of the
// combination's sweep. A workload without sweeps has a case per combination.
func (w *Workload) Points(v Values) []Point {
	points := []Point{{}}
	for i := range w.Params {
		p := &w.Params[i]
		if p.Role != RolePlan && p.Role != RoleCase || p.Type != Choice || !w.hasAxis(p.Name) {
			continue
		}
		var next []Point
		for _, at := range points {
			for _, c := range p.chosen(v) {
				for _, value := range c.cases() {
					next = append(next, at.with(p.Name, value))
				}
			}
		}
		points = next
	}
	var out []Point
	for _, at := range points {
		out = append(out, w.swept(at, v)...)
	}
	return out
}

// swept extends a point by each value of each of its sweeps.
func (w *Workload) swept(at Point, v Values) []Point {
	points := []Point{at}
	for i := range w.Sweeps {
		s := &w.Sweeps[i]
		if s.Variants || w.excludes(s.Axis, func(p *Param) string {
			if value, ok := at.Value(p.Name).(string); ok {
				return value
			}
			return v.String(p.Name)
		}) != nil {
			continue
		}
		var next []Point
		for _, p := range points {
			for _, n := range s.wholes(p, v) {
				next = append(next, p.with(s.Axis, n))
			}
		}
		points = next
	}
	return points
}

func (w *Workload) hasAxis(name string) bool { return w.Axis(name).Name != "" }

// Axis returns the axis with that name, or one without a name if there is none.
func (w *Workload) Axis(name string) Axis {
	for _, a := range w.Axes {
		if a.Name == name {
			return a
		}
	}
	return Axis{}
}

// excludes returns the choice that excludes the sweep of an axis, given what is chosen of each parameter; nil: there is
// none.
func (w *Workload) excludes(axis string, chosen func(p *Param) string) *Param {
	for i := range w.Params {
		p := &w.Params[i]
		if p.Type != Choice || !p.names(axis) {
			continue
		}
		value := chosen(p)
		if c := p.option(value); value != p.All && c != nil && c.Axis != axis {
			return p
		}
	}
	return nil
}

// SweepEnd returns the parameter for one end of a sweep over the integers from 1 to most.
func SweepEnd(name, title, unit string, most float64, standard int, about string) Param {
	return Param{
		Name: name, Title: title, Type: Int, Unit: unit, Min: 1, Max: most, Log2: true, Role: RoleSweep, Default: standard, About: about,
	}
}
