package chart

import (
	"image"
	"image/color"
)

// canvas is what a chart is drawn on: the pixels of a picture, or the shapes of an SVG. Coordinates are in pixels. The
// Renderer decides what to draw and where; the canvas decides how.
type canvas interface {
	// fill covers a rectangle.
	fill(box image.Rectangle, c color.NRGBA)
	// rounded covers a rectangle with round corners; with square set the lower
	// ones stay square.
	rounded(clip, box image.Rectangle, radius float64, c color.NRGBA, square bool)
	// marker draws a marker about a point.
	marker(m Marker, x, y, radius float64, c color.NRGBA)
	// hairline draws a thin straight line.
	hairline(clip image.Rectangle, k leader, width float64, c color.NRGBA)
	// text and words write from x on, with the baseline at y, and return where
	// the text ends.
	text(t *typeface, x, y int, s []byte, c color.NRGBA) int
	words(t *typeface, x, y int, s string, c color.NRGBA) int
	// line strokes series i, whose stroke has been traced.
	line(r *Renderer, s *Series, i int, c color.NRGBA)
	// ribbon shades between the ends of the intervals of a series.
	ribbon(r *Renderer, s *Series, c color.NRGBA)
	// areas shades the phases, and the areas below the lines that ask for it.
	areas(r *Renderer, m *Model)
}

// raster is the canvas of a picture.
type raster struct {
	img *image.RGBA
	r   *Renderer // caches the stamps of markers
}

func (p *raster) fill(box image.Rectangle, c color.NRGBA) { fillRect(p.img, box, c) }

func (p *raster) rounded(clip, box image.Rectangle, radius float64, c color.NRGBA, square bool) {
	fillRounded(p.img, clip, box, radius, c, square)
}

func (p *raster) marker(m Marker, x, y, radius float64, c color.NRGBA) {
	p.r.press(p.img, m, x, y, radius, c)
}

func (p *raster) hairline(clip image.Rectangle, k leader, width float64, c color.NRGBA) {
	drawHairline(p.img, clip, k, width, c)
}

func (p *raster) text(t *typeface, x, y int, s []byte, c color.NRGBA) int {
	return t.draw(p.img, x, y, s, c)
}

func (p *raster) words(t *typeface, x, y int, s string, c color.NRGBA) int {
	return t.drawString(p.img, x, y, s, c)
}

func (p *raster) line(r *Renderer, _ *Series, i int, c color.NRGBA) {
	plot := r.lay.plot
	r.strokes[i].paint(p.img, plot.Min.X, plot.Min.Y-r.pad(), c)
}

func (p *raster) ribbon(r *Renderer, s *Series, c color.NRGBA) { r.drawRibbon(p.img, s, c) }

func (p *raster) areas(r *Renderer, m *Model) { r.drawFills(p.img, m) }
