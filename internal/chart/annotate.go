package chart

import (
	"image"
	"image/color"
	"math"
)

// drawBands shades the horizontal ranges and labels them at their right end.
func (r *Renderer) drawBands(m *Model) {
	p := r.lay.plot
	for i := range m.Bands {
		b := &m.Bands[i]
		y0, y1 := r.lay.y.pixel(b.Hi), r.lay.y.pixel(b.Lo)
		if math.IsNaN(y0) || math.IsNaN(y1) {
			continue
		}
		top, bottom := within(y0, p.Min.Y, p.Max.Y), within(y1, p.Min.Y, p.Max.Y)
		if top >= bottom {
			continue
		}
		c := PaletteColor(2, r.style.Dark)
		r.under.fill(image.Rect(p.Min.X, top, p.Max.X, bottom), withAlpha(c, 0.14-0.06*float64(i%2)))
		if r.lay.sides == 0 {
			r.bandLabel(m, b.Label, top, bottom, mix(r.style.Secondary, c, 0.5))
		}
	}
	if r.lay.sides > 0 {
		r.nameBands(m)
	}
}

// bandLabel writes the label of a band in the corner free of data.
func (r *Renderer) bandLabel(m *Model, s string, top, bottom int, c color.NRGBA) {
	p := r.lay.plot
	if s == "" || bottom-top < r.small.ascent+r.px(4) {
		return
	}
	s = r.small.fit(s, p.Dx()/2)
	w := r.small.widthString(s)
	size := image.Rect(0, 0, w, r.small.ascent+r.px(6))
	box, ok := r.freeBox(m, func(row int) (a, b image.Rectangle) {
		y := top + r.px(1)
		if row%2 == 1 {
			y = bottom - size.Dy() - r.px(1)
		}
		return size.Add(image.Pt(p.Max.X-r.px(6)-w, y)), size.Add(image.Pt(p.Min.X+r.px(6)+row/2*p.Dx()/5, y))
	})
	if !ok {
		return
	}
	r.under.words(r.small, box.Min.X, box.Max.Y-r.px(3), s, c)
	r.placed = append(r.placed, box)
}

// drawRules draws the horizontal rules. Their labels are drawn with the data.
func (r *Renderer) drawRules(m *Model) {
	p := r.lay.plot
	for i := range m.Rules {
		if !r.rules(&m.Rules[i]) {
			continue
		}
		y, dash := r.snapY(m.Rules[i].Y), r.px(4)
		for x := p.Min.X; x < p.Max.X; x += 2 * dash {
			r.under.fill(image.Rect(x, y, min(x+dash, p.Max.X), y+r.hair()), withAlpha(r.style.Foreground, 0.55))
		}
		r.placed = append(r.placed, image.Rect(p.Min.X, y, p.Max.X, y+r.hair()))
	}
}

// rules reports whether a rule lies in the plot.
func (r *Renderer) rules(k *Rule) bool {
	y := r.lay.y.pixel(k.Y)
	return y >= float64(r.lay.plot.Min.Y)-0.5 && y <= float64(r.lay.plot.Max.Y)+0.5
}

// drawMarks draws the vertical marks and their labels, stacked if they would overlap.
func (r *Renderer) drawMarks(m *Model) {
	p := r.lay.plot
	for i := range m.Marks {
		k := &m.Marks[i]
		fx := r.lay.x.pixel(k.X)
		if !(fx >= float64(p.Min.X) && fx <= float64(p.Max.X)) {
			continue
		}
		if x0, x1, ok := r.stretch(k.Lo, k.Hi); ok && k.Lo < k.Hi {
			r.under.fill(image.Rect(x0, p.Min.Y, x1, p.Max.Y), withAlpha(r.style.Secondary, 0.12))
		}
		x := int(math.Round(fx))
		dash := r.px(3)
		for y := p.Min.Y; y < p.Max.Y; y += 2 * dash {
			r.under.fill(image.Rect(x, y, x+r.hair(), min(y+dash, p.Max.Y)), withAlpha(r.style.Secondary, 0.8))
		}
		r.placed = append(r.placed, image.Rect(x, p.Min.Y, x+r.hair(), p.Max.Y))
	}
	for i := range m.Marks {
		if fx := r.lay.x.pixel(m.Marks[i].X); fx >= float64(p.Min.X) && fx <= float64(p.Max.X) {
			r.markLabel(m, m.Marks[i].Label, int(math.Round(fx)))
		}
	}
}

// markLabel writes the label of a mark on the side and at the height where it
// overlaps least.
func (r *Renderer) markLabel(m *Model, s string, x int) {
	p := r.lay.plot
	s = r.small.fit(s, p.Dx()/2)
	if s == "" {
		return
	}
	w := r.small.widthString(s)
	size := image.Rect(0, 0, w, r.small.ascent+r.px(6))
	box, ok := r.freeBox(m, func(row int) (a, b image.Rectangle) {
		y := p.Min.Y + r.px(3) + row*r.px(14*r.text)
		return size.Add(image.Pt(x+r.px(5), y)), size.Add(image.Pt(x-r.px(5)-w, y))
	})
	if !ok {
		return
	}
	r.placed = append(r.placed, box)
	r.under.words(r.small, box.Min.X, box.Max.Y-r.px(3), s, r.style.Foreground)
}

// freeBox returns the first of the two boxes of each row that is in the plot and overlaps neither a label nor the data, or else the
// first that overlaps no label.
func (r *Renderer) freeBox(m *Model, at func(row int) (a, b image.Rectangle)) (image.Rectangle, bool) {
	for _, strict := range [...]bool{true, false} {
		for row := range 8 {
			a, b := at(row)
			for _, box := range [...]image.Rectangle{a, b} {
				if box.In(r.lay.plot) && !r.hitsPlaced(box) && !(strict && r.hitsData(m, box)) {
					return box, true
				}
			}
		}
	}
	return image.Rectangle{}, false
}

// hitsData reports whether a line or a marker crosses a box.
func (r *Renderer) hitsData(m *Model, box image.Rectangle) bool {
	for i := range m.Series {
		s := &m.Series[i]
		var px, py float64
		was := false
		for j := range s.Len() {
			x, y, ok := r.place(s, j)
			if ok && (pointNear(x, y, box, 5*r.scale) || r.whiskerNear(s, j, x, box)) || ok && was && s.Kind == LineKind && lineCrosses(s, px, py, x, y, box) {
				return true
			}
			px, py, was = x, y, ok
		}
	}
	return false
}

// whiskerNear reports whether the whisker of point j at pixel x crosses a box.
func (r *Renderer) whiskerNear(s *Series, j int, x float64, box image.Rectangle) bool {
	lo, hi, ok := s.Interval(j)
	if !ok || s.Kind == LineKind && !s.Whiskers {
		return false
	}
	reach := 4 * r.scale
	return x >= float64(box.Min.X)-reach && x <= float64(box.Max.X)+reach &&
		!(r.axisOf(s).pixel(lo) < float64(box.Min.Y) || r.axisOf(s).pixel(hi) > float64(box.Max.Y))
}

// lineCrosses reports whether the segment of a line between two points crosses a box.
func lineCrosses(s *Series, x0, y0, x1, y1 float64, box image.Rectangle) bool {
	if !s.Step {
		return crosses(x0, y0, x1, y1, box)
	}
	upright := x1 >= float64(box.Min.X)-2 && x1 <= float64(box.Max.X)+2 &&
		max(y0, y1) >= float64(box.Min.Y)-2 && min(y0, y1) <= float64(box.Max.Y)+2
	return upright || crosses(x0, y0, x1, y0, box)
}

func pointNear(x, y float64, box image.Rectangle, d float64) bool {
	return x >= float64(box.Min.X)-d && x <= float64(box.Max.X)+d && y >= float64(box.Min.Y)-d && y <= float64(box.Max.Y)+d
}

// crosses reports whether a segment, x0 <= x1, comes within a pixel or two of a box.
func crosses(x0, y0, x1, y1 float64, box image.Rectangle) bool {
	a, b := max(x0, float64(box.Min.X)), min(x1, float64(box.Max.X))
	if a > b || x1 <= x0 {
		return false
	}
	slope := (y1 - y0) / (x1 - x0)
	ya, yb := y0+(a-x0)*slope, y0+(b-x0)*slope
	return max(ya, yb) >= float64(box.Min.Y)-2 && min(ya, yb) <= float64(box.Max.Y)+2
}

func (r *Renderer) hitsPlaced(box image.Rectangle) bool {
	for _, b := range r.placed {
		if b.Overlaps(box) {
			return true
		}
	}
	return false
}
