package chart

import (
	"image"
	"math"
)

// The labels of points are placed greedily: beside the point where there is
// room, else farther out with a leader line back to it, else not at all; the
// pointer still tells. No label meets another, a marker, or the edge.

const (
	maxLabels  = 80 // of one drawing: more could not be read
	directions = 8
)

// drawLabels writes the texts of the points of a series.
func (r *Renderer) drawLabels(dst *image.RGBA, m *Model, s *Series) {
	if r.lay.tiny {
		return
	}
	left := maxLabels
	for j := range min(s.Len(), len(s.Labels)) {
		x, y, ok := r.place(s, j)
		if !ok || !r.inPlot(x, y) || s.Labels[j] == "" {
			continue
		}
		if left--; left < 0 {
			return
		}
		if box, ring, ok := r.labelBox(m, s.Labels[j], x, y); ok {
			r.placed = append(r.placed, box)
			if ring > 0 {
				r.leader(dst, x, y, box)
			}
			r.small.drawString(dst, box.Min.X+r.px(2), box.Max.Y-r.px(3), s.Labels[j], r.style.Secondary)
		}
	}
}

// labelBox is where a label goes, and how far out: 0 right beside its point.
func (r *Renderer) labelBox(m *Model, text string, x, y float64) (box image.Rectangle, ring int, ok bool) {
	w, h := r.small.widthString(text)+r.px(4), r.small.ascent+r.px(6)
	if w > r.lay.plot.Dx() {
		return box, 0, false
	}
	for _, strict := range [...]bool{true, false} {
		for ring := range 5 {
			gap := (6 + 11*float64(ring)) * r.scale
			for d := range directions {
				box = around(x, y, w, h, gap, d)
				if box.In(r.lay.plot) && !r.hitsPlaced(box) && !r.hitsMarkers(m, box) && !(strict && r.hitsData(m, box)) {
					return box, ring, true
				}
			}
		}
	}
	return box, 0, false
}

// around is a w × h box at a distance from a point: right, left, above, below,
// then at the corners.
func around(x, y float64, w, h int, gap float64, direction int) image.Rectangle {
	sx := [directions]float64{1, -1, 0, 0, 1, -1, 1, -1}[direction]
	sy := [directions]float64{0, 0, -1, 1, -1, -1, 1, 1}[direction]
	if sx != 0 && sy != 0 {
		gap *= 0.7
	}
	cx := x + sx*(gap+float64(w)/2)
	cy := y + sy*(gap+float64(h)/2)
	at := image.Pt(int(math.Round(cx))-w/2, int(math.Round(cy))-h/2)
	return image.Rect(0, 0, w, h).Add(at)
}

// hitsMarkers says whether a box touches the marker of a point.
func (r *Renderer) hitsMarkers(m *Model, box image.Rectangle) bool {
	for i := range m.Series {
		s := &m.Series[i]
		if s.Kind == Line && !s.ShowMarkers {
			continue
		}
		for j := range s.Len() {
			if x, y, ok := r.place(s, j); ok && pointNear(x, y, box, 3.5*r.scale) {
				return true
			}
		}
	}
	return false
}

// leader draws a thin line from the nearest edge of a label to its point.
func (r *Renderer) leader(dst *image.RGBA, x, y float64, box image.Rectangle) {
	bx := max(float64(box.Min.X), min(x, float64(box.Max.X)))
	by := max(float64(box.Min.Y)+r.scale, min(y, float64(box.Max.Y)-r.scale))
	length := math.Hypot(bx-x, by-y)
	if length < 7*r.scale {
		return
	}
	f := 5 * r.scale / length // starts outside the marker
	r.hairline(dst, x+(bx-x)*f, y+(by-y)*f, bx, by)
}

// hairline draws a thin anti-aliased line.
func (r *Renderer) hairline(dst *image.RGBA, x0, y0, x1, y1 float64) {
	c := withAlpha(r.style.Secondary, 0.8)
	length := math.Hypot(x1-x0, y1-y0)
	if !(length > 0) {
		return
	}
	ux, uy := (x1-x0)/length, (y1-y0)/length
	cx, cy, half := (x0+x1)/2, (y0+y1)/2, length/2
	fillShape(dst, r.lay.plot, cx, cy, half+1, c, func(x, y float64) float64 {
		along, across := x*ux+y*uy, x*uy-y*ux
		return max(math.Abs(along)-half, math.Abs(across)-0.5*r.scale)
	})
}
