package runpage

import (
	"fyne.io/fyne/v2"
)

// barLayout puts the chart chooser at the left and buttons at the right: beside it, or on separate lines if they do not fit.
type barLayout struct{ width float32 }

const barGap = 4

// lines calls line with the objects of each line, and its height.
func (l *barLayout) lines(o []fyne.CanvasObject, width float32, line func(o []fyne.CanvasObject, height float32)) {
	var on []fyne.CanvasObject
	used, height := float32(0), float32(0)
	end := func() {
		if len(on) > 0 {
			line(on, height)
		}
		on, used, height = nil, 0, 0
	}
	for _, c := range o {
		minSize := c.MinSize()
		if !c.Visible() || minSize.Width == 0 {
			continue
		}
		if used > 0 && used+barGap+minSize.Width > width {
			end()
		}
		on, used, height = append(on, c), used+barGap+minSize.Width, max(height, minSize.Height)
	}
	end()
}

func (l *barLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(0, -barGap)
	l.lines(o, max(1, l.width), func(_ []fyne.CanvasObject, height float32) { size.Height += height + barGap })
	return size.Max(fyne.Size{})
}

func (l *barLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	y := float32(0)
	l.lines(o, size.Width, func(on []fyne.CanvasObject, height float32) {
		if on[0] == o[0] {
			put(on[0], 0, y, min(on[0].MinSize().Width, size.Width), height)
			on = on[1:]
		}
		x := size.Width
		for i := len(on) - 1; i >= 0; i-- {
			minSize := on[i].MinSize()
			x -= minSize.Width
			put(on[i], x, y+(height-minSize.Height)/2, minSize.Width, minSize.Height)
			x -= barGap
		}
		y += height + barGap
	})
}

func put(o fyne.CanvasObject, x, y, width, height float32) {
	o.Resize(fyne.NewSize(width, height))
	o.Move(fyne.NewPos(x, y))
}
