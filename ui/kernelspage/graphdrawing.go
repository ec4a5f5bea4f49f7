package kernelspage

import (
	"fmt"
	"image/color"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/ui/kit"
)

// graphDrawing shows the picture of a graph: nodes in layers, with a colored outline around the nodes of one dispatch and
// the dispatch's number in each.
type graphDrawing struct {
	sketch *app.GraphSketch
	all    *fyne.Container
	words  *kit.Text // instead of it
	scroll *container.Scroll
	object *fyne.Container
}

func newGraphDrawing() *graphDrawing {
	d := &graphDrawing{all: container.NewWithoutLayout(), words: kit.NewBody("", 3)}
	d.words.Align, d.words.Color = fyne.TextAlignCenter, kit.ColorSecondary
	d.scroll = container.NewScroll(container.New(graphSize{d}, d.all))
	d.object = kit.StackOf(d.scroll, kit.Middle(d.words))
	return d
}

// graphSize is the size of the picture.
type graphSize struct{ of *graphDrawing }

func (l graphSize) MinSize([]fyne.CanvasObject) fyne.Size {
	if l.of.sketch == nil || l.of.sketch.Picture == nil {
		return fyne.Size{}
	}
	p := l.of.sketch.Picture
	return fyne.NewSize(l.of.at(p.Width), l.of.at(p.Height))
}

// Layout centers the picture.
func (l graphSize) Layout(o []fyne.CanvasObject, size fyne.Size) {
	least := l.MinSize(o)
	o[0].Resize(least)
	o[0].Move(fyne.NewPos(max(0, (size.Width-least.Width)/2), 0))
}

// at converts a length in the picture to the screen.
func (d *graphDrawing) at(length float64) float32 { return kit.Scaled(float32(length)) }

// show draws a graph.
func (d *graphDrawing) show(s *app.GraphSketch) {
	d.sketch = s
	d.redraw()
}

// redraw draws the graph again, in the current colors.
func (d *graphDrawing) redraw() {
	d.all.Objects = nil
	drawn := d.sketch != nil && d.sketch.Picture != nil
	kit.Show(d.scroll, drawn)
	kit.Show(d.words, !drawn)
	switch {
	case drawn:
		d.draw(d.sketch.Picture)
	case d.sketch != nil:
		d.words.Set("No drawing: " + d.sketch.Undrawn + ".")
	}
	d.all.Refresh()
	d.scroll.Refresh()
	d.object.Refresh()
}

func (d *graphDrawing) draw(p *app.GraphPicture) {
	line := theme.Color(theme.ColorNamePlaceHolder)
	fused := p.Fused()
	for step := range p.Steps {
		if fused[step] {
			d.ground(p, step, line, 1.2)
		}
	}
	for step := range p.Steps {
		if fused[step] {
			d.ground(p, step, tint(step), 0)
		}
	}
	for i := range p.Edges {
		d.edge(p.Edges[i].X, p.Edges[i].Y, line, 1, true)
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		d.box(n.X, n.Y, n.W, n.H, n.Input, n.Output)
		d.label(n.Title, n.X, n.Y+4, n.W, true)
		detail := n.Detail
		if n.Step >= 0 {
			detail = strconv.Itoa(n.Step+1) + " · " + detail
		}
		d.label(detail, n.X, n.Y+20, n.W, false)
	}
}

// ground is the background under the nodes and edges of a dispatch.
func (d *graphDrawing) ground(p *app.GraphPicture, step int, c color.Color, more float64) {
	const wide = 14
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Step == step {
			m := app.GraphAround + more
			d.put(rounded(c, nil, 0, d.at(8)), n.X-m, n.Y-m, n.W+2*m, n.H+2*m)
		}
	}
	for i := range p.Edges {
		if e := &p.Edges[i]; e.Within && p.Nodes[e.To].Step == step {
			d.edge(e.X, e.Y, c, wide+2*more, false)
		}
	}
}

// tint returns the color of a fused dispatch: on a light background as it is, on a dark one mixed with that.
func tint(step int) color.Color {
	tints := app.GraphTints()
	var r, g, b uint8
	if _, err := fmt.Sscanf(tints[step%len(tints)], "#%02x%02x%02x", &r, &g, &b); err != nil {
		return color.Transparent
	}
	back := color.NRGBAModel.Convert(theme.Color(theme.ColorNameBackground)).(color.NRGBA)
	if int(back.R)+int(back.G)+int(back.B) > 3*128 {
		return color.NRGBA{r, g, b, 255}
	}
	const part, of = 2, 5 // of the tint
	mix := func(a, b uint8) uint8 { return uint8((part*int(a) + (of-part)*int(b)) / of) }
	return color.NRGBA{mix(r, back.R), mix(g, back.G), mix(b, back.B), 255}
}

func rounded(fill, stroke color.Color, width, radius float32) *canvas.Rectangle {
	r := canvas.NewRectangle(fill)
	r.StrokeColor, r.StrokeWidth, r.CornerRadius = stroke, width, radius
	return r
}

func (d *graphDrawing) put(o fyne.CanvasObject, x, y, w, h float64) {
	o.Move(fyne.NewPos(d.at(x), d.at(y)))
	o.Resize(fyne.NewSize(d.at(w), d.at(h)))
	d.all.Objects = append(d.all.Objects, o)
}

// box is a node: round for an input, with a thick line for an output.
func (d *graphDrawing) box(x, y, w, h float64, input, output bool) {
	fill, stroke, width, radius := theme.Color(theme.ColorNameInputBackground), theme.Color(theme.ColorNameForeground), float32(1), d.at(4)
	if input {
		radius = d.at(h / 2)
	}
	if output {
		width = 2.5
	}
	d.put(rounded(fill, stroke, width, radius), x, y, w, h)
}

func (d *graphDrawing) label(text string, x, y, w float64, bold bool) {
	c := theme.Color(kit.ColorSecondary)
	if bold {
		c = theme.Color(theme.ColorNameForeground)
	}
	t := canvas.NewText(plain.Text(text), c)
	t.TextSize, t.TextStyle.Bold, t.Alignment = theme.CaptionTextSize(), bold, fyne.TextAlignCenter
	d.put(t, x, y, w, float64(t.MinSize().Height/kit.Scaled(1)))
}

// edge is a line through points, with a head at its end if it is an arrow.
func (d *graphDrawing) edge(x, y []float64, c color.Color, width float64, arrow bool) {
	line := func(x1, y1, x2, y2 float64) {
		l := canvas.NewLine(c)
		l.StrokeWidth = d.at(width)
		l.Position1, l.Position2 = fyne.NewPos(d.at(x1), d.at(y1)), fyne.NewPos(d.at(x2), d.at(y2))
		d.all.Objects = append(d.all.Objects, l)
	}
	for i := 1; i < len(x); i++ {
		line(x[i-1], y[i-1], x[i], y[i])
	}
	if last := len(x) - 1; arrow {
		line(x[last]-4, y[last]-6, x[last], y[last])
		line(x[last]+4, y[last]-6, x[last], y[last])
	}
}
