package kit

import (
	"image/color"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

// colorNames are all names that Fyne and the window request from a theme, and one of a later version of Fyne.
func colorNames() []fyne.ThemeColorName {
	return []fyne.ThemeColorName{
		theme.ColorNameBackground, theme.ColorNameButton, theme.ColorNameDisabled, theme.ColorNameDisabledButton, theme.ColorNameError,
		theme.ColorNameFocus, theme.ColorNameForeground, theme.ColorNameForegroundOnError, theme.ColorNameForegroundOnPrimary,
		theme.ColorNameForegroundOnSuccess, theme.ColorNameForegroundOnWarning, theme.ColorNameHeaderBackground, theme.ColorNameHover,
		theme.ColorNameHyperlink, theme.ColorNameInputBackground, theme.ColorNameInputBorder, theme.ColorNameMenuBackground,
		theme.ColorNameOverlayBackground, theme.ColorNamePlaceHolder, theme.ColorNamePressed, theme.ColorNamePrimary,
		theme.ColorNameScrollBar, theme.ColorNameScrollBarBackground, theme.ColorNameSelection, theme.ColorNameSeparator,
		theme.ColorNameShadow, theme.ColorNameSuccess, theme.ColorNameWarning,
		ColorPanel, ColorSidebar, ColorSecondary, colorStripe, colorTrack, ColorSelected, colorSegment, colorBorderOff,
		"of a later version",
	}
}

// TestEveryColorIsKnown looks up every color in both looks, in any variant, and in parts of the window with their own theme.
// Fyne logs "Loaded theme returned nil color" for a missing one.
func TestEveryColorIsKnown(t *testing.T) {
	a := test.NewTempApp(t)
	for _, look := range []Appearance{FollowSystem, AlwaysLight, AlwaysDark, "unknown"} {
		whole := NewSizedLook(look, MaxTextSize)
		a.Settings().SetTheme(whole)
		part := recolored{theme.DefaultTheme(), map[fyne.ThemeColorName]fyne.ThemeColorName{theme.ColorNameBackground: ColorPanel}}
		for _, variant := range []fyne.ThemeVariant{theme.VariantDark, theme.VariantLight, 2, 99} {
			for _, name := range colorNames() {
				for _, of := range []fyne.Theme{whole, part} {
					if c := of.Color(name, variant); c == nil || unknown(name, c) {
						t.Errorf("%s, variant %d: %q is %v", look, variant, name, c)
					}
				}
			}
		}
	}
}

// unknown reports whether a color is the one that Fyne uses for unknown names.
func unknown(name fyne.ThemeColorName, c color.Color) bool {
	return c == color.Transparent && name != "of a later version"
}
