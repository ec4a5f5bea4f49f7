// Package kit has the window's building blocks: its look, and widgets and layouts that are independent of their
// content.
package kit

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

// Colors in addition to Fyne's.
const (
	ColorPanel     fyne.ThemeColorName = "assayPanel"     // cards, on the theme's background
	ColorSidebar   fyne.ThemeColorName = "assaySidebar"   // rail and list
	ColorSecondary fyne.ThemeColorName = "assaySecondary" // captions
	colorStripe    fyne.ThemeColorName = "assayStripe"    // every second row of a table
	colorTrack     fyne.ThemeColorName = "assayTrack"     // empty part of a bar, segment background
	ColorSelected  fyne.ThemeColorName = "assaySelected"  // background of the chosen item
	colorSegment   fyne.ThemeColorName = "assaySegment"   // background of the chosen segment
	colorBorderOff fyne.ThemeColorName = "assayBorderOff" // border of a disabled field
	colorKnob      fyne.ThemeColorName = "assayKnob"      // of a switch that is off: light in both looks, as when it is on
)

// Colors of code.
const (
	ColorKeyword   fyne.ThemeColorName = "assayKeyword"
	ColorType      fyne.ThemeColorName = "assayType"
	ColorNumber    fyne.ThemeColorName = "assayNumber"
	ColorString    fyne.ThemeColorName = "assayString"
	ColorDirective fyne.ThemeColorName = "assayDirective"
	ColorMatch     fyne.ThemeColorName = "assayMatch" // behind search matches
)

// Appearance says which of the two looks is used.
type Appearance string

// Appearances.
const (
	FollowSystem Appearance = "system"
	AlwaysLight  Appearance = "light"
	AlwaysDark   Appearance = "dark"
)

// ParseAppearance parses an appearance; an unknown one follows the system.
func ParseAppearance(s string) Appearance {
	switch a := Appearance(s); a {
	case AlwaysLight, AlwaysDark:
		return a
	}
	return FollowSystem
}

// look is Assay's theme: the default one in calm grays with less padding.
type look struct {
	fyne.Theme
	appearance Appearance
	scale      float32 // of text and of lengths that grow with it
}

// Sizes of text, in percent.
const (
	MinTextSize   = 80
	UsualTextSize = 100
	MaxTextSize   = 160
)

// NewLook returns the theme in an appearance, with text of the usual size.
func NewLook(a Appearance) fyne.Theme { return NewSizedLook(a, UsualTextSize) }

// NewSizedLook returns the theme in an appearance, with text of a size in percent.
func NewSizedLook(a Appearance, percent int) fyne.Theme {
	percent = min(MaxTextSize, max(MinTextSize, percent))
	return &look{theme.DefaultTheme(), a, float32(percent) / UsualTextSize}
}

// bodySize is the size of running text at 100 %.
const bodySize = 13

// Scaled returns a length that grows with the text, such as the width of a column of words.
func Scaled(length float32) float32 { return length * theme.TextSize() / bodySize }

// variant is the variant to draw if the system requests v.
func (l *look) variant(v fyne.ThemeVariant) fyne.ThemeVariant {
	switch l.appearance {
	case AlwaysLight:
		return theme.VariantLight
	case AlwaysDark:
		return theme.VariantDark
	}
	return v
}

// Color is the color of that name.
func (l *look) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	v = l.variant(v)
	palette := lightColor
	if v == theme.VariantDark {
		palette = darkColor
	}
	if c, ok := palette(name); ok {
		return c
	}
	return l.Theme.Color(name, v)
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// ink is an opaque color of text. For the shortcuts in menus Fyne takes the low byte of 95 % of its alpha: with any alpha but
// this one, a thousandth below full, that would make them faint.
type ink struct{ color.NRGBA }

const inkAlpha = 0xFFCA

// RGBA is part of color.Color.
func (c ink) RGBA() (r, g, b, a uint32) {
	r, g, b, _ = c.NRGBA.RGBA()
	return r, g, b, inkAlpha
}

func alpha(hex uint32, a uint8) color.NRGBA {
	c := rgb(hex)
	c.A = a
	return c
}

func lightColor(name fyne.ThemeColorName) (color.Color, bool) {
	switch name {
	case theme.ColorNameBackground:
		return rgb(0xF5F5F7), true
	case ColorPanel, theme.ColorNameOverlayBackground, theme.ColorNameMenuBackground, theme.ColorNameHeaderBackground,
		theme.ColorNameInputBackground, colorKnob:
		return rgb(0xFFFFFF), true
	case ColorSidebar:
		return rgb(0xEBEBEE), true
	case colorTrack, theme.ColorNameButton:
		return rgb(0xE3E3E8), true
	case theme.ColorNameDisabledButton:
		return rgb(0xEDEDF0), true
	case colorStripe:
		return alpha(0x000000, 7), true
	case ColorSelected:
		return alpha(0x0071E3, 32), true
	case colorSegment:
		return rgb(0xFFFFFF), true
	case theme.ColorNameForeground:
		return ink{rgb(0x1D1D1F)}, true
	case ColorSecondary:
		return rgb(0x5D5D62), true
	case theme.ColorNamePlaceHolder:
		return rgb(0x76767B), true
	case theme.ColorNameDisabled:
		return rgb(0x86868C), true
	case theme.ColorNameSeparator:
		return rgb(0xDEDEE2), true
	case theme.ColorNameInputBorder:
		return rgb(0xACACB4), true
	case colorBorderOff:
		return rgb(0xD2D2D8), true
	case theme.ColorNameShadow:
		return alpha(0x000000, 20), true
	case theme.ColorNamePrimary, theme.ColorNameHyperlink:
		return rgb(0x0059B3), true
	case theme.ColorNameSelection:
		return alpha(0x0071E3, 56), true
	case theme.ColorNameFocus: // must show on the primary color too
		return alpha(0x00264F, 96), true
	case theme.ColorNameHover:
		return alpha(0x000000, 12), true
	case theme.ColorNamePressed:
		return alpha(0x000000, 26), true
	case theme.ColorNameError:
		return rgb(0xBC001C), true
	case theme.ColorNameWarning:
		return rgb(0x8C4A00), true
	case theme.ColorNameSuccess:
		return rgb(0x166A2C), true
	case theme.ColorNameScrollBar:
		return alpha(0x000000, 70), true
	case ColorKeyword:
		return rgb(0x8A1F8A), true
	case ColorType:
		return rgb(0x0B5F73), true
	case ColorNumber:
		return rgb(0x1C3FAA), true
	case ColorString:
		return rgb(0xA31515), true
	case ColorDirective:
		return rgb(0x6B4A12), true
	case ColorMatch:
		return alpha(0xE8A200, 70), true
	}
	return nil, false
}

func darkColor(name fyne.ThemeColorName) (color.Color, bool) {
	switch name {
	case theme.ColorNameBackground:
		return rgb(0x161618), true
	case ColorPanel, theme.ColorNameOverlayBackground, theme.ColorNameHeaderBackground:
		return rgb(0x1F1F22), true
	case theme.ColorNameMenuBackground: // menus have no edge, and lie on cards
		return rgb(0x2B2B30), true
	case theme.ColorNameInputBackground:
		return rgb(0x2A2A2E), true
	case ColorSidebar:
		return rgb(0x1B1B1D), true
	case colorTrack, theme.ColorNameButton:
		return rgb(0x343439), true
	case theme.ColorNameDisabledButton:
		return rgb(0x28282C), true
	case colorStripe:
		return alpha(0xFFFFFF, 8), true
	case ColorSelected:
		return alpha(0x2997FF, 44), true
	case colorSegment:
		return rgb(0x5C5C63), true
	case colorKnob:
		return rgb(0xF2F2F5), true
	case theme.ColorNameForeground:
		return ink{rgb(0xF2F2F5)}, true
	case ColorSecondary:
		return rgb(0xA4A4AA), true
	case theme.ColorNamePlaceHolder:
		return rgb(0x8E8E94), true
	case theme.ColorNameDisabled:
		return rgb(0x74747A), true
	case theme.ColorNameSeparator:
		return rgb(0x323237), true
	case theme.ColorNameInputBorder:
		return rgb(0x5E5E65), true
	case colorBorderOff:
		return rgb(0x3C3C42), true
	case theme.ColorNameShadow:
		return alpha(0x000000, 140), true
	case theme.ColorNamePrimary:
		return rgb(0x0A73DB), true
	case theme.ColorNameHyperlink:
		return rgb(0x4BA3FF), true
	case theme.ColorNameSelection:
		return alpha(0x2997FF, 80), true
	case theme.ColorNameFocus: // must show on the primary color too
		return alpha(0x8CC8FF, 104), true
	case theme.ColorNameHover:
		return alpha(0xFFFFFF, 16), true
	case theme.ColorNamePressed:
		return alpha(0xFFFFFF, 34), true
	case theme.ColorNameError:
		return rgb(0xFF6961), true
	case theme.ColorNameWarning:
		return rgb(0xFFB340), true
	case theme.ColorNameSuccess:
		return rgb(0x3DD56B), true
	case theme.ColorNameScrollBar:
		return alpha(0xFFFFFF, 80), true
	case ColorKeyword:
		return rgb(0xFF8CC0), true
	case ColorType:
		return rgb(0x6CC7D8), true
	case ColorNumber:
		return rgb(0xD6C46E), true
	case ColorString:
		return rgb(0xFC9A7A), true
	case ColorDirective:
		return rgb(0xE0A96D), true
	case ColorMatch:
		return alpha(0xFFC000, 60), true
	}
	return nil, false
}

// recolored is the current theme with some colors replaced.
type recolored struct {
	fyne.Theme // for fonts and icons
	by         map[fyne.ThemeColorName]fyne.ThemeColorName
}

// OnPanel shows a chart on a card.
func OnPanel(o fyne.CanvasObject) fyne.CanvasObject {
	return container.NewThemeOverride(o, recolored{theme.DefaultTheme(), map[fyne.ThemeColorName]fyne.ThemeColorName{
		theme.ColorNameBackground: ColorPanel,
	}})
}

// Accented shows a slider in the accent color.
func Accented(o fyne.CanvasObject) fyne.CanvasObject {
	return container.NewThemeOverride(o, recolored{theme.DefaultTheme(), map[fyne.ThemeColorName]fyne.ThemeColorName{
		theme.ColorNameForeground: theme.ColorNamePrimary, theme.ColorNameInputBackground: colorTrack,
	}})
}

// Color is the color of that name.
func (r recolored) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	if other, ok := r.by[name]; ok {
		name = other
	}
	return fyne.CurrentApp().Settings().Theme().Color(name, v)
}

// Size is the size of that name.
func (recolored) Size(name fyne.ThemeSizeName) float32 {
	return fyne.CurrentApp().Settings().Theme().Size(name)
}

// Size is the size of that name.
func (l *look) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case theme.SizeNameText:
		return letters(l.scale * bodySize)
	case theme.SizeNameCaptionText:
		return letters(l.scale * 11)
	case theme.SizeNameSubHeadingText:
		return letters(l.scale * 15)
	case theme.SizeNameHeadingText:
		return letters(l.scale * 20)
	case theme.SizeNameInnerPadding:
		return l.scale * 6
	case theme.SizeNameInlineIcon:
		return l.scale * 16
	case theme.SizeNameScrollBar: // the wide one, within the padding of a card
		return 8
	case theme.SizeNameInputRadius, theme.SizeNameSelectionRadius:
		return 6
	}
	return l.Theme.Size(name)
}

// letters is a text size without fractions: for others Fyne cuts off the lowest row of pixels.
func letters(size float32) float32 { return float32(math.Round(float64(size))) }
