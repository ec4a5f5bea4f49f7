package chart

import (
	"image"
	"image/color"
	"math"
)

// phaseSpan is the columns of the plot that a phase covers, in pixels of the image.
func (r *Renderer) phaseSpan(ph *Phase) (x0, x1 int, ok bool) {
	p := r.lay.plot
	to := ph.To
	if !finite(to) {
		to = r.lay.x.hi
	}
	a, b := r.lay.x.pixel(ph.From), r.lay.x.pixel(to)
	if !(a < b) {
		return 0, 0, false
	}
	x0, x1 = within(a, p.Min.X, p.Max.X), within(b, p.Min.X, p.Max.X)
	return x0, x1, x0 < x1
}

// within is the whole number nearest to v in lo … hi, however large v is.
func within(v float64, lo, hi int) int {
	return int(math.Round(max(float64(lo), min(v, float64(hi)))))
}

// markPhases notes the columns of the plot that lie in a phase, and says
// whether any does.
func (r *Renderer) markPhases(m *Model) bool {
	if len(m.Phases) == 0 {
		return false
	}
	p := r.lay.plot
	if cap(r.shaded) < p.Dx() {
		r.shaded = make([]bool, p.Dx())
	}
	r.shaded = r.shaded[:p.Dx()]
	clear(r.shaded)
	any := false
	for i := range m.Phases {
		x0, x1, ok := r.phaseSpan(&m.Phases[i])
		for x := x0; ok && x < x1; x++ {
			r.shaded[x-p.Min.X] = true
		}
		any = any || ok
	}
	return any
}

// drawPhaseEdges draws where phases begin and end, and their names in the lane
// above the plot where they fit.
func (r *Renderer) drawPhaseEdges(dst *image.RGBA, m *Model) {
	p, l := r.lay.plot, &r.lay
	for i := range m.Phases {
		ph := &m.Phases[i]
		x0, x1, ok := r.phaseSpan(ph)
		if !ok {
			continue
		}
		edge := withAlpha(r.style.Grid, 2)
		for _, at := range [...]float64{ph.From, ph.To} {
			if x := r.lay.x.pixel(at); x > float64(p.Min.X) && x < float64(p.Max.X) {
				fillRect(dst, image.Rect(int(x), p.Min.Y-l.lane/2, int(x)+r.hair(), p.Max.Y), edge)
			}
		}
		if l.lane == 0 {
			continue
		}
		bar := image.Rect(x0+r.hair(), p.Min.Y-l.lane, x1, p.Min.Y-r.px(1))
		fillRect(dst, bar, withAlpha(r.style.Foreground, 0.09))
		if w := r.small.widthString(ph.Label); w+r.px(8) <= bar.Dx() {
			r.small.drawString(dst, bar.Min.X+(bar.Dx()-w)/2, bar.Min.Y+(bar.Dy()+r.small.ascent)/2, ph.Label, r.style.Secondary)
		}
	}
}

// String is the severity in a word.
func (s Severity) String() string {
	switch s {
	case Info:
		return "Event"
	case Warning:
		return "Warning"
	}
	return "Critical"
}

// look is the shape and the colour of a severity.
func (s Severity) look(dark bool) (Marker, color.NRGBA) {
	switch {
	case s >= Critical && dark:
		return Diamond, color.NRGBA{255, 105, 97, 255}
	case s >= Critical:
		return Diamond, color.NRGBA{215, 0, 21, 255}
	case s == Warning && dark:
		return Triangle, color.NRGBA{255, 179, 64, 255}
	case s == Warning:
		return Triangle, color.NRGBA{178, 80, 0, 255}
	case dark:
		return Circle, color.NRGBA{174, 174, 178, 255}
	}
	return Circle, color.NRGBA{108, 108, 112, 255}
}

// drawEvents marks the events: a thin line, and a shape at the top of the plot.
func (r *Renderer) drawEvents(dst *image.RGBA, m *Model) {
	p := r.lay.plot
	for i := range m.Events {
		e := &m.Events[i]
		x := r.lay.x.pixel(e.X)
		if !(x >= float64(p.Min.X) && x <= float64(p.Max.X)) {
			continue
		}
		k, c := e.Severity.look(r.style.Dark)
		cx := int(math.Floor(x))
		fillRect(dst, image.Rect(cx, p.Min.Y, cx+r.hair(), p.Max.Y), withAlpha(c, 0.6))
		if !r.lay.tiny {
			r.drawMarker(dst, k, float64(cx)+float64(r.hair())/2, float64(p.Min.Y)+4*r.scale, 4*r.scale, r.scale, c)
		}
	}
}

// eventNear is the event whose mark is at pixel x, and whether there is one.
func (r *Renderer) eventNear(m *Model, x float64) (int, bool) {
	at, best := 0, 6*r.scale
	for i := range m.Events {
		if d := math.Abs(r.lay.x.pixel(m.Events[i].X) - x); d < best {
			at, best = i, d
		}
	}
	return at, best < 6*r.scale
}

// phaseAt is the phase in which x lies, and whether there is one.
func phaseAt(m *Model, x float64) (int, bool) {
	for i := len(m.Phases) - 1; i >= 0; i-- {
		if ph := &m.Phases[i]; x >= ph.From && (x < ph.To || !finite(ph.To)) {
			return i, true
		}
	}
	return 0, false
}
