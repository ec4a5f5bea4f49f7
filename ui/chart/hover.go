package chart

import (
	"image"
	"image/color"
	"math"
)

// Hover is where the pointer is, in pixels of the image, and what it asks for.
type Hover struct {
	On   bool
	X, Y float64
	// All shows every series' value at the pointer's X, as a live chart does;
	// otherwise the nearest point alone is shown.
	All bool
}

// tipLine is one line of the box beside the pointer.
type tipLine struct {
	series int // -1: no marker
	text   string
}

// Nearest is the point of m closest to a pixel, within 24 logical pixels, as
// last drawn.
func (r *Renderer) Nearest(m *Model, x, y float64) (series, point int, ok bool) {
	best := 24 * r.scale
	for i := range m.Series {
		s := &m.Series[i]
		for j := range s.Len() {
			px, py, there := r.place(s, j)
			if !there || !r.inPlot(px, py) {
				continue
			}
			d := math.Hypot(px-x, py-y)
			if s.Kind == Bars && math.Abs(px-x) < 40*r.scale && y > py {
				d = math.Abs(px - x) // anywhere on the bar counts
			}
			if d < best {
				series, point, best, ok = i, j, d, true
			}
		}
	}
	return series, point, ok
}

// nearestX is the point of s whose X is closest to pixel x, missing ones too,
// so that a gap reads as a gap.
func (r *Renderer) nearestX(s *Series, x float64) (int, bool) {
	at, best := 0, math.Inf(1)
	for j := range s.Len() {
		vx, _ := s.At(j)
		if d := math.Abs(r.lay.x.pixel(vx) - x); d < best {
			at, best = j, d
		}
	}
	return at, finite(best)
}

// DrawHover draws what the pointer asks for over the last drawing of m.
func (r *Renderer) DrawHover(dst *image.RGBA, m *Model, h Hover) {
	if !h.On || r.lay.tiny || m.Unavailable != "" || !r.warm || !r.inPlot(h.X, h.Y) {
		return
	}
	if h.All {
		r.hoverAll(dst, m, h)
		return
	}
	i, j, ok := r.Nearest(m, h.X, h.Y)
	if !ok {
		return
	}
	s := &m.Series[i]
	x, y, _ := r.place(s, j)
	if s.Kind != Bars {
		drawMarker(dst, dst.Rect, markerOf(s, i), x, y, 4.6*r.scale, 1.5*r.scale, colorOf(s, i, r.style.Dark), r.style.Background)
	}
	r.drawTip(dst, m, x, y, r.pointTip(m, i, j))
}

// hoverAll draws a hairline at the nearest sample and all values there.
func (r *Renderer) hoverAll(dst *image.RGBA, m *Model, h Hover) {
	x, tip := math.NaN(), []tipLine(nil)
	for i := range m.Series {
		s := &m.Series[i]
		j, ok := r.nearestX(s, h.X)
		if !ok {
			continue
		}
		vx, vy := s.At(j)
		if tip == nil {
			x = r.lay.x.pixel(vx)
			tip = append(tip, tipLine{-1, r.xText(m, vx)})
		}
		tip = append(tip, tipLine{i, named(s.Name, m.Y.Unit.Format(vy))})
	}
	if tip == nil || !r.inPlot(x, h.Y) {
		return
	}
	p := r.lay.plot
	cx := int(math.Round(x))
	fillRect(dst, image.Rect(cx, p.Min.Y, cx+r.hair(), p.Max.Y), withAlpha(r.style.Secondary, 0.6))
	for i := range m.Series {
		s := &m.Series[i]
		j, _ := r.nearestX(s, h.X)
		if s.Len() == 0 {
			continue
		}
		if px, py, ok := r.place(s, j); ok && r.inPlot(px, py) {
			drawMarker(dst, dst.Rect, markerOf(s, i), px, py, 3.4*r.scale, r.scale, colorOf(s, i, r.style.Dark), r.style.Background)
		}
	}
	r.drawTip(dst, m, x, h.Y, tip)
}

// pointTip says what point j of series i is.
func (r *Renderer) pointTip(m *Model, i, j int) []tipLine {
	s := &m.Series[i]
	vx, vy := s.At(j)
	head := r.xText(m, vx)
	if j < len(s.Labels) && s.Labels[j] != "" {
		head = s.Labels[j] + " · " + head
	}
	tip := []tipLine{{-1, head}, {i, named(s.Name, m.Y.Unit.Format(vy))}}
	if lo, hi, ok := s.Interval(j); ok {
		tip = append(tip, tipLine{-1, m.Y.Unit.Format(lo) + " – " + m.Y.Unit.Format(hi)})
	}
	return tip
}

func named(name, value string) string {
	if name == "" {
		return value
	}
	return name + "  " + value
}

// xText is X in words: a category's name, an age, or a value with its unit.
func (r *Renderer) xText(m *Model, v float64) string {
	switch m.X.Scale {
	case Category, Window, Log2:
		b := r.appendXLabel(nil, m, math.Round(v*1e6)/1e6)
		if m.X.Scale == Window && r.lay.x.hi-v >= 1e-9 {
			b = append(b, " ago"...)
		}
		return string(b)
	}
	return m.X.Unit.Format(v)
}

// drawTip draws a box of text beside (x, y), on the side that has room.
func (r *Renderer) drawTip(dst *image.RGBA, m *Model, x, y float64, tip []tipLine) {
	w, step, pad := 0, r.px(15), r.px(7)
	for _, t := range tip {
		w = max(w, r.small.widthString(t.text)+r.tipIndent(t))
	}
	w, h := w+2*pad, len(tip)*step+2*pad-r.px(4)
	left := int(x) + r.px(10)
	if left+w > r.w-r.px(2) {
		left = int(x) - r.px(10) - w
	}
	top := min(int(y)-h/2, r.h-h-r.px(2))
	box := image.Rect(0, 0, w, h).Add(image.Pt(max(r.px(2), left), max(r.px(2), top)))
	fillRounded(dst, dst.Rect, box.Inset(-r.hair()), 6*r.scale+1, mix(r.style.Background, r.style.Foreground, 0.22), false)
	fillRounded(dst, dst.Rect, box, 6*r.scale, r.tipColor(), false)
	for k, t := range tip {
		base := box.Min.Y + pad + k*step + r.small.ascent
		r.drawTipLine(dst, m, t, box.Min.X+pad, base)
	}
}

func (r *Renderer) drawTipLine(dst *image.RGBA, m *Model, t tipLine, x, base int) {
	if t.series < 0 {
		r.small.drawString(dst, x, base, t.text, r.style.Secondary)
		return
	}
	s := &m.Series[t.series]
	cy := float64(base) - float64(r.small.ascent)/2
	drawMarker(dst, dst.Rect, markerOf(s, t.series), float64(x)+3.5*r.scale, cy, 3*r.scale, 0, colorOf(s, t.series, r.style.Dark), r.style.Background)
	r.small.drawString(dst, x+r.tipIndent(t), base, t.text, r.style.Foreground)
}

func (r *Renderer) tipIndent(t tipLine) int {
	if t.series < 0 {
		return 0
	}
	return r.px(11)
}

// tipColor is a surface a little above the background.
func (r *Renderer) tipColor() color.NRGBA {
	if r.style.Dark {
		return mix(r.style.Background, r.style.Foreground, 0.1)
	}
	return r.style.Background
}
