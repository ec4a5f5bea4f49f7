package kit

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// TestContrast computes the WCAG 2 contrast of every text on each of its backgrounds: at least 4.5 for text, 3 for
// disabled text and placeholders.
func TestContrast(t *testing.T) {
	grounds := []fyne.ThemeColorName{
		theme.ColorNameBackground, ColorPanel, ColorSidebar, theme.ColorNameInputBackground, theme.ColorNameButton,
		theme.ColorNameOverlayBackground, theme.ColorNameMenuBackground, theme.ColorNameHeaderBackground, colorSegment,
	}
	texts := map[fyne.ThemeColorName]float64{
		theme.ColorNameForeground: 4.5, ColorSecondary: 4.5, theme.ColorNameError: 4.5, theme.ColorNameWarning: 4.5,
		theme.ColorNameSuccess: 4.5, theme.ColorNameHyperlink: 4.5, theme.ColorNamePlaceHolder: 3, theme.ColorNameDisabled: 3,
	}
	for _, code := range []fyne.ThemeColorName{ColorKeyword, ColorType, ColorNumber, ColorString, ColorDirective} {
		texts[code] = 4.5
	}
	for _, look := range []Appearance{AlwaysDark, AlwaysLight} {
		l := NewLook(look)
		of := func(name fyne.ThemeColorName) color.NRGBA {
			return color.NRGBAModel.Convert(l.Color(name, 0)).(color.NRGBA)
		}
		check := func(what string, text, ground color.NRGBA, least float64) {
			if got := contrast(layered(text, ground), ground); got < least {
				t.Errorf("%s, %s: %.2f, want %.1f", look, what, got, least)
			}
		}
		for text, least := range texts {
			for _, ground := range grounds {
				if onlyForeground(ground) && text != theme.ColorNameForeground {
					continue
				}
				check(string(text)+" on "+string(ground), of(text), of(ground), least)
			}
		}
		for _, text := range []fyne.ThemeColorName{
			theme.ColorNameForeground, ColorSecondary, theme.ColorNameError, theme.ColorNameWarning, theme.ColorNameSuccess, theme.ColorNameHyperlink,
		} {
			for _, ground := range []fyne.ThemeColorName{ColorPanel, ColorSidebar} {
				check(string(text)+" on what is chosen", of(text), layered(of(ColorSelected), of(ground)), 4.5)
			}
		}
		for _, pair := range [][2]fyne.ThemeColorName{
			{theme.ColorNameForegroundOnPrimary, theme.ColorNamePrimary},
			{theme.ColorNameForegroundOnError, theme.ColorNameError},
			{theme.ColorNameForegroundOnWarning, theme.ColorNameWarning},
			{theme.ColorNameForegroundOnSuccess, theme.ColorNameSuccess},
		} {
			check(string(pair[0]), of(pair[0]), of(pair[1]), 4.5)
		}
	}
}

// onlyForeground reports whether a background only has text in the foreground color.
func onlyForeground(ground fyne.ThemeColorName) bool {
	return ground == theme.ColorNameButton || ground == colorSegment
}

// layered is a color on top of another.
func layered(top, ground color.NRGBA) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8((int(a)*int(top.A) + int(b)*(255-int(top.A))) / 255) }
	return color.NRGBA{mix(top.R, ground.R), mix(top.G, ground.G), mix(top.B, ground.B), 255}
}

func contrast(a, b color.NRGBA) float64 {
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
