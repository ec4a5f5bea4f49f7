package chart

import "image"

// onlyStates says whether states are all that there is to draw.
func onlyStates(m *Model) bool { return len(m.Series) == 0 && len(m.States) > 0 }

// stateLane is where the states are drawn, and whether there is room for them.
func (r *Renderer) stateLane(m *Model) (image.Rectangle, bool) {
	p := r.lay.plot
	if onlyStates(m) {
		return p, true
	}
	return image.Rect(p.Min.X, p.Max.Y+r.px(2), p.Max.X, p.Max.Y+r.lay.states), r.lay.states > 0
}

// drawStates draws the states as steps, the worse the higher, with their words
// where they fit.
func (r *Renderer) drawStates(dst *image.RGBA, m *Model) {
	lane, ok := r.stateLane(m)
	if !ok || len(m.States) == 0 {
		return
	}
	fillRect(dst, lane, withAlpha(r.style.Foreground, 0.05))
	for i := range m.States {
		s := &m.States[i]
		x0, x1, ok := r.stretch(s.From, s.To)
		if !ok {
			continue
		}
		if x0 > lane.Min.X && x1-x0 > 2*r.hair() {
			x0 += r.hair()
		}
		_, c := s.Severity.look(r.style.Dark)
		level := 0.2 + 0.8*max(0, min(s.Level, 1))
		top := lane.Max.Y - max(1, int(level*float64(lane.Dy())))
		fillRect(dst, image.Rect(x0, top, x1, lane.Max.Y), withAlpha(c, 0.45))
		if r.small.widthString(s.Label)+r.px(8) <= x1-x0 {
			y := lane.Max.Y - (min(lane.Dy(), r.line())-r.small.ascent)/2
			r.small.drawString(dst, x0+r.px(4), y, s.Label, r.style.Foreground)
		}
	}
}

// stateAt is the state at x, and whether there is one.
func stateAt(m *Model, x float64) (int, bool) {
	for i := len(m.States) - 1; i >= 0; i-- {
		if s := &m.States[i]; x >= s.From && (x < s.To || !finite(s.To)) {
			return i, true
		}
	}
	return 0, false
}
