package memorypage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/ui/desk"
	"assay/ui/kit"
)

// leakLab is a check against a baseline, a workload that leaks deliberately, and the curve of live bytes.
type leakLab struct {
	check   *leakCheck
	control *leakControl
	curve   *leakCurve
	cards   *stack
	object  fyne.CanvasObject
}

func newLeakLab(d *desk.Desk) *leakLab {
	l := &leakLab{curve: newLeakCurve(d)}
	refit := func() { l.cards.refit() }
	l.check, l.control = newLeakCheck(d, refit), newLeakControl(d, refit)
	l.cards = newStack(append(l.check.rows(), l.control.rows()...)...)
	refit()
	l.object = container.New(&controlColumnLayout{sideAtLeft: true}, l.cards.object, l.curve.object)
	return l
}

// update shows what is new.
func (l *leakLab) update() {
	l.check.update()
	l.control.update()
	l.curve.update()
}

// controlColumnLayout puts a column of controls beside the rest, or one below the other if there is no room for both. The
// objects are in reading order, which is the order of Tab: the one on the left comes first.
type controlColumnLayout struct {
	sideAtLeft bool
	stacked    bool // as last laid out
}

const (
	sideWidth = 318 // at 100 %
	sideGap   = 12
	minRest   = 200 // height of the rest and of the controls below it, at 100 %
)

// side returns the width of the column: it grows a little with the window.
func (*controlColumnLayout) side(width float32) float32 {
	return max(kit.Scaled(sideWidth), min(kit.Scaled(420), 0.3*width))
}

// parts returns the object that takes the rest, and the column.
func (l *controlColumnLayout) parts(o []fyne.CanvasObject) (rest, side fyne.CanvasObject) {
	if l.sideAtLeft {
		return o[1], o[0]
	}
	return o[0], o[1]
}

func (l *controlColumnLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	rest, side := l.parts(o)
	a, b := rest.MinSize(), side.MinSize()
	if l.stacked {
		return fyne.NewSize(max(a.Width, l.side(0)), max(a.Height, kit.Scaled(minRest))+sideGap+max(b.Height, kit.Scaled(minRest)))
	}
	return fyne.NewSize(max(a.Width, l.side(0)), max(a.Height, b.Height))
}

func (l *controlColumnLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	rest, side := l.parts(o)
	column := l.side(size.Width)
	width := size.Width - column - sideGap
	if l.stacked = width < rest.MinSize().Width; l.stacked {
		half := (size.Height - sideGap) / 2
		o[0].Move(fyne.Position{})
		o[0].Resize(fyne.NewSize(size.Width, half))
		o[1].Move(fyne.NewPos(0, half+sideGap))
		o[1].Resize(fyne.NewSize(size.Width, half))
		return
	}
	atRest, atSide := float32(0), width+sideGap
	if l.sideAtLeft {
		atRest, atSide = column+sideGap, 0
	}
	rest.Move(fyne.NewPos(atRest, 0))
	rest.Resize(fyne.NewSize(width, size.Height))
	side.Move(fyne.NewPos(atSide, 0))
	side.Resize(fyne.NewSize(column, size.Height))
}
