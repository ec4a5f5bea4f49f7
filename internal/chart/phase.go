package chart

import (
	"image"
	"image/color"
	"math"
	"strings"
	"unicode/utf8"

	"assay/internal/severity"
)

// stretch returns the columns of the plot between two values of X, in pixels of the image; if to is not finite, it has not ended.
func (r *Renderer) stretch(from, to float64) (x0, x1 int, ok bool) {
	p := r.lay.plot
	if !finite(to) {
		to = r.lay.x.hi
	}
	a, b := r.lay.x.pixel(from), r.lay.x.pixel(to)
	if !(a < b) {
		return 0, 0, false
	}
	x0, x1 = within(a, p.Min.X, p.Max.X), within(b, p.Min.X, p.Max.X)
	return x0, x1, x0 < x1
}

// within is the integer nearest to v in lo … hi, however large v is.
func within(v float64, lo, hi int) int {
	return int(math.Round(max(float64(lo), min(v, float64(hi)))))
}

// markPhases marks the columns of the plot in even and odd phases, and reports whether there are any.
func (r *Renderer) markPhases(m *Model) (any [2]bool) {
	if len(m.Phases) == 0 {
		return any
	}
	p := r.lay.plot
	for k := range r.shaded {
		if cap(r.shaded[k]) < p.Dx() {
			r.shaded[k] = make([]bool, p.Dx())
		}
		r.shaded[k] = r.shaded[k][:p.Dx()]
		clear(r.shaded[k])
	}
	for i := range m.Phases {
		ph := &m.Phases[i]
		x0, x1, ok := r.stretch(ph.From, ph.To)
		for x := x0; ok && x < x1; x++ {
			r.shaded[bit(ph.Odd)][x-p.Min.X] = true
		}
		any[bit(ph.Odd)] = any[bit(ph.Odd)] || ok
	}
	return any
}

// minName is the minimum number of characters of a phase's shortened name; hovering shows all of it.
const minName = 4

// shortName is the cache key of a name shortened to a width: drawing allocates nothing.
type shortName struct {
	name string
	room int
}

// maxShort bounds the cache of shortened names.
const maxShort = 512

// drawPhases draws where phases begin and end, and their names in the lane
// above the plot.
func (r *Renderer) drawPhases(dst canvas, m *Model) {
	p, l := r.lay.plot, &r.lay
	drawn := math.MinInt // the column of the last edge: one phase ends where the next begins
	for i := range m.Phases {
		ph := &m.Phases[i]
		x0, x1, ok := r.stretch(ph.From, ph.To)
		if !ok {
			continue
		}
		for _, at := range [...]float64{ph.From, ph.To} {
			x := l.x.pixel(at)
			if column := int(x); x > float64(p.Min.X) && x < float64(p.Max.X) && column > drawn+r.hair() {
				dst.fill(image.Rect(column, p.Min.Y, column+r.hair(), p.Max.Y), withAlpha(r.style.Grid, 0.5))
				drawn = column
			}
		}
		if l.lane > 0 {
			r.drawPhaseName(dst, ph, image.Rect(x0+r.hair(), p.Min.Y-l.lane, x1, p.Min.Y-r.px(1)))
		}
	}
}

// drawPhaseName fills the phase's part of the lane, and writes as much of its name there as fits.
func (r *Renderer) drawPhaseName(dst canvas, ph *Phase, bar image.Rectangle) {
	dst.fill(bar, withAlpha(r.style.Foreground, 0.1-0.045*float64(bit(ph.Odd))))
	key := shortName{ph.Label, bar.Dx() - r.px(6)}
	name, ok := r.short[key]
	if !ok {
		if len(r.short) >= maxShort || r.short == nil {
			r.short = make(map[shortName]string)
		}
		name = r.fitName(key.name, key.room)
		r.short[key] = name
	}
	x := bar.Min.X + (bar.Dx()-r.small.widthString(name))/2
	dst.words(r.small, x, bar.Min.Y+(bar.Dy()+r.small.ascent)/2, name, r.style.Secondary)
}

// fitName returns the name of a phase, shortened to a width. "fused MLP, batch 16" loses its head, because its end distinguishes it
// from its neighbors; "matmul 1024" loses its middle, because a number alone says nothing. Other names lose their tail. The result is
// empty if too little would be left.
func (r *Renderer) fitName(name string, room int) string {
	if r.small.widthString(name) <= room {
		return name
	}
	at := strings.LastIndexByte(name, ' ')
	if tail := name[at+1:]; at > 0 && strings.ContainsAny(tail, "0123456789") {
		return r.fitTail(name[:at], tail, room)
	}
	if name = r.small.fit(name, room); utf8.RuneCountInString(name) <= minName {
		return ""
	}
	return name
}

// fitTail returns the tail with as many of the words before it as fit, or else the beginning of the last word and the tail.
func (r *Renderer) fitTail(words, tail string, room int) string {
	last := words
	for rest := words; rest != ""; {
		if _, rest, _ = strings.Cut(rest, " "); rest == "" {
			break
		}
		last = rest
		if short := "… " + rest + " " + tail; r.small.widthString(short) <= room {
			return short
		}
	}
	room -= r.small.widthString(" " + tail)
	if short := r.small.fit(last, room); room > 0 && utf8.RuneCountInString(short) >= minName {
		return short + " " + tail
	}
	return ""
}

// severityWord names the severity of an event.
func severityWord(s severity.Level) string {
	switch s {
	case severity.Critical:
		return "Critical"
	case severity.Warning:
		return "Warning"
	}
	return "Event"
}

// severityLook returns the shape and the color of a severity.
func severityLook(s severity.Level, dark bool) (Marker, color.NRGBA) {
	switch {
	case s == severity.Critical && dark:
		return Diamond, color.NRGBA{255, 105, 97, 255}
	case s == severity.Critical:
		return Diamond, color.NRGBA{215, 0, 21, 255}
	case s == severity.Warning && dark:
		return Triangle, color.NRGBA{255, 179, 64, 255}
	case s == severity.Warning:
		return Triangle, color.NRGBA{178, 80, 0, 255}
	case dark:
		return Circle, color.NRGBA{174, 174, 178, 255}
	}
	return Circle, color.NRGBA{108, 108, 112, 255}
}

// drawEvents marks the events: a thin line, and a shape at the top of the plot.
func (r *Renderer) drawEvents(dst canvas, m *Model) {
	p := r.lay.plot
	for i := range m.Events {
		e := &m.Events[i]
		x := r.lay.x.pixel(e.X)
		if !(x >= float64(p.Min.X) && x <= float64(p.Max.X)) {
			continue
		}
		k, c := severityLook(e.Severity, r.style.Dark)
		cx := int(math.Floor(x))
		dst.fill(image.Rect(cx, p.Min.Y, cx+r.hair(), p.Max.Y), withAlpha(c, 0.6))
		if !r.lay.tiny {
			r.drawMarker(dst, k, float64(cx)+float64(r.hair())/2, float64(p.Min.Y)+4*r.scale, 4*r.scale, r.scale, c)
		}
	}
}

// eventNear returns the event whose mark is at pixel x, and whether there is one.
func (r *Renderer) eventNear(m *Model, x float64) (int, bool) {
	at, best := 0, 6*r.scale
	for i := range m.Events {
		if d := math.Abs(r.lay.x.pixel(m.Events[i].X) - x); d < best {
			at, best = i, d
		}
	}
	return at, best < 6*r.scale
}

// phaseAt returns the phase that contains x, and whether there is one.
func phaseAt(m *Model, x float64) (int, bool) {
	for i := len(m.Phases) - 1; i >= 0; i-- {
		if ph := &m.Phases[i]; x >= ph.From && (x < ph.To || !finite(ph.To)) {
			return i, true
		}
	}
	return 0, false
}
