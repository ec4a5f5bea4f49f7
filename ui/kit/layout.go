package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

// edgeLayout puts the second object at one edge, at its minimum size, and the first fills the rest, without a gap.
type edgeLayout struct{ edge Edge }

type Edge int

const (
	AtTop Edge = iota
	AtBottom
	AtLeft
	AtRight
)

// Edged returns content with another object at one edge.
func Edged(content fyne.CanvasObject, at Edge, o fyne.CanvasObject) *fyne.Container {
	return container.New(edgeLayout{at}, content, o)
}

func (l edgeLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), edgeSize(o[1])
	if l.edge == AtTop || l.edge == AtBottom {
		return fyne.NewSize(max(a.Width, b.Width), a.Height+b.Height)
	}
	return fyne.NewSize(a.Width+b.Width, max(a.Height, b.Height))
}

func (l edgeLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	rest, edge := size, size
	minSize := edgeSize(o[1])
	var content, at fyne.Position
	switch l.edge {
	case AtTop:
		edge.Height, rest.Height, content.Y = minSize.Height, size.Height-minSize.Height, minSize.Height
	case AtBottom:
		edge.Height, rest.Height, at.Y = minSize.Height, size.Height-minSize.Height, size.Height-minSize.Height
	case AtLeft:
		edge.Width, rest.Width, content.X = minSize.Width, size.Width-minSize.Width, minSize.Width
	case AtRight:
		edge.Width, rest.Width, at.X = minSize.Width, size.Width-minSize.Width, size.Width-minSize.Width
	}
	o[0].Resize(rest)
	o[0].Move(content)
	o[1].Resize(edge)
	o[1].Move(at)
}

// edgeSize returns the minimum size of the object at the edge, zero while it is hidden.
func edgeSize(o fyne.CanvasObject) fyne.Size {
	if !o.Visible() {
		return fyne.Size{}
	}
	return o.MinSize()
}

// FixedSize stacks objects with a given minimum size; 0 leaves that dimension to the objects.
type FixedSize struct{ Width, Height float32 }

func (l FixedSize) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.Size{}
	for _, c := range o {
		size = size.Max(c.MinSize())
	}
	if l.Width > 0 {
		size.Width = l.Width
	}
	if l.Height > 0 {
		size.Height = l.Height
	}
	return size
}

func (l FixedSize) Layout(o []fyne.CanvasObject, size fyne.Size) {
	for _, c := range o {
		c.Move(fyne.Position{})
		c.Resize(size)
	}
}

// ScaledWidth is FixedSize with a width that grows with the text.
type ScaledWidth struct{ Width float32 }

// MinSize is part of fyne.Layout.
func (l ScaledWidth) MinSize(o []fyne.CanvasObject) fyne.Size {
	return FixedSize{Width: Scaled(l.Width)}.MinSize(o)
}

// Layout is part of fyne.Layout.
func (l ScaledWidth) Layout(o []fyne.CanvasObject, size fyne.Size) { FixedSize{}.Layout(o, size) }

// NewLine returns a thin line: vertical at the left or right edge, horizontal at the others.
func NewLine() fyne.CanvasObject {
	return container.New(FixedSize{Width: 1, Height: 1}, NewFill(theme.ColorNameSeparator, 0))
}

// HeadedLayout puts a head of its minimum height above content that fills the rest.
type HeadedLayout struct{ Gap float32 }

func (l HeadedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(max(a.Width, b.Width), a.Height+l.Gap+b.Height)
}

func (l HeadedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := HeightFor(o[0], size.Width)
	o[0].Resize(fyne.NewSize(size.Width, y))
	o[0].Move(fyne.Position{})
	if y > 0 {
		y += l.Gap
	}
	o[1].Resize(fyne.NewSize(size.Width, size.Height-y))
	o[1].Move(fyne.NewPos(0, y))
}

// ToolsLayout puts text on the left and tools on the right, or the tools below if the text would be too narrow.
type ToolsLayout struct {
	MinWidth float32 // width of the words, at 100 %
	width    float32
}

const toolsGap = 12

// beside returns the width of the text beside the tools; false if the tools are below it.
func (l *ToolsLayout) beside(tools fyne.Size, width float32) (float32, bool) {
	if tools.Width == 0 {
		return width, true
	}
	words := width - tools.Width - toolsGap
	return words, words >= Scaled(l.MinWidth)
}

// HeightFor returns the height at a width.
func (l *ToolsLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	tools := edgeSize(o[1])
	if words, ok := l.beside(tools, width); ok {
		return max(HeightFor(o[0], words), tools.Height)
	}
	return HeightFor(o[0], width) + toolsGap/2 + tools.Height
}

// MinSize is part of fyne.Layout.
func (l *ToolsLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	tools := edgeSize(o[1])
	return fyne.NewSize(tools.Width, l.HeightFor(o, max(tools.Width, l.width)))
}

// Layout is part of fyne.Layout.
func (l *ToolsLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	tools := edgeSize(o[1])
	words, ok := l.beside(tools, size.Width)
	at, height := fyne.NewPos(size.Width-tools.Width, max(0, size.Height-tools.Height)/2), size.Height
	if !ok {
		words, height = size.Width, size.Height-tools.Height-toolsGap/2
		at = fyne.NewPos(0, size.Height-tools.Height)
	}
	o[0].Move(fyne.Position{})
	o[0].Resize(fyne.NewSize(words, height))
	o[1].Move(at)
	o[1].Resize(tools)
}

// WeightedLayout stacks objects: each gets its minimum height and a share, by weight, of the rest.
type WeightedLayout struct {
	Weights []float32
	Gap     float32
}

func (l *WeightedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(0, l.Gap*float32(len(o)-1))
	for _, c := range o {
		minSize := c.MinSize()
		size.Width = max(size.Width, minSize.Width)
		size.Height += minSize.Height
	}
	return size
}

func (l *WeightedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	total := float32(0)
	for _, w := range l.Weights {
		total += w
	}
	room := max(0, size.Height-l.MinSize(o).Height)
	y := float32(0)
	for i, c := range o {
		height := c.MinSize().Height + room*l.Weights[i]/max(total, 1e-3)
		c.Move(fyne.NewPos(0, y))
		c.Resize(fyne.NewSize(size.Width, height))
		y += height + l.Gap
	}
}

// SplitLayout puts two objects side by side, the first with a share of the width, or the second below if there is too little width.
type SplitLayout struct {
	Part float32 // of the width, for the first
	Gap  float32
	Side float32 // minimum width for side by side, at 100 %
	Min  float32 // minimum width of the first beside the second, at 100 %
}

// MinSize is part of fyne.Layout.
func (l SplitLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(max(a.Width, b.Width), max(a.Height, b.Height))
}

// Layout is part of fyne.Layout.
func (l SplitLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	if size.Width < Scaled(l.Side) {
		half := (size.Height - l.Gap) / 2
		put(o[0], 0, 0, size.Width, half)
		put(o[1], 0, half+l.Gap, size.Width, half)
		return
	}
	first := max((size.Width-l.Gap)*l.Part, Scaled(l.Min))
	put(o[0], 0, 0, first, size.Height)
	put(o[1], first+l.Gap, 0, size.Width-first-l.Gap, size.Height)
}

// LinesLayout reserves a number of lines for a text, so that objects below do not move.
type LinesLayout struct{ Lines float32 }

func (l LinesLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	t := o[0].(*Text)
	return fyne.NewSize(t.MinSize().Width, l.Lines*t.measure("Mg").Height)
}

func (l LinesLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.Position{})
	o[0].Resize(size)
}

// Middle centers an object vertically, at the height it needs for the width.
func Middle(o fyne.CanvasObject) *fyne.Container { return container.New(middleLayout{}, o) }

type middleLayout struct{}

func (middleLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

func (middleLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	height := HeightFor(o[0], size.Width)
	put(o[0], 0, (size.Height-height)/2, size.Width, height)
}

// fitted lays out one object over the whole area, after telling it the width. It has a minimum width of its own.
type fitted struct {
	least func() float32
	fit   func(width float32)
}

func newFitted(o fyne.CanvasObject, least func() float32, fit func(width float32)) *fyne.Container {
	return container.New(fitted{least, fit}, o)
}

func (f fitted) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().Max(fyne.NewSize(f.least(), 0))
}

func (f fitted) Layout(o []fyne.CanvasObject, size fyne.Size) {
	f.fit(size.Width)
	FixedSize{}.Layout(o, size)
}
