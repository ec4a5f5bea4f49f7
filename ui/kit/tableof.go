package kit

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
)

// Column is one column of a Table of T.
type Column[T any] struct {
	Title   string // also its key in the stored order
	About   string // one sentence, shown while the pointer or the keyboard is at its head
	Number  bool   // aligned to the right
	Shaped  bool   // its cells may have a shape before their text
	Always  bool   // shown even if empty
	Cell    func(*T) TableCell
	Order   func(a, b *T) int // nil: by text, ignoring case
	Largest bool              // the first click on its head sorts in descending order
	// Action makes its cells buttons; then it has no Cell.
	Action *Action[T]
	// Width, if positive, is the width of the text of its cells, at 100 %: they are not measured. It is for items that are many or
	// change by themselves, whose columns would otherwise keep moving. Most is how wide the column may then grow if there is room.
	Width, Most float32
	// Drop, if positive, lets the column be dropped if not all fit, the one with the largest Drop first.
	Drop int
	// Min, if positive, lets the column shrink to that width, at 100 %, if not all fit; columns with the lowest Rank
	// shrink first.
	Min  float32
	Rank int
}

// Action is what a button in each row does.
type Action[T any] struct {
	Name string
	Able func(*T) bool // nil: always
	Do   func(*T)
}

// cell returns what the column shows of an item.
func (c *Column[T]) cell(item *T) TableCell {
	if a := c.Action; a != nil {
		return TableCell{Text: a.Name, Off: a.Able != nil && !a.Able(item)}
	}
	return c.Cell(item)
}

// Table is rows of T in a TableView. Columns fit their content if there is room. A click on a head sorts by its
// column, a second one in reverse, a third restores the original order. The chosen row stays chosen wherever it moves.
type Table[T any] struct {
	*TableView
	Object    fyne.CanvasObject // the table's object on the page
	Key       func(*T) string   // identity of an item; nil: its index
	OnItem    func(*T)          // an item was chosen
	OnOpen    func(*T)          // open an item
	OnHead    func(*Column[T])  // the pointer or the keyboard is at a head; nil: at none
	OnOrdered func(column string, descending bool)
	// Always keeps a row chosen if there are rows: the first by default.
	Always bool
	// Live is for items that change by themselves: new ones do not move the view, and if the chosen one disappears, none is chosen
	// until it returns.
	Live bool
	// Given means that items come in the order requested through OnOrdered, which the table only marks.
	Given bool

	columns    []Column[T]
	shown      []*Column[T]
	fixed      int
	items      []T   // in original order
	rows       []int // indices of items, in table order
	chosen     string
	by         string // title of the sort column; empty: original order
	descending bool
	room       float32 // and textSize are what the columns were fitted to
	textSize   float32
}

// NewTable returns a table without items; its first columns are fixed.
func NewTable[T any](columns []Column[T], fixed int) *Table[T] {
	t := &Table[T]{columns: columns, fixed: fixed}
	t.TableView = NewTableView(func(row, i int) TableCell { return t.shown[i].cell(&t.items[t.rows[row]]) })
	t.OnChosen = func(row int) { t.chosen = t.key(t.rows[row]); call(t.OnItem, t.Item(row)) }
	t.OnOpened = func(row int) { call(t.OnOpen, t.Item(row)) }
	t.OnAction = func(row, i int) { t.shown[i].Action.Do(t.Item(row)) }
	t.OnSorted = func(i int) { t.toggleOrder(t.shown[i]) }
	t.OnColumn = t.atHead
	t.Object = newFitted(t.TableView, t.least, t.fit)
	t.arrange()
	return t
}

func call[A any](f func(A), a A) {
	if f != nil {
		f(a)
	}
}

// Item returns the item of a row.
func (t *Table[T]) Item(row int) *T { return &t.items[t.rows[row]] }

// Chosen returns the chosen item; nil: none.
func (t *Table[T]) Chosen() *T {
	if at := t.At(); at >= 0 && at < len(t.rows) {
		return t.Item(at)
	}
	return nil
}

// SetChosen chooses the item of a key and brings it into view, without calling the handler. A missing item is chosen once it
// appears.
func (t *Table[T]) SetChosen(key string) {
	t.chosen = key
	at := t.find()
	t.Mark(at)
	if at >= 0 {
		t.ShowRow(at)
	}
}

// find returns the row of the chosen item; -1: it is missing.
func (t *Table[T]) find() int {
	if t.chosen == "" {
		return -1
	}
	return slices.IndexFunc(t.rows, func(i int) bool { return t.key(i) == t.chosen })
}

// SetItems replaces the items. If the chosen one is gone, the one in its place is chosen, without calling the handler.
func (t *Table[T]) SetItems(items []T) {
	t.items = append(t.items[:0], items...)
	t.order()
	t.arrange()
	t.show()
}

// Order returns the title of the sort column, empty for the original order, and whether descending.
func (t *Table[T]) Order() (column string, descending bool) { return t.by, t.descending }

// SortBy sorts by the column of that title; empty: original order.
func (t *Table[T]) SortBy(title string, descending bool) {
	t.by, t.descending = title, descending
	t.order()
	t.show()
}

// toggleOrder cycles a column through ascending, descending and unsorted.
func (t *Table[T]) toggleOrder(c *Column[T]) {
	switch {
	case t.by != c.Title:
		t.SortBy(c.Title, c.Largest)
	case t.Given || t.descending == c.Largest:
		t.SortBy(c.Title, !t.descending)
	default:
		t.SortBy("", false)
	}
	if t.OnOrdered != nil {
		t.OnOrdered(t.by, t.descending)
	}
}

func (t *Table[T]) atHead(i int) {
	if i < 0 || i >= len(t.shown) {
		call(t.OnHead, nil)
		return
	}
	call(t.OnHead, t.shown[i])
}

// key is the identity of item i.
func (t *Table[T]) key(i int) string {
	if t.Key == nil {
		return strconv.Itoa(i)
	}
	return t.Key(&t.items[i])
}

// order sorts the rows.
func (t *Table[T]) order() {
	t.rows = t.rows[:0]
	for i := range t.items {
		t.rows = append(t.rows, i)
	}
	at := slices.IndexFunc(t.columns, func(c Column[T]) bool { return t.sortedBy(&c) })
	if at < 0 || t.Given {
		return
	}
	c := &t.columns[at]
	slices.SortStableFunc(t.rows, func(i, k int) int {
		o := c.compare(&t.items[i], &t.items[k])
		if t.descending {
			return -o
		}
		return o
	})
}

func (t *Table[T]) sortedBy(c *Column[T]) bool { return t.by != "" && c.Title == t.by }

func (c *Column[T]) compare(a, b *T) int {
	if c.Order != nil {
		return c.Order(a, b)
	}
	return strings.Compare(strings.ToLower(c.Cell(a).Text), strings.ToLower(c.Cell(b).Text))
}

// show shows the rows, and the chosen one in its new place.
func (t *Table[T]) show() {
	was := t.At()
	t.SetRows(len(t.rows))
	at := t.find()
	if at < 0 && !t.Live && (was >= 0 || t.Always) && len(t.rows) > 0 {
		at = max(0, min(was, len(t.rows)-1))
		t.chosen = t.key(t.rows[at])
	}
	t.Mark(at)
	if at >= 0 && !t.Live {
		t.ShowRow(at)
	}
	t.Sorted(slices.IndexFunc(t.shown, t.sortedBy), t.descending)
}
