package chart

import "math"

// Ticks are the range of an axis, its labeled ticks and its caption.
type Ticks struct {
	Min, Max float64
	At       []float64
	Labels   []string
	Caption  string // title and unit: "Power, W"
}

// Ticks returns the axes of a model with linear scales, for other renderers: about nx ticks of X and ny of Y.
func (m *Model) Ticks(nx, ny int) (x, y Ticks) {
	e := extentOf(m)
	x.Min, x.Max = xRange(&m.X, e.x, padsX(m))
	exp := m.X.Unit.exponent(max(math.Abs(x.Min), math.Abs(x.Max)))
	step := stepFor(m.X.Unit, (x.Max-x.Min)/m.X.Unit.factor(exp), nx) * m.X.Unit.factor(exp)
	if bareTime(&m.X) {
		step = timeStep(x.Max-x.Min, nx)
	}
	x.At = appendLinear(nil, x.Min, x.Max, step)
	for _, v := range x.At {
		x.Labels = append(x.Labels, string(appendStepLabel(nil, &m.X, exp, step, x.Max, v)))
	}
	x.Caption = string(appendCaption(nil, &m.X, exp))

	y.Min, y.Max, step = yRange(&m.Y, e.y, e.bars, ny)
	exp = m.Y.Unit.tickExponent(max(math.Abs(y.Min), math.Abs(y.Max)), step)
	y.At = appendLinear(nil, y.Min, y.Max, step)
	for _, v := range y.At {
		y.Labels = append(y.Labels, string(appendTickLabel(nil, &m.Y, exp, step, v)))
	}
	y.Caption = string(appendCaption(nil, &m.Y, exp))
	return x, y
}

// appendStepLabel appends the label of a tick of a linear axis of X that ends at end.
func appendStepLabel(b []byte, a *Axis, exp int, step, end, v float64) []byte {
	if bareTime(a) {
		return appendClock(b, v, step, end)
	}
	f := a.Unit.factor(exp)
	b = appendStepped(b, v/f, step/f)
	if a.Unit == None && exp != 0 && v != 0 || a.Unit == Ratio {
		return a.Unit.appendBehind(b, exp)
	}
	return b
}
