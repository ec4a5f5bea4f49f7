package chart

import (
	"image"
	"image/color"
	"math"
)

// The stroke of a line is found column by column. Each pixel column is split into sub-columns; in each, the line covers a span of y.
// The span is widened by a disc with half the line's width as radius, and the overlap of the spans with each pixel is its coverage.
// Many points in one column thus draw as their minimum and maximum, and the cost depends on the width, not on the number of points.

const (
	sub     = 2   // sub-columns per pixel
	yOne    = 256 // one pixel in the fixed-point y of a stroke
	none    = 1 << 29
	maxTaps = 8 // the disc's reach in each direction, in sub-columns
	margin  = maxTaps
)

// stroker holds the spans of one line, reused from line to line.
type stroker struct {
	n        int     // sub-columns of the plot
	lo, hi   []int32 // span of the line per sub-column, lo > hi where it is absent; margin absent ones at both ends
	acc      []int32 // coverage differences along one pixel column
	w, h     int     // plot size in pixels
	taps     [maxTaps + 1]int32
	ntaps    int
	arc      float64 // path length so far, for dashes
	dash     Dash
	dashUnit float64
}

// reset empties the spans for a plot of w × h pixels.
func (k *stroker) reset(w, h int, width float64, dash Dash, scale float64) {
	k.w, k.h, k.n = w, h, w*sub
	if cap(k.lo) < k.n+2*margin {
		k.lo, k.hi = make([]int32, k.n+2*margin), make([]int32, k.n+2*margin)
	}
	k.lo, k.hi = k.lo[:k.n+2*margin], k.hi[:k.n+2*margin]
	for i := range k.lo {
		k.lo[i] = none
	}
	for i := range k.hi {
		k.hi[i] = -none
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
	k.ntaps = min(maxTaps, int(r*sub))
	for i := 0; i <= k.ntaps; i++ {
		x := float64(i) / sub
		k.taps[i] = int32(math.Sqrt(max(0, r*r-x*x)) * yOne)
	}
}

// clampY keeps y within a screen of the plot, so that spans cannot overflow.
func (k *stroker) clampY(y float64) float64 { return max(-64, min(float64(k.h)+64, y)) }

// on reports whether the pen is down at the current path length.
func (k *stroker) on() bool {
	switch k.dash {
	case Dashed:
		return math.Mod(k.arc, 3.2*k.dashUnit) < 2*k.dashUnit
	case Dotted:
		return math.Mod(k.arc, 1.3*k.dashUnit) < 0.5*k.dashUnit
	case Sparse:
		return math.Mod(k.arc, 2.5*k.dashUnit) < 0.5*k.dashUnit
	}
	return true
}

// span widens sub-column s to hold y0 … y1.
func (k *stroker) span(s int, y0, y1 int32) {
	s += margin
	k.lo[s] = min(k.lo[s], y0, y1)
	k.hi[s] = max(k.hi[s], y0, y1)
}

// point adds a single point.
func (k *stroker) point(x, y float64) {
	s := int(math.Floor(x * sub))
	if s == k.n {
		s-- // the right edge belongs to the last sub-column
	}
	if s >= 0 && s < k.n {
		f := int32(k.clampY(y) * yOne)
		k.span(s, f, f)
	}
}

// riser adds a vertical piece. It is solid regardless of the pattern: a sub-column holds one span.
func (k *stroker) riser(x, y0, y1 float64) {
	s := int(math.Floor(x * sub))
	if s == k.n {
		s--
	}
	if s >= 0 && s < k.n {
		k.span(s, int32(k.clampY(y0)*yOne), int32(k.clampY(y1)*yOne))
	}
}

// segment adds the straight piece from (x0, y0) to (x1, y1), x1 >= x0.
func (k *stroker) segment(x0, y0, x1, y1 float64) {
	x0, x1 = x0*sub, x1*sub
	if x1 < 0 || x0 > float64(k.n) || k.n == 0 {
		return
	}
	slope := 0.0
	if x1 > x0 {
		slope = (y1 - y0) / (x1 - x0)
	}
	first := min(max(0, int(x0)), k.n-1)
	last := int(min(float64(k.n-1), x1))
	if k.dash > Solid || !k.near(y0) || !k.near(y1) {
		k.walk(first, last, x0, y0, x1, y1, slope)
		return
	}
	k.stride(first, last, y0+(max(x0, float64(first))-x0)*slope, x0, y1, x1, slope)
}

// near reports whether y needs no clamping.
func (k *stroker) near(y float64) bool { return y > -64 && y < float64(k.h)+64 }

// stride is walk for a solid line near the plot, in fixed point.
func (k *stroker) stride(first, last int, ya, x0, y1, x1, slope float64) {
	const extra = 12 // fraction bits beyond yOne's, so that steps do not accumulate an error
	a := int32(ya * yOne)
	next := int64((ya + (float64(first+1)-max(x0, float64(first)))*slope) * (yOne << extra))
	step := int64(slope * (yOne << extra))
	end := int32(y1 * yOne)
	inner := min(last, int(min(x1, float64(k.n+1)))-1) // the last sub-column that the line crosses completely
	los, his := k.lo[margin:margin+k.n], k.hi[margin:margin+k.n]
	s := first
	for ; s <= inner && s < len(los) && s < len(his); s++ {
		b := int32(next >> extra)
		los[s] = min(los[s], a, b)
		his[s] = max(his[s], a, b)
		a = b
		next += step
	}
	for ; s <= last; s++ {
		k.span(s, a, end)
		a = end
	}
}

// walk adds a segment sub-column by sub-column, dashed and clamped.
func (k *stroker) walk(first, last int, x0, y0, x1, y1, slope float64) {
	ya := y0 + (max(x0, float64(first))-x0)*slope
	for s := first; s <= last; s++ {
		yb := y1
		if float64(s+1) < x1 {
			yb = y0 + (float64(s+1)-x0)*slope
		}
		ca, cb := k.clampY(ya), k.clampY(yb)
		if k.dash <= Solid || k.on() {
			k.span(s, int32(ca*yOne), int32(cb*yOne))
		}
		if k.dash > Solid {
			dx := (min(x1, float64(s+1)) - max(x0, float64(s))) / sub
			k.arc += math.Hypot(dx, cb-ca)
		}
		ya = yb
	}
}

// top returns the middle of the line in pixel column x, in pixels, and whether the line exists there.
func (k *stroker) top(x int) (int32, bool) {
	s := x*sub + sub/2 + margin
	if k.lo[s] > k.hi[s] {
		return 0, false
	}
	return (k.lo[s] + k.hi[s]) / 2, true
}

// paint strokes the spans with their origin at (ox, oy).
func (k *stroker) paint(dst *image.RGBA, ox, oy int, c color.NRGBA) {
	src, a := opaque(c), alpha256(c.A)
	for x := range k.w {
		top, bottom := int32(none), int32(-none)
		if k.ntaps == 1 {
			top, bottom = k.thinColumn(2 * x)
		} else {
			top, bottom = k.wideColumn(2 * x)
		}
		if top < bottom {
			k.column(dst, ox+x, oy, int(top/yOne), int(bottom/yOne)+1, src, a)
		}
	}
}

// thinColumn adds the coverage of the sub-columns s and s+1 and returns its range, for a line whose disc reaches only the next
// sub-column: a line of the usual width at the usual scale.
func (k *stroker) thinColumn(s int) (top, bottom int32) {
	l, h := (*[4]int32)(k.lo[s+margin-1:]), (*[4]int32)(k.hi[s+margin-1:])
	t0, t1, limit := k.taps[0], k.taps[1], int32(k.h)*yOne
	lo0 := max(0, min(l[1]-t0, min(l[0], l[2])-t1))
	lo1 := max(0, min(l[2]-t0, min(l[1], l[3])-t1))
	hi0 := min(limit, max(h[1]+t0, max(h[0], h[2])+t1))
	hi1 := min(limit, max(h[2]+t0, max(h[1], h[3])+t1))
	if lo0 >= hi0 {
		if lo1 < hi1 {
			k.cover(lo1, hi1)
		}
		return lo1, hi1
	}
	k.cover(lo0, hi0)
	if lo1 >= hi1 {
		return lo0, hi0
	}
	k.cover(lo1, hi1)
	return min(lo0, lo1), max(hi0, hi1)
}

// wideColumn is thinColumn for any width.
func (k *stroker) wideColumn(s int) (top, bottom int32) {
	top, bottom = none, -none
	for i := s; i < s+2; i++ {
		lo, hi := k.dilated(i)
		if lo, hi = max(lo, 0), min(hi, int32(k.h)*yOne); lo < hi {
			k.cover(lo, hi)
			top, bottom = min(top, lo), max(bottom, hi)
		}
	}
	return top, bottom
}

// dilated is the span of sub-column s after widening by the disc.
func (k *stroker) dilated(s int) (lo, hi int32) {
	lo, hi = k.lo[s+margin]-k.taps[0], k.hi[s+margin]+k.taps[0]
	for d := 1; d <= k.ntaps; d++ {
		t := k.taps[d]
		lo = min(lo, k.lo[s+margin-d]-t, k.lo[s+margin+d]-t)
		hi = max(hi, k.hi[s+margin-d]+t, k.hi[s+margin+d]+t)
	}
	return lo, hi
}

// cover adds a span of coverage to the column's differences.
func (k *stroker) cover(lo, hi int32) {
	a := (*[2]int32)(k.acc[lo>>8:])
	f := lo & (yOne - 1)
	a[0] += yOne - f
	a[1] += f
	b := (*[2]int32)(k.acc[hi>>8:])
	f = hi & (yOne - 1)
	b[0] -= yOne - f
	b[1] -= f
}

// column blends the coverage of rows top … bottom and clears it.
func (k *stroker) column(dst *image.RGBA, x, oy, top, bottom int, src uint64, a uint32) {
	weight := a<<8/sub + 1 // full coverage is sub·yOne
	sum := uint32(0)
	acc := k.acc[top : bottom+1]
	pix := dst.Pix[dst.PixOffset(x, oy+top):]
	off := 0
	for i, d := range acc {
		acc[i] = 0
		sum += uint32(d)
		if alpha := sum * weight >> 16; alpha != 0 {
			blend(pix[off:off+4], src, alpha)
		}
		off += dst.Stride
	}
}
