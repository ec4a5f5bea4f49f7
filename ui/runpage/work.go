package runpage

import (
	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// workLayout puts the parameters and their outcome side by side, or below each other if large text leaves no room: then the page
// scrolls as a whole.
type workLayout struct {
	right *rightColumn
	width float32
}

const (
	minRight = 180 // width of the outcome beside the parameters, at 100 %
	moreForm = 140 // height of the parameters above the outcome, beyond the minimum, at 100 %
)

// below reports whether the outcome is below the parameters at a width.
func (*workLayout) below(width float32) bool {
	return width-formWidth(width)-workGap < kit.Scaled(minRight)
}

// high returns the height of the parameters above the outcome.
func (*workLayout) high(form fyne.CanvasObject) float32 {
	return form.MinSize().Height + kit.Scaled(moreForm)
}

func (l *workLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	if l.width > 0 && l.below(l.width) {
		l.right.layout.setWidth(l.width)
		return fyne.NewSize(kit.Scaled(minForm), l.high(o[0])+workGap+l.right.parts.MinSize().Height)
	}
	return fyne.NewSize(kit.Scaled(minForm), max(a.Height, b.Height))
}

func (l *workLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	if l.below(size.Width) {
		l.right.layout.setWidth(size.Width)
		form := l.high(o[0])
		put(o[0], 0, 0, size.Width, form)
		put(o[1], 0, form+workGap, size.Width, size.Height-form-workGap)
		return
	}
	form := formWidth(size.Width)
	l.right.layout.setWidth(size.Width - form - workGap)
	put(o[0], 0, 0, form, size.Height)
	put(o[1], form+workGap, 0, size.Width-form-workGap, size.Height)
}
