// Package chart draws Assay's charts: plain points in, pixels out.
//
// It has two layers. Renderer turns a Model into pixels of an *image.RGBA and
// knows nothing of Fyne; once warm it allocates nothing. Live, Plot and Strip are
// the Fyne widgets on top of it. They redraw only when Refresh is called, run no
// timers and no animations, and must be touched on the UI goroutine only. Each
// has a Summary in words and follows the arrow keys while it has the keyboard.
//
// Values are in SI base units (seconds, bytes, watts); the axis scales them.
// NaN and infinite values are missing: they leave a gap, they are never zero.
//
// The text follows the theme's caption size. Where there is no room, a chart says
// less rather than clip: first the title of X goes, then the legend's values, then
// the legend; the pointer and the Summary still tell.
package chart
