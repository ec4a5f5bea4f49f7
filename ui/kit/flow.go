package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

// HeightFor returns the height of an object at a width: text wraps, and its containers grow with it.
func HeightFor(o fyne.CanvasObject, width float32) float32 {
	switch x := o.(type) {
	case *Text:
		return x.HeightFor(width)
	case *fyne.Container:
		if l, ok := x.Layout.(fluid); ok {
			return l.HeightFor(x.Objects, width)
		}
	}
	return o.MinSize().Height
}

// fluid is a layout whose height follows from its width.
type fluid interface {
	HeightFor(o []fyne.CanvasObject, width float32) float32
}

// NewPage returns a page of text and controls: a title with a sentence above content that scrolls, with a readable width.
// Its parts are made by NewGroup and similar functions; their heights follow from the width.
func NewPage(title, about string, parts ...fyne.CanvasObject) fyne.CanvasObject {
	head := Inset(Stack(4, NewTitle(title), NewCaption(about, 2)), pageEdge, 16)
	flow := &flowLayout{gap: 18}
	column := container.New(columnLayout{flow}, container.New(flow, parts...))
	return container.New(pageLayout{flow}, head, container.NewVScroll(column))
}

const (
	pageEdge  = 20
	pageWidth = 740 // of its text, at 100 %
)

// pageLayout is a head above a scroll; it tells the scroll's content how wide it will be.
type pageLayout struct{ flow *flowLayout }

func (pageLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(Scaled(360), o[0].MinSize().Height+80)
}

func (l pageLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	head := o[0].MinSize().Height
	o[0].Resize(fyne.NewSize(size.Width, head))
	o[0].Move(fyne.Position{})
	l.flow.width = readable(size.Width)
	o[1].Move(fyne.NewPos(0, head))
	o[1].Resize(fyne.NewSize(size.Width, size.Height-head))
	o[1].Refresh()
}

// readable returns the width of the text in a page of a given width.
func readable(width float32) float32 { return min(width-2*pageEdge, Scaled(pageWidth)) }

// columnLayout puts a flow at the left edge of a page, with a readable width.
type columnLayout struct{ flow *flowLayout }

const columnPad = 4

func (l columnLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(2*pageEdge, 2*columnPad+pageEdge)
}

func (columnLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	width := readable(size.Width)
	o[0].Move(fyne.NewPos(pageEdge, columnPad))
	o[0].Resize(fyne.NewSize(width, HeightFor(o[0], width)))
}

// flowLayout stacks objects at full width, each at the height it needs.
type flowLayout struct{ gap, width float32 }

func (l *flowLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	height := float32(0)
	for _, c := range o {
		if c.Visible() {
			height += HeightFor(c, width) + l.gap
		}
	}
	return max(0, height-l.gap)
}

func (l *flowLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(120, l.HeightFor(o, l.width))
}

func (l *flowLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	y := float32(0)
	for _, c := range o {
		if !c.Visible() {
			continue
		}
		height := HeightFor(c, size.Width)
		c.Move(fyne.NewPos(0, y))
		c.Resize(fyne.NewSize(size.Width, height))
		y += height + l.gap
	}
}

// NewFlow stacks objects with a gap; its height follows from its width.
func NewFlow(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&flowLayout{gap: gap}, objects...)
}

// NewGroup returns rows under a heading on one card, with a line between them.
func NewGroup(heading string, rows ...fyne.CanvasObject) *fyne.Container {
	var list []fyne.CanvasObject
	for i, r := range rows {
		if i > 0 {
			list = append(list, Inset(NewLine(), 14, 0))
		}
		list = append(list, r)
	}
	back := NewFill(ColorPanel, 8)
	back.Stroke = theme.ColorNameSeparator
	card := container.New(cardLayout{}, back, NewFlow(0, list...))
	return NewFlow(6, NewHeading(heading), card)
}

// cardLayout puts the second object on the first.
type cardLayout struct{}

func (cardLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	return HeightFor(o[1], width)
}

func (cardLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[1].MinSize() }

func (cardLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	for _, c := range o {
		c.Move(fyne.Position{})
		c.Resize(size)
	}
}

// NewRow returns a row of a group: a title and a sentence on the left, a control on the right; nil: none.
func NewRow(title, about *Text, control fyne.CanvasObject) *fyne.Container {
	if control == nil {
		return container.New(rowLayout{}, title, about)
	}
	return container.New(rowLayout{}, title, about, control)
}

// rowLayout is the layout of NewRow.
type rowLayout struct{}

const (
	rowPadH = 14
	rowPadV = 10
	rowGap  = 18
)

// words returns the width of the text left of the control.
func (rowLayout) words(o []fyne.CanvasObject, width float32) float32 {
	width -= 2 * rowPadH
	if len(o) > 2 {
		width -= o[2].MinSize().Width + rowGap
	}
	return max(60, width)
}

func (l rowLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	words := l.words(o, width)
	height := o[0].MinSize().Height
	if o[1].(*Text).Content != "" {
		height += 2 + HeightFor(o[1], words)
	}
	if len(o) > 2 {
		height = max(height, o[2].MinSize().Height)
	}
	return height + 2*rowPadV
}

func (l rowLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(120, l.HeightFor(o, max(400, o[0].Size().Width)))
}

func (l rowLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	words := l.words(o, size.Width)
	title := o[0].MinSize().Height
	about := HeightFor(o[1], words)
	y := float32(rowPadV)
	if o[1].(*Text).Content == "" {
		y = (size.Height - title) / 2
	}
	o[0].Resize(fyne.NewSize(words, title))
	o[0].Move(fyne.NewPos(rowPadH, y))
	o[1].Resize(fyne.NewSize(words, about))
	o[1].Move(fyne.NewPos(rowPadH, y+title+2))
	if len(o) > 2 {
		minSize := o[2].MinSize()
		o[2].Resize(minSize)
		o[2].Move(fyne.NewPos(size.Width-rowPadH-minSize.Width+bearing(o[2]), (size.Height-minSize.Height)/2))
	}
}

// bearing is the invisible padding at the right of a control, which extends beyond the common edge so that the visible
// parts align.
func bearing(control fyne.CanvasObject) float32 {
	if b, ok := control.(interface{ Bearing() float32 }); ok {
		return b.Bearing()
	}
	return 0
}
