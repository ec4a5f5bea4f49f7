package chart

// MoveTime moves the crosshair of a chart of all series by samples; it starts at the newest.
func (h *Hover) MoveTime(m *Model, dx int) {
	var xs []float64
	for i := range m.Series {
		if k := &m.Series[i]; k.X != nil && k.Len() > 0 {
			xs = k.X[:k.Len()]
			break
		}
	}
	for len(xs) > 1 && fixedRange(&m.X) && xs[0] < m.X.Min {
		xs = xs[1:]
	}
	if len(xs) == 0 || dx == 0 {
		return
	}
	at := len(xs)
	if h.On && h.Held {
		for at = 0; at < len(xs)-1 && xs[at] < h.At; at++ {
		}
	}
	at = max(0, min(len(xs)-1, at+dx))
	for step := sign(dx); at > 0 && at < len(xs)-1 && h.Held && xs[at] == h.At; {
		at += step // two points of an interval may share their time
	}
	h.On, h.Held, h.At = true, true, xs[at]
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// MovePoint moves the selected point along its series, or to another series.
func (h *Hover) MovePoint(m *Model, dx, dy int) {
	if len(m.Boxes) > 0 {
		if !h.On || !h.Held {
			h.Point, dx, dy = 0, 0, 0
		}
		h.On, h.Held, h.Point = true, true, stepTo(h.Point, dx+dy, len(m.Boxes))
		return
	}
	if len(m.Series) == 0 {
		return
	}
	if !h.On || !h.Held {
		h.Series, h.Point, dx = 0, -1, 1
	}
	h.On, h.Held = true, true
	s := h.seriesFrom(m, dy)
	if s.Len() == 0 {
		return
	}
	at := h.Point
	for next := stepTo(at, dx, s.Len()); next != at; next = stepTo(at, sign(dx), s.Len()) {
		at = next
		if x, y := s.At(at); finite(x) && finite(y) {
			h.Point = at
			break
		}
		if dx == 0 {
			dx = 1
		}
	}
	h.Point = max(0, min(h.Point, s.Len()-1))
}

// seriesFrom selects and returns the next series with points in a direction; without a direction that of the selection,
// if it has points.
func (h *Hover) seriesFrom(m *Model, dy int) *Series {
	n := len(m.Series)
	at := pos(h.Series+dy, n)
	for range n {
		if m.Series[at].Len() > 0 {
			break
		}
		at = pos(at+sign(dy), n)
	}
	h.Series = at
	return &m.Series[at]
}

// stepTo is i moved by d within 0 … n-1.
func stepTo(i, d, n int) int { return max(min(0, n-1), min(n-1, i+d)) }
