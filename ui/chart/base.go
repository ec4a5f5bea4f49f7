package chart

import (
	"image"
	"image/color"
	"math"
	"strings"
)

// drawBase draws the cached layer: background, bands, grid, labels, marks and,
// where there is nothing else to show, the message that says so.
func (r *Renderer) drawBase(m *Model, data bool) {
	n := 4 * r.w * r.h
	if cap(r.base.Pix) < n {
		r.base.Pix = make([]uint8, n)
	}
	r.base = image.RGBA{Pix: r.base.Pix[:n], Stride: 4 * r.w, Rect: image.Rect(0, 0, r.w, r.h)}
	bg := r.style.Background
	for i := 0; i < n; i += 4 {
		r.base.Pix[i], r.base.Pix[i+1], r.base.Pix[i+2], r.base.Pix[i+3] = bg.R, bg.G, bg.B, 255
	}
	r.placed, r.ends = r.placed[:0], r.ends[:0]
	r.fixed = 0
	if data && !r.lay.tiny {
		r.drawBands(m)
	}
	r.drawGrid(m, data)
	if !data {
		r.drawMessage(m)
		return
	}
	if !r.lay.tiny {
		r.drawCaptions(m)
		r.drawLegend(&r.base, m)
		r.drawRules(m)
		r.drawMarks(m)
	}
	r.fixed = len(r.placed)
	r.findPlain()
}

// hair is the width of a thin line in pixels.
func (r *Renderer) hair() int { return max(1, int(r.scale)) }

// drawGrid draws the horizontal grid, the baseline and the tick labels.
func (r *Renderer) drawGrid(m *Model, labels bool) {
	l := &r.lay
	hair, above := r.hair(), math.MaxInt32 // above: the row of the last label
	for _, v := range l.yticks {
		y := r.snapY(v)
		fillRect(&r.base, image.Rect(l.plot.Min.X, y, l.plot.Max.X, y+hair), r.style.Grid)
		if !labels || l.tiny || above-y < r.small.ascent+r.px(3) {
			continue
		}
		r.buf = r.appendYLabel(r.buf[:0], m, v)
		if x := l.plot.Min.X - r.px(6) - r.small.width(r.buf); x >= r.px(2) {
			r.small.draw(&r.base, x, y+r.small.ascent/2, r.buf, r.style.Secondary)
			above = y
		}
	}
	fillRect(&r.base, image.Rect(l.plot.Min.X, l.plot.Max.Y-hair, l.plot.Max.X, l.plot.Max.Y), withAlpha(r.style.Grid, 2))
	if !labels || l.tiny {
		return
	}
	r.drawRightLabels(m)
	if m.X.Scale == Category {
		r.drawCategories(m)
		return
	}
	y := l.plot.Max.Y + r.px(5) + r.small.ascent
	for _, v := range l.xticks {
		x := int(math.Round(l.x.pixel(v)))
		fillRect(&r.base, image.Rect(x, l.plot.Max.Y, x+hair, l.plot.Max.Y+r.px(3)), withAlpha(r.style.Grid, 2))
		x0, _ := r.xLabelSpan(m, v)
		r.buf = r.appendXLabel(r.buf[:0], m, v)
		r.small.draw(&r.base, x0, y, r.buf, r.style.Secondary)
	}
}

// drawRightLabels draws the tick labels of the right axis, with a short tick
// where they do not lie on the grid.
func (r *Renderer) drawRightLabels(m *Model) {
	l := &r.lay
	a, above := &l.right, math.MaxInt32
	for _, v := range a.ticks {
		y := max(l.plot.Min.Y, min(l.plot.Max.Y-r.hair(), int(math.Round(a.pixel(v)))-r.hair()/2))
		r.buf = appendTickLabel(r.buf[:0], &m.Y2, a.exp, a.step, v)
		if above-y >= r.small.ascent+r.px(3) && l.plot.Max.X+r.px(8)+r.small.width(r.buf) <= r.w {
			r.small.draw(&r.base, l.plot.Max.X+r.px(6), y+r.small.ascent/2, r.buf, r.style.Secondary)
			above = y
		}
		if l.gaps() == 0 {
			fillRect(&r.base, image.Rect(l.plot.Max.X, y, l.plot.Max.X+r.px(3), y+r.hair()), withAlpha(r.style.Grid, 2))
		}
	}
}

// snapY is the pixel row of the grid line of v.
func (r *Renderer) snapY(v float64) int {
	p := r.lay.plot
	return max(p.Min.Y, min(p.Max.Y-r.hair(), int(math.Round(r.lay.y.pixel(v)))-r.hair()/2))
}

func (r *Renderer) drawCategories(m *Model) {
	l := &r.lay
	slot := float64(l.plot.Dx()) / float64(l.slots) * max(1, l.xstep)
	y := l.plot.Max.Y + r.px(5) + r.small.ascent
	for _, v := range l.xticks {
		s := r.small.fit(m.X.Categories[int(v)], int(slot)-r.px(6))
		w := r.small.widthString(s)
		x := int(math.Round(l.x.pixel(v))) - w/2
		x = max(r.px(2), min(x, r.w-r.px(2)-w))
		r.small.drawString(&r.base, x, y, s, r.style.Secondary)
	}
}

// drawCaptions draws the caption of Y above its labels and that of X below.
func (r *Renderer) drawCaptions(m *Model) {
	l := &r.lay
	y := r.px(6) + r.small.ascent + r.px(2)
	right := r.rightCaption(m)
	if l.bare {
		right = 0
	} else if hasCaption(&m.Y) {
		r.buf = r.appendCaption(r.buf[:0], &m.Y, l.yexp)
		s := r.small.fit(string(r.buf), r.w-r.px(16)-right)
		r.small.drawString(&r.base, r.px(8), y, s, r.style.Secondary)
	}
	if right > 0 {
		r.buf = r.appendCaption(r.buf[:0], &m.Y2, l.right.exp)
		x := r.w - r.px(8) - r.small.width(r.buf)
		r.small.draw(&r.base, x, y, r.buf, r.style.Secondary)
		if i, ok := onlyRight(m); ok { // which line is meant
			cy := float64(y) - float64(r.small.ascent)/2
			r.drawPoint(&r.base, &m.Series[i], i, float64(x)-7*r.scale, cy, 2.6*r.scale, 0)
		}
	}
	if m.X.Title != "" && !l.untold {
		r.buf = append(r.buf[:0], m.X.Title...)
		if m.X.Scale == Linear && m.X.Unit != None && m.X.Unit != Ratio {
			r.buf = m.X.Unit.appendSymbol(append(r.buf, ", "...), l.xexp)
		}
		s := r.small.fit(string(r.buf), l.plot.Dx())
		x := l.plot.Min.X + (l.plot.Dx()-r.small.widthString(s))/2
		r.small.drawString(&r.base, x, r.h-r.px(6)-r.small.descent/2, s, r.style.Secondary)
	}
}

// rightCaption is the room of the caption of the right axis; 0 where it has
// none or it would take more than a third of the width.
func (r *Renderer) rightCaption(m *Model) int {
	if !r.lay.right.on || !hasCaption(&m.Y2) {
		return 0
	}
	r.buf = r.appendCaption(r.buf[:0], &m.Y2, r.lay.right.exp)
	w := r.small.width(r.buf) + r.px(26)
	if w > r.w/3 {
		return 0
	}
	return w
}

// onlyRight is the series of the right axis, where it is the only one.
func onlyRight(m *Model) (int, bool) {
	at, n := 0, 0
	for i := range m.Series {
		if m.Series[i].Right {
			at, n = i, n+1
		}
	}
	return at, n == 1
}

// appendCaption appends the title of an axis and its unit: "Throughput, GB/s".
func (r *Renderer) appendCaption(b []byte, a *Axis, exp int) []byte {
	b = append(b, a.Title...)
	if a.Unit == None || a.Unit == Ratio {
		return b
	}
	if a.Scale != Linear {
		if appendsUnit(a.Unit) {
			return b
		}
		return append(sep(b), a.Unit...)
	}
	return a.Unit.appendSymbol(sep(b), exp)
}

// appendsUnit says whether the tick labels of a log axis carry the unit.
func appendsUnit(u Unit) bool {
	switch u {
	case None, Bytes, BinaryBytes, Seconds, Ratio, Celsius:
		return true
	}
	return false
}

func sep(b []byte) []byte {
	if len(b) > 0 {
		return append(b, ", "...)
	}
	return b
}

// drawBands shades the horizontal ranges and labels them at their right end.
func (r *Renderer) drawBands(m *Model) {
	p := r.lay.plot
	for i := range m.Bands {
		b := &m.Bands[i]
		y0, y1 := r.lay.y.pixel(b.Hi), r.lay.y.pixel(b.Lo)
		if math.IsNaN(y0) || math.IsNaN(y1) {
			continue
		}
		top, bottom := int(max(y0, float64(p.Min.Y))), int(min(y1, float64(p.Max.Y)))
		if top >= bottom {
			continue
		}
		c := PaletteColor(2, r.style.Dark)
		fillRect(&r.base, image.Rect(p.Min.X, top, p.Max.X, bottom), withAlpha(c, 0.14-0.06*float64(i%2)))
		r.bandLabel(m, b.Label, top, bottom, mix(r.style.Secondary, c, 0.5))
	}
}

// bandLabel writes the label of a band in the corner that the data leave free.
func (r *Renderer) bandLabel(m *Model, s string, top, bottom int, c color.NRGBA) {
	p := r.lay.plot
	if s == "" || bottom-top < r.small.ascent+r.px(7) {
		return
	}
	s = r.small.fit(s, p.Dx()/2)
	w := r.small.widthString(s)
	size := image.Rect(0, 0, w, r.small.ascent+r.px(6))
	box, ok := r.freeBox(m, func(row int) (a, b image.Rectangle) {
		y := top + r.px(1)
		if row%2 == 1 {
			y = bottom - size.Dy() - r.px(1)
		}
		return size.Add(image.Pt(p.Max.X-r.px(6)-w, y)), size.Add(image.Pt(p.Min.X+r.px(6)+row/2*p.Dx()/5, y))
	})
	if !ok {
		return
	}
	r.small.drawString(&r.base, box.Min.X, box.Max.Y-r.px(3), s, c)
	r.placed = append(r.placed, box)
}

// drawRules draws the horizontal rules and their labels.
func (r *Renderer) drawRules(m *Model) {
	p := r.lay.plot
	for i := range m.Rules {
		k := &m.Rules[i]
		fy := r.lay.y.pixel(k.Y)
		if !(fy >= float64(p.Min.Y)-0.5 && fy <= float64(p.Max.Y)+0.5) {
			continue
		}
		y, dash := r.snapY(k.Y), r.px(4)
		for x := p.Min.X; x < p.Max.X; x += 2 * dash {
			fillRect(&r.base, image.Rect(x, y, min(x+dash, p.Max.X), y+r.hair()), withAlpha(r.style.Foreground, 0.55))
		}
		r.placed = append(r.placed, image.Rect(p.Min.X, y, p.Max.X, y+r.hair()))
		r.ruleLabel(m, k.Label, y)
	}
}

// ruleLabel writes the label of a rule above or below it, where the data leave room.
func (r *Renderer) ruleLabel(m *Model, s string, y int) {
	p := r.lay.plot
	s = r.small.fit(s, p.Dx()/2)
	if s == "" {
		return
	}
	w := r.small.widthString(s)
	size := image.Rect(0, 0, w, r.small.ascent+r.px(6))
	box, ok := r.freeBox(m, func(row int) (a, b image.Rectangle) {
		at := y - size.Dy() - r.px(1)
		if row%2 == 1 {
			at = y + r.hair() + r.px(1)
		}
		off := row / 2 * p.Dx() / 5
		return size.Add(image.Pt(p.Max.X-r.px(6)-w-off, at)), size.Add(image.Pt(p.Min.X+r.px(6)+off, at))
	})
	if ok {
		r.placed = append(r.placed, box)
		r.small.drawString(&r.base, box.Min.X, box.Max.Y-r.px(3), s, r.style.Secondary)
	}
}

// drawMarks draws the vertical marks and their labels, one below the other
// where they would meet.
func (r *Renderer) drawMarks(m *Model) {
	p := r.lay.plot
	for i := range m.Marks {
		k := &m.Marks[i]
		fx := r.lay.x.pixel(k.X)
		if !(fx >= float64(p.Min.X) && fx <= float64(p.Max.X)) {
			continue
		}
		x := int(math.Round(fx))
		dash := r.px(3)
		for y := p.Min.Y; y < p.Max.Y; y += 2 * dash {
			fillRect(&r.base, image.Rect(x, y, x+r.hair(), min(y+dash, p.Max.Y)), withAlpha(r.style.Secondary, 0.8))
		}
		r.placed = append(r.placed, image.Rect(x, p.Min.Y, x+r.hair(), p.Max.Y))
	}
	for i := range m.Marks {
		if fx := r.lay.x.pixel(m.Marks[i].X); fx >= float64(p.Min.X) && fx <= float64(p.Max.X) {
			r.markLabel(m, m.Marks[i].Label, int(math.Round(fx)))
		}
	}
}

// markLabel writes the label of a mark on the side and at the height where it
// meets the least.
func (r *Renderer) markLabel(m *Model, s string, x int) {
	p := r.lay.plot
	s = r.small.fit(s, p.Dx()/2)
	if s == "" {
		return
	}
	w := r.small.widthString(s)
	size := image.Rect(0, 0, w, r.small.ascent+r.px(6))
	box, ok := r.freeBox(m, func(row int) (a, b image.Rectangle) {
		y := p.Min.Y + r.px(3) + row*r.px(14*r.text)
		return size.Add(image.Pt(x+r.px(5), y)), size.Add(image.Pt(x-r.px(5)-w, y))
	})
	if !ok {
		return
	}
	r.placed = append(r.placed, box)
	r.small.drawString(&r.base, box.Min.X, box.Max.Y-r.px(3), s, r.style.Foreground)
}

// freeBox is the first of the two boxes of each row that lies in the plot and
// meets neither a label nor the data; failing that, the first that meets no label.
func (r *Renderer) freeBox(m *Model, at func(row int) (a, b image.Rectangle)) (image.Rectangle, bool) {
	for _, strict := range [...]bool{true, false} {
		for row := range 8 {
			a, b := at(row)
			for _, box := range [...]image.Rectangle{a, b} {
				if box.In(r.lay.plot) && !r.hitsPlaced(box) && !(strict && r.hitsData(m, box)) {
					return box, true
				}
			}
		}
	}
	return image.Rectangle{}, false
}

// hitsData says whether a line or a marker crosses a box.
func (r *Renderer) hitsData(m *Model, box image.Rectangle) bool {
	for i := range m.Series {
		s := &m.Series[i]
		var px, py float64
		was := false
		for j := range s.Len() {
			x, y, ok := r.place(s, j)
			if ok && pointNear(x, y, box, 5*r.scale) || ok && was && s.Kind == Line && lineCrosses(s, px, py, x, y, box) {
				return true
			}
			px, py, was = x, y, ok
		}
	}
	return false
}

// lineCrosses says whether the piece of a line between two points meets a box.
func lineCrosses(s *Series, x0, y0, x1, y1 float64, box image.Rectangle) bool {
	if !s.Step {
		return crosses(x0, y0, x1, y1, box)
	}
	upright := x1 >= float64(box.Min.X)-2 && x1 <= float64(box.Max.X)+2 &&
		max(y0, y1) >= float64(box.Min.Y)-2 && min(y0, y1) <= float64(box.Max.Y)+2
	return upright || crosses(x0, y0, x1, y0, box)
}

func pointNear(x, y float64, box image.Rectangle, d float64) bool {
	return x >= float64(box.Min.X)-d && x <= float64(box.Max.X)+d && y >= float64(box.Min.Y)-d && y <= float64(box.Max.Y)+d
}

// crosses says whether a segment, x0 <= x1, comes within a pixel or two of a box.
func crosses(x0, y0, x1, y1 float64, box image.Rectangle) bool {
	a, b := max(x0, float64(box.Min.X)), min(x1, float64(box.Max.X))
	if a > b || x1 <= x0 {
		return false
	}
	slope := (y1 - y0) / (x1 - x0)
	ya, yb := y0+(a-x0)*slope, y0+(b-x0)*slope
	return max(ya, yb) >= float64(box.Min.Y)-2 && min(ya, yb) <= float64(box.Max.Y)+2
}

func (r *Renderer) hitsPlaced(box image.Rectangle) bool {
	for _, b := range r.placed {
		if b.Overlaps(box) {
			return true
		}
	}
	return false
}

// drawMessage says in the middle why there is no data.
func (r *Renderer) drawMessage(m *Model) {
	area := image.Rect(0, 0, r.w, r.h).Inset(r.px(4))
	head, why := "No data yet", ""
	if m.Unavailable != "" {
		head, why = "Not available", m.Unavailable
	}
	if trimSpace(why) == "" && m.Unavailable != "" && area.Dy() < r.px(30) {
		return
	}
	step := r.line()
	room := min(area.Dx(), r.px(420*r.text))
	headRoom := r.large.ascent + r.px(9)
	face, lines := r.large, r.small.wrap(why, room, max(0, (area.Dy()-headRoom)/step))
	if r.large.widthString(head) > room || area.Dy() < headRoom || cutShort(lines, why) {
		// The reason matters more than its heading.
		face, head, headRoom = r.small, "", 0
		if why == "" {
			why = "No data yet"
		}
		lines = r.small.wrap(why, room, max(1, area.Dy()/step))
	}
	h := len(lines) * step
	if head != "" {
		h += face.ascent + r.px(3)
	}
	r.writeMessage(area, face, head, lines, h)
}

// cutShort says whether lines hold less than all words of a text.
func cutShort(lines []string, text string) bool {
	if len(lines) == 0 {
		return text != ""
	}
	return strings.HasSuffix(lines[len(lines)-1], "…") && !strings.HasSuffix(text, "…")
}

// writeMessage centres a heading and lines, h pixels high, and takes the grid
// away behind them.
func (r *Renderer) writeMessage(area image.Rectangle, face *typeface, head string, lines []string, h int) {
	p := r.lay.plot
	if p.Dy() < h+r.px(8) || r.lay.tiny {
		p = area
	}
	cx, y := (p.Min.X+p.Max.X)/2, p.Min.Y+(p.Dy()-h)/2
	w := face.widthString(head)
	for _, s := range lines {
		w = max(w, r.small.widthString(s))
	}
	cx = max(area.Min.X+w/2, min(cx, area.Max.X-w/2))
	box := image.Rect(cx-w/2, y, cx+w/2, y+h).Inset(-r.px(10))
	fillRect(&r.base, box, r.style.Background)
	if head != "" {
		y += face.ascent
		face.drawString(&r.base, cx-face.widthString(head)/2, y, head, r.style.Secondary)
		y += r.px(3)
	}
	for _, s := range lines {
		r.small.drawString(&r.base, cx-r.small.widthString(s)/2, y+(r.line()+r.small.ascent)/2, s, r.style.Secondary)
		y += r.line()
	}
}
