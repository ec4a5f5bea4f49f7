package workloads

import (
	"fmt"
	"slices"
)

// Tuning says which one case stands for a parameter that is moved while someone watches: one point on the chart.
type Tuning struct {
	// Places lists the parameters that can choose the case when moved has been moved, the usual one first: itself if
	// it sets the size of a case, else those at whose case it shows. The error says why moved shows at no point.
	Places func(v Values, moved string) ([]string, error)
	// Narrow is v reduced to the one case at the place.
	Narrow func(v Values, place string) Values
	// Hidden are the parameters that a case's settings and variants do not tell: points that differ in them are not to
	// be drawn as one curve.
	Hidden []string
}

// Narrow reduces checked values to the one case that stands for the parameter moved. The case is at the parameter last,
// the place of the narrowing before, if moved shows there too. It returns the place for the next. The error says in
// words why there is no such case.
func (w *Workload) Narrow(v Values, moved, last string) (narrow Values, place string, err error) {
	p, err := w.Param(moved)
	if err == nil {
		err = w.Check(v)
	}
	if err != nil {
		return nil, "", err
	}
	if w.Tuning == nil {
		return nil, "", fmt.Errorf("%s: it measures no time, so no setting of it is a point on a chart: run it", w.Title)
	}
	places, err := w.Tuning.Places(v, moved)
	if err != nil {
		return nil, "", fmt.Errorf("%s, %s: %w", w.Title, p.Title, err)
	}
	place = places[0]
	if slices.Contains(places, last) {
		place = last
	}
	return w.Tuning.Narrow(v, place), place, nil
}

// Curve tells points that belong to one curve from those that do not: it names the values of the hidden parameters, and
// is empty where there are none.
func (w *Workload) Curve(v Values) string {
	if w.Tuning == nil {
		return ""
	}
	var curve string
	for _, name := range w.Tuning.Hidden {
		if curve != "" {
			curve += ", "
		}
		curve += fmt.Sprintf("%s %v", name, v[name])
	}
	return curve
}

// With is v with some values changed.
func (v Values) With(changes Values) Values {
	out := make(Values, len(v))
	for name, value := range v {
		out[name] = value
	}
	for name, value := range changes {
		out[name] = value
	}
	return out
}
