package chart

import (
	"cmp"
	"image"
	"math"
	"slices"
)

// bandRoom is the width of a column right of the plot for the names of all bands; 0 if there is no room.
func (r *Renderer) bandRoom(m *Model) int {
	p, w, n := r.lay.plot, 0, 0
	for i := range m.Bands {
		if s := m.Bands[i].Label; s != "" {
			w, n = max(w, r.small.widthString(s)+r.px(10)), n+1
		}
	}
	if n == 0 || r.lay.right.on || w > p.Dx()/3 || n*r.bandStep() > p.Dy()+r.px(8) {
		return 0
	}
	return w
}

// bandStep is the minimum distance between two names.
func (r *Renderer) bandStep() int { return r.small.ascent + r.px(3) }

// bandName is the name of a band, its range, and the position of the name.
type bandName struct {
	label       string
	top, bottom int
	middle      int
}

// nameBands writes the names beside their bands, spread so that none overlap, with a line along each band.
func (r *Renderer) nameBands(m *Model) {
	p := r.lay.plot
	var names []bandName
	for i := range m.Bands {
		b := &m.Bands[i]
		y0, y1 := r.lay.y.pixel(b.Hi), r.lay.y.pixel(b.Lo)
		if b.Label == "" || math.IsNaN(y0) || math.IsNaN(y1) {
			continue
		}
		top, bottom := within(y0, p.Min.Y, p.Max.Y), within(y1, p.Min.Y, p.Max.Y)
		if top < bottom {
			names = append(names, bandName{b.Label, top, bottom, (top + bottom) / 2})
		}
	}
	slices.SortFunc(names, func(a, b bandName) int { return cmp.Compare(a.middle, b.middle) })
	end := p.Max.Y - r.small.ascent/2
	for i := range names {
		if i > 0 {
			names[i].middle = max(names[i].middle, names[i-1].middle+r.bandStep())
		}
	}
	for i := len(names) - 1; i >= 0; i-- {
		names[i].middle = min(names[i].middle, end)
		end = names[i].middle - r.bandStep()
	}
	c := PaletteColor(2, r.style.Dark)
	for _, n := range names {
		x := p.Max.X + r.px(3)
		r.under.fill(image.Rect(x, n.top+r.hair(), x+r.px(2), n.bottom-r.hair()), withAlpha(c, 0.7))
		r.under.words(r.small, x+r.px(5), n.middle+r.small.ascent/2, n.label, mix(r.style.Secondary, c, 0.5))
	}
}
