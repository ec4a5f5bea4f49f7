package uitest

import (
	"fmt"
	"image/color"
	"math"
	"path"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"

	"assay/internal/chart"
)

// markup describes a window as text, one line for each object drawn, from back to front: its kind, place, size,
// color and text. Containers and nesting do not count: a page may be restructured without a new golden.
func markup(c fyne.Canvas) string {
	var b strings.Builder
	fmt.Fprintf(&b, "window %.0fx%.0f\n", c.Size().Width, c.Size().Height)
	for _, d := range scene(c) {
		b.WriteString(d.line())
		b.WriteByte('\n')
	}
	return b.String()
}

// line describes one thing that is drawn.
func (d drawn) line() string {
	where := fmt.Sprintf("%d,%d %dx%d", whole(d.at.X), whole(d.at.Y), whole(d.object.Size().Width), whole(d.object.Size().Height))
	switch o := d.object.(type) {
	case *canvas.Text:
		return fmt.Sprintf("text %d,%d %s %q", whole(d.visible.x0), whole(d.visible.y0), letters(o), o.Text)
	case *canvas.Rectangle:
		return "fill " + where + " " + filled(o.FillColor, o.StrokeColor, o.StrokeWidth) + radius(o.CornerRadius)
	case *canvas.Circle:
		return "circle " + where + " " + filled(o.FillColor, o.StrokeColor, o.StrokeWidth)
	case *canvas.Line:
		return "line " + where + " " + hex(o.StrokeColor)
	case *canvas.Image:
		return "image " + where + " " + imageName(o)
	case *canvas.Raster:
		return "chart " + where + chartLines(d.of)
	}
	return fmt.Sprintf("%T %s", d.object, where)
}

// whole rounds a position to a pixel. Halves round up on every processor, whatever their last bits.
func whole(v float32) int { return int(math.Floor(float64(v) + 0.501)) }

func letters(t *canvas.Text) string {
	s := fmt.Sprintf("%s %.4g", hex(t.Color), t.TextSize)
	if t.TextStyle.Bold {
		s += " bold"
	}
	if t.TextStyle.Italic {
		s += " italic"
	}
	if t.TextStyle.Monospace {
		s += " mono"
	}
	return s
}

func filled(fill, stroke color.Color, width float32) string {
	s := hex(fill)
	if width > 0 && !clear(stroke) {
		s += fmt.Sprintf(" edge %.3g %s", width, hex(stroke))
	}
	return s
}

func radius(r float32) string {
	if r == 0 {
		return ""
	}
	return fmt.Sprintf(" round %.3g", r)
}

// hex formats a color as #rrggbb, with its alpha if it is not opaque.
func hex(c color.Color) string {
	if c == nil {
		return "none"
	}
	n := nrgba(c)
	if n.A == 255 {
		return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
	}
	return fmt.Sprintf("#%02x%02x%02x%02x", n.R, n.G, n.B, n.A)
}

// imageName names an image by its resource, or by its role if it has one.
func imageName(o *canvas.Image) string {
	if o.Resource == nil {
		return path.Base(o.File)
	}
	name := o.Resource.Name()
	if r, ok := o.Resource.(*theme.ThemedResource); ok && r.ColorName != "" {
		name += " " + string(r.ColorName)
	}
	return name
}

// chartLines describe what a chart shows: in its own words, and its model.
func chartLines(o fyne.CanvasObject) string {
	s := ""
	if c, ok := o.(interface{ Summary() string }); ok {
		s += fmt.Sprintf(" %q", c.Summary())
	}
	if c, ok := o.(interface{ Model() *chart.Model }); ok && c.Model() != nil {
		s += "\n" + indent(dump(c.Model()))
	}
	return s
}

func indent(s string) string {
	return "\t" + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n\t")
}
