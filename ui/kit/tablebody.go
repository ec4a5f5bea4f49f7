package kit

import (
	"image/color"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// tableBody is the scrolled content of a table. It is as large as all rows, contains the visible lines, and reuses them
// for others. The head and the fixed columns move along with the scroll, on top of the rest.
type tableBody struct {
	widget.BaseWidget
	table      *TableView
	xs         []float32 // left edges of the columns, and the end of the last
	rowHeight  float32
	headHeight float32
	head       *tableLine
	lines      []*tableLine // row r is in line r modulo their number
	edge       *canvas.Rectangle
	objects    []fyne.CanvasObject
	under      tablePlace // the button that the pointer is on
	told       tablePlace // the cell whose explanation is shown
}

// tablePlace is a cell.
type tablePlace struct{ row, column int }

// nowhere is the place of a pointer that is on no button.
func nowhere() tablePlace { return tablePlace{-1, -1} }

const (
	cellPad = 8
	rowPad  = 4

	CellPads = 2 * cellPad // padding of a column
)

func shapeRoom() float32 { return theme.TextSize() + 4 }
func arrowRoom() float32 { return theme.CaptionTextSize() + 2 }

func newTableBody(t *TableView) *tableBody {
	b := &tableBody{table: t, xs: []float32{0}, edge: canvas.NewRectangle(nil), under: nowhere(), told: nowhere()}
	b.measure()
	b.ExtendBaseWidget(b)
	return b
}

// measure updates the heights of text.
func (b *tableBody) measure() {
	b.rowHeight = ceil(measureText("Mg", theme.TextSize(), fyne.TextStyle{}).Height) + 2*rowPad
	b.headHeight = ceil(measureText("Mg", theme.CaptionTextSize(), fyne.TextStyle{Bold: true}).Height) + 2*rowPad + 2
}

func ceil(x float32) float32 { return float32(math.Ceil(float64(x))) }

// reset recreates the lines for new columns.
func (b *tableBody) reset() {
	b.measure()
	b.xs = make([]float32, 1, len(b.table.columns)+1)
	for i, c := range b.table.columns {
		b.xs = append(b.xs, b.xs[i]+ceil(c.Width)+2*cellPad)
	}
	b.lines, b.head = nil, nil
}

// stale marks every line to be refilled.
func (b *tableBody) stale() {
	for _, l := range b.lines {
		l.row = -1
	}
}

// end returns the right edge of the last column.
func (b *tableBody) end() float32 { return b.xs[len(b.xs)-1] }

// place positions the visible lines, and fills those that show another row.
func (b *tableBody) place() {
	view, at := b.table.scroll.Size(), b.table.scroll.Offset
	if view.Width <= 0 || view.Height <= 0 {
		return
	}
	if n := int(view.Height/b.rowHeight) + 2; n > len(b.lines) || b.head == nil {
		b.grow(n)
	}
	first, shift := max(0, int(at.Y/b.rowHeight)), b.shift()
	for r := first; r < first+len(b.lines); r++ {
		l := b.lines[r%len(b.lines)]
		if l.row != r {
			l.clear()
			l.row = r
		}
		l.show(r < b.table.rows)
		if r < b.table.rows {
			l.place(at.X, shift, b.headHeight+float32(r)*b.rowHeight, view.Width, b.rowHeight)
		}
	}
	b.head.place(at.X, shift, at.Y, view.Width, b.headHeight)
	b.edge.Move(fyne.NewPos(at.X, at.Y+b.headHeight-1))
	b.edge.Resize(fyne.NewSize(view.Width, 1))
}

// shift is how far the scrolling columns are drawn from their scrolled position: a column begins at the edge of the fixed ones, so
// that no number loses its first digits there. Only a column wider than the room is shown in part.
func (b *tableBody) shift() float32 {
	t := b.table
	at, fixed, width := t.scroll.Offset.X, b.xs[t.fixed], t.scroll.Size().Width
	for i := t.fixed; at > 0 && i+1 < len(b.xs); i++ {
		lo, hi := b.xs[i]-fixed, b.xs[i+1]-fixed
		switch {
		case at >= hi:
			continue
		case hi-lo > width-fixed:
			return 0
		case at-lo < (hi-lo)/2 && at < b.end()-width-1: // not at the end, where the last column must be completely visible
			return at - lo
		case i+2 == len(b.xs):
			return 0
		}
		return at - hi
	}
	return 0
}

// grow adds lines until there are at least n.
func (b *tableBody) grow(n int) {
	b.stale()
	for len(b.lines) < n {
		b.lines = append(b.lines, newTableLine(b, false))
	}
	if b.head == nil {
		b.head = newTableLine(b, true)
	}
	b.objects = b.objects[:0]
	for _, l := range b.lines {
		b.objects = append(b.objects, l.moving()...)
	}
	for _, l := range b.lines {
		b.objects = append(b.objects, l.staying()...)
	}
	b.objects = append(append(append(b.objects, b.head.moving()...), b.head.staying()...), b.edge)
	b.edge.FillColor = theme.Color(theme.ColorNameSeparator)
}

// fillHead draws the head again.
func (b *tableBody) fillHead() {
	if b.head != nil {
		b.head.clear()
		b.place()
		canvas.Refresh(b)
	}
}

// tint shows which row is chosen.
func (b *tableBody) tint() {
	for _, l := range b.lines {
		l.tint()
	}
	canvas.Refresh(b)
}

// where returns the row and the column at a position; the head is row -1.
func (b *tableBody) where(p fyne.Position) (row, column int) {
	at := b.table.scroll.Offset
	row = int((p.Y - b.headHeight) / b.rowHeight)
	if p.Y-at.Y < b.headHeight {
		row = -1
	}
	x := p.X
	if fixed := b.xs[b.table.fixed]; x-at.X < fixed {
		x -= at.X
	} else {
		x -= b.shift()
	}
	for i := range b.table.columns {
		if x < b.xs[i+1] {
			return row, i
		}
	}
	return row, -1
}

// Tapped is part of fyne.Tappable.
func (b *tableBody) Tapped(e *fyne.PointEvent) { b.table.tapped(b.where(e.Position)) }

// MouseIn is part of desktop.Hoverable.
func (b *tableBody) MouseIn(e *desktop.MouseEvent) { b.MouseMoved(e) }

// MouseMoved is part of desktop.Hoverable: it reports the column whose head the pointer is on, and marks the button under it.
func (b *tableBody) MouseMoved(e *desktop.MouseEvent) {
	row, column := b.where(e.Position)
	b.explain(tablePlace{row, column})
	at := nowhere()
	if row >= 0 {
		if column >= 0 && b.table.columns[column].Action {
			at = tablePlace{row, column}
		}
		column = -1
	}
	b.hover(at)
	b.table.tellColumn(column)
}

// MouseOut is part of desktop.Hoverable.
func (b *tableBody) MouseOut() {
	b.explain(nowhere())
	b.hover(nowhere())
	b.table.tellColumn(-1)
}

// explain shows the explanation of the cell under the pointer, if it has one.
func (b *tableBody) explain(at tablePlace) {
	t := b.table
	if at == b.told || t.About == nil || t.Hints == nil {
		return
	}
	b.told = at
	t.Hints.hide(b)
	if at.row < 0 || at.row >= t.rows || at.column < 0 {
		return
	}
	if about := t.About(at.row, at.column); about != "" {
		x := b.xs[at.column]
		if at.column < t.fixed {
			x += t.scroll.Offset.X
		} else {
			x += b.shift()
		}
		cell := fyne.NewPos(x, b.headHeight+float32(at.row)*b.rowHeight)
		size := fyne.NewSize(min(b.xs[at.column+1]-b.xs[at.column], t.scroll.Size().Width), b.rowHeight)
		t.Hints.placeAt(b, cell, size, about, false)
	}
}

// hover marks the button under the pointer.
func (b *tableBody) hover(at tablePlace) {
	if at != b.under {
		b.under = at
		b.tint()
	}
}

// CreateRenderer is part of fyne.Widget.
func (b *tableBody) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	return &bodyRenderer{b}
}

type bodyRenderer struct{ body *tableBody }

func (r *bodyRenderer) MinSize() fyne.Size {
	b := r.body
	return fyne.NewSize(b.end(), b.headHeight+float32(b.table.rows)*b.rowHeight+b.barRoom())
}

// barRoom is the height reserved for the horizontal scroll bar, which would otherwise cover the last row.
func (b *tableBody) barRoom() float32 {
	if b.end() <= b.table.scroll.Size().Width {
		return 0
	}
	return theme.Size(theme.SizeNameScrollBar)
}

func (r *bodyRenderer) Layout(fyne.Size) { r.body.place() }

// Refresh redraws everything: the theme may have changed.
func (r *bodyRenderer) Refresh() {
	b := r.body
	b.measure()
	b.stale()
	if b.head != nil {
		b.head.clear()
	}
	b.edge.FillColor = theme.Color(theme.ColorNameSeparator)
	b.place()
	canvas.Refresh(b)
}

func (r *bodyRenderer) Objects() []fyne.CanvasObject { return r.body.objects }
func (r *bodyRenderer) Destroy()                     {}

// over returns a color seen through another.
func over(base, top color.Color) color.NRGBA {
	b, t := color.NRGBAModel.Convert(base).(color.NRGBA), color.NRGBAModel.Convert(top).(color.NRGBA)
	mix := func(x, y uint8) uint8 { return uint8((int(x)*(255-int(t.A)) + int(y)*int(t.A)) / 255) }
	return color.NRGBA{R: mix(b.R, t.R), G: mix(b.G, t.G), B: mix(b.B, t.B), A: 255}
}
