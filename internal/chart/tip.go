package chart

import (
	"image"
	"image/color"
	"strings"
)

// drawTip draws a box of text next to (x, y), on the side that has room.
func (r *Renderer) drawTip(dst canvas, m *Model, x, y float64, tip []tipLine) {
	step, pad := r.line(), r.px(7)
	beside := max(int(x), r.w-int(x)) - r.px(12) - 2*pad // keeps what is pointed at visible
	tip = r.fitTip(tip, max(beside, min(r.px(150*r.text), r.w-2*pad-r.px(4))), (r.h-2*pad)/step)
	w := 0
	for _, t := range tip {
		w = max(w, r.small.widthString(t.text)+r.tipIndent(t))
	}
	w, h := w+2*pad, len(tip)*step+2*pad-r.px(4)
	left, covered := r.tipLeft(m, int(x), w)
	top := max(r.px(2), min(int(y)-h/2, r.h-h-r.px(2)))
	if below := r.lay.plot.Min.Y + r.px(10); covered > 0 && below+h <= r.h-r.px(2) {
		top = max(top, below) // keeps the shapes of the events visible
	}
	box := image.Rect(0, 0, w, h).Add(image.Pt(left, top))
	dst.rounded(r.bounds(), box.Inset(-r.hair()), 6*r.scale+1, mix(r.style.Background, r.style.Foreground, 0.22), false)
	dst.rounded(r.bounds(), box, 6*r.scale, r.tipColor(), false)
	for k, t := range tip {
		r.drawTipLine(dst, m, t, box.Min.X+pad, box.Min.Y+pad+k*step+r.small.ascent)
	}
	r.tip = box
}

// tipLeft returns where a box next to x begins, and how many events it covers: right of x if there is room, or left if it covers
// fewer.
func (r *Renderer) tipLeft(m *Model, x, w int) (left, covered int) {
	right, other := x+r.px(10), x-r.px(10)-w
	covers := func(left int) (n int) {
		for i := range m.Events {
			if at := r.lay.x.pixel(m.Events[i].X) + 4*r.scale; at >= float64(left) && at-8*r.scale <= float64(left+w) {
				n++
			}
		}
		return n
	}
	if left = right; right+w > r.w-r.px(2) || other >= r.px(2) && covers(other) < covers(right) {
		left = other
	}
	left = min(max(r.px(2), left), r.w-r.px(2)-w)
	return left, covers(left)
}

// fitTip shortens lines wider than width. If n lines cannot hold everything, the minor ones share a line with what they explain.
func (r *Renderer) fitTip(tip []tipLine, width, n int) []tipLine {
	var out []tipLine
	for _, t := range tip {
		if !t.minor {
			t.text = r.small.fit(t.text, width-r.tipIndent(t))
			out = append(out, t)
			continue
		}
		for _, s := range r.small.wrap(t.text, min(width, r.px(260*r.text)), 2) {
			out = append(out, tipLine{series: -1, text: s, minor: true})
		}
	}
	if len(out) > n {
		out = r.joinNotes(tip, width)
	}
	return out[:min(len(out), max(1, n))]
}

// joinNotes appends each minor line to the line that it explains, shortened to the remaining room, so that a value's source is shown
// even in little space.
func (r *Renderer) joinNotes(tip []tipLine, width int) (out []tipLine) {
	for _, t := range tip {
		if !t.minor || len(out) == 0 {
			t.text = r.small.fit(t.text, width-r.tipIndent(t))
			out = append(out, t)
			continue
		}
		before := &out[len(out)-1]
		before.text += " · "
		before.text += r.fitNote(t.text, width-r.tipIndent(*before)-r.small.widthString(before.text))
	}
	return out
}

// fitNote shortens "source, provenance", starting with the end of the source.
func (r *Renderer) fitNote(s string, width int) string {
	at := strings.LastIndex(s, ", ")
	if r.small.widthString(s) <= width || at < 0 {
		return r.small.fit(s, width)
	}
	if source := r.small.fit(s[:at], width-r.small.widthString(s[at:])); source != "" {
		return source + s[at:]
	}
	return r.small.fit(s[at+2:], width)
}

func (r *Renderer) drawTipLine(dst canvas, m *Model, t tipLine, x, base int) {
	if t.series < 0 {
		dst.words(r.small, x, base, t.text, r.style.Secondary)
		return
	}
	s := &m.Series[t.series]
	cy := float64(base) - float64(r.small.ascent)/2
	r.drawPoint(dst, s, t.series, float64(x)+3.5*r.scale, cy, 3*r.scale, 0)
	dst.words(r.small, x+r.tipIndent(t), base, t.text, r.style.Foreground)
}

func (r *Renderer) tipIndent(t tipLine) int {
	if t.series < 0 {
		return 0
	}
	return r.px(11)
}

// tipColor is slightly raised from the background.
func (r *Renderer) tipColor() color.NRGBA {
	if r.style.Dark {
		return mix(r.style.Background, r.style.Foreground, 0.1)
	}
	return r.style.Background
}
