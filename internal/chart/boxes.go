package chart

import (
	"image"
	"image/color"
	"math"

	"assay/internal/si"
)

// Box is a rectangle of the plot: a cell of a heat map, or a span in a lane. Slot k of a Category axis extends from k-½
// to k+½.
type Box struct {
	X0, X1, Y0, Y1 float64
	// Shaded colors the box by its Value on the Ramp; otherwise it has the color of Place, counted from 1.
	Shaded bool
	Place  int
	Value  float64 // in the unit of the Ramp; NaN: no reading
	Label  string  // inside, if there is room
	Note   string  // additional text on hover
}

// Ramp describes the values of boxes, and the range of their colors.
type Ramp struct {
	Title  string
	Unit   Unit
	Lo, Hi float64
}

// part is the position of v on the ramp, from 0 to 1.
func (k *Ramp) part(v float64) float64 {
	if !(k.Hi > k.Lo) {
		return 1
	}
	return max(0, min(1, (v-k.Lo)/(k.Hi-k.Lo)))
}

// caption is the title and the unit of the values.
func (k *Ramp) caption() string {
	return string(appendCaption(nil, &Axis{Title: k.Title, Unit: k.Unit}, k.Unit.exponent(k.Hi)))
}

// appendValue appends a value in the unit of the caption.
func (k *Ramp) appendValue(b []byte, v float64) []byte {
	if !finite(v) {
		return append(b, si.Unknown...)
	}
	if k.Unit == Ratio {
		return k.Unit.Append(b, v)
	}
	return appendThree(b, v/k.Unit.factor(k.Unit.exponent(k.Hi)))
}

// shaded reports whether a model has boxes that are colored by value.
func shaded(m *Model) bool { return len(m.Boxes) > 0 && m.Boxes[0].Shaded }

// addBoxes extends the ranges by the boxes.
func (e *extent) addBoxes(m *Model) {
	for i := range m.Boxes {
		k := &m.Boxes[i]
		e.x.add(k.X0)
		e.x.add(k.X1)
		e.y.add(k.Y0)
		e.y.add(k.Y1)
	}
}

// boxRect is where a box is drawn, and whether any of it is visible.
func (r *Renderer) boxRect(k *Box) (image.Rectangle, bool) {
	p := r.lay.plot
	x0, x1, y0, y1 := r.lay.x.pixel(k.X0), r.lay.x.pixel(k.X1), r.lay.y.pixel(k.Y0), r.lay.y.pixel(k.Y1)
	if math.IsNaN(x0+x1+y0+y1) || x1 < float64(p.Min.X) || x0 > float64(p.Max.X) {
		return image.Rectangle{}, false
	}
	box := image.Rect(within(x0, p.Min.X, p.Max.X), within(y0, p.Min.Y, p.Max.Y), within(x1, p.Min.X, p.Max.X), within(y1, p.Min.Y, p.Max.Y))
	box.Max.X, box.Max.Y = max(box.Max.X, box.Min.X+1), max(box.Max.Y, box.Min.Y+1)
	if gap := r.hair(); box.Dx() > 4*gap && box.Dy() > 4*gap {
		box.Max.X -= gap
		box.Max.Y -= gap
	}
	return box, true
}

// drawBoxes draws the boxes and their labels.
func (r *Renderer) drawBoxes(dst canvas, m *Model) {
	for i := range m.Boxes {
		k := &m.Boxes[i]
		box, ok := r.boxRect(k)
		if !ok {
			continue
		}
		fill := r.drawBox(dst, m, k, box)
		r.buf = append(r.buf[:0], k.Label...)
		if k.Shaded {
			r.buf = m.Ramp.appendValue(r.buf[:0], k.Value)
		}
		w := r.small.width(r.buf)
		switch {
		case w > 0 && w+r.px(6) <= box.Dx() && r.small.ascent+r.px(4) <= box.Dy():
			x, y := box.Min.X+(box.Dx()-w)/2, (box.Min.Y+box.Max.Y+r.small.ascent)/2
			dst.text(r.small, x, y, r.buf, legible(fill, r.style))
		case !k.Shaded && box.Dx() >= r.px(8) && box.Dy() >= r.px(8):
			dst.marker(paletteMarker(k.Place-1), float64(box.Min.X+box.Max.X)/2, float64(box.Min.Y+box.Max.Y)/2, 2.8*r.scale, r.style.Background)
		}
	}
}

// drawBox draws one box and returns its fill color. A box without a reading is an outline.
func (r *Renderer) drawBox(dst canvas, m *Model, k *Box, box image.Rectangle) color.NRGBA {
	switch {
	case !k.Shaded:
		c := PaletteColor(k.Place-1, r.style.Dark)
		dst.rounded(r.lay.plot, box, 2*r.scale, c, false)
		return c
	case finite(k.Value):
		c := r.shade(m.Ramp.part(k.Value))
		dst.fill(box, c)
		return c
	}
	dst.fill(box, mix(r.style.Background, r.style.Foreground, 0.25))
	dst.fill(box.Inset(r.hair()), r.style.Background)
	return r.style.Background
}

// shade is the color for a part of a ramp.
func (r *Renderer) shade(part float64) color.NRGBA {
	return mix(r.style.Background, PaletteColor(0, r.style.Dark), 0.12+0.88*part)
}

// rampRoom is the width of the ramp's key above the plot; 0 if there is none, or no room.
func (r *Renderer) rampRoom(m *Model) int {
	if !shaded(m) || !(m.Ramp.Lo <= m.Ramp.Hi) {
		return 0
	}
	w := r.px(48) + r.px(22) + r.small.widthString(m.Ramp.caption())
	for _, v := range [...]float64{m.Ramp.Lo, m.Ramp.Hi} {
		r.buf = m.Ramp.appendValue(r.buf[:0], v)
		w += r.small.width(r.buf)
	}
	r.buf = appendCaption(r.buf[:0], &m.Y, r.lay.yexp)
	if w+r.small.width(r.buf)+r.px(30) > r.w {
		return 0
	}
	return w
}

// drawRamp draws the key of the colors at the right end of the first row.
func (r *Renderer) drawRamp(m *Model) {
	room := r.rampRoom(m)
	if room == 0 || r.lay.bare {
		return
	}
	x, y := r.w-r.px(8)-room, r.px(6)+r.small.ascent+r.px(2)
	x = r.under.words(r.small, x, y, m.Ramp.caption(), r.style.Secondary) + r.px(8)
	r.buf = m.Ramp.appendValue(r.buf[:0], m.Ramp.Lo)
	x = r.under.text(r.small, x, y, r.buf, r.style.Secondary) + r.px(5)
	const steps = 12
	for i := range steps {
		cell := image.Rect(x+i*r.px(48)/steps, y-r.small.ascent, x+(i+1)*r.px(48)/steps, y)
		r.under.fill(cell, r.shade(float64(i)/(steps-1)))
	}
	r.buf = m.Ramp.appendValue(r.buf[:0], m.Ramp.Hi)
	r.under.text(r.small, x+r.px(48)+r.px(5), y, r.buf, r.style.Secondary)
}

// boxAt returns the box under a pixel, and whether there is one.
func (r *Renderer) boxAt(m *Model, x, y float64) (int, bool) {
	for i := len(m.Boxes) - 1; i >= 0; i-- {
		if box, ok := r.boxRect(&m.Boxes[i]); ok && image.Pt(int(x), int(y)).In(box) {
			return i, true
		}
	}
	return 0, false
}

// hoverBoxes shows the box under the pointer, or selected by keyboard.
func (r *Renderer) hoverBoxes(dst canvas, m *Model, h Hover) {
	i, ok := h.Point, h.Held && h.Point >= 0 && h.Point < len(m.Boxes)
	if !h.Held {
		i, ok = r.boxAt(m, h.X, h.Y)
	}
	if ok {
		r.hoverBox(dst, m, i)
	}
}

// hoverBox shows the tip of box i.
func (r *Renderer) hoverBox(dst canvas, m *Model, i int) {
	k := &m.Boxes[i]
	box, ok := r.boxRect(k)
	if !ok {
		return
	}
	value := "no reading"
	if finite(k.Value) {
		value = m.Ramp.Unit.Format(k.Value)
	}
	tip := []tipLine{{series: -1, text: boxPlace(m, k)}, {series: -1, text: named(m.Ramp.Title, value)}}
	if k.Note != "" {
		tip = append(tip, tipLine{series: -1, text: k.Note, minor: true})
	}
	r.drawTip(dst, m, float64(box.Max.X), float64(box.Min.Y+box.Max.Y)/2, tip)
}

// boxPlace identifies a box: the names of its slots, or its label and lane.
func boxPlace(m *Model, k *Box) string {
	x, y := xWords(m, (k.X0+k.X1)/2), m.Y.category((k.Y0+k.Y1)/2)
	if k.Label != "" {
		x = k.Label
	}
	if y == "" {
		return x
	}
	return x + ", " + y
}

// category is the name of the slot at v; empty if there is none.
func (a *Axis) category(v float64) string {
	if i := int(math.Round(v)); a.Scale == Category && i >= 0 && i < len(a.Categories) {
		return a.Categories[i]
	}
	return ""
}
