package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
)

// StripCell is one cell of a heat strip.
type StripCell struct {
	Label string  // short, below the cell, such as "64 KiB"
	Value float64 // determines the color; NaN: no reading
	Note  string  // shown additionally on hover, such as "3 buffers, 91% reused"
}

// StripConfig describes a heat strip.
type StripConfig struct {
	Title string
	Unit  Unit
	// Max is the value of the strongest color; if not positive, the maximum of the cells.
	Max float64
	// Root makes the colors follow the square root of the values, which distinguishes small ones when they differ by orders of
	// magnitude.
	Root bool
	// Format writes a value; nil writes it in Unit.
	Format func(v float64) string
}

// Strip is a row of cells, one per class: the larger its value, the stronger its color. The value is written in the cell if there is
// room.
type Strip struct {
	c           StripConfig
	cells       []StripCell
	unavailable string
	selected    int // -1: none
}

// NewStrip makes an empty heat strip.
func NewStrip(c StripConfig) *Strip {
	return &Strip{c: c, selected: -1}
}

// SetCells replaces the cells. The selection is kept if possible.
func (s *Strip) SetCells(cells []StripCell) {
	s.cells = append(s.cells[:0], cells...)
	s.selected = min(s.selected, len(s.cells)-1)
	s.unavailable = ""
}

// SetUnavailable shows why there are no cells, until the next SetCells.
func (s *Strip) SetUnavailable(reason string) {
	s.unavailable = reason
}

// Select marks a cell; -1 marks none.
func (s *Strip) Select(cell int) {
	s.selected = max(-1, min(cell, len(s.cells)-1))
}

// Selected returns the selected cell; -1 if there is none.
func (s *Strip) Selected() int { return s.selected }

// Len is the number of cells.
func (s *Strip) Len() int { return len(s.cells) }

// Summary describes the strip in words.
func (s *Strip) Summary() string {
	if s.unavailable != "" {
		return "Not available: " + s.unavailable + "."
	}
	if len(s.cells) == 0 {
		return "No data yet."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cells.", s.c.Title, len(s.cells))
	for i := range s.cells {
		if v := s.cells[i].Value; v != 0 {
			fmt.Fprintf(&b, " %s: %s.", s.cells[i].Label, s.valueText(v))
		}
	}
	return b.String()
}

func (s *Strip) valueText(v float64) string {
	if !finite(v) {
		return "no reading"
	}
	return s.format(v)
}

// format writes a value.
func (s *Strip) format(v float64) string {
	if s.c.Format != nil && finite(v) {
		return s.c.Format(v)
	}
	return s.c.Unit.Format(v)
}

// top returns the value of the strongest color.
func (s *Strip) top() float64 {
	if s.c.Max > 0 && finite(s.c.Max) {
		return s.c.Max
	}
	top := 0.0
	for i := range s.cells {
		if v := s.cells[i].Value; finite(v) {
			top = max(top, v)
		}
	}
	return top
}

// area is where the cells are drawn in an image.
func (s *Strip) area(r *Renderer, b image.Rectangle) image.Rectangle {
	line := r.line()
	a := image.Rect(r.px(8), r.px(4), b.Dx()-r.px(8), b.Dy()-r.px(4))
	if a.Dy() > 3*line {
		a.Min.Y += line + r.px(2)
	}
	if a.Dy() > 2*line {
		a.Max.Y -= line
	}
	return a
}

// cellRect returns cell i of the cells that share an area.
func (s *Strip) cellRect(area image.Rectangle, i, gap int) image.Rectangle {
	n := max(1, len(s.cells))
	if area.Dx() < 6*n {
		gap = 0
	}
	x0 := area.Min.X + i*(area.Dx()+gap)/n
	x1 := area.Min.X + (i+1)*(area.Dx()+gap)/n - gap
	return image.Rect(x0, area.Min.Y, max(x1, x0+1), area.Max.Y)
}

// DrawStrip draws a heat strip over the whole of img, at a number of pixels per logical pixel, with the hover: the selected cell if it
// is held.
func (r *Renderer) DrawStrip(img *image.RGBA, s *Strip, st Style, scale float64, h Hover) {
	if err := r.setScale(scale, st.Text); err != nil {
		return
	}
	r.w, r.h, r.style, r.warm = img.Rect.Dx(), img.Rect.Dy(), st, false
	r.tip, r.placed = image.Rectangle{}, r.placed[:0]
	if s.unavailable != "" || len(s.cells) == 0 {
		r.drawBase(&Model{Unavailable: s.unavailable, HideLegend: true}, false)
		copyImage(img, &r.base)
		return
	}
	dst := r.onto(img)
	dst.fill(r.bounds(), st.Background)
	area := s.area(r, img.Rect)
	if area.Min.Y > r.line() {
		s.drawHead(dst, r, area)
	}
	for i := range s.cells {
		s.drawCell(dst, r, i, s.cellRect(area, i, r.px(2)))
	}
	if area.Max.Y < img.Rect.Max.Y-r.line()/2 {
		s.drawCellLabels(dst, r, area)
	}
	if at := s.pointed(r, img.Rect, h); at >= 0 {
		s.drawCellTip(dst, r, at, s.cellRect(area, at, r.px(2)))
	}
}

// drawHead draws the title and the scale of the colors.
func (s *Strip) drawHead(img canvas, r *Renderer, area image.Rectangle) {
	y := area.Min.Y - r.px(6)
	hi := s.format(s.top())
	w, ramp := r.small.widthString(hi), r.px(48)
	x := area.Max.X - w
	room := area.Dx()
	if area.Dx() > 4*(w+ramp) && s.top() > 0 {
		img.words(r.small, x, y, hi, r.style.Secondary)
		x -= ramp + r.px(5)
		for k := range ramp {
			c := s.cellColor(r, float64(k)/float64(ramp))
			img.fill(image.Rect(x+k, y-r.small.ascent, x+k+1, y), c)
		}
		x -= r.px(5) + r.small.widthString("0")
		img.words(r.small, x, y, "0", r.style.Secondary)
		room = x - area.Min.X - r.px(10)
	}
	img.words(r.small, area.Min.X, y, r.small.fit(s.c.Title, room), r.style.Secondary)
}

// cellColor is the color for a fraction of the largest value.
func (s *Strip) cellColor(r *Renderer, f float64) color.NRGBA {
	f = max(0, min(1, f))
	if s.c.Root {
		f = math.Sqrt(f)
	}
	return mix(r.style.Background, PaletteColor(0, r.style.Dark), 0.12+0.88*f)
}

// drawCell draws one cell and its value. A cell with value 0 is an outline; one without a reading is an outline with a dash.
func (s *Strip) drawCell(img canvas, r *Renderer, i int, box image.Rectangle) {
	v, radius := s.cells[i].Value, 3*r.scale
	frame := mix(r.style.Background, r.style.Foreground, 0.25)
	if i == s.selected {
		frame = r.style.Foreground
	}
	fill := r.style.Background
	if v > 0 && finite(v) {
		fill = s.cellColor(r, v/max(s.top(), 1e-300))
	}
	hair := r.hair()
	if i == s.selected {
		hair = r.px(2)
	}
	if i == s.selected || !(v > 0) || !finite(v) {
		img.rounded(r.bounds(), box, radius, frame, false)
		img.rounded(r.bounds(), box.Inset(hair), radius-float64(hair), fill, false)
	} else {
		img.rounded(r.bounds(), box, radius, fill, false)
	}
	text := s.format(v)
	if w := r.small.widthString(text); w+r.px(4) <= box.Dx() && r.line() <= box.Dy() {
		x, y := box.Min.X+(box.Dx()-w)/2, (box.Min.Y+box.Max.Y+r.small.ascent)/2
		img.words(r.small, x, y, text, legible(fill, r.style))
		r.placed = append(r.placed, image.Rect(x, y-r.small.ascent, x+w, y))
	}
}

// legible returns the text color that stands out from a fill.
func legible(fill color.NRGBA, st Style) color.NRGBA {
	fg, bg := luma(st.Foreground), luma(st.Background)
	if d := luma(fill) - fg; d*d >= (luma(fill)-bg)*(luma(fill)-bg) {
		return st.Foreground
	}
	return st.Background
}

// drawCellLabels writes the labels below the cells, or every second, third … if they would overlap.
func (s *Strip) drawCellLabels(img canvas, r *Renderer, area image.Rectangle) {
	widest := 0
	for i := range s.cells {
		widest = max(widest, r.small.widthString(s.cells[i].Label))
	}
	slot := float64(area.Dx()) / float64(len(s.cells))
	stride := max(1, int(math.Ceil(float64(widest+r.px(6))/slot)))
	y := area.Max.Y + r.px(3) + r.small.ascent
	end := math.MinInt32
	for i := 0; i < len(s.cells); i += stride {
		label := r.small.fit(s.cells[i].Label, area.Dx())
		box := s.cellRect(area, i, r.px(2))
		w := r.small.widthString(label)
		x := max(area.Min.X, min((box.Min.X+box.Max.X-w)/2, area.Max.X-w))
		if x < end+r.px(4) {
			continue
		}
		end = x + w
		img.words(r.small, x, y, label, r.style.Secondary)
		r.placed = append(r.placed, image.Rect(x, y-r.small.ascent, x+w, y))
	}
}

// pointed returns the cell under the pointer or, with the keyboard, the selected one.
func (s *Strip) pointed(r *Renderer, b image.Rectangle, h Hover) int {
	switch {
	case !h.On:
		return -1
	case h.Held:
		return s.selected
	}
	return s.cellAt(s.area(r, b), image.Pt(int(h.X), int(h.Y)))
}

// StripCellAt returns the cell of a strip at a pixel of the last drawn picture; -1 if there is none.
func (r *Renderer) StripCellAt(s *Strip, img image.Rectangle, at image.Point) int {
	return s.cellAt(s.area(r, img), at)
}

// cellAt returns the cell at a pixel; -1 if there is none.
func (s *Strip) cellAt(area image.Rectangle, at image.Point) int {
	if !at.In(area) || len(s.cells) == 0 {
		return -1
	}
	return min((at.X-area.Min.X)*len(s.cells)/area.Dx(), len(s.cells)-1)
}

func (s *Strip) drawCellTip(img canvas, r *Renderer, i int, box image.Rectangle) {
	c := &s.cells[i]
	tip := []tipLine{{series: -1, text: c.Label}, {series: -1, text: s.valueText(c.Value)}}
	if c.Note != "" {
		tip = append(tip, tipLine{series: -1, text: c.Note, minor: true})
	}
	r.drawTip(img, &Model{}, float64(box.Max.X), float64(box.Min.Y+box.Max.Y)/2, tip)
}
