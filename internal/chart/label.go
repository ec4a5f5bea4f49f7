package chart

import (
	"image"
	"image/color"
	"math"
)

// The labels of points are placed greedily: next to the point if there is room, otherwise farther out with a leader line, otherwise
// not at all; hovering still shows them. No label overlaps another, a marker, or the edge.

const (
	maxLabels  = 80 // per drawing: more would be unreadable
	directions = 8
)

// drawLabels writes the texts of the points of a series.
func (r *Renderer) drawLabels(dst canvas, m *Model, s *Series) {
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
			dst.fill(box, r.style.Background) // clear the line behind the label
			r.placed = append(r.placed, box)
			if k, far := r.leaderTo(x, y, box); far && ring > 0 {
				r.leaders = append(r.leaders, k)
				dst.hairline(r.lay.plot, k, r.scale, withAlpha(r.style.Secondary, 0.8))
			}
			dst.words(r.small, box.Min.X+r.px(2), box.Max.Y-r.px(3), s.Labels[j], r.style.Secondary)
		}
	}
}

// labelBox is the position of a label, and its distance: 0 directly next to its point.
func (r *Renderer) labelBox(m *Model, text string, x, y float64) (box image.Rectangle, ring int, ok bool) {
	w, h := r.small.widthString(text)+r.px(4), r.small.ascent+r.px(6)
	if w > r.lay.plot.Dx() {
		return box, 0, false
	}
	room := r.lay.plot
	room.Max.Y -= r.px(3) // keep the axis visible
	for _, strict := range [...]bool{true, false} {
		for ring := range 6 {
			gap := (6 + 11*float64(ring)) * r.scale
			for d := range directions {
				box = around(x, y, w, h, gap, d)
				if !box.In(room) || r.hitsPlaced(box) || r.hitsMarkers(m, box) || r.hitsLeaders(box) {
					continue
				}
				if strict && r.hitsData(m, box) {
					continue
				}
				if k, far := r.leaderTo(x, y, box); far && r.leaderHits(m, k) {
					continue
				}
				return box, ring, true
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

// hitsMarkers reports whether a box touches the marker of a point.
func (r *Renderer) hitsMarkers(m *Model, box image.Rectangle) bool {
	for i := range m.Series {
		s := &m.Series[i]
		if s.Kind == LineKind && !s.ShowMarkers {
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

// leader is the thin line from a point to its label.
type leader struct{ x0, y0, x1, y1 float64 }

// leaderTo is the line from a point to the nearest edge of its label, and
// whether the label is far enough to need one.
func (r *Renderer) leaderTo(x, y float64, box image.Rectangle) (leader, bool) {
	bx := max(float64(box.Min.X), min(x, float64(box.Max.X)))
	by := max(float64(box.Min.Y)+r.scale, min(y, float64(box.Max.Y)-r.scale))
	length := math.Hypot(bx-x, by-y)
	if length < 9*r.scale {
		return leader{}, false
	}
	f := 5 * r.scale / length // starts outside the marker
	return leader{x + (bx-x)*f, y + (by-y)*f, bx, by}, true
}

// hitsLeaders reports whether a box would cover a leader line.
func (r *Renderer) hitsLeaders(box image.Rectangle) bool {
	for _, k := range r.leaders {
		if k.meets(box) {
			return true
		}
	}
	return false
}

// leaderHits reports whether a leader line would cross a label, another leader, or
// a point that is not its own.
func (r *Renderer) leaderHits(m *Model, k leader) bool {
	for i := range m.Series {
		s := &m.Series[i]
		for j := 0; s.Kind == PointKind && j < s.Len(); j++ {
			at := image.Rect(-1, -1, 1, 1)
			x, y, ok := r.place(s, j)
			if at = at.Inset(-r.px(2)).Add(image.Pt(int(x), int(y))); ok && k.meets(at) {
				return true
			}
		}
	}
	for _, b := range r.placed {
		if b.Dx() > r.hair() && b.Dy() > r.hair() && k.meets(b) { // it may cross marks and rules
			return true
		}
	}
	for _, o := range r.leaders {
		if k.side(o.x0, o.y0)*k.side(o.x1, o.y1) < 0 && o.side(k.x0, k.y0)*o.side(k.x1, k.y1) < 0 {
			return true
		}
	}
	return false
}

// meets reports whether the line crosses a box.
func (k leader) meets(box image.Rectangle) bool {
	if k.x0 > k.x1 {
		k = leader{k.x1, k.y1, k.x0, k.y0}
	}
	if k.x1-k.x0 < 1 {
		return k.x0 >= float64(box.Min.X) && k.x0 <= float64(box.Max.X) &&
			max(k.y0, k.y1) > float64(box.Min.Y) && min(k.y0, k.y1) < float64(box.Max.Y)
	}
	return crosses(k.x0, k.y0, k.x1, k.y1, box)
}

// side is the side of the line on which a point lies.
func (k leader) side(x, y float64) float64 { return (k.x1-k.x0)*(y-k.y0) - (k.y1-k.y0)*(x-k.x0) }

// drawHairline draws a thin line, anti-aliased.
func drawHairline(dst *image.RGBA, clip image.Rectangle, k leader, width float64, c color.NRGBA) {
	length := math.Hypot(k.x1-k.x0, k.y1-k.y0)
	if !(length > 0) {
		return
	}
	ux, uy, half := (k.x1-k.x0)/length, (k.y1-k.y0)/length, length/2
	fillShape(dst, clip, (k.x0+k.x1)/2, (k.y0+k.y1)/2, half+1, c, func(x, y float64) float64 {
		along, across := x*ux+y*uy, x*uy-y*ux
		return max(math.Abs(along)-half, math.Abs(across)-0.5*width)
	})
}
