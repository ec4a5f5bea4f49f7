package chart

import (
	"image"
	"math"

	"assay/internal/si"
)

// layout is the position of everything in one chart. It is recomputed only when the model's fixed parts, its ranges or
// its size change.
type layout struct {
	plot     image.Rectangle // the data area
	x, y     axisMap
	xticks   []float64
	yticks   []float64
	yexp     int // the prefix shared by the ticks of a linear Y axis
	xexp     int
	ystep    float64
	parts    int // how many divisions of Y fit
	right    rightAxis
	lane     int  // height of the row of phase names above the plot
	states   int  // height of the lane of states below the plot
	sides    int  // width of the column of the bands' names right of the plot
	bare     bool // too low for the captions and the legend
	names    bool // the legend has room for the names alone
	untitled bool // too low for the title of X
	xstep    float64
	slots    int  // places for groups of bars
	tiny     bool // too small for anything but the data
}

// rightAxis is the axis of the series that are Right.
type rightAxis struct {
	axisMap
	on    bool
	ticks []float64
	exp   int
	step  float64
}

// gaps is how many grid intervals the right axis shares; 0 if its ticks cannot align with the grid of the left one.
func (l *layout) gaps() int {
	if l.y.scale != Linear || len(l.yticks) < 2 || math.Abs(l.yticks[0]-l.y.lo) > 1e-6*l.ystep {
		return 0
	}
	if math.Abs(l.yticks[len(l.yticks)-1]-l.y.hi) > 1e-6*l.ystep {
		return 0
	}
	return len(l.yticks) - 1
}

// line is the height of a line of text.
func (r *Renderer) line() int { return r.px(15 * r.text) }

// px is n logical pixels in pixels.
func (r *Renderer) px(n float64) int { return int(math.Round(n * r.scale)) }

// arrange computes the layout of m in a w × h image.
func (r *Renderer) arrange(m *Model, w, h int, e *extent) {
	l := &r.lay
	*l = layout{xticks: l.xticks[:0], yticks: l.yticks[:0], right: rightAxis{ticks: l.right.ticks[:0]}, parts: 2}
	l.tiny = w < r.px(90*r.text) || h < r.px(56*r.text)
	if l.tiny {
		l.plot = image.Rect(0, 0, w, h).Inset(min(r.px(2), w/3, h/3))
		r.mapAxes(m, e)
		return
	}
	l.plot, l.parts = image.Rect(0, 0, w, h), max(2, h/r.px(50*r.text))
	r.mapAxes(m, e) // the captions need the prefixes
	top, bottom := r.edges(m, w, h)
	l.plot = image.Rect(r.px(8), top, w-r.px(12), bottom)
	l.parts = max(2, l.plot.Dy()/r.px(38*r.text))
	r.mapAxes(m, e)
	l.plot.Min.X = min(r.px(8)+r.yLabelWidth(m)+r.px(6), r.labelLimit(m, w))
	if l.right.on {
		l.plot.Max.X = max(w-r.px(8)-r.rightLabelWidth(m)-r.px(6), w*2/3)
	}
	l.sides = r.bandRoom(m)
	l.plot.Max.X -= l.sides
	r.mapAxes(m, e)
	r.fitXTicks(m)
}

// edges is the area of the plot in a w × h image. If it is too low for the plot and all texts, the title of X is
// dropped first, then the legend.
func (r *Renderer) edges(m *Model, w, h int) (top, bottom int) {
	l, line := &r.lay, r.line()
	head := 0
	if l.names = false; r.leftOut(m, w) > 0 {
		l.names = true
	}
	if rows := r.legendRows(m, w); r.captioned(m) || rows > 0 {
		head = max(1, rows)*line + r.px(3)
	}
	top, bottom = r.px(6)+r.capHeight()-r.px(8), h-r.px(6)-line
	l.untitled = bottom-line-top-head < 2*line
	if m.X.Title != "" && !l.untitled {
		bottom -= line
	}
	if l.bare = bottom-top-head < 2*line; !l.bare {
		top += head
	}
	if l.bare {
		top = max(top, r.small.ascent)
	}
	if len(m.Phases) > 0 && !m.HideNames && bottom-top > 3*line {
		l.lane = line
		top += line
	}
	if len(m.States) > 0 && !onlyStates(m) && bottom-top > 2*line {
		l.states = line
		bottom -= line
	}
	return top, bottom
}

// labelLimit is the maximum left edge of the plot: names are shortened before numbers.
func (r *Renderer) labelLimit(m *Model, w int) int {
	if m.Y.Scale == Category {
		return w / 3
	}
	return w / 2
}

// capHeight is the height of half a tick label above the plot.
func (r *Renderer) capHeight() int { return max(r.px(8), r.small.ascent/2+r.px(4)) }

// captioned reports whether the chart has a caption above its left or right axis.
func (r *Renderer) captioned(m *Model) bool {
	return hasCaption(&m.Y) || r.lay.right.on && hasCaption(&m.Y2) || shaded(m)
}

func hasCaption(a *Axis) bool { return a.Title != "" || a.Unit != None && a.Unit != Ratio }

// mapAxes sets the ranges, the ticks of Y and the maps to pixels.
func (r *Renderer) mapAxes(m *Model, e *extent) {
	l := &r.lay
	xlo, xhi := xRange(&m.X, e.x, padsX(m))
	ylo, yhi, step := yRange(&m.Y, e.y, e.bars, l.parts)
	l.ystep = step
	l.yexp = m.Y.Unit.tickExponent(max(math.Abs(ylo), math.Abs(yhi)), step)
	l.x = newAxisMap(m.X.Scale, xlo, xhi, float64(l.plot.Min.X), float64(l.plot.Max.X))
	l.y = newAxisMap(m.Y.Scale, ylo, yhi, float64(l.plot.Max.Y), float64(l.plot.Min.Y))
	if m.Y.Scale == Category { // read from top to bottom
		l.y = newAxisMap(m.Y.Scale, ylo, yhi, float64(l.plot.Min.Y), float64(l.plot.Max.Y))
	}
	l.slots = slots(m, xlo, xhi)
	switch m.Y.Scale {
	case Category:
		l.yticks = appendLinear(l.yticks[:0], 0, float64(len(m.Y.Categories)-1), math.Ceil(float64(len(m.Y.Categories))/float64(max(1, 2*l.parts))))
	case Log2:
		l.yticks = appendLog(l.yticks[:0], ylo, yhi, 2, l.parts+1)
	case Log10:
		l.yticks = appendLog(l.yticks[:0], ylo, yhi, 10, l.parts+1)
	default:
		l.yticks = appendLinear(l.yticks[:0], ylo, yhi, step)
	}
	r.mapRight(m, e)
}

// mapRight sets the right axis, if a series uses it.
func (r *Renderer) mapRight(m *Model, e *extent) {
	l := &r.lay
	a := &l.right
	a.on, a.ticks = e.right, a.ticks[:0]
	if !a.on {
		return
	}
	lo, hi, step := rightRange(&m.Y2, e.y2, l.gaps())
	a.axisMap = newAxisMap(Linear, lo, hi, float64(l.plot.Max.Y), float64(l.plot.Min.Y))
	a.step, a.exp = step, m.Y2.Unit.tickExponent(max(math.Abs(lo), math.Abs(hi)), step)
	a.ticks = appendLinear(a.ticks, lo, hi, step)
}

// axisOf is the map of the axis that measures a series.
func (r *Renderer) axisOf(s *Series) *axisMap {
	if s.Right && r.lay.right.on {
		return &r.lay.right.axisMap
	}
	return &r.lay.y
}

// unitOf is the unit of a series' values.
func unitOf(m *Model, s *Series) Unit {
	if s.Right {
		return m.Y2.Unit
	}
	return m.Y.Unit
}

// padsX reports whether the ends of X need padding: separate points do, lines do not.
func padsX(m *Model) bool {
	for i := range m.Series {
		if m.Series[i].Kind != LineKind || m.Series[i].ShowMarkers {
			return true
		}
	}
	return false
}

// slots is how many groups of bars share the width.
func slots(m *Model, lo, hi float64) int {
	if m.X.Scale == Category {
		return max(1, int(hi-lo+0.5))
	}
	n := 1
	for i := range m.Series {
		if m.Series[i].Kind == BarKind {
			n = max(n, m.Series[i].Len())
		}
	}
	return n
}

// yLabelWidth is the width of the widest tick label of Y.
func (r *Renderer) yLabelWidth(m *Model) int {
	w := 0
	for _, v := range r.lay.yticks {
		r.buf = r.appendYLabel(r.buf[:0], m, v)
		w = max(w, r.small.width(r.buf))
	}
	return w
}

// rightLabelWidth is yLabelWidth for the right axis.
func (r *Renderer) rightLabelWidth(m *Model) int {
	w := 0
	for _, v := range r.lay.right.ticks {
		r.buf = appendTickLabel(r.buf[:0], &m.Y2, r.lay.right.exp, r.lay.right.step, v)
		w = max(w, r.small.width(r.buf))
	}
	return w
}

// appendYLabel appends the label of a tick of Y. The unit is in the caption.
func (r *Renderer) appendYLabel(b []byte, m *Model, v float64) []byte {
	return appendTickLabel(b, &m.Y, r.lay.yexp, r.lay.ystep, v)
}

func appendTickLabel(b []byte, a *Axis, exp int, step, v float64) []byte {
	if a.Scale == Category {
		return append(b, a.category(v)...)
	}
	if a.Scale == Log10 || a.Scale == Log2 {
		return appendLogLabel(b, a.Unit, v)
	}
	b = appendStepped(b, v/a.Unit.factor(exp), step/a.Unit.factor(exp))
	switch a.Unit {
	case Ratio, None:
		if v != 0 || a.Unit == Ratio {
			b = a.Unit.appendBehind(b, exp)
		}
	case Celsius:
		return append(b, "°"...)
	}
	return b
}

// appendStepped appends v with the decimals that its step needs.
func appendStepped(b []byte, v, step float64) []byte {
	if a := math.Abs(v); a >= 1e7 || a > 0 && a < 1e-6 {
		return appendSignificant(b, v)
	}
	decimals := 0
	for f := math.Abs(step); decimals < 7 && f > 0 && math.Abs(f-math.Round(f)) > 1e-6*max(1, f); decimals++ {
		f *= 10
	}
	return appendTrimmed(b, v, decimals)
}

// appendLogLabel appends the label of a tick of a log axis, with its prefix and,
// for bytes and seconds, the unit.
func appendLogLabel(b []byte, u Unit, v float64) []byte {
	switch u {
	case None, Bytes, BinaryBytes, Seconds, Ratio, Celsius:
		return u.Append(b, v)
	}
	exp := u.exponent(v)
	b = appendSignificant(b, v/u.factor(exp))
	if exp != 0 {
		b = append(append(b, ' '), si.Prefix(exp)...)
	}
	return b
}

// appendXLabel appends the label of tick v of X.
func (r *Renderer) appendXLabel(b []byte, m *Model, v float64) []byte {
	switch m.X.Scale {
	case Category:
		if i := int(v); i >= 0 && i < len(m.X.Categories) {
			return append(b, m.X.Categories[i]...)
		}
		return b
	case Window:
		if m.Paused && r.lay.x.hi-v < 1e-9 {
			return append(b, "paused"...)
		}
		return appendAgo(b, r.lay.x.hi-v)
	case Log2:
		if m.X.Unit == None && v >= 1 && v < 1e6 && (v < 1e4 || math.Mod(v, 1000) != 0) {
			return appendTrimmed(b, v, 0) // 1024 says more than 1.02k
		}
		return appendLogLabel(b, m.X.Unit, v)
	case Log10:
		return appendLogLabel(b, m.X.Unit, v)
	}
	return appendStepLabel(b, &m.X, r.lay.xexp, r.lay.xstep, r.lay.x.hi, v)
}
