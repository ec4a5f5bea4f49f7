package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

// edgeLayout puts the second object at one edge, at its least size, and gives the first the rest, without a gap.
type edgeLayout struct{ edge edge }

type edge int

const (
	atTop edge = iota
	atBottom
	atLeft
	atRight
)

// edged is content with another object at one edge.
func edged(content fyne.CanvasObject, at edge, o fyne.CanvasObject) *fyne.Container {
	return container.New(edgeLayout{at}, content, o)
}

func (l edgeLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	if l.edge == atTop || l.edge == atBottom {
		return fyne.NewSize(max(a.Width, b.Width), a.Height+b.Height)
	}
	return fyne.NewSize(a.Width+b.Width, max(a.Height, b.Height))
}

func (l edgeLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	rest, edge := size, size
	least := o[1].MinSize()
	var content, at fyne.Position
	switch l.edge {
	case atTop:
		edge.Height, rest.Height, content.Y = least.Height, size.Height-least.Height, least.Height
	case atBottom:
		edge.Height, rest.Height, at.Y = least.Height, size.Height-least.Height, size.Height-least.Height
	case atLeft:
		edge.Width, rest.Width, content.X = least.Width, size.Width-least.Width, least.Width
	case atRight:
		edge.Width, rest.Width, at.X = least.Width, size.Width-least.Width, size.Width-least.Width
	}
	o[0].Resize(rest)
	o[0].Move(content)
	o[1].Resize(edge)
	o[1].Move(at)
}

// fixedSize gives objects a least size of its own, on top of each other; 0 leaves that side to the objects.
type fixedSize struct{ width, height float32 }

func (l fixedSize) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.Size{}
	for _, c := range o {
		size = size.Max(c.MinSize())
	}
	if l.width > 0 {
		size.Width = l.width
	}
	if l.height > 0 {
		size.Height = l.height
	}
	return size
}

func (l fixedSize) Layout(o []fyne.CanvasObject, size fyne.Size) {
	for _, c := range o {
		c.Move(fyne.Position{})
		c.Resize(size)
	}
}

// newLine is a thin line: vertical at the left or right edge, flat at the others.
func newLine() fyne.CanvasObject {
	return container.New(fixedSize{1, 1}, newFill(theme.ColorNameSeparator, 0))
}

// headedLayout puts a head of its least height above content that takes the rest.
type headedLayout struct{ gap float32 }

func (l headedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(max(a.Width, b.Width), a.Height+l.gap+b.Height)
}

func (l headedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	y := o[0].MinSize().Height
	o[0].Resize(fyne.NewSize(size.Width, y))
	o[0].Move(fyne.Position{})
	if y > 0 {
		y += l.gap
	}
	o[1].Resize(fyne.NewSize(size.Width, size.Height-y))
	o[1].Move(fyne.NewPos(0, y))
}

// weightedLayout stacks objects: each gets its least height, and its part, by weight, of what is left.
type weightedLayout struct {
	weights []float32
	gap     float32
}

func (l *weightedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(0, l.gap*float32(len(o)-1))
	for _, c := range o {
		least := c.MinSize()
		size.Width = max(size.Width, least.Width)
		size.Height += least.Height
	}
	return size
}

func (l *weightedLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	total := float32(0)
	for _, w := range l.weights {
		total += w
	}
	room := max(0, size.Height-l.MinSize(o).Height)
	y := float32(0)
	for i, c := range o {
		height := c.MinSize().Height + room*l.weights[i]/max(total, 1e-3)
		c.Move(fyne.NewPos(0, y))
		c.Resize(fyne.NewSize(size.Width, height))
		y += height + l.gap
	}
}
