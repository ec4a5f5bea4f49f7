package chart

import (
	"image"
	"image/color"
	"math"
)

// The stroke of a line is found column by column. Each pixel column is cut into
// sub-columns; in each, the line covers a span of y. The span is widened by a
// disc of the line's half width, and the overlap of the spans with each pixel
// is its coverage. Many points in one column thus draw as their minimum and
// maximum, and the cost follows the width, not the number of points.

const (
	yOne    = 256 // one pixel in the fixed-point y of a stroke
	none    = math.MaxInt32
	maxTaps = 17
)

// stroker holds the spans of one line, reused from line to line.
type stroker struct {
	sub      int     // sub-columns per pixel
	lo, hi   []int32 // span of the line per sub-column, none where it is absent
	acc      []int32 // coverage differences along one pixel column
	w, h     int     // plot size in pixels
	taps     [maxTaps]int32
	ntaps    int
	arc      float64 // path length so far, for dashes
	dash     Dash
	dashUnit float64
}

// reset empties the spans for a plot of w × h pixels.
func (k *stroker) reset(w, h int, width float64, dash Dash, scale float64) {
	k.w, k.h = w, h
	k.sub = 3
	if scale >= 1.5 {
		k.sub = 2
	}
	n := w * k.sub
	if cap(k.lo) < n {
		k.lo, k.hi = make([]int32, n), make([]int32, n)
	}
	k.lo, k.hi = k.lo[:n], k.hi[:n]
	for i := range k.lo {
		k.lo[i], k.hi[i] = none, -none
	}
	if len(k.acc) < h+4 {
		k.acc = make([]int32, h+4)
	}
	k.arc, k.dash, k.dashUnit = 0, dash, 3*scale
	k.setWidth(width)
}

// setWidth prepares the profile of a disc as wide as the line.
func (k *stroker) setWidth(width float64) {
	r := width / 2
	k.ntaps = min((maxTaps-1)/2, int(r*float64(k.sub)))
	for i := 0; i <= k.ntaps; i++ {
		x := float64(i) / float64(k.sub)
		k.taps[i] = int32(math.Sqrt(max(0, r*r-x*x)) * yOne)
	}
}

// clampY keeps y within a screen of the plot, so that spans cannot overflow.
func (k *stroker) clampY(y float64) float64 { return max(-64, min(float64(k.h)+64, y)) }

// on says whether the pen is down at the present path length.
func (k *stroker) on() bool {
	switch k.dash {
	case Dashed:
		return math.Mod(k.arc, 3.2*k.dashUnit) < 2*k.dashUnit
	case Dotted:
		return math.Mod(k.arc, 1.3*k.dashUnit) < 0.5*k.dashUnit
	}
	return true
}

// span widens sub-column s to hold y0 … y1.
func (k *stroker) span(s int, y0, y1 float64) {
	if y0 > y1 {
		y0, y1 = y1, y0
	}
	k.lo[s] = min(k.lo[s], int32(y0*yOne))
	k.hi[s] = max(k.hi[s], int32(y1*yOne))
}

// point adds a single point.
func (k *stroker) point(x, y float64) {
	s := int(math.Floor(x * float64(k.sub)))
	if s == len(k.lo) {
		s-- // the right edge belongs to the last sub-column
	}
	if s >= 0 && s < len(k.lo) {
		y = k.clampY(y)
		k.span(s, y, y)
	}
}

// segment adds the straight piece from (x0, y0) to (x1, y1), x1 >= x0.
func (k *stroker) segment(x0, y0, x1, y1 float64) {
	f := float64(k.sub)
	x0, x1 = x0*f, x1*f
	if x1 < 0 || x0 > float64(len(k.lo)) {
		return
	}
	slope := 0.0
	if x1 > x0 {
		slope = (y1 - y0) / (x1 - x0)
	}
	first := max(0, int(x0))
	last := int(min(float64(len(k.lo)-1), x1))
	if first >= len(k.lo) {
		first = len(k.lo) - 1
	}
	k.walk(first, last, x0, y0, x1, y1, slope)
}

func (k *stroker) walk(first, last int, x0, y0, x1, y1, slope float64) {
	ya := y0 + (max(x0, float64(first))-x0)*slope
	for s := first; s <= last; s++ {
		yb := y1
		if float64(s+1) < x1 {
			yb = y0 + (float64(s+1)-x0)*slope
		}
		if k.dash <= Solid || k.on() {
			k.span(s, k.clampY(ya), k.clampY(yb))
		}
		if k.dash > Solid {
			dx := (min(x1, float64(s+1)) - max(x0, float64(s))) / float64(k.sub)
			k.arc += math.Hypot(dx, k.clampY(yb)-k.clampY(ya))
		}
		ya = yb
	}
}

// top is the middle of the line in pixel column x, in pixels, and whether the
// line is there.
func (k *stroker) top(x int) (int32, bool) {
	s := x*k.sub + k.sub/2
	if k.lo[s] == none {
		return 0, false
	}
	return (k.lo[s] + k.hi[s]) / 2, true
}

// paint strokes the spans with their origin at (ox, oy).
func (k *stroker) paint(dst *image.RGBA, ox, oy int, c color.NRGBA) {
	src, a := opaque(c), alpha256(c.A)
	for x := range k.w {
		top, bottom := int32(none), int32(-none)
		for s := x * k.sub; s < (x+1)*k.sub; s++ {
			lo, hi := k.dilated(s)
			if lo > hi {
				continue
			}
			lo, hi = max(lo, 0), min(hi, int32(k.h)*yOne)
			if lo >= hi {
				continue
			}
			k.edge(lo, 1)
			k.edge(hi, -1)
			top, bottom = min(top, lo), max(bottom, hi)
		}
		if top < bottom {
			k.column(dst, ox+x, oy, int(top/yOne), int(bottom/yOne)+1, src, a)
		}
	}
}

// dilated is the span of sub-column s after widening by the disc.
func (k *stroker) dilated(s int) (lo, hi int32) {
	lo, hi = none, -none
	from, to := max(0, s-k.ntaps), min(len(k.lo)-1, s+k.ntaps)
	los, his := k.lo[from:to+1], k.hi[from:to+1]
	for i := range los {
		if los[i] == none {
			continue
		}
		d := from + i - s
		if d < 0 {
			d = -d
		}
		r := k.taps[d&(maxTaps-1)]
		lo, hi = min(lo, los[i]-r), max(hi, his[i]+r)
	}
	return lo, hi
}

// edge adds a step of coverage at y to the column's differences.
func (k *stroker) edge(y, sign int32) {
	i, f := y/yOne, y%yOne
	k.acc[i] += sign * (yOne - f)
	k.acc[i+1] += sign * f
}

// column blends the coverage of rows top … bottom and clears it.
func (k *stroker) column(dst *image.RGBA, x, oy, top, bottom int, src uint64, a uint32) {
	weight := uint32(65536/k.sub + 1)
	sum := int32(0)
	off := dst.PixOffset(x, oy+top)
	for y := top; y <= bottom; y++ {
		sum += k.acc[y]
		k.acc[y] = 0
		if sum > 0 && y < k.h {
			blend(dst.Pix[off:off+4], src, min(256, uint32(sum)*weight>>16)*a>>8)
		}
		off += dst.Stride
	}
}
