package metric

import (
	"math"
	"slices"

	"assay/internal/stats"
)

// Value is a metric's value in one result. Lo and Hi equal Median if the metric has no interval, and are infinite if
// there are too few samples for one.
type Value struct {
	Name Name
	stats.Interval
	Text string // for Shape Text
}

// Values are the known values of a result; missing ones are unknown. Names are unique.
type Values []Value

func (v Values) index(name Name) int {
	return slices.IndexFunc(v, func(x Value) bool { return x.Name == name })
}

// Get returns a value with its interval; all NaN if it is not known.
func (v Values) Get(name Name) stats.Interval {
	if i := v.index(name); i >= 0 {
		return v[i].Interval
	}
	return stats.Unknown()
}

// Number returns a value without its interval; NaN if it is not known.
func (v Values) Number(name Name) float64 { return v.Get(name).Median }

// Text returns a value of Shape Text; empty if it is not known.
func (v Values) Text(name Name) string {
	if i := v.index(name); i >= 0 {
		return v[i].Text
	}
	return ""
}

// Set sets a metric's value. NaN means unknown, and removes it.
func (v *Values) Set(name Name, value stats.Interval) {
	v.put(Value{Name: name, Interval: value}, !math.IsNaN(value.Median))
}

// SetNumber sets a number without an interval.
func (v *Values) SetNumber(name Name, value float64) { v.Set(name, stats.Exact(value)) }

// SetText sets the value of a metric of Shape Text; an empty text means unknown, and removes it.
func (v *Values) SetText(name Name, text string) {
	v.put(Value{Name: name, Interval: stats.Unknown(), Text: text}, text != "")
}

// put does not affect copies of the list.
func (v *Values) put(value Value, known bool) {
	list := slices.Clone(*v)
	i := v.index(value.Name)
	switch {
	case !known && i >= 0:
		list = slices.Delete(list, i, i+1)
	case known && i >= 0:
		list[i] = value
	case known:
		list = append(list, value)
	}
	*v = list
}
