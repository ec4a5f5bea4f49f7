package chart

import (
	"fmt"
	"image"
	"image/color"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// subpixels is the number of cached horizontal positions per glyph.
const subpixels = 4

type glyphKey struct {
	r   rune
	sub uint8
}

// glyph is a rasterized glyph: its coverage, and its position relative to the dot.
type glyph struct {
	alpha   []uint8
	w, h    int
	dx, dy  int
	advance fixed.Int26_6
}

// typeface draws text at one pixel size from a glyph cache.
type typeface struct {
	face    font.Face
	size    float64 // in pixels
	glyphs  map[glyphKey]*glyph
	ascent  int // height of a capital, for optical centering
	descent int
	seen    func(text string, box image.Rectangle)
	minus   rune // the rune drawn for a minus sign: not every font has one
}

func newTypeface(f *opentype.Font, size float64) (*typeface, error) {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("chart: font at %.1f px: %w", size, err)
	}
	t := &typeface{face: face, size: size, glyphs: make(map[glyphKey]*glyph), minus: '−'}
	if i, err := f.GlyphIndex(nil, '−'); err != nil || i == 0 {
		t.minus = '–'
	}
	b, _, _ := face.GlyphBounds('0')
	t.ascent = -b.Min.Y.Round()
	t.descent = face.Metrics().Descent.Ceil()
	return t, nil
}

// glyph returns the glyph of r at a horizontal fraction of a pixel.
func (t *typeface) glyph(r rune, sub uint8) *glyph {
	if r == '−' {
		r = t.minus
	}
	k := glyphKey{r, sub}
	if g, ok := t.glyphs[k]; ok {
		return g
	}
	g := &glyph{}
	dot := fixed.Point26_6{X: fixed.Int26_6(int(sub) * 64 / subpixels)}
	rect, mask, at, advance, ok := t.face.Glyph(dot, r)
	if ok {
		g.w, g.h, g.dx, g.dy, g.advance = rect.Dx(), rect.Dy(), rect.Min.X, rect.Min.Y, advance
		g.alpha = make([]uint8, g.w*g.h)
		for y := range g.h {
			for x := range g.w {
				_, _, _, a := mask.At(at.X+x, at.Y+y).RGBA()
				g.alpha[y*g.w+x] = uint8(a >> 8)
			}
		}
	}
	t.glyphs[k] = g
	return g
}

// width is the width of s in pixels.
func (t *typeface) width(s []byte) int {
	var x fixed.Int26_6
	for _, r := range string(s) {
		x += t.glyph(r, 0).advance
	}
	return x.Ceil()
}

// widthString is width for a string.
func (t *typeface) widthString(s string) int {
	var x fixed.Int26_6
	for _, r := range s {
		x += t.glyph(r, 0).advance
	}
	return x.Ceil()
}

// draw draws s with its baseline at y, starting at x, and returns where it ends.
func (t *typeface) draw(dst *image.RGBA, x, y int, s []byte, c color.NRGBA) int {
	src, a := opaque(c), alpha256(c.A)
	pen := fixed.I(x)
	for _, r := range string(s) {
		g := t.glyph(r, uint8(pen&63)/(64/subpixels))
		t.blit(dst, pen.Floor()+g.dx, y+g.dy, g, src, a)
		pen += g.advance
	}
	if t.seen != nil {
		t.seen(string(s), image.Rect(x, y-t.ascent, pen.Ceil(), y))
	}
	return pen.Ceil()
}

// drawString is draw for a string.
func (t *typeface) drawString(dst *image.RGBA, x, y int, s string, c color.NRGBA) int {
	src, a := opaque(c), alpha256(c.A)
	pen := fixed.I(x)
	for _, r := range s {
		g := t.glyph(r, uint8(pen&63)/(64/subpixels))
		t.blit(dst, pen.Floor()+g.dx, y+g.dy, g, src, a)
		pen += g.advance
	}
	if t.seen != nil {
		t.seen(s, image.Rect(x, y-t.ascent, pen.Ceil(), y))
	}
	return pen.Ceil()
}

func (t *typeface) blit(dst *image.RGBA, x, y int, g *glyph, src uint64, a uint32) {
	b := dst.Rect
	x0, x1 := max(x, b.Min.X), min(x+g.w, b.Max.X)
	if x0 >= x1 {
		return
	}
	for gy := range g.h {
		if y+gy < b.Min.Y || y+gy >= b.Max.Y {
			continue
		}
		row := g.alpha[gy*g.w+x0-x : gy*g.w+x1-x]
		pix := dst.Pix[dst.PixOffset(x0, y+gy):]
		for i, cover := range row {
			if cover != 0 {
				blend(pix[4*i:], src, alpha256(cover)*a>>8)
			}
		}
	}
}

// fit returns s, shortened with an ellipsis if it is wider than the given pixels. It allocates only when it shortens.
func (t *typeface) fit(s string, width int) string {
	if t.widthString(s) <= width {
		return s
	}
	room := width - t.widthString("…")
	for len(s) > 0 && t.widthString(s) > room {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	if s == "" {
		return ""
	}
	return s + "…"
}

// wrap breaks s into at most n lines of the given width; the last is shortened.
func (t *typeface) wrap(s string, width, n int) []string {
	var lines []string
	for s != "" && len(lines) < n {
		cut := len(s)
		for cut > 0 && t.widthString(s[:cut]) > width {
			cut = lastSpace(s[:cut])
		}
		if cut <= 0 || len(lines) == n-1 {
			return append(lines, t.fit(s, width))
		}
		lines = append(lines, s[:cut])
		s = trimSpace(s[cut:])
	}
	return lines
}

func lastSpace(s string) int {
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == ' ' {
			return i
		}
	}
	return 0
}

func trimSpace(s string) string {
	for s != "" && s[0] == ' ' {
		s = s[1:]
	}
	return s
}
