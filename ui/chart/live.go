package chart

import (
	"fmt"
	"math"
)

// LiveConfig describes a live chart.
type LiveConfig struct {
	Series []string // names; one value each per Append
	Y      Axis
	Window float64 // seconds shown; 60 where not positive
	// Capacity is how many samples are kept; 600 where not positive. It should
	// cover Window at the rate of the samples.
	Capacity int
	Bands    []Band
}

// Live is a chart of the last seconds of some values. Append keeps samples and
// does not draw; the owner calls Refresh when it wants to show them.
type Live struct {
	surface
	m      Model
	window float64
	cap    int
	xs     []float64   // the kept samples end at len; see push
	ys     [][]float64 // per series
	values [][]byte    // legend texts, reused
}

// NewLive makes an empty live chart.
func NewLive(c LiveConfig) *Live {
	l := &Live{window: c.Window, cap: c.Capacity}
	if !(l.window > 0) {
		l.window = 60
	}
	if l.cap <= 0 {
		l.cap = 600
	}
	l.m = Model{X: Axis{Scale: Window, Unit: Seconds, Min: -l.window, Max: 0}, Y: c.Y, Bands: c.Bands}
	l.xs = make([]float64, 0, 2*l.cap)
	for _, name := range c.Series {
		l.m.Series = append(l.m.Series, Series{Name: name, Fill: len(c.Series) <= 2})
		l.ys = append(l.ys, make([]float64, 0, 2*l.cap))
		l.values = append(l.values, make([]byte, 0, 32))
	}
	l.init(l, true, func() *Model { return &l.m })
	return l
}

// Append adds a sample at t seconds, one value per series; NaN is a missing
// value. It clears SetUnavailable. Samples must come in order of time.
func (l *Live) Append(t float64, values ...float64) error {
	switch {
	case len(values) != len(l.ys):
		return fmt.Errorf("chart: sample has %d values, the chart has %d series", len(values), len(l.ys))
	case !finite(t):
		return fmt.Errorf("chart: sample time %v is not finite", t)
	case len(l.xs) > 0 && t < l.xs[len(l.xs)-1]:
		return fmt.Errorf("chart: sample at %g s comes after one at %g s", t, l.xs[len(l.xs)-1])
	}
	l.m.Unavailable = ""
	l.xs = push(l.xs, t, l.cap)
	for i, v := range values {
		l.ys[i] = push(l.ys[i], v, l.cap)
		l.values[i] = l.m.Y.Unit.Append(l.values[i][:0], v)
		s := &l.m.Series[i]
		s.X, s.Y, s.Value = last(l.xs, l.cap), last(l.ys[i], l.cap), l.values[i]
	}
	l.m.X.Min, l.m.X.Max = t-l.window, t
	return nil
}

// push appends v to a buffer of room for 2·n. A full buffer first moves its
// last n-1 values to the front, so the kept samples are always one slice.
func push(b []float64, v float64, n int) []float64 {
	if len(b) == cap(b) {
		keep := copy(b, b[len(b)-(n-1):])
		b = b[:keep]
	}
	return append(b, v)
}

func last(b []float64, n int) []float64 { return b[max(0, len(b)-n):] }

// SetUnavailable shows why there are no values, until the next Append. An empty
// reason shows the samples again.
func (l *Live) SetUnavailable(reason string) { l.m.Unavailable = reason }

// Clear forgets all samples.
func (l *Live) Clear() {
	l.xs = l.xs[:0]
	for i := range l.ys {
		l.ys[i] = l.ys[i][:0]
		l.m.Series[i].X, l.m.Series[i].Y, l.m.Series[i].Value = nil, nil, nil
	}
	l.m.X.Min, l.m.X.Max = -l.window, 0
}

// Last is the newest value of a series, NaN where there is none.
func (l *Live) Last(series int) float64 {
	if series < 0 || series >= len(l.ys) || len(l.ys[series]) == 0 {
		return math.NaN()
	}
	return l.ys[series][len(l.ys[series])-1]
}

// Refresh redraws the chart from its samples.
func (l *Live) Refresh() { l.raster.Refresh() }
