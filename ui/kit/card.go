package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
)

// Fluid is a layout whose height follows from its width.
type Fluid interface{ SetWidth(width float32) }

// NewScrolledCard returns a card around content that scrolls if it does not fit; the card is no taller than the content.
func NewScrolledCard(content fyne.CanvasObject, inner Fluid) *fyne.Container {
	back := NewFill(ColorPanel, 8)
	back.Stroke = theme.ColorNameSeparator
	scroll := container.NewVScroll(content)
	return container.New(&scrolledCardLayout{inner}, back, scroll)
}

type scrolledCardLayout struct{ inner Fluid }

func (l *scrolledCardLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	scroll := o[1].(*container.Scroll)
	return fyne.NewSize(scroll.Content.MinSize().Width, 80)
}

func (l *scrolledCardLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	scroll := o[1].(*container.Scroll)
	l.inner.SetWidth(size.Width - 2)
	height := min(size.Height, scroll.Content.MinSize().Height+2)
	o[0].Resize(fyne.NewSize(size.Width, height))
	scroll.Move(fyne.NewPos(1, 1))
	scroll.Resize(fyne.NewSize(size.Width-2, height-2))
}
