package view

import (
	"math"

	"assay/ui/kit"

	"fyne.io/fyne/v2"
)

// Sizes of the cards in the grid.
const (
	minCardWidth   = 300
	minReplay      = 320 // of a card that says more about its figure
	minCardHeight  = 204
	scrolledHeight = 222 // of cards that have to be scrolled anyway
	minNamed       = 212 // height of a card whose chart names the phases
	maxCardWidth   = 640 // cards are wider only if there are too few
	maxColumns     = 5
	cellGap        = 10
	barRoom        = 10  // of the scroll bar, right of the cards
	cardShape      = 1.7 // width ÷ height that suits a chart with its text
)

// gridLayout puts cards of one size into rows. The card of missing metrics fills the last row, or has its own.
type gridLayout struct {
	missing *missingView
	least   float32 // width of a card
	charts  int     // how many of the objects are charts; the card of missing metrics follows, if there is one
	columns int
	cell    fyne.Size
	wider   int     // how many columns are a pixel wider, from the remainder of dividing the width
	width   float32 // of all columns
	height  float32
}

// plan finds the columns and the size of the cards for an area. Cards are as tall as it allows, but not below their
// minimum.
func (l *gridLayout) plan(o []fyne.CanvasObject, room fyne.Size) {
	best := math.Inf(1)
	l.width = room.Width
	defer func() { l.wider = int(l.width - float32(l.columns)*(l.cell.Width+cellGap) + cellGap) }()
	for n := 1; n <= maxColumns; n++ {
		width := whole((room.Width - float32(n-1)*cellGap) / float32(n))
		if n > 1 && (width < kit.Scaled(l.least) || n > len(o)) {
			break
		}
		if narrower := whole((room.Width - float32(n)*cellGap) / float32(n+1)); width > maxCardWidth && narrower >= kit.Scaled(l.least) &&
			n < min(maxColumns, len(o)) {
			continue
		}
		cell, height := l.try(o, room, n, width)
		shape := cell.Width / cell.Height
		if cell.Height == kit.Scaled(scrolledHeight) { // the same columns as without scrolling
			shape = cell.Width / kit.Scaled(minCardHeight)
		}
		if off := math.Abs(math.Log(float64(shape) / cardShape)); off < best {
			best, l.columns, l.cell, l.height = off, n, cell, height
		}
	}
}

// try returns the size of the cards in n columns, and the total height.
func (l *gridLayout) try(o []fyne.CanvasObject, room fyne.Size, n int, width float32) (cell fyne.Size, height float32) {
	rows := (l.charts + n - 1) / n
	below := float32(0)
	if len(o) > l.charts && l.charts%n == 0 {
		if below = l.missing.heightFor(room.Width); rows > 0 {
			below += cellGap
		}
	}
	if rows == 0 {
		return fyne.NewSize(width, room.Height), min(below, whole(room.Height))
	}
	gaps := float32(rows-1) * cellGap
	tall := whole((room.Height - below - gaps) / float32(rows))
	if tall < kit.Scaled(minCardHeight) {
		tall = kit.Scaled(scrolledHeight)
	}
	return fyne.NewSize(width, tall), float32(rows)*tall + gaps + below
}

// whole rounds a length down to whole pixels: otherwise cards have blurred edges.
func whole(v float32) float32 { return float32(math.Floor(float64(v))) }

func (l *gridLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(minCardWidth, l.height)
}

func (l *gridLayout) Layout(o []fyne.CanvasObject, _ fyne.Size) {
	if l.columns == 0 {
		return
	}
	for i, c := range o[:min(l.charts, len(o))] {
		c.Move(l.place(i))
		c.Resize(l.size(i))
	}
	if len(o) <= l.charts {
		return
	}
	at, rest := l.place(l.charts), l.cell
	rest.Width = l.width - at.X
	if l.charts%l.columns == 0 {
		rest.Height = l.height - at.Y
	}
	o[l.charts].Move(at)
	o[l.charts].Resize(rest)
}

// place returns the position of card i.
func (l *gridLayout) place(i int) fyne.Position {
	column, row := i%l.columns, i/l.columns
	return fyne.NewPos(float32(column)*(l.cell.Width+cellGap)+float32(min(column, l.wider)), float32(row)*(l.cell.Height+cellGap))
}

// size returns the size of card i.
func (l *gridLayout) size(i int) fyne.Size {
	if i%l.columns < l.wider {
		return l.cell.AddWidthHeight(1, 0)
	}
	return l.cell
}

// named reports whether the cards are tall enough for the names of phases: all of them or none.
func (l *gridLayout) named() bool { return l.cell.Height >= kit.Scaled(minNamed) }
