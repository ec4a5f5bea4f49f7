package chart

import (
	"image"
	"math"
	"unicode/utf8"
)

// onlyStates reports whether there is nothing but states to draw.
func onlyStates(m *Model) bool { return len(m.Series) == 0 && len(m.States) > 0 }

// stateLane is where the states are drawn, and whether there is room for them.
func (r *Renderer) stateLane(m *Model) (image.Rectangle, bool) {
	p := r.lay.plot
	if onlyStates(m) {
		return p, true
	}
	return image.Rect(p.Min.X, p.Max.Y+r.px(2), p.Max.X, p.Max.Y+r.lay.states), r.lay.states > 0
}

// drawStates draws the states: in a lane as ranges with their words; in a plot without other data as steps, worse states higher.
func (r *Renderer) drawStates(dst canvas, m *Model) {
	lane, ok := r.stateLane(m)
	if !ok || len(m.States) == 0 {
		return
	}
	dst.fill(lane, withAlpha(r.style.Foreground, 0.05))
	marked := math.MinInt // position of the last shape
	for i := range m.States {
		s := &m.States[i]
		x0, x1, ok := r.stretch(s.From, s.To)
		if !ok {
			continue
		}
		if x0 > lane.Min.X && x1-x0 > 2*r.hair() {
			x0 += r.hair()
		}
		level := max(0, min(s.Level, 1))
		box := image.Rect(x0, lane.Min.Y, x1, lane.Max.Y)
		if onlyStates(m) {
			box.Min.Y = box.Max.Y - min(box.Dy(), max(r.line(), int((0.2+0.8*level)*float64(box.Dy()))))
		}
		shape, c := severityLook(s.Severity, r.style.Dark)
		dst.fill(box, withAlpha(c, 0.22+0.28*level))
		if middle := (x0 + x1) / 2; !r.nameState(dst, s.Label, box) && middle >= marked+r.px(6) {
			r.drawMarker(dst, shape, float64(middle), float64(box.Max.Y)-float64(min(box.Dy(), r.line()))/2, 2.6*r.scale, 0, c)
			marked = middle
		}
	}
}

// nameState writes the word of a state into its box or, if that is narrow, the word's first letter, and reports whether there was
// room.
func (r *Renderer) nameState(dst canvas, word string, box image.Rectangle) bool {
	if word == "" {
		return true
	}
	_, first := utf8.DecodeRuneInString(word)
	for _, words := range [...]string{word, word[:first]} {
		gap := r.px(3)
		if words != word {
			gap = r.px(1)
		}
		if room := box.Dx() - r.small.widthString(words); room >= 2*gap {
			y := box.Max.Y - (min(box.Dy(), r.line())-r.small.ascent)/2
			dst.words(r.small, box.Min.X+room/2, y, words, r.style.Foreground)
			return true
		}
	}
	return false
}

// stateAt returns the state at x, and whether there is one.
func stateAt(m *Model, x float64) (int, bool) {
	for i := len(m.States) - 1; i >= 0; i-- {
		if s := &m.States[i]; x >= s.From && (x < s.To || !finite(s.To)) {
			return i, true
		}
	}
	return 0, false
}
