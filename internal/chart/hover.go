package chart

import (
	"image"
	"math"
	"time"
)

// Hover is the position of the pointer, and what to show there.
type Hover struct {
	On   bool
	X, Y float64 // the pointer, in pixels of the image
	// All shows every series' value at the pointer's X, as in a live chart; otherwise only the nearest point is shown.
	All bool
	// Held points at a value of X if All, else at a point, instead of at a pixel: the keyboard moves it.
	Held          bool
	At            float64
	Series, Point int
	// Echo shows the moment that another chart points at: a line and the values
	// in the legend, without a box.
	Echo bool
}

// tipLine is one line of the box beside the pointer.
type tipLine struct {
	series int // -1: no marker
	text   string
	minor  bool // shares a line with the previous one if there is no room
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
			if s.Kind == BarKind && math.Abs(px-x) < 40*r.scale && y > py {
				d = math.Abs(px - x) // anywhere on the bar counts
			}
			if d < best {
				series, point, best, ok = i, j, d, true
			}
		}
	}
	return series, point, ok
}

// nearestX is the point of s whose X is closest to pixel x, including missing points, so that a gap reads as a gap.
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

// DrawHover draws the hover over the last drawing of m.
func (r *Renderer) DrawHover(img *image.RGBA, m *Model, h Hover) {
	dst := r.onto(img)
	if !h.On || r.lay.tiny || m.Unavailable != "" || !r.warm || len(m.Series)+len(m.Boxes) == 0 {
		return
	}
	if len(m.Boxes) > 0 && !h.All {
		r.hoverBoxes(dst, m, h)
		return
	}
	if h.All {
		if at, ok := r.moment(m, h); ok {
			r.hoverAll(dst, m, h, at)
		}
		return
	}
	i, j, ok := h.Series, h.Point, h.Held
	if ok {
		ok = i >= 0 && i < len(m.Series) && j >= 0 && j < m.Series[i].Len()
	} else if r.inPlot(h.X, h.Y) {
		i, j, ok = r.Nearest(m, h.X, h.Y)
	}
	if ok {
		r.hoverPoint(dst, m, i, j)
	}
}

// hoverPoint shows point j of series i.
func (r *Renderer) hoverPoint(dst canvas, m *Model, i, j int) {
	s := &m.Series[i]
	x, y, ok := r.place(s, j)
	if !ok || !r.inPlot(x, y) {
		return
	}
	if s.Kind != BarKind {
		r.drawPoint(dst, s, i, x, y, 4.6*r.scale, 1.5*r.scale)
	}
	r.drawTip(dst, m, x, y, r.pointTip(m, i, j))
}

// Moment is the X of the sample under an All pointer in the last drawing, after that has advanced to the newest
// samples, and whether there is one.
func (r *Renderer) Moment(m *Model, h Hover) (at float64, ok bool) {
	if m.X.Scale == Window && r.warm {
		r.slide(m)
	}
	return r.moment(m, h)
}

// moment is the X of the sample under an All pointer, and whether there is one.
func (r *Renderer) moment(m *Model, h Hover) (at float64, ok bool) {
	if !h.On || !h.All || r.lay.tiny || !r.warm {
		return 0, false
	}
	p := r.lay.plot
	if h.Held {
		x := r.lay.x.pixel(h.At)
		h.X, h.Y = max(float64(p.Min.X), min(x, float64(p.Max.X))), float64(p.Min.Y+p.Max.Y)/2
		if h.Echo && !r.inPlot(x, h.Y) {
			return 0, false
		}
	}
	if !r.inReach(h.X, h.Y) {
		return 0, false
	}
	at, ok = r.nearestOfAll(m, h.X)
	return at, ok && r.inPlot(r.lay.x.pixel(at), float64(p.Max.Y))
}

// inReach reports whether a pointer points at a moment: in the plot, or in the lanes
// of phases and states.
func (r *Renderer) inReach(x, y float64) bool {
	l := &r.lay
	return r.inPlot(x, float64(l.plot.Max.Y)) && y >= float64(l.plot.Min.Y-l.lane)-0.5 && y <= float64(l.plot.Max.Y+l.states)+0.5
}

// hoverAll draws a hairline at a moment and all values there.
func (r *Renderer) hoverAll(dst canvas, m *Model, h Hover, at float64) {
	p, x := r.lay.plot, r.lay.x.pixel(at)
	cx := int(math.Round(x))
	dst.fill(image.Rect(cx, p.Min.Y, cx+r.hair(), p.Max.Y+r.lay.states), withAlpha(r.style.Secondary, 0.6))
	var tip []tipLine
	if !h.Echo {
		tip = r.momentTip(m, at, x)
	}
	for i := range m.Series {
		s := &m.Series[i]
		j, ok := r.nearestX(s, x)
		if !ok {
			continue
		}
		if px, py, ok := r.place(s, j); ok && r.inPlot(px, py) {
			r.drawPoint(dst, s, i, px, py, 3.4*r.scale, r.scale)
		}
		_, vy := s.At(j)
		tip = append(tip, tipLine{series: i, text: named(s.Name, valueText(m, s, j, vy))})
		if !h.Echo && s.Note != "" && (i+1 == len(m.Series) || m.Series[i+1].Note != s.Note) { // once for neighbors
			tip = append(tip, tipLine{series: -1, text: s.Note, minor: true})
		}
	}
	if h.Echo {
		if r.drawTag(dst, m, at, cx); !r.lay.names {
			return // the legend has the values
		}
	}
	if h.Held {
		h.Y = float64(p.Min.Y+p.Max.Y) / 2
	}
	r.drawTip(dst, m, x, h.Y, tip)
}

// tagText is X in a few characters: the time of day if known.
func (r *Renderer) tagText(m *Model, at float64) string {
	if clock, ok := clockText(m, at); ok {
		return clock
	}
	return r.xText(m, at)
}

// clockText is the time of day at X, and whether it is known.
func clockText(m *Model, at float64) (string, bool) {
	if m.Epoch.IsZero() || m.X.Scale != Window {
		return "", false
	}
	return m.Epoch.Add(time.Duration(at * float64(time.Second))).Format("15:04:05"), true
}

// drawTag writes a moment in a box on the axis below pixel x, in place of the
// labels there.
func (r *Renderer) drawTag(dst canvas, m *Model, at float64, x int) {
	words := r.tagText(m, at)
	w, top := r.small.widthString(words)+r.px(8), r.lay.plot.Max.Y+r.lay.states+r.px(2)
	left := max(r.px(2), min(x-w/2, r.w-r.px(2)-w))
	box := image.Rect(left, top, left+w, min(top+r.small.ascent+r.px(7), r.h))
	for _, v := range r.lay.xticks {
		if x0, x1 := r.xLabelSpan(m, v); x0 < box.Max.X && x1 > box.Min.X {
			dst.fill(image.Rect(x0, box.Min.Y+r.px(1), x1, box.Max.Y), r.style.Background)
		}
	}
	dst.rounded(r.bounds(), box, 3*r.scale, mix(r.style.Background, r.style.Foreground, 0.2), false)
	dst.words(r.small, left+r.px(4), top+r.px(3)+r.small.ascent, words, r.style.Foreground)
}

// nearestOfAll is the X of the sample of any series closest to pixel x.
func (r *Renderer) nearestOfAll(m *Model, x float64) (at float64, ok bool) {
	best := math.Inf(1)
	for i := range m.Series {
		j, there := r.nearestX(&m.Series[i], x)
		if !there {
			continue
		}
		vx, _ := m.Series[i].At(j)
		if d := math.Abs(r.lay.x.pixel(vx) - x); d < best {
			at, best, ok = vx, d, true
		}
	}
	return at, ok
}

// momentTip describes X: its time, its phase, and events.
func (r *Renderer) momentTip(m *Model, at, x float64) []tipLine {
	head := r.xText(m, at)
	if clock, ok := clockText(m, at); ok {
		head = clock + " · " + head
	}
	tip := []tipLine{{series: -1, text: head}}
	if i, ok := phaseAt(m, at); ok {
		tip = append(tip, tipLine{series: -1, text: "Phase: " + m.Phases[i].Label})
	}
	if i, ok := stateAt(m, at); ok {
		tip = append(tip, tipLine{series: -1, text: m.StateName + ": " + m.States[i].Label})
	}
	if i, ok := r.eventNear(m, x); ok {
		tip = append(tip, tipLine{series: -1, text: severityWord(m.Events[i].Severity) + ": " + m.Events[i].Label})
	}
	return tip
}

// valueText is the value of point j of a series with its unit; for an interval its minimum and maximum.
func valueText(m *Model, s *Series, j int, v float64) string {
	u := unitOf(m, s)
	if s.paired && j^1 < s.Len() {
		if _, other := s.At(j ^ 1); other != v && finite(other) {
			return u.Format(min(v, other)) + " to " + u.Format(max(v, other))
		}
	}
	if !finite(v) {
		return "no reading"
	}
	return u.Format(v)
}

// pointTip describes point j of series i.
func (r *Renderer) pointTip(m *Model, i, j int) []tipLine {
	s := &m.Series[i]
	vx, vy := s.At(j)
	head := r.xText(m, vx)
	if m.X.Title != "" && m.X.Scale != Category {
		head = m.X.Title + ": " + head
	}
	if j < len(s.Labels) && s.Labels[j] != "" {
		head = s.Labels[j] + " · " + head
	}
	u := unitOf(m, s)
	tip := []tipLine{{series: -1, text: head}, {series: i, text: named(s.Name, u.Format(vy))}}
	if lo, hi, ok := s.Interval(j); ok && lo < hi {
		tip = append(tip, tipLine{series: -1, text: "interval " + u.Format(lo) + " to " + u.Format(hi)})
	} else if j < len(s.Bare) && s.Bare[j] != "" {
		tip = append(tip, tipLine{series: -1, text: s.Bare[j]})
	}
	if s.Note != "" {
		tip = append(tip, tipLine{series: -1, text: s.Note, minor: true})
	}
	return tip
}

func named(name, value string) string {
	if name == "" {
		return value
	}
	return name + "  " + value
}

// xText is X as text: a category's name, an age, or a value with its unit.
func (r *Renderer) xText(m *Model, v float64) string {
	switch m.X.Scale {
	case Category, Window, Log2:
		b := r.appendXLabel(nil, m, math.Round(v*1e6)/1e6)
		if m.X.Scale == Window && r.lay.x.hi-v >= 1e-9 {
			if m.Paused {
				return string(append(b, " before the pause"...))
			}
			b = append(b, " ago"...)
		}
		return string(b)
	}
	return m.X.Unit.Format(v)
}
