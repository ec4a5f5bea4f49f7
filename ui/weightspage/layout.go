package weightspage

import (
	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// bodyLayout puts the tensors to the left of the formats and the plan, or above them if the page is too narrow.
type bodyLayout struct{ width float32 }

const (
	bodyGap  = 12
	bodyPart = 0.64 // of the width, for the tensors
	bodySide = 720  // minimum width for side by side, at 100 %
)

func (l *bodyLayout) stacked() bool { return l.width > 0 && l.width < kit.Scaled(bodySide) }

// MinSize is part of fyne.Layout.
func (l *bodyLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	height := max(a.Height, b.Height)
	if l.stacked() {
		height = a.Height + bodyGap + b.Height
	}
	return fyne.NewSize(max(a.Width, b.Width), height)
}

// Layout is part of fyne.Layout.
func (l *bodyLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	first, at := fyne.NewSize((size.Width-bodyGap)*bodyPart, size.Height), fyne.Position{}
	second := fyne.NewSize(size.Width-bodyGap-first.Width, size.Height)
	at.X = first.Width + bodyGap
	if l.stacked() {
		below := o[1].MinSize().Height
		spare := max(0, size.Height-o[0].MinSize().Height-bodyGap-below)
		second = fyne.NewSize(size.Width, below+spare/2)
		first = fyne.NewSize(size.Width, size.Height-bodyGap-second.Height)
		at = fyne.NewPos(0, first.Height+bodyGap)
	}
	o[0].Move(fyne.Position{})
	o[0].Resize(first)
	o[1].Move(at)
	o[1].Resize(second)
}
