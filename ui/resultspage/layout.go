package resultspage

import (
	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// pageLayout puts the head, at the height it needs for the width, above the rest.
type pageLayout struct{ width float32 }

const pageGap = 10

func (l *pageLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	rest := o[1].MinSize()
	height := o[0].MinSize().Height
	if l.width > 0 {
		height = kit.HeightFor(o[0], l.width)
	}
	return fyne.NewSize(rest.Width, height+pageGap+rest.Height)
}

func (l *pageLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	y := kit.HeightFor(o[0], size.Width)
	o[0].Resize(fyne.NewSize(size.Width, y))
	o[0].Move(fyne.Position{})
	o[1].Move(fyne.NewPos(0, y+pageGap))
	o[1].Resize(fyne.NewSize(size.Width, size.Height-y-pageGap))
}

// tableAndSideLayout puts the second object beside the first, the table, or below it if there is no room for both.
type tableAndSideLayout struct{ width float32 }

const (
	minBeside = 900 // width, at 100 %
	minSide   = 330
	maxSide   = 640
	minTable  = 150 // height, at 100 %
)

// below reports whether the second object is below the first at a width.
func (*tableAndSideLayout) below(width float32) bool { return width < kit.Scaled(minBeside) }

func (l *tableAndSideLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	side, table := o[1].MinSize().Height, kit.Scaled(minTable)
	if l.below(l.width) && l.width > 0 {
		return fyne.NewSize(600, table+pageGap+side)
	}
	return fyne.NewSize(600, max(table, side))
}

func (l *tableAndSideLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	if l.below(size.Width) {
		side := max(o[1].MinSize().Height, (size.Height-pageGap)*0.5)
		table := size.Height - side - pageGap
		o[0].Move(fyne.Position{})
		o[0].Resize(fyne.NewSize(size.Width, table))
		o[1].Move(fyne.NewPos(0, table+pageGap))
		o[1].Resize(fyne.NewSize(size.Width, side))
		return
	}
	side := min(maxSide, max(minSide, size.Width*0.34))
	o[0].Move(fyne.Position{})
	o[0].Resize(fyne.NewSize(size.Width-side-pageGap, size.Height))
	o[1].Move(fyne.NewPos(size.Width-side, 0))
	o[1].Resize(fyne.NewSize(side, size.Height))
}

// sideLayout stacks the chart and the row by weight, or puts them side by side if they are below the table.
type sideLayout struct{ *kit.WeightedLayout }

const minRow = 200 // height of the chosen row below the table, at 100 %

// Layout is part of fyne.Layout.
func (l sideLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	if size.Width <= maxSide {
		l.WeightedLayout.Layout(o, size)
		return
	}
	half := (size.Width - pageGap) / 2
	for i, c := range o {
		c.Move(fyne.NewPos(float32(i)*(half+pageGap), 0))
		c.Resize(fyne.NewSize(half, size.Height))
	}
}

// MinSize is part of fyne.Layout.
func (l sideLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	minSize := l.WeightedLayout.MinSize(o)
	return fyne.NewSize(minSize.Width, max(minSize.Height, kit.Scaled(minRow)))
}
