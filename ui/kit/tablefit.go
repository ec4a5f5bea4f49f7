package kit

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// fit makes the columns follow from the table's width, and from the size of the text.
func (t *Table[T]) fit(width float32) {
	if size := theme.TextSize(); width != t.room || size != t.textSize {
		t.room, t.textSize = width, size
		t.arrange()
		t.show()
	}
}

// least is the width below which columns of a declared width that stay would have to be scrolled to.
func (t *Table[T]) least() float32 {
	width := float32(0)
	for i := range t.columns {
		if c := &t.columns[i]; c.Drop == 0 && c.declared() > 0 {
			width += min(c.declared(), cmp.Or(Scaled(c.Min), c.declared())) + columnPads
		}
	}
	return width
}

// buttonSpare is the room beside the words of a button, with that beside the text of any cell, at 100 %.
const buttonSpare = 12

// columnPads is what a column takes beside its width, which is rounded up.
const columnPads = CellPads + 1

// declared is the width that the column has whatever is in it; 0: it depends on that.
func (c *Column[T]) declared() float32 {
	switch {
	case c.Action != nil:
		return measureText(c.Action.Name, theme.TextSize(), fyne.TextStyle{Bold: true}).Width + Scaled(buttonSpare)
	case c.Width > 0:
		return max(HeadWidth(c.Title), Scaled(c.Width))
	}
	return 0
}

// arrange makes the columns as wide as what is in them, with the next SetRows. Those with nothing are left out.
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

// widthOf is the width of a column, and whether it has anything to show.
func (t *Table[T]) widthOf(c *Column[T]) (wide float32, used bool) {
	if wide := c.declared(); wide > 0 {
		return wide, true
	}
	wide = WidestCell(0, len(t.items), func(i int) string { return c.Cell(&t.items[i]).Text }, c.Shaped)
	return max(HeadWidth(c.Title), wide), wide > 0 || len(t.items) == 0 || c.Always
}

// narrow narrows the columns that give way where all are wider than the room, drops what there is no room for even so, and shares
// out what is left of it.
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

// drop leaves out columns while there is no room for all though some have given way.
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

const maxSpare = 48 // what a column gets at most of the room that is left

// widen shares out the room that is left: a little to each column but those of buttons, the rest to those that may have more.
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
