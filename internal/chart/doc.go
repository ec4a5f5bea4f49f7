// Package chart draws Assay's charts: plain points in, pixels or an SVG out. It
// knows no toolkit; ui/chart has the widgets.
//
// Renderer lays out a Model and draws it on a canvas: the pixels of an
// *image.RGBA, where it allocates nothing once warm, or the shapes of an SVG. Live and Strip are the models of a live chart and of a heat strip.
//
// A View specifies charts of result rows: facets, encodings by field and scale,
// and layers. Charts builds its models, which are then laid out and drawn; a
// finding is drawn at the place that it names.
//
// Values are in SI base units (seconds, bytes, watts); the axis scales them.
// NaN and infinite values are missing: they leave a gap and are never zero.
//
// Text follows the style's text size. If there is not enough room, a chart says
// less rather than clip: first the title of X goes, then the legend's values, then
// the legend; the pointer and the Summary still report everything.
package chart
