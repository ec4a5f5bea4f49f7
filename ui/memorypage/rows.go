package memorypage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// rowList is the rows of a table, which Tab stops at once: the arrows, Page, Home and End choose a row, and what its button does
// is done by a key.
type rowList struct {
	widget.List
	table *table
}

func newRowList(t *table) *rowList {
	l := &rowList{table: t}
	l.Length, l.CreateItem, l.UpdateItem = func() int { return t.rows }, t.create, t.fill
	l.OnSelected = t.selected
	l.ExtendBaseWidget(l)
	return l
}

// FocusGained is part of fyne.Focusable. Fyne's list would mark a row that the pointer was on last.
func (l *rowList) FocusGained() { l.table.showFocus(true); kit.Reveal(l) }

// FocusLost is part of fyne.Focusable.
func (l *rowList) FocusLost() { l.table.showFocus(false) }

// TypedKey is part of fyne.Focusable.
func (l *rowList) TypedKey(e *fyne.KeyEvent) {
	t := l.table
	page := max(1, int(l.Size().Height/kit.Scaled(pageRow)))
	switch e.Name {
	case fyne.KeyUp:
		t.move(t.at - 1)
	case fyne.KeyDown:
		t.move(t.at + 1)
	case fyne.KeyPageUp:
		t.move(t.at - page)
	case fyne.KeyPageDown:
		t.move(t.at + page)
	case fyne.KeyHome:
		t.move(0)
	case fyne.KeyEnd:
		t.move(t.rows - 1)
	case fyne.KeyReturn, fyne.KeyEnter:
		t.act(t.at)
	case fyne.KeyDelete, fyne.KeyBackspace: // on a Mac the one is called as the other
		if t.button.deletes {
			t.act(t.at)
		}
	}
}

// pageRow is about the height of a row, at 100 %.
const pageRow = 26

// TypedShortcut is part of fyne.Shortcutable.
func (l *rowList) TypedShortcut(s fyne.Shortcut) {
	if _, copies := s.(*fyne.ShortcutCopy); copies && !l.table.button.deletes {
		l.table.act(l.table.at)
	}
}

// move chooses a row, or the nearest that there is.
func (t *table) move(row int) {
	if t.rows > 0 {
		t.list.Select(max(0, min(row, t.rows-1)))
	}
}

// act does to a row what its button does.
func (t *table) act(row int) {
	if row >= 0 && row < t.rows && t.button.able(row) {
		t.button.do(row)
	}
}
