package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"unicode/utf8"
)

// shapeOf is an element of an SVG and its color.
type shapeOf struct {
	element string
	color   color.NRGBA
}

// shapeList is the canvas of an SVG: a list of what is drawn.
type shapeList struct{ all []shapeOf }

func (l *shapeList) add(c color.NRGBA, format string, args ...any) {
	l.all = append(l.all, shapeOf{fmt.Sprintf(format, args...), c})
}

func (l *shapeList) fill(box image.Rectangle, c color.NRGBA) {
	if !box.Empty() && c.A > 0 {
		l.add(c, `<rect x="%d" y="%d" width="%d" height="%d" fill="currentColor"/>`, box.Min.X, box.Min.Y, box.Dx(), box.Dy())
	}
}

func (l *shapeList) rounded(clip, box image.Rectangle, radius float64, c color.NRGBA, square bool) {
	if box = box.Intersect(clip); box.Empty() {
		return
	}
	r := min(radius, float64(box.Dx())/2, float64(box.Dy())/2)
	if !square {
		l.add(c, `<rect x="%d" y="%d" width="%d" height="%d" rx="%s" fill="currentColor"/>`, box.Min.X, box.Min.Y, box.Dx(), box.Dy(), number(r))
		return
	}
	l.add(c, `<path d="M%d %dv-%sq0-%s %s-%sh%sq%s 0 %s %sv%sz" fill="currentColor"/>`, box.Min.X, box.Max.Y,
		number(float64(box.Dy())-r), number(r), number(r), number(r), number(float64(box.Dx())-2*r), number(r), number(r), number(r), number(float64(box.Dy())-r))
}

// marker draws what Marker.distance describes.
func (l *shapeList) marker(m Marker, x, y, r float64, c color.NRGBA) {
	if !finite(x) || !finite(y) || !(r > 0) {
		return
	}
	switch m {
	case Square:
		a := 0.86 * r
		l.add(c, `<rect x="%s" y="%s" width="%s" height="%[3]s" fill="currentColor"/>`, number(x-a), number(y-a), number(2*a))
	case Diamond:
		a := 1.3 * r
		l.path(c, "fill", x, y-a, x+a, y, x, y+a, x-a, y)
	case Triangle:
		l.path(c, "fill", x, y-1.44*r, x+1.184*r, y+0.62*r, x-1.184*r, y+0.62*r)
	case Ring:
		l.add(c, `<circle cx="%s" cy="%s" r="%s" fill="none" stroke="currentColor" stroke-width="%s"/>`, number(x), number(y), number(0.78*r), number(0.6*r))
	case Cross:
		a := 1.2 * r * math.Sqrt2 / 2
		l.add(c, `<path d="M%s %sL%s %sM%[1]s %[4]sL%[3]s %[2]s" stroke="currentColor" stroke-width="%[5]s"/>`,
			number(x-a), number(y-a), number(x+a), number(y+a), number(0.68*r))
	default:
		l.add(c, `<circle cx="%s" cy="%s" r="%s" fill="currentColor"/>`, number(x), number(y), number(r))
	}
}

// path is a closed outline through points, filled.
func (l *shapeList) path(c color.NRGBA, how string, at ...float64) {
	var d bytes.Buffer
	for i := 0; i+1 < len(at); i += 2 {
		fmt.Fprintf(&d, "%c%s %s", "ML"[min(i, 1)], number(at[i]), number(at[i+1]))
	}
	l.add(c, `<path d="%sz" %s="currentColor"/>`, &d, how)
}

func (l *shapeList) hairline(_ image.Rectangle, k leader, width float64, c color.NRGBA) {
	l.add(c, `<path d="M%s %sL%s %s" stroke="currentColor" stroke-width="%s"/>`, number(k.x0), number(k.y0), number(k.x1), number(k.y1), number(width))
}

func (l *shapeList) text(t *typeface, x, y int, s []byte, c color.NRGBA) int {
	return l.words(t, x, y, string(s), c)
}

// words writes text as wide as the layout assumed, whatever font the reader has.
func (l *shapeList) words(t *typeface, x, y int, s string, c color.NRGBA) int {
	if s == "" {
		return x
	}
	w := t.widthString(s)
	fit := ""
	if utf8.RuneCountInString(s) > 1 {
		fit = fmt.Sprintf(` textLength="%d" lengthAdjust="spacingAndGlyphs"`, w)
	}
	l.add(c, `<text x="%d" y="%d" font-size="%s"%s fill="currentColor">%s</text>`, x, y, number(t.size), fit, escaped(s))
	return x + w
}

func (l *shapeList) line(r *Renderer, s *Series, i int, c color.NRGBA) {
	dash := ""
	switch dashOf(s, i) {
	case Dashed:
		dash = ` stroke-dasharray="6 3.6"`
	case Dotted:
		dash = ` stroke-dasharray="1.5 2.4"`
	case Sparse:
		dash = ` stroke-dasharray="1.5 6"`
	}
	if d := r.outline(s, s.Y); d != "" {
		l.within(r.dataBox(), c, fmt.Sprintf(`<path d="%s" fill="none" stroke="currentColor" stroke-width="%s" stroke-linejoin="round"%s/>`,
			d, number(lineWidth), dash))
	}
}

// within adds an element clipped to a box.
func (l *shapeList) within(box image.Rectangle, c color.NRGBA, element string) {
	l.add(c, `<svg x="%d" y="%d" width="%d" height="%d" viewBox="%[1]d %[2]d %[3]d %[4]d">%s</svg>`, box.Min.X, box.Min.Y, box.Dx(), box.Dy(), element)
}

// dataBox is where lines are drawn: the plot plus what their width may exceed it by.
func (r *Renderer) dataBox() image.Rectangle {
	p := r.lay.plot
	return image.Rect(p.Min.X, p.Min.Y-r.pad(), p.Max.X, p.Max.Y+r.pad())
}

func (l *shapeList) ribbon(r *Renderer, s *Series, c color.NRGBA) {
	var at []float64
	var back []float64
	flush := func() {
		if len(at) >= 4 {
			for i := len(back) - 2; i >= 0; i -= 2 {
				at = append(at, back[i], back[i+1])
			}
			l.path(withAlpha(c, 46.0/256), "fill", at...)
		}
		at, back = at[:0], back[:0]
	}
	p := r.lay.plot
	for j := range s.Len() {
		x, _, ok := r.place(s, j)
		lo, hi, bounded := s.Interval(j)
		if !ok || !bounded || !r.inPlot(x, float64(p.Max.Y)) {
			flush()
			continue
		}
		at = append(at, x, r.heldY(s, hi))
		back = append(back, x, r.heldY(s, lo))
	}
	flush()
}

// heldY returns the height of a value, clamped to the plot.
func (r *Renderer) heldY(s *Series, v float64) float64 {
	y := r.axisOf(s).pixel(v)
	if math.IsNaN(y) {
		return float64(r.lay.plot.Max.Y)
	}
	return max(float64(r.lay.plot.Min.Y), min(float64(r.lay.plot.Max.Y), y))
}

func (l *shapeList) areas(r *Renderer, m *Model) {
	p := r.lay.plot
	for i := range m.Phases {
		ph := &m.Phases[i]
		if x0, x1, ok := r.stretch(ph.From, ph.To); ok {
			l.fill(image.Rect(x0, p.Min.Y, x1, p.Max.Y), withAlpha(r.style.Foreground, (15-9*float64(bit(ph.Odd)))/256))
		}
	}
	fills := 0
	for i := range m.Series {
		if s := &m.Series[i]; s.Kind == LineKind && s.Fill && fills < maxFills {
			fills++
			l.area(r, s, withAlpha(colorOf(s, i, r.style.Dark), 35.0/256))
		}
	}
}

// area fills between each unbroken part of a line and the foot of the plot.
func (l *shapeList) area(r *Renderer, s *Series, c color.NRGBA) {
	foot := float64(r.lay.plot.Max.Y)
	var at []float64
	flush := func() {
		if n := len(at); n >= 4 {
			at = append(at, at[n-2], foot, at[0], foot)
			l.path(c, "fill", at...)
		}
		at = at[:0]
	}
	for j := range s.Len() {
		x, y, ok := r.place(s, j)
		if !ok {
			flush()
			continue
		}
		if n := len(at); s.Step && n > 0 {
			at = append(at, x, at[n-1])
		}
		at = append(at, x, max(float64(r.lay.plot.Min.Y), min(foot, y)))
	}
	flush()
}

// outline is the path of a line.
func (r *Renderer) outline(s *Series, ys []float64) string {
	var d bytes.Buffer
	px, pen := math.Inf(-1), false
	for j := range min(s.Len(), len(ys)) {
		x, y, ok := r.place(s, j)
		switch {
		case !ok:
			pen = false
			continue
		case !pen || x < px:
			fmt.Fprintf(&d, "M%s %s", number(x), number(y))
		case s.Step:
			fmt.Fprintf(&d, "H%sV%s", number(x), number(y))
		default:
			fmt.Fprintf(&d, "L%s %s", number(x), number(y))
		}
		px, pen = x, true
	}
	return d.String()
}
