package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
)

// tableLine is one line of a table: its head, or a row. The cells of the fixed columns have their own background; the others
// scroll below it.
type tableLine struct {
	body   *tableBody
	head   bool
	row    int // -1: none yet
	back   *canvas.Rectangle
	shield *canvas.Rectangle // below the fixed cells
	cells  []tableCellView
}

// tableCellView draws one cell.
type tableCellView struct {
	text   *canvas.Text
	icon   *canvas.Image
	button *canvas.Rectangle // behind the text; nil: it is not a button
	filled bool
}

const (
	buttonRadius = 5
	buttonHeight = 22 // maximum, at 100 %
	buttonPad    = 4  // in addition to the room for the text
)

func newTableLine(b *tableBody, head bool) *tableLine {
	l := &tableLine{body: b, head: head, row: -1, back: canvas.NewRectangle(nil), shield: canvas.NewRectangle(nil)}
	for _, c := range b.table.columns {
		icon := canvas.NewImageFromResource(nil)
		icon.FillMode = canvas.ImageFillContain
		icon.Hidden = true
		cell := tableCellView{text: canvas.NewText("", nil), icon: icon}
		if c.Action && !head {
			cell.button = canvas.NewRectangle(nil)
			cell.button.CornerRadius, cell.button.Hidden = buttonRadius, true
		}
		l.cells = append(l.cells, cell)
	}
	return l
}

// moving are the objects that scroll sideways and staying those that do not, each from back to front.
func (l *tableLine) moving() []fyne.CanvasObject {
	return append([]fyne.CanvasObject{l.back}, l.part(l.body.table.fixed, len(l.cells))...)
}

func (l *tableLine) staying() []fyne.CanvasObject {
	return append([]fyne.CanvasObject{l.shield}, l.part(0, l.body.table.fixed)...)
}

func (l *tableLine) part(from, to int) []fyne.CanvasObject {
	var objects []fyne.CanvasObject
	for i := from; i < to; i++ {
		if b := l.cells[i].button; b != nil {
			objects = append(objects, b)
		}
		objects = append(objects, l.cells[i].text, l.cells[i].icon)
	}
	return objects
}

// clear marks every cell to be refilled when next visible.
func (l *tableLine) clear() {
	for i := range l.cells {
		l.cells[i].filled = false
	}
}

// show shows or hides the line.
func (l *tableLine) show(on bool) {
	l.back.Hidden, l.shield.Hidden = !on, !on
	if on {
		return
	}
	for i := range l.cells {
		l.cells[i].hide()
	}
}

// hide hides everything that is drawn for a cell.
func (c *tableCellView) hide() {
	c.text.Hidden, c.icon.Hidden, c.filled = true, true, false
	if c.button != nil {
		c.button.Hidden = true
	}
}

// place puts the line at a height, with the fixed cells at the left edge of the visible area, and fills newly visible
// cells. The others are shifted.
func (l *tableLine) place(left, shift, y, width, height float32) {
	b := l.body
	fixed := b.xs[b.table.fixed]
	l.back.Move(fyne.NewPos(left, y))
	l.back.Resize(fyne.NewSize(width, height))
	l.shield.Move(fyne.NewPos(left, y))
	l.shield.Resize(fyne.NewSize(fixed, height))
	l.tint()
	for i := range l.cells {
		x, c := b.xs[i], &l.cells[i]
		if i < b.table.fixed {
			x += left
		} else if x += shift; b.xs[i+1]+shift < left+fixed+1 || x > left+width {
			c.hide()
			continue
		}
		if !c.filled {
			l.fill(i)
		}
		l.placeCell(i, x+cellPad, y, height)
	}
}

// tint colors the line's background.
func (l *tableLine) tint() {
	panel := theme.Color(ColorPanel)
	fill := over(panel, theme.Color(ColorPanel))
	switch {
	case l.head:
	case l.row == l.body.table.chosen && l.row >= 0:
		fill = over(panel, theme.Color(ColorSelected))
	case l.row%2 == 1:
		fill = over(panel, theme.Color(colorStripe))
	}
	if l.back.FillColor != fill {
		l.back.FillColor, l.shield.FillColor = fill, fill
		l.back.Refresh()
		l.shield.Refresh()
	}
	for i := range l.cells {
		if b := l.cells[i].button; b != nil {
			l.tintButton(b, l.body.under == tablePlace{l.row, i})
		}
	}
}

// tintButton colors a button, in another color while the pointer is on it.
func (l *tableLine) tintButton(b *canvas.Rectangle, hovered bool) {
	fill := theme.Color(theme.ColorNameButton)
	if hovered {
		fill = over(fill, theme.Color(theme.ColorNameHover))
	}
	if b.FillColor != fill {
		b.FillColor = fill
		b.Refresh()
	}
}

// fill sets the content of a cell.
func (l *tableLine) fill(i int) {
	c, t := &l.cells[i], l.body.table
	if l.head {
		l.fillTitle(i)
	} else {
		said := t.Cell(l.row, i)
		switch {
		case said.Off:
			said.Color = theme.ColorNameDisabled
		case said.Color == "":
			said.Color = theme.ColorNameForeground
		}
		if c.button != nil {
			c.text.TextStyle.Bold, c.button.Hidden = true, said.Off
		}
		c.text.TextSize, c.text.Color = theme.TextSize(), theme.Color(said.Color)
		c.setIcon(said.Icon)
		c.text.Text = cutTo(said.Text, l.body.room(i, said.Icon != nil, shapeRoom()), c.text)
	}
	c.text.Alignment = fyne.TextAlignLeading
	switch {
	case t.columns[i].Action:
		c.text.Alignment = fyne.TextAlignCenter
	case t.columns[i].Number:
		c.text.Alignment = fyne.TextAlignTrailing
	}
	c.filled, c.text.Hidden = true, c.text.Text == ""
	c.text.Refresh()
}

// fillTitle writes the title of a column, with an arrow if the rows are sorted by it.
func (l *tableLine) fillTitle(i int) {
	c, t := &l.cells[i], l.body.table
	c.text.TextSize, c.text.TextStyle, c.text.Color = theme.CaptionTextSize(), fyne.TextStyle{Bold: true}, theme.Color(ColorSecondary)
	if i == t.sorted || t.focused && i == t.column {
		c.text.Color = theme.Color(theme.ColorNameForeground)
	}
	c.text.TextStyle.Underline = t.focused && i == t.column
	var arrow fyne.Resource
	if i == t.sorted {
		arrow = theme.MenuDropUpIcon()
		if t.descending {
			arrow = theme.MenuDropDownIcon()
		}
	}
	c.setIcon(arrow)
	c.text.Text = cutTo(t.columns[i].Title, l.body.room(i, arrow != nil, arrowRoom()), c.text)
}

func (c *tableCellView) setIcon(r fyne.Resource) {
	if c.icon.Resource != r {
		c.icon.Resource = r
		c.icon.Refresh()
	}
	c.icon.Hidden = r == nil
}

// room returns the width of a cell's text.
func (b *tableBody) room(i int, icon bool, taken float32) float32 {
	room := b.xs[i+1] - b.xs[i] - 2*cellPad
	if icon {
		room -= taken
	}
	return room
}

// placeCell puts the text and the shape of a cell side by side: the shape of a row before its text, the arrow of a head
// after it, except for numbers, which are right-aligned.
func (l *tableLine) placeCell(i int, x, y, height float32) {
	c := &l.cells[i]
	size, taken := theme.TextSize(), shapeRoom()
	if l.head {
		size, taken = theme.CaptionTextSize()+2, arrowRoom()
	}
	room := l.body.room(i, !c.icon.Hidden, taken)
	icon := x
	switch {
	case c.icon.Hidden:
	case l.head && !l.body.table.columns[i].Number:
		icon = x + min(room, c.text.MinSize().Width) + 1
	default:
		x += taken
	}
	if !c.icon.Hidden && l.body.table.columns[i].Number { // beside the number, however wide the column is
		icon = x + room - c.text.MinSize().Width - taken
	}
	c.icon.Move(fyne.NewPos(icon, y+(height-size)/2))
	c.icon.Resize(fyne.NewSize(size, size))
	minSize := c.text.MinSize().Height
	c.text.Move(fyne.NewPos(x, y+(height-minSize)/2))
	c.text.Resize(fyne.NewSize(room, minSize))
	if c.button != nil {
		high := min(Scaled(buttonHeight), height-4)
		c.button.Move(fyne.NewPos(x-buttonPad, y+(height-high)/2))
		c.button.Resize(fyne.NewSize(room+2*buttonPad, high))
	}
}

// cutTo truncates s to the available width.
func cutTo(s string, room float32, as *canvas.Text) string {
	fits := func(s string) bool { return measureText(s, as.TextSize, as.TextStyle).Width <= room+0.5 }
	if fits(s) {
		return s
	}
	return cut(s, fits)
}
