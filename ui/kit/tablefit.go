package kit

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// fit adapts the columns to the table's width and to the size of the text.
func (t *Table[T]) fit(width float32) {
	if size := theme.TextSize(); width != t.room || size != t.textSize {
		t.room, t.textSize = width, size
		t.arrange()
		t.show()
	}
}

// least is the width below which some of the fixed-width columns that stay would have to be scrolled to.
func (t *Table[T]) least() float32 {
	width := float32(0)
	for i := range t.columns {
		if c := &t.columns[i]; c.Drop == 0 && c.declared() > 0 {
			width += min(c.declared(), cmp.Or(Scaled(c.Min), c.declared())) + columnPads
		}
	}
	return width
}

// buttonSpare is the room beside the text of a button, including that beside the text of any cell, at 100 %.
const buttonSpare = 12

// columnPads is what a column takes in addition to its width, which is rounded up.
const columnPads = CellPads + 1

// declared returns the width of the column regardless of its content; 0: it depends on the content.
func (c *Column[T]) declared() float32 {
	switch {
	case c.Action != nil:
		return measureText(c.Action.Name, theme.TextSize(), fyne.TextStyle{Bold: true}).Width + Scaled(buttonSpare)
	case c.Width > 0:
		return max(HeadWidth(c.Title), Scaled(c.Width))
	}
	return 0
}

// arrange fits the columns to their content, with the next SetRows. Empty columns are left out.
func (t *Table[T]) arrange() {
	t.shown = t.shown[:0]
	var columns []TableColumn
	for i := range t.columns {
		c := &t.columns[i]
		if wide, used := t.widthOf(c); used {
			t.shown = append(t.shown, c)
			columns = append(columns, TableColumn{Title: c.Title, Number: c.Number, Width: wide, Action: c.Action != nil})
		}
	}
	columns = t.narrow(columns)
	if !slices.Equal(columns, t.Columns()) {
		t.SetColumns(columns, t.fixed)
	}
}

// widthOf returns the width of a column, and whether it has anything to show.
func (t *Table[T]) widthOf(c *Column[T]) (wide float32, used bool) {
	if wide := c.declared(); wide > 0 {
		return wide, true
	}
	wide = WidestCell(0, len(t.items), func(i int) string { return c.Cell(&t.items[i]).Text }, c.Shaped)
	return max(HeadWidth(c.Title), wide), wide > 0 || len(t.items) == 0 || c.Always
}

// narrow shrinks the columns that can shrink if all of them do not fit, drops those that still do not fit, and distributes the
// remaining width.
func (t *Table[T]) narrow(columns []TableColumn) []TableColumn {
	columns = t.drop(columns)
	left := t.room
	var yielding []int
	for i := range columns {
		left -= columns[i].Width + columnPads
		if t.shown[i].Min > 0 {
			yielding = append(yielding, i)
		}
	}
	slices.SortStableFunc(yielding, func(a, b int) int { return cmp.Compare(t.shown[a].Rank, t.shown[b].Rank) })
	for _, i := range yielding {
		by := max(0, min(-left, columns[i].Width-Scaled(t.shown[i].Min)))
		columns[i].Width -= by
		left += by
	}
	t.widen(columns, left)
	return columns
}

// drop leaves out columns while they do not fit even though some have shrunk.
func (t *Table[T]) drop(columns []TableColumn) []TableColumn {
	for {
		need, last := float32(0), -1
		for i := range columns {
			c := t.shown[i]
			need += min(columns[i].Width, cmp.Or(Scaled(c.Min), columns[i].Width)) + columnPads
			if c.Drop > 0 && (last < 0 || c.Drop > t.shown[last].Drop) {
				last = i
			}
		}
		if need <= t.room || last < 0 {
			return columns
		}
		columns, t.shown = slices.Delete(columns, last, last+1), slices.Delete(t.shown, last, last+1)
	}
}

const maxSpare = 48 // maximum share of the remaining width for a column

// widen distributes the remaining width: a little to each column except those of buttons, the rest to those that may have more.
func (t *Table[T]) widen(columns []TableColumn, left float32) {
	var wider []int
	for i := range columns {
		by := max(0, min(Scaled(maxSpare), left/float32(len(columns)-i)))
		if columns[i].Action {
			by = 0
		}
		columns[i].Width += by
		left -= by
		if Scaled(t.shown[i].Most) > columns[i].Width {
			wider = append(wider, i)
		}
	}
	for at, i := range wider {
		by := max(0, min(Scaled(t.shown[i].Most)-columns[i].Width, left/float32(len(wider)-at)))
		columns[i].Width += by
		left -= by
	}
}
