package chart

import (
	"image"
	"math"
	"strings"
)

// drawBase draws the cached layer.
func (r *Renderer) drawBase(m *Model, data bool) {
	r.clearBase()
	if r.drawUnder(m, data); data {
		r.findPlain()
	}
}

// drawUnder draws what is below the data: bands, grid, labels, marks and, without data, the message.
func (r *Renderer) drawUnder(m *Model, data bool) {
	r.placed, r.ends = r.placed[:0], r.ends[:0]
	r.fixed, r.rowEnd = 0, [maxRows]int{}
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
		r.drawLegend(r.under, m)
		r.drawRules(m)
		r.drawMarks(m)
	}
	r.fixed = len(r.placed)
}

// clearBase fills the base layer with the background.
func (r *Renderer) clearBase() {
	n := 4 * r.w * r.h
	if cap(r.base.Pix) < n {
		r.base.Pix = make([]uint8, n)
	}
	r.base = image.RGBA{Pix: r.base.Pix[:n], Stride: 4 * r.w, Rect: r.bounds()}
	bg := r.style.Background
	for i := 0; i < n; i += 4 {
		r.base.Pix[i], r.base.Pix[i+1], r.base.Pix[i+2], r.base.Pix[i+3] = bg.R, bg.G, bg.B, 255
	}
}

// hair is the width of a thin line in pixels.
func (r *Renderer) hair() int { return max(1, int(r.scale)) }

// drawGrid draws the horizontal grid, the baseline and the tick labels.
func (r *Renderer) drawGrid(m *Model, labels bool) {
	l := &r.lay
	hair, above := r.hair(), math.MaxInt32 // above: the row of the last label
	for _, v := range l.yticks {
		y := r.snapY(v)
		if m.Y.Scale != Category {
			r.under.fill(image.Rect(l.plot.Min.X, y, l.plot.Max.X, y+hair), r.style.Grid)
		} else {
			above = math.MaxInt32 // the rows of names go downward
		}
		if !labels || l.tiny || onlyStates(m) || above-y < r.small.ascent+r.px(3) {
			continue
		}
		r.buf = r.appendYLabel(r.buf[:0], m, v)
		if m.Y.Scale == Category {
			r.buf = append(r.buf[:0], r.small.fit(m.Y.category(v), l.plot.Min.X-r.px(10))...)
		}
		if x := l.plot.Min.X - r.px(6) - r.small.width(r.buf); x >= r.px(2) {
			r.under.text(r.small, x, y+r.small.ascent/2, r.buf, r.style.Secondary)
			above = y
		}
	}
	r.under.fill(image.Rect(l.plot.Min.X, l.plot.Max.Y-hair, l.plot.Max.X, l.plot.Max.Y), withAlpha(r.style.Grid, 2))
	if !labels || l.tiny {
		return
	}
	r.drawRightLabels(m)
	if m.X.Scale == Category {
		r.drawCategories(m)
		return
	}
	below := l.plot.Max.Y + l.states
	y := below + r.px(5) + r.small.ascent
	for _, v := range l.xticks {
		x := int(math.Round(l.x.pixel(v)))
		r.under.fill(image.Rect(x, below, x+hair, below+r.px(3)), withAlpha(r.style.Grid, 2))
		x0, _ := r.xLabelSpan(m, v)
		r.buf = r.appendXLabel(r.buf[:0], m, v)
		r.under.text(r.small, x0, y, r.buf, r.style.Secondary)
	}
}

// drawRightLabels draws the tick labels of the right axis, with a short tick if they are not on the grid.
func (r *Renderer) drawRightLabels(m *Model) {
	l := &r.lay
	a, above := &l.right, math.MaxInt32
	for _, v := range a.ticks {
		y := max(l.plot.Min.Y, min(l.plot.Max.Y-r.hair(), int(math.Round(a.pixel(v)))-r.hair()/2))
		r.buf = appendTickLabel(r.buf[:0], &m.Y2, a.exp, a.step, v)
		if above-y >= r.small.ascent+r.px(3) && l.plot.Max.X+r.px(8)+r.small.width(r.buf) <= r.w {
			r.under.text(r.small, l.plot.Max.X+r.px(6), y+r.small.ascent/2, r.buf, r.style.Secondary)
			above = y
		}
		if l.gaps() != len(a.ticks)-1 {
			r.under.fill(image.Rect(l.plot.Max.X, y, l.plot.Max.X+r.px(3), y+r.hair()), withAlpha(r.style.Grid, 2))
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
		r.under.words(r.small, x, y, s, r.style.Secondary)
	}
}

// drawCaptions draws the caption of Y above its labels and that of X below.
func (r *Renderer) drawCaptions(m *Model) {
	l := &r.lay
	y := r.px(6) + r.small.ascent + r.px(2)
	right := r.rightCaption(m)
	r.drawRamp(m)
	if l.bare {
		right = 0
	} else if hasCaption(&m.Y) {
		r.buf = appendCaption(r.buf[:0], &m.Y, l.yexp)
		s := r.small.fit(string(r.buf), r.w-r.px(16)-right)
		r.rowEnd[0] = r.under.words(r.small, r.px(8), y, s, r.style.Secondary)
	}
	if right > 0 {
		r.buf = appendCaption(r.buf[:0], &m.Y2, l.right.exp)
		x := r.w - r.px(8) - r.small.width(r.buf)
		r.under.text(r.small, x, y, r.buf, r.style.Secondary)
		if i, ok := onlyRight(m); ok { // names the line
			cy := float64(y) - float64(r.small.ascent)/2
			r.drawPoint(r.under, &m.Series[i], i, float64(x)-7*r.scale, cy, 2.6*r.scale, 0)
		}
	}
	if m.X.Title != "" && !l.untitled {
		r.buf = append(r.buf[:0], m.X.Title...)
		if m.X.Scale == Linear && m.X.Unit != None && m.X.Unit != Ratio {
			r.buf = m.X.Unit.appendSymbol(append(r.buf, ", "...), l.xexp)
		}
		s := r.small.fit(string(r.buf), l.plot.Dx())
		x := l.plot.Min.X + (l.plot.Dx()-r.small.widthString(s))/2
		r.titleEnd = r.under.words(r.small, x, r.h-r.px(6)-r.small.descent/2, s, r.style.Secondary)
	}
}

// rightCaption is the width of the right axis's caption; 0 if it has none or it would need more than a third of the
// width.
func (r *Renderer) rightCaption(m *Model) int {
	if !r.lay.right.on || !hasCaption(&m.Y2) {
		return 0
	}
	r.buf = appendCaption(r.buf[:0], &m.Y2, r.lay.right.exp)
	w := r.small.width(r.buf) + r.px(26)
	if w > r.w/3 {
		return 0
	}
	return w
}

// onlyRight is the series of the right axis, if there is only one.
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
func appendCaption(b []byte, a *Axis, exp int) []byte {
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

// appendsUnit reports whether the tick labels of a log axis carry the unit.
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

// drawMessage writes in the center why there is no data.
func (r *Renderer) drawMessage(m *Model) {
	area := image.Rect(0, 0, r.w, r.h).Inset(r.px(4))
	head, why := "No data yet", ""
	if m.Unavailable != "" {
		head, why = "Not available", m.Unavailable
	}
	// Over the plot, or else over the whole image, or else without the heading: the reason matters more.
	for _, box := range [...]image.Rectangle{r.lay.plot.Inset(r.px(4)), area} {
		headRoom := r.large.ascent + r.px(9)
		lines := r.small.wrap(why, min(box.Dx(), r.px(420*r.text)), max(0, (box.Dy()-headRoom)/r.line()))
		if r.large.widthString(head) <= box.Dx() && headRoom <= box.Dy() && !cutShort(lines, why) {
			r.writeMessage(box, head, lines)
			return
		}
	}
	if why == "" {
		why = head
	}
	r.writeMessage(area, "", r.small.wrap(why, area.Dx(), max(1, area.Dy()/r.line())))
}

// cutShort reports whether lines truncate a text.
func cutShort(lines []string, text string) bool {
	if len(lines) == 0 {
		return text != ""
	}
	return strings.HasSuffix(lines[len(lines)-1], "…") && !strings.HasSuffix(text, "…")
}

// writeMessage centers a heading and lines in a box and clears the grid behind them.
func (r *Renderer) writeMessage(box image.Rectangle, head string, lines []string) {
	h, w := len(lines)*r.line(), r.large.widthString(head)
	if head != "" {
		h += r.large.ascent + r.px(3)
	}
	for _, s := range lines {
		w = max(w, r.small.widthString(s))
	}
	cx, y := (box.Min.X+box.Max.X)/2, box.Min.Y+(box.Dy()-h)/2
	r.under.fill(image.Rect(cx-w/2, y, cx+w/2, y+h).Inset(-r.px(10)), r.style.Background)
	if head != "" {
		y += r.large.ascent
		r.under.words(r.large, cx-r.large.widthString(head)/2, y, head, r.style.Secondary)
		y += r.px(3)
	}
	for _, s := range lines {
		r.under.words(r.small, cx-r.small.widthString(s)/2, y+(r.line()+r.small.ascent)/2, s, r.style.Secondary)
		y += r.line()
	}
}
