package kit

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// TableColumn is one column of a TableView.
type TableColumn struct {
	Title  string
	Number bool    // aligned to the right
	Width  float32 // width for the text of its cells; longer text is truncated
	Action bool    // its cells are buttons
}

// TableCell is the content of one cell of a Table.
type TableCell struct {
	Text  string
	Color fyne.ThemeColorName // empty: the text color
	Icon  fyne.Resource       // a shape before the text, so that the meaning does not depend on color alone; nil: none
	Off   bool                // a button that cannot be pressed
}

// TableView is a table of one-line rows below a head; one row can be chosen. Its first columns stay visible. Only what is
// visible is drawn, so the number of rows does not matter.
//
// With the focus, the up and down arrows, Page Up, Page Down, Home and End choose a row; the left and right arrows choose a
// column, and Space sorts by it; Return opens the row, or presses its button if it has one. A click on a head sorts, a double
// click on a row opens it. Tab does not stop at the buttons, or it would stop at every row.
type TableView struct {
	widget.BaseWidget
	hold
	Cell     func(row, column int) TableCell
	OnChosen func(row int)                // a row was chosen
	OnOpened func(row int)                // open a row
	OnAction func(row, column int)        // a button was pressed
	OnSorted func(column int)             // sort by a column
	OnColumn func(column int)             // the pointer or the keyboard is at the head of a column; -1: of none
	About    func(row, column int) string // explains a cell while the pointer is on it; empty: no explanation
	Hints    *Hints                       // shows the explanations
	OnKey    func(*fyne.KeyEvent)         // keys that the table does not use
	OnEdit   func(fyne.Shortcut)          // such as Copy and Undo

	columns    []TableColumn
	fixed      int
	rows       int
	chosen     int // row; -1: none
	sorted     int // column; -1: none
	descending bool
	column     int // column of the keyboard focus
	focused    bool
	tappedAt   time.Time
	tappedRow  int
	repeats    bool // the typed key is held down

	body   *tableBody
	scroll *container.Scroll
}

// NewTableView returns a table without columns and rows; cell returns the content of a cell.
func NewTableView(cell func(row, column int) TableCell) *TableView {
	t := &TableView{Cell: cell, chosen: -1, sorted: -1, tappedRow: -1}
	t.body = newTableBody(t)
	t.scroll = container.NewScroll(t.body)
	t.scroll.OnScrolled = func(fyne.Position) { t.body.place() }
	t.ExtendBaseWidget(t)
	return t
}

// SetColumns replaces the columns; the first ones are fixed. They take effect with the next SetRows.
func (t *TableView) SetColumns(columns []TableColumn, fixed int) {
	t.columns, t.fixed = columns, min(fixed, len(columns))
	t.column = max(0, min(t.column, len(columns)-1))
	t.body.reset()
}

// Columns returns the visible columns.
func (t *TableView) Columns() []TableColumn { return t.columns }

// SetRows sets the number of rows and redraws the visible ones. A chosen row that no longer exists is cleared.
func (t *TableView) SetRows(n int) {
	t.rows = n
	if t.chosen >= n {
		t.chosen = -1
	}
	t.body.stale()
	t.scroll.Refresh()
	t.body.place()
}

// Rows is the number of rows.
func (t *TableView) Rows() int { return t.rows }

// Mark shows row i as the chosen one, without calling the handler; -1: none.
func (t *TableView) Mark(i int) {
	t.chosen = min(i, t.rows-1)
	t.body.tint()
}

// At is the chosen row; -1: none.
func (t *TableView) At() int { return t.chosen }

// Sorted marks the column by which the rows are sorted; -1: none.
func (t *TableView) Sorted(column int, descending bool) {
	t.sorted, t.descending = column, descending
	t.body.fillHead()
}

// Choose chooses row i, scrolls to it and calls the handler.
func (t *TableView) Choose(i int) {
	if t.rows == 0 {
		return
	}
	t.chosen = max(0, min(i, t.rows-1))
	t.body.tint()
	t.ShowRow(t.chosen)
	if t.OnChosen != nil {
		t.OnChosen(t.chosen)
	}
}

// ShowRow scrolls a row into view.
func (t *TableView) ShowRow(i int) {
	b, at := t.body, t.scroll.Offset
	top := float32(i) * b.rowHeight
	room := t.scroll.Size().Height - b.headHeight - b.barRoom()
	at.Y = min(top, max(at.Y, top+b.rowHeight-room))
	t.scrollTo(at)
}

// Restart makes the table show its first row and column again with the next SetRows, because its rows are different ones.
func (t *TableView) Restart() { t.scroll.Offset = fyne.Position{} }

func (t *TableView) scrollTo(at fyne.Position) {
	if at != t.scroll.Offset {
		t.scroll.ScrollToOffset(at)
		t.body.place()
	}
}

// chooseColumn moves the keyboard to the head of a column.
func (t *TableView) chooseColumn(i int) {
	if i < 0 || i >= len(t.columns) || t.columns[i].Action {
		return
	}
	t.column = i
	t.body.fillHead()
	if t.column >= t.fixed {
		b, at := t.body, t.scroll.Offset
		left := b.xs[t.column] - b.xs[t.fixed]
		room := t.scroll.Size().Width - b.xs[t.fixed]
		at.X = max(0, min(left, max(at.X, b.xs[t.column+1]-b.xs[t.fixed]-room)))
		for _, x := range b.xs[t.fixed : t.column+1] { // to the next beginning of a column
			if edge := x - b.xs[t.fixed]; edge >= at.X {
				at.X = edge
				break
			}
		}
		t.scrollTo(at)
	}
	t.tellColumn(t.column)
}

func (t *TableView) tellColumn(i int) {
	if t.OnColumn != nil {
		t.OnColumn(i)
	}
}

// FocusGained is part of fyne.Focusable.
func (t *TableView) FocusGained() {
	t.focused = true
	t.Refresh()
	t.body.fillHead()
	Reveal(t)
}

// FocusLost is part of fyne.Focusable.
func (t *TableView) FocusLost() {
	t.focused = false
	t.Refresh()
	t.body.fillHead()
	t.tellColumn(-1)
}

// TypedRune is part of fyne.Focusable.
func (t *TableView) TypedRune(rune) {}

// TypedShortcut is part of fyne.Shortcutable.
func (t *TableView) TypedShortcut(s fyne.Shortcut) {
	if t.OnEdit != nil {
		t.OnEdit(s)
	}
}

// Repeats reports whether the key passed to OnKey is held, and was passed before.
func (t *TableView) Repeats() bool { return t.repeats }

// TypedKey is part of fyne.Focusable.
func (t *TableView) TypedKey(e *fyne.KeyEvent) {
	t.repeats = t.again(e)
	page := max(1, int((t.scroll.Size().Height-t.body.headHeight)/t.body.rowHeight)-1)
	switch e.Name {
	case fyne.KeyUp:
		t.Choose(t.chosen - 1)
	case fyne.KeyDown:
		t.Choose(t.chosen + 1)
	case fyne.KeyPageUp:
		t.Choose(t.chosen - page)
	case fyne.KeyPageDown:
		t.Choose(t.chosen + page)
	case fyne.KeyHome:
		t.Choose(0)
	case fyne.KeyEnd:
		t.Choose(t.rows - 1)
	case fyne.KeyLeft:
		t.chooseColumn(t.column - 1)
	case fyne.KeyRight:
		t.chooseColumn(t.column + 1)
	case fyne.KeySpace:
		t.sort(t.column)
	case fyne.KeyReturn, fyne.KeyEnter:
		if t.action() < 0 {
			t.open(t.chosen)
		} else if !t.repeats {
			t.Act()
		}
	default:
		if t.OnKey != nil {
			t.OnKey(e)
		}
	}
}

func (t *TableView) sort(column int) {
	if t.OnSorted != nil && column >= 0 && column < len(t.columns) && !t.columns[column].Action {
		t.OnSorted(column)
	}
}

func (t *TableView) open(row int) {
	if t.OnOpened != nil && row >= 0 && row < t.rows {
		t.OnOpened(row)
	}
}

// Act presses the button of the chosen row, if it has one.
func (t *TableView) Act() { t.act(t.chosen, t.action()) }

// action returns the column of buttons; -1: there is none.
func (t *TableView) action() int {
	return slices.IndexFunc(t.columns, func(c TableColumn) bool { return c.Action })
}

// act presses the button of a cell, and reports whether there is one.
func (t *TableView) act(row, column int) bool {
	if row < 0 || row >= t.rows || column < 0 || !t.columns[column].Action {
		return false
	}
	if t.OnAction != nil && !t.Cell(row, column).Off {
		t.OnAction(row, column)
	}
	return true
}

// doubleTap is the time between two taps that open a row, counted from the end of the work caused by the first: while a chosen
// row loads its content, the second tap waits. Taps carry no time of their own, and a busy machine may
// paint for half a second between the two, so the value is generous.
const doubleTap = 800 * time.Millisecond

// tapped is a click on the head, or on a row.
func (t *TableView) tapped(row, column int) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(t); c != nil {
		c.Focus(t)
	}
	switch {
	case row < 0:
		if column != t.action() {
			t.column = max(0, column)
		}
		t.sort(column)
	case t.act(row, column):
	case row < t.rows:
		again := row == t.tappedRow && time.Since(t.tappedAt) < doubleTap
		t.Choose(row)
		if again {
			t.tappedRow = -1
			t.open(row)
			return
		}
		t.tappedRow, t.tappedAt = row, time.Now()
	}
}

// CreateRenderer is part of fyne.Widget.
func (t *TableView) CreateRenderer() fyne.WidgetRenderer {
	t.ExtendBaseWidget(t)
	ring := NewRing(7)
	return &tableRenderer{table: t, ring: ring}
}

// tableRenderer is the scrolled body, with a ring around it while it has the focus.
type tableRenderer struct {
	table *TableView
	ring  *canvas.Rectangle
}

func (r *tableRenderer) MinSize() fyne.Size {
	b := r.table.body
	return fyne.NewSize(120, b.headHeight+3*b.rowHeight)
}

func (r *tableRenderer) Layout(size fyne.Size) {
	r.table.scroll.Resize(size)
	r.ring.Resize(size)
	r.table.body.place()
}

func (r *tableRenderer) Refresh() {
	ShowRing(r.ring, r.table.focused)
	r.table.body.Refresh()
}

func (r *tableRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.table.scroll, r.ring}
}
func (r *tableRenderer) Destroy() {}
