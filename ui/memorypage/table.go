package memorypage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/kit"
)

// column is one column of a table.
type column struct {
	title  string
	about  string  // what it means
	width  float32 // at least, at 100 %
	grows  float32 // its part of what is left, by weight
	number bool
	drop   int // where there is no room, the column of the largest goes first; 0: it stays
}

// most is how wide the column grows: what stands far apart does not read as a row.
func (c *column) most() float32 {
	return (1 + min(1.2*c.grows, 2.4)) * c.width
}

// table is rows of texts of which only those in sight have widgets. Every row ends in a button.
type table struct {
	columns []column
	rows    int
	cell    func(row, column int) (words string, color fyne.ThemeColorName)
	button  rowAction
	chosen  func(row int) // a row was chosen
	at      int           // the chosen row; −1: none
	list    *rowList
	ring    *canvas.Rectangle // shown while the rows have the focus
	object  *fyne.Container
	quiet   bool // while the page chooses a row itself
}

// rowAction is what can be done to each row: by its button, by Return, and by Delete or by Copy.
type rowAction struct {
	name    string
	deletes bool
	able    func(row int) bool
	do      func(row int)
}

// newTable makes a table below a header; chosen is told of a row that was chosen.
func newTable(columns []column, header []fyne.CanvasObject, button rowAction, chosen func(row int)) *table {
	t := &table{columns: columns, button: button, chosen: chosen, at: -1, ring: canvas.NewRectangle(nil)}
	t.list = newRowList(t)
	head := container.New(headLayout{}, container.New(rowCells{columns, headBleed}, header...))
	back := kit.NewFill(kit.ColorPanel, tableRadius)
	back.Stroke = theme.ColorNameSeparator
	body := container.New(kit.HeadedLayout{}, kit.Edged(head, kit.AtBottom, kit.NewLine()), t.list)
	t.ring.CornerRadius = tableRadius
	t.object = container.NewStack(back, kit.Inset(body, 1, 1), t.ring)
	return t
}

const tableRadius = 8

// showFocus shows that the rows have the focus, or not.
func (t *table) showFocus(on bool) {
	t.ring.StrokeWidth = 0
	if on {
		t.ring.StrokeColor, t.ring.StrokeWidth = theme.Color(theme.ColorNamePrimary), 1.5
	}
	t.ring.Refresh()
}

// selected takes in that the list has another row chosen, and tells if the user chose it.
func (t *table) selected(row int) {
	t.at = row
	if !t.quiet {
		t.chosen(row)
	}
}

// headLayout leaves room where the rows have their padding.
type headLayout struct{}

func (headLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(o[0].MinSize().Width, max(kit.Scaled(30), o[0].MinSize().Height+2))
}

func (headLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	height := o[0].MinSize().Height
	o[0].Move(fyne.NewPos(0, (size.Height-height)/2))
	o[0].Resize(fyne.NewSize(size.Width, height))
}

// create makes the widgets of a row.
func (t *table) create() fyne.CanvasObject {
	cells := make([]fyne.CanvasObject, 0, len(t.columns)+1)
	for _, c := range t.columns {
		words := kit.NewBody("", 1)
		if c.number {
			words.Align = fyne.TextAlignTrailing
		}
		cells = append(cells, words)
	}
	return container.New(rowCells{t.columns, 0}, append(cells, newRowButton(t.button.name))...)
}

// fill writes row i into widgets.
func (t *table) fill(i int, o fyne.CanvasObject) {
	cells := o.(*fyne.Container).Objects
	if i >= t.rows {
		return
	}
	for c := range t.columns {
		words, color := t.cell(i, c)
		cells[c].(*kit.Text).SetColored(words, color)
	}
	do := cells[len(t.columns)].(*rowButton)
	do.pressed = func() { t.act(i) }
	do.able(t.button.able(i))
}

// show shows that many rows, of which one is chosen; −1: none.
func (t *table) show(rows, chosen int) {
	t.rows = rows
	offset := t.list.GetScrollOffset()
	t.choose(chosen)
	t.list.ScrollToOffset(offset) // a row that moved does not take the view with it
	t.list.Refresh()
}

// choose marks a row without telling; −1 marks none.
func (t *table) choose(row int) {
	t.quiet = true
	defer func() { t.quiet = false }()
	if row < 0 || row >= t.rows {
		t.at = -1
		t.list.UnselectAll()
		return
	}
	t.list.Select(row)
}

// rowCells places the cells of a row; the last object is the row's button.
type rowCells struct {
	columns []column
	bleed   float32 // by how much cells reach into the gaps beside them
}

const (
	cellGap   = 12
	headBleed = 4
	signGap   = 10 // more, between a number and the words after it
	cellPad   = 12 // at both ends
	buttonAt  = 62 // the width of the button, at 100 %
)

func (l rowCells) MinSize(o []fyne.CanvasObject) fyne.Size {
	height := float32(0)
	for i := range l.columns {
		height = max(height, o[i].MinSize().Height)
	}
	return fyne.NewSize(l.width(0, tightest), height+4)
}

// width is that of the columns that are dropped at most at a level, with the button; those of long words have a share of theirs.
func (l rowCells) width(level int, share float32) float32 {
	width := float32(2*cellPad) + kit.Scaled(buttonAt)
	for i, c := range l.columns {
		if c.drop <= level {
			width += kit.Scaled(c.width)*c.part(share) + cellGap + l.extra(i)
		}
	}
	return width
}

// tightest is the share of their width that columns of words keep before others are dropped for them.
const tightest = 0.64

// part is the share of its width that a column has where those of long words have a share of theirs.
func (c *column) part(share float32) float32 {
	if c.grows > 0 && !c.number && c.width > 100 {
		return share
	}
	return 1
}

// share is how much of their width the columns of long words have.
func (l rowCells) share(level int, width float32) float32 {
	growing := l.width(level, 1) - l.width(level, 0)
	if growing == 0 {
		return 1
	}
	return min(1, max(tightest, 1-(l.width(level, 1)-width)/growing))
}

// level is up to which columns there is room for.
func (l rowCells) level(width float32) int {
	most := 0
	for _, c := range l.columns {
		most = max(most, c.drop)
	}
	for most > 0 && l.width(most, tightest) > width {
		most--
	}
	return most
}

// extra is the room to leave before column i beside the gap.
func (l rowCells) extra(i int) float32 {
	if i > 0 && l.columns[i-1].number && !l.columns[i].number {
		return signGap
	}
	return 0
}

func (l rowCells) Layout(o []fyne.CanvasObject, size fyne.Size) {
	level := l.level(size.Width)
	share := l.share(level, size.Width)
	spare, weight := max(0, size.Width-l.width(level, share)), float32(0)
	for i, c := range l.columns {
		kit.Show(o[i], c.drop <= level)
		if c.drop <= level {
			weight += c.grows
		}
	}
	x := float32(cellPad)
	place := func(o fyne.CanvasObject, width float32) {
		height := min(size.Height, o.MinSize().Height)
		o.Move(fyne.NewPos(x-l.bleed, (size.Height-height)/2))
		o.Resize(fyne.NewSize(width+2*l.bleed, height))
		x += width + cellGap
	}
	for i, c := range l.columns {
		if c.drop > level {
			continue
		}
		x += l.extra(i)
		place(o[i], min(kit.Scaled(c.most()), kit.Scaled(c.width)*c.part(share)+spare*c.grows/max(weight, 1e-3)))
	}
	if last := len(l.columns); last < len(o) {
		place(o[last], kit.Scaled(buttonAt))
	}
}

// captions are the headers of a table that cannot be sorted: each explains itself.
func captions(columns []column, hints *kit.Hints, last fyne.CanvasObject) []fyne.CanvasObject {
	var header []fyne.CanvasObject
	for _, c := range columns {
		words := kit.NewCaption(c.title, 1)
		words.Style.Bold = true
		if c.number {
			words.Align = fyne.TextAlignTrailing
		}
		header = append(header, kit.Inset(kit.NewTerm(words, c.about, hints), headBleed, 0))
	}
	return append(header, last)
}
