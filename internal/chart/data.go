package chart

import (
	"image"
	"image/color"
	"math"
)

// lineWidth is the width of a line in logical pixels.
const lineWidth = 1.8

// drawSeries draws the data: bars first, then lines, then points.
func (r *Renderer) drawSeries(dst canvas, m *Model) {
	bars := 0
	for i := range m.Series {
		if m.Series[i].Kind == BarKind {
			bars++
		}
	}
	group := 0
	for i := range m.Series {
		if m.Series[i].Kind == BarKind {
			r.drawBars(dst, m, i, group, bars)
			group++
		}
	}
	r.drawBoxes(dst, m)
	r.traceLines(m)
	dst.areas(r, m)
	r.drawPhases(dst, m)
	r.drawStates(dst, m)
	r.drawHalo(dst, m)
	for i := range m.Series {
		if m.Series[i].Kind == LineKind {
			r.drawLine(dst, &m.Series[i], i)
		}
	}
	for i := range m.Series {
		if m.Series[i].Kind == PointKind {
			r.drawPoints(dst, &m.Series[i], i)
		}
	}
	r.drawEvents(dst, m)
	r.placed, r.leaders = r.placed[:min(r.fixed, len(r.placed))], r.leaders[:0]
	r.drawRuleLabels(dst, m)
	for i := range m.Series {
		r.drawLabels(dst, m, &m.Series[i])
	}
}

// drawLine draws a line with its shaded area, interval band and markers.
func (r *Renderer) drawLine(dst canvas, s *Series, i int) {
	c := colorOf(s, i, r.style.Dark)
	if len(s.Lo) > 0 && len(s.Hi) > 0 && !s.Whiskers {
		dst.ribbon(r, s, c)
	}
	dst.line(r, s, i, c)
	if s.ShowMarkers {
		r.drawPoints(dst, s, i)
		return
	}
	r.drawEnd(dst, s, i)
}

// pad is how far a stroke may extend beyond the top and bottom of the plot.
func (r *Renderer) pad() int { return min(r.px(2), r.lay.plot.Min.Y, r.h-r.lay.plot.Max.Y) }

// traceLines finds the strokes of all lines.
func (r *Renderer) traceLines(m *Model) {
	for len(r.strokes) < len(m.Series) {
		r.strokes = append(r.strokes, stroker{})
	}
	for i := range m.Series {
		if s := &m.Series[i]; s.Kind == LineKind {
			r.resetStroke(&r.strokes[i], lineWidth*r.scale, dashOf(s, i))
			r.trace(&r.strokes[i], s, s.Y)
		}
	}
}

func (r *Renderer) resetStroke(k *stroker, width float64, d Dash) {
	k.reset(r.lay.plot.Dx(), r.lay.plot.Dy()+2*r.pad(), width, d, r.scale)
}

// trace feeds the points of a line, with the given heights, to a stroker.
func (r *Renderer) trace(k *stroker, s *Series, ys []float64) {
	p := r.lay.plot
	ymap := r.axisOf(s)
	ox, oy := float64(p.Min.X), float64(p.Min.Y-r.pad())
	px, py, drawn := math.NaN(), 0.0, false
	for j := range min(s.Len(), len(ys)) {
		x := float64(j)
		if s.X != nil {
			x = s.X[j]
		}
		x, y := r.lay.x.pixel(x)-ox, ymap.pixel(ys[j])-oy
		if x != x || y != y { // missing
			px, drawn = math.NaN(), false
			continue
		}
		if x >= px {
			if s.Step {
				k.segment(px, py, x, py)
				k.riser(x, py, y)
			} else {
				k.segment(px, py, x, y)
			}
			drawn = true
		} else {
			drawn = false
		}
		if !drawn {
			k.point(x, y)
		}
		px, py = x, y
	}
}

// drawEnd draws the marker on the last point of a line: the shape distinguishes lines without color, and shows the
// current value.
func (r *Renderer) drawEnd(dst canvas, s *Series, i int) {
	for j := s.Len() - 1; j >= 0; j-- {
		if x, y, ok := r.place(s, j); ok {
			if r.inPlot(x, y) {
				r.drawPoint(dst, s, i, x, y, 3*r.scale, r.scale)
			}
			return
		}
	}
}

// place is the position of point j, and whether it has one.
func (r *Renderer) place(s *Series, j int) (x, y float64, ok bool) {
	vx, vy := s.At(j)
	x, y = r.lay.x.pixel(vx), r.axisOf(s).pixel(vy)
	if s.Edge {
		in := 4 * r.scale // the whole marker is visible
		y = max(float64(r.lay.plot.Min.Y)+in, min(float64(r.lay.plot.Max.Y)-in, y))
	}
	return x, y, finite(x) && finite(y)
}

func (r *Renderer) inPlot(x, y float64) bool {
	p := r.lay.plot
	return x >= float64(p.Min.X)-0.5 && x <= float64(p.Max.X)+0.5 &&
		y >= float64(p.Min.Y)-0.5 && y <= float64(p.Max.Y)+0.5
}

// drawRibbon shades between the ends of the intervals of a line.
func (r *Renderer) drawRibbon(dst *image.RGBA, s *Series, c color.NRGBA) {
	p := r.lay.plot
	r.resetStroke(&r.upper, 1, Solid)
	r.resetStroke(&r.lower, 1, Solid)
	r.trace(&r.upper, s, s.Hi)
	r.trace(&r.lower, s, s.Lo)
	pad := int32(r.pad()) * yOne
	src := opaque(c)
	for x := range p.Dx() {
		top, ok0 := r.upper.top(x)
		bottom, ok1 := r.lower.top(x)
		if !ok0 || !ok1 {
			continue
		}
		y0, y1 := max(0, int((top-pad)/yOne)), min(p.Dy()-1, int((bottom-pad)/yOne))
		for y := y0; y <= y1; y++ {
			dot(dst, p, p.Min.X+x, p.Min.Y+y, src, 46)
		}
	}
}

// drawPoints draws the markers of a series and, unless a line shows them as a
// band, their intervals.
func (r *Renderer) drawPoints(dst canvas, s *Series, i int) {
	c := colorOf(s, i, r.style.Dark)
	size := 3.4 * r.scale
	if s.Kind == PointKind && s.Len() > 24 {
		size = 2.7 * r.scale
	}
	if s.Kind == PointKind && s.Len() > 200 {
		size = 2.2 * r.scale
	}
	for j := range s.Len() {
		x, y, ok := r.place(s, j)
		if !ok || !r.inPlot(x, y) {
			continue
		}
		if lo, hi, ok := s.Interval(j); ok && (s.Kind == PointKind || s.Whiskers) {
			r.whisker(dst, x, r.axisOf(s).pixel(lo), r.axisOf(s).pixel(hi), withAlpha(c, 0.7))
		}
		r.drawPoint(dst, s, i, x, y, size, r.scale)
	}
}

// drawPoint draws the marker of a series, hollow if the series is.
func (r *Renderer) drawPoint(dst canvas, s *Series, i int, x, y, size, halo float64) {
	k, c := markerOf(s, i), colorOf(s, i, r.style.Dark)
	if k == NoMarker {
		return
	}
	r.drawMarker(dst, k, x, y, size, halo, c)
	if s.Hollow && k != Ring && k != Cross {
		dst.marker(k, x, y, size-1.5*r.scale, r.style.Background)
	}
}

// drawHalo draws a disk behind the newest point.
func (r *Renderer) drawHalo(dst canvas, m *Model) {
	if !m.Halo.On || r.lay.tiny {
		return
	}
	x, y := r.lay.x.pixel(m.Halo.X), r.lay.y.pixel(m.Halo.Y)
	if finite(x) && finite(y) && r.inPlot(x, y) {
		dst.marker(Circle, x, y, 8.5*r.scale, mix(r.style.Background, r.style.Foreground, 0.3))
	}
}

// whisker draws an interval as a thin line with short ends.
func (r *Renderer) whisker(dst canvas, x, lo, hi float64, c color.NRGBA) {
	p := r.lay.plot
	if math.IsNaN(hi) || math.IsNaN(lo) && r.lay.y.scale == Linear {
		return
	}
	if math.IsNaN(lo) { // below the start of a log axis
		lo = float64(p.Max.Y)
	}
	hair := r.hair()
	cx := int(math.Floor(x)) - hair/2
	if hi > float64(p.Max.Y) || lo < float64(p.Min.Y) || lo < hi {
		return
	}
	y0, y1 := within(hi, p.Min.Y, p.Max.Y-1), within(lo, p.Min.Y, p.Max.Y-1)
	cap := r.px(3)
	clip := func(q image.Rectangle) image.Rectangle { return q.Intersect(p) }
	dst.fill(clip(image.Rect(cx, y0, cx+hair, y1+hair)), c)
	dst.fill(clip(image.Rect(cx-cap, y0, cx, y0+hair)), c)
	dst.fill(clip(image.Rect(cx+hair, y0, cx+hair+cap, y0+hair)), c)
	if y1 > y0+hair {
		dst.fill(clip(image.Rect(cx-cap, y1, cx, y1+hair)), c)
		dst.fill(clip(image.Rect(cx+hair, y1, cx+hair+cap, y1+hair)), c)
	}
}

// drawBars draws bar series i, at position group of n side by side.
func (r *Renderer) drawBars(dst canvas, m *Model, i, group, n int) {
	s := &m.Series[i]
	c := colorOf(s, i, r.style.Dark)
	for j := range s.Len() {
		box, ok := r.barRect(s, j, group, n)
		if !ok {
			continue
		}
		_, v := s.At(j)
		dst.rounded(r.lay.plot, box, 2.5*r.scale, c, v >= 0)
		r.stampBar(dst, markerOf(s, i), box)
		if lo, hi, ok := s.Interval(j); ok {
			x := float64(box.Min.X+box.Max.X) / 2
			r.whisker(dst, x, r.axisOf(s).pixel(lo), r.axisOf(s).pixel(hi), withAlpha(r.style.Foreground, 0.75))
		}
	}
}

// stampBar cuts the series' shape out of the foot of its bar, if there is room, so that it does not depend on color and
// position alone.
func (r *Renderer) stampBar(dst canvas, k Marker, box image.Rectangle) {
	if k == NoMarker || box.Dx() < r.px(8) || box.Dy() < r.px(12) {
		return
	}
	dst.marker(k, float64(box.Min.X+box.Max.X)/2, float64(box.Max.Y)-6*r.scale, 2.8*r.scale, r.style.Background)
}

// barRect is the rectangle of bar j, and whether it is visible.
func (r *Renderer) barRect(s *Series, j, group, n int) (image.Rectangle, bool) {
	p := r.lay.plot
	x, y, ok := r.place(s, j)
	if !ok || x < float64(p.Min.X) || x > float64(p.Max.X) {
		return image.Rectangle{}, false
	}
	slot := float64(p.Dx()) / float64(r.lay.slots)
	room := min(slot*0.68, 44*r.scale*float64(n))
	bar := room / float64(n)
	x0 := x - room/2 + bar*float64(group)
	gap := 0.0
	if bar > 4*r.scale {
		gap = r.scale
	}
	zero := r.axisOf(s).pixel(0)
	if r.lay.y.scale != Linear || math.IsNaN(zero) {
		zero = float64(p.Max.Y)
	}
	zero = max(float64(p.Min.Y), min(float64(p.Max.Y), zero))
	y = max(float64(p.Min.Y), min(float64(p.Max.Y), y))
	left := int(math.Round(x0 + gap/2))
	right := max(left+1, int(math.Round(x0+bar-gap/2)))
	top, bottom := int(math.Round(min(y, zero))), int(math.Round(max(y, zero)))
	return image.Rect(left, top, right, max(bottom, top+1)), true
}
