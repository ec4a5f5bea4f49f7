package runpage

import (
	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// roomLayout centers a text in a height that has room for a longer one, which it may need when the machine's load
// changes: so what is below does not move under the pointer.
type roomLayout struct {
	longest *kit.Text
	width   float32 // at the last layout; 0: none yet
}

func (l *roomLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := o[0].MinSize()
	if l.width > 0 {
		size.Height = max(size.Height, l.longest.HeightFor(l.width))
	}
	return size
}

func (l *roomLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	height := kit.HeightFor(o[0], size.Width)
	put(o[0], 0, (size.Height-height)/2, size.Width, height)
}
