package chart

import "image"

// The labels of rules are placed with each drawing, because the data of a live chart move. A label keeps its position until data reach
// it, and then moves to the first free position next to its rule.

const (
	rulePlaces = 16 // next to a rule: two sides, from both ends inward
	maxRules   = 8  // rules whose labels keep their positions
)

// drawRuleLabels writes the labels of the rules.
func (r *Renderer) drawRuleLabels(dst canvas, m *Model) {
	if r.lay.tiny {
		return
	}
	row := 0 // rows of text are free from this one on
	for i := range m.Rules {
		k := &m.Rules[i]
		label := r.small.fit(k.Label, r.lay.plot.Dx()/2)
		if label == "" || !r.rules(k) {
			continue
		}
		size := image.Pt(r.small.widthString(label), r.small.ascent+r.px(6))
		box, clear, ok := r.findRuleBox(m, i, size, r.snapY(k.Y))
		if !clear && m.X.Scale != Window && r.nameAside(dst, m, label, &row) || !ok {
			continue
		}
		if !clear { // a line passes behind the label
			dst.fill(box.Inset(-r.px(1)), withAlpha(r.style.Background, 0.75))
		}
		r.placed = append(r.placed, box)
		dst.words(r.small, box.Min.X, box.Max.Y-r.px(3), label, r.style.Secondary)
	}
}

// nameAside names a rule outside the plot, with a piece of its line, at the right end of the first row of text that has room: above
// the plot, or else below it. It reports whether there was room. The search starts at row, which is then set past the row that was
// used.
func (r *Renderer) nameAside(dst canvas, m *Model, label string, row *int) bool {
	dash := r.px(4)
	w := 4*dash + r.small.widthString(label)
	for ; *row <= maxRows && !r.lay.bare; *row++ {
		y, from, to := r.textRow(m, *row)
		if to-from < w+r.px(10) {
			continue
		}
		left, mid := to-w, y-r.small.ascent/2
		for x := left; x < left+3*dash; x += 2 * dash {
			dst.fill(image.Rect(x, mid, x+dash, mid+r.hair()), withAlpha(r.style.Foreground, 0.55))
		}
		dst.words(r.small, left+4*dash, y, label, r.style.Secondary)
		*row++
		return true
	}
	return false
}

// textRow returns the baseline of a row of text and the free part at its right end. The rows are those above the plot, then the row of
// the title of X.
func (r *Renderer) textRow(m *Model, row int) (y, from, to int) {
	to = r.w - r.px(8)
	if row == maxRows {
		if m.X.Title == "" || r.lay.untitled {
			return 0, to, to
		}
		return r.h - r.px(6) - r.small.descent/2, r.titleEnd, to
	}
	if y = r.px(6) + row*r.line() + r.small.ascent + r.px(2); y > r.lay.plot.Min.Y-r.px(3) {
		return y, to, to
	}
	if row == 0 {
		to -= r.rightCaption(m)
	}
	return y, r.rowEnd[row], to
}

// findRuleBox returns where the label of rule i goes, and whether it meets no data there.
func (r *Renderer) findRuleBox(m *Model, i int, size image.Point, y int) (box image.Rectangle, clear, ok bool) {
	var last *uint8
	if i < maxRules {
		if last = &r.ruleAt[i]; *last < rulePlaces {
			if box = r.ruleBox(int(*last), size, y); r.fits(box) && !r.meetsData(m, box) {
				return box, true, true
			}
		}
	}
	for _, strict := range [...]bool{true, false} {
		for k := range rulePlaces {
			if box = r.ruleBox(k, size, y); !r.fits(box) || strict && r.meetsData(m, box) {
				continue
			}
			if last != nil {
				*last = uint8(k)
			}
			return box, strict, true
		}
	}
	return box, false, false
}

// ruleBox returns place k for a label of the given size: above and below the rule, at the right end and at the left, then farther in.
func (r *Renderer) ruleBox(k int, size image.Point, y int) image.Rectangle {
	p := r.lay.plot
	at := image.Pt(0, y-size.Y-r.px(1))
	if k&2 != 0 {
		at.Y = y + r.hair() + r.px(1)
	}
	off := r.px(6) + k/4*p.Dx()/5
	if at.X = p.Max.X - off - size.X; k&1 != 0 {
		at.X = p.Min.X + off
	}
	return image.Rectangle{at, at.Add(size)}
}

// fits reports whether a box can hold a label.
func (r *Renderer) fits(box image.Rectangle) bool { return box.In(r.lay.plot) && !r.hitsPlaced(box) }

// meetsData reports whether a line, a marker or an event meets a box.
func (r *Renderer) meetsData(m *Model, box image.Rectangle) bool {
	top := r.lay.plot.Min.Y + r.px(9)
	for i := range m.Events {
		if x := r.lay.x.pixel(m.Events[i].X); box.Min.Y < top && pointNear(x, float64(box.Min.Y), box, 6*r.scale) {
			return true
		}
	}
	if m.X.Scale != Window {
		return r.hitsData(m, box)
	}
	box = box.Inset(-r.px(1)).Sub(image.Pt(r.lay.plot.Min.X, r.lay.plot.Min.Y-r.pad()))
	for i := range m.Series {
		if m.Series[i].Kind == LineKind && r.strokes[i].meets(box) {
			return true
		}
	}
	return false
}

// meets reports whether the line passes through a box, in pixels of the plot. Its cost is proportional to the width of the box,
// however many points there are.
func (k *stroker) meets(box image.Rectangle) bool {
	from, to := max(0, box.Min.X*sub), min(k.n, box.Max.X*sub)
	top, bottom := int32(box.Min.Y)*yOne, int32(box.Max.Y)*yOne
	for s := from + margin; s < to+margin; s++ {
		if k.lo[s] <= k.hi[s] && k.hi[s] >= top && k.lo[s] <= bottom {
			return true
		}
	}
	return false
}
