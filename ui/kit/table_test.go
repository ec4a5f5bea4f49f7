package kit

import (
	"fmt"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// openTable is a table of n rows and three columns, with the first fixed, in a window.
func openTable(t *testing.T, n int) (*TableView, fyne.Window) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysDark))
	table := NewTableView(func(row, column int) TableCell { return TableCell{Text: fmt.Sprintf("%d, %d", row, column)} })
	columns := []TableColumn{{Title: "Name", Width: 100}, {Title: "B", Width: 300, Number: true}, {Title: "C", Width: 300}}
	table.SetColumns(columns, 1)
	table.SetRows(n)
	w := test.NewTempWindow(t, table)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(400, 300))
	return table, w
}

// seen are the drawn texts of a table's first column.
func seen(t *TableView) map[string]bool {
	texts := map[string]bool{}
	for _, l := range t.body.lines {
		if c := &l.cells[0]; !c.text.Hidden {
			texts[c.text.Text] = true
		}
	}
	return texts
}

func TestTableDrawsWhatIsInSight(t *testing.T) {
	table, _ := openTable(t, 10_000)
	if n := len(table.body.lines); n > 20 {
		t.Errorf("%d lines for a window of 300", n)
	}
	table.ShowRow(5000)
	if got := seen(table); !got["5000, 0"] || got["0, 0"] {
		t.Errorf("after scrolling it draws %v", got)
	}
	table.SetRows(3)
	if got := seen(table); len(got) != 3 || !got["0, 0"] || !got["2, 0"] {
		t.Errorf("of three rows it draws %v", got)
	}
	table.SetRows(0)
	if got := seen(table); len(got) != 0 {
		t.Errorf("of no rows it draws %v", got)
	}
}

func TestTableKeepsFixedColumnsInSight(t *testing.T) {
	table, _ := openTable(t, 50)
	table.chooseColumn(2)
	at := table.scroll.Offset
	if at.X <= 0 || table.body.lines[0].cells[0].text.Position().X != at.X+cellPad {
		t.Errorf("scrolled to %v, the first column is at %v", at.X, table.body.lines[0].cells[0].text.Position().X)
	}
	row, column := table.body.where(fyne.NewPos(at.X+20, table.body.headHeight+table.body.rowHeight*1.5))
	if row != 1 || column != 0 {
		t.Errorf("below the pointer is row %d, column %d", row, column)
	}
}

func TestTableTellsTapsAndKeys(t *testing.T) {
	table, w := openTable(t, 50)
	var chosen, opened, sorted []int
	table.OnChosen = func(i int) { chosen = append(chosen, i) }
	table.OnOpened = func(i int) { opened = append(opened, i) }
	table.OnSorted = func(i int) { sorted = append(sorted, i) }
	b := table.body
	for range 2 {
		b.Tapped(&fyne.PointEvent{Position: fyne.NewPos(10, b.headHeight+b.rowHeight*3.5)})
	}
	b.Tapped(&fyne.PointEvent{Position: fyne.NewPos(10, 4)})
	if fmt.Sprint(chosen, opened, sorted) != "[3 3] [3] [0]" {
		t.Errorf("told %v, %v, %v", chosen, opened, sorted)
	}
	if w.Canvas().Focused() != table {
		t.Error("a tap gives no focus")
	}
	for _, key := range []fyne.KeyName{fyne.KeyUp, fyne.KeyEnd, fyne.KeyDown, fyne.KeyReturn} {
		table.TypedKey(&fyne.KeyEvent{Name: key})
	}
	if fmt.Sprint(chosen, opened) != "[3 3 2 49 49] [3 49]" {
		t.Errorf("told %v, %v", chosen, opened)
	}
}

func TestWidestCellSeesLetters(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysDark))
	texts := []string{"iiiiiiii", "WWWWWW", "23.9 µs"}
	got := WidestCell(0, len(texts), func(i int) string { return texts[i] }, false)
	if want := CellWidth("WWWWWW", false); got != want {
		t.Errorf("%v, want the six wide letters' %v", got, want)
	}
}

func TestTableOpensOnceThoughChoosingIsSlow(t *testing.T) {
	table, _ := openTable(t, 50)
	opened := 0
	table.OnOpened = func(int) { opened++ }
	table.OnChosen = func(int) { time.Sleep(doubleTap) } // such as a run whose readings are drawn
	b := table.body
	for range 3 {
		b.Tapped(&fyne.PointEvent{Position: fyne.NewPos(10, b.headHeight+b.rowHeight*3.5)})
	}
	if opened != 1 {
		t.Errorf("three taps on a row opened it %d times, want once", opened)
	}
}

func TestTableTellsAHeldKeyFromAnother(t *testing.T) {
	table, _ := openTable(t, 50)
	var told []bool
	table.OnKey = func(*fyne.KeyEvent) { told = append(told, table.Repeats()) }
	key := &fyne.KeyEvent{Name: fyne.KeyDelete}
	for range 2 {
		table.KeyDown(key)
		table.TypedKey(key)
		table.TypedKey(key)
		table.KeyUp(key)
	}
	if fmt.Sprint(told) != "[false true false true]" {
		t.Errorf("told %v", told)
	}
}

// However far the table is scrolled, a scrolling column begins at the edge of the fixed ones, and the last one is whole at the end.
func TestTableCutsNoColumnAtTheFixedOnes(t *testing.T) {
	table, _ := openTable(t, 5)
	columns := []TableColumn{{Title: "Name", Width: 100}}
	for _, width := range []float32{80, 60, 120, 90, 70} {
		columns = append(columns, TableColumn{Title: "N", Width: width, Number: true})
	}
	table.SetColumns(columns, 1)
	table.SetRows(5)
	b, end := table.body, table.body.end()-table.scroll.Size().Width
	for x := float32(0); x < end+7; x += 7 {
		table.scrollTo(fyne.NewPos(min(x, end), 0))
		at := table.scroll.Offset.X
		shown := 0
		for i, c := range b.lines[0].cells {
			if i == 0 || c.text.Hidden {
				continue
			}
			shown++
			left := c.text.Position().X - cellPad - at
			if left < b.xs[1]-0.5 {
				t.Fatalf("scrolled by %v, column %d begins at %v, under the fixed ones that end at %v", at, i, left, b.xs[1])
			}
			if _, column := b.where(fyne.NewPos(c.text.Position().X+1, b.headHeight+2)); column != i {
				t.Errorf("scrolled by %v, column %d is tapped as %d", at, i, column)
			}
			if right := left + b.xs[i+1] - b.xs[i]; at == end && i == len(columns)-1 && right > table.scroll.Size().Width+0.5 {
				t.Errorf("at the end the last column ends at %v of %v", right, table.scroll.Size().Width)
			}
		}
		if shown == 0 {
			t.Fatalf("scrolled by %v, nothing is shown", at)
		}
	}
	if table.Restart(); table.scroll.Offset != (fyne.Position{}) {
		t.Errorf("restarted at %v", table.scroll.Offset)
	}
}
