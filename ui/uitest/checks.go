package uitest

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
)

// CheckScene checks what a window shows: no texts overlap, none is partly covered, and each is readable on its background.
func CheckScene(t testing.TB, c fyne.Canvas) {
	t.Helper()
	CheckDrawn(t, c.Content(), c.Size())
	for _, o := range c.Overlays().List() {
		CheckDrawn(t, o, c.Size())
	}
}

// CheckDrawn is CheckScene for one object in a window of a given size.
func CheckDrawn(t testing.TB, root fyne.CanvasObject, size fyne.Size) {
	t.Helper()
	all := sceneOf(root, size)
	var texts []drawn
	for i, d := range all {
		switch o := d.object.(type) {
		case *canvas.Text:
			checkContrast(t, all[:i], d, o)
			texts = append(texts, d)
		case *canvas.Rectangle:
			if !clear(o.FillColor) && nrgba(o.FillColor).A == 255 {
				texts = uncovered(t, texts, d)
			}
		}
	}
	checkApart(t, texts)
}

// leading is the part of a line's height, above and below its letters, that may overlap neighbors.
const leading = 0.2

// ink is the area of a text's letters, without most of the space around them.
func (d drawn) ink() rect {
	return d.visible.inset(1, leading*(d.visible.y1-d.visible.y0))
}

// uncovered lists the texts not hidden by an opaque fill.
func uncovered(t testing.TB, texts []drawn, cover drawn) (left []drawn) {
	t.Helper()
	for _, d := range texts {
		ink := d.ink()
		if common := ink.intersect(cover.visible); common.empty() {
			left = append(left, d)
		} else if !cover.visible.holds(ink) {
			t.Errorf("%q at %v is covered in part, from %v to %v", d.object.(*canvas.Text).Text, d.at, common.x0, common.x1)
		}
	}
	return left
}

// checkApart checks that no two texts overlap.
func checkApart(t testing.TB, texts []drawn) {
	t.Helper()
	for i, a := range texts {
		for _, b := range texts[i+1:] {
			if !a.ink().intersect(b.ink()).empty() {
				t.Errorf("%q at %v and %q at %v lie on each other", a.object.(*canvas.Text).Text, a.at, b.object.(*canvas.Text).Text, b.at)
			}
		}
	}
}

// Minimum contrasts: for text, and for disabled text and placeholders.
const (
	minContrast      = 4.5
	minFaintContrast = 3
)

// checkContrast computes the WCAG 2 contrast of a text on what is drawn behind it.
func checkContrast(t testing.TB, before []drawn, d drawn, text *canvas.Text) {
	t.Helper()
	below, ok := ground(before, d.visible)
	if !ok {
		below = nrgba(theme.Color(theme.ColorNameBackground))
	}
	least := float64(minContrast)
	if faint(text.Color) {
		least = minFaintContrast
	}
	if got := Contrast(layered(nrgba(text.Color), below), below); got < least {
		t.Errorf("%q at %v: contrast %.2f of %s on %s, want %.1f", text.Text, d.at, got, hex(text.Color), hex(below), least)
	}
}

// faint reports whether a color is that of disabled text or placeholders.
func faint(c color.Color) bool {
	return nrgba(c) == nrgba(theme.Color(theme.ColorNameDisabled)) || nrgba(c) == nrgba(theme.Color(theme.ColorNamePlaceHolder))
}

// Contrast returns the contrast of two opaque colors as defined by WCAG 2, from 1 to 21.
func Contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		if s := float64(v) / 255; s > 0.04045 {
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}
