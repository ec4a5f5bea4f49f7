// Package chart draws Assay's charts: plain points in, pixels out.
//
// It has two layers. Renderer turns a Model into pixels of an *image.RGBA and
// knows nothing of Fyne; once warm it allocates nothing. Live and Plot are the
// Fyne widgets on top of it. They redraw only when Refresh is called, run no
// timers and no animations, and must be touched on the UI goroutine only.
//
// Values are in SI base units (seconds, bytes, watts); the axis scales them.
// NaN and infinite values are missing: they leave a gap, they are never zero.
package chart
