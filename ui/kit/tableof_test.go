package kit

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
)

// openNumbers is a table of numbers in a window of a given width: a name, a double that is dropped first if there is no room, a
// triple that is dropped next, and a button that odd numbers lack.
func openNumbers(t *testing.T, width float32, items []int, pressed *[]int) *Table[int] {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(NewLook(AlwaysDark))
	number := func(times int) func(*int) TableCell {
		return func(n *int) TableCell { return TableCell{Text: strconv.Itoa(times * *n)} }
	}
	table := NewTable([]Column[int]{
		{Title: "Name", Width: 100, Min: 60, Most: 250, Cell: number(1)},
		{Title: "Double", Width: 80, Drop: 2, Cell: number(2), Largest: true, Order: func(a, b *int) int { return *a - *b }},
		{Title: "Triple", Width: 80, Drop: 1, Cell: number(3)},
		{Action: &Action[int]{
			Name: "Press", Able: func(n *int) bool { return *n%2 == 0 }, Do: func(n *int) { *pressed = append(*pressed, *n) },
		}},
	}, 1)
	table.Key, table.Live = func(n *int) string { return strconv.Itoa(*n) }, true
	table.SetItems(items)
	w := test.NewTempWindow(t, table.Object)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(width, 300))
	return table
}

func titles(t *Table[int]) (list []string) {
	for _, c := range t.Columns() {
		list = append(list, c.Title)
	}
	return list
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// onButton returns the middle of the button of a visible row.
func onButton(t *TableView, row int) fyne.Position {
	b := t.body
	at := t.action()
	return fyne.NewPos((b.xs[at]+b.xs[at+1])/2, b.headHeight+b.rowHeight*(float32(row)+0.5))
}

func TestRowButtons(t *testing.T) {
	var pressed []int
	table := openNumbers(t, 600, upTo(8), &pressed)
	for _, row := range []int{4, 5} {
		table.body.Tapped(&fyne.PointEvent{Position: onButton(table.TableView, row)})
	}
	if fmt.Sprint(pressed) != "[4]" || table.At() != -1 {
		t.Errorf("clicks on the buttons of rows 4 and 5 pressed %v and chose %d", pressed, table.At())
	}
	for _, key := range []fyne.KeyName{fyne.KeyReturn, fyne.KeyHome, fyne.KeyReturn, fyne.KeyDown, fyne.KeyReturn} {
		table.TypedKey(&fyne.KeyEvent{Name: key})
	}
	if fmt.Sprint(pressed) != "[4 0]" {
		t.Errorf("Return on no row and on rows 0 and 1 pressed %v", pressed)
	}
}

func TestRowButtonsLookAsTheyAre(t *testing.T) {
	table := openNumbers(t, 600, upTo(8), &[]int{})
	at := table.action()
	on, off := table.body.lines[4].cells[at], table.body.lines[5].cells[at]
	if on.button.Hidden || !off.button.Hidden || on.text.Color == off.text.Color || off.text.Hidden {
		t.Error("a button that can be pressed looks like one that cannot")
	}
	rest := on.button.FillColor
	table.body.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: onButton(table.TableView, 4)}})
	if on.button.FillColor == rest {
		t.Error("a button does not show that the pointer is on it")
	}
	table.body.MouseOut()
	if on.button.FillColor != rest {
		t.Error("a button looks as if the pointer were still on it")
	}
}

// Only sortable columns have active heads: neither a click on the head of the buttons nor the arrows sort by it.
func TestButtonsHaveNoHead(t *testing.T) {
	table := openNumbers(t, 600, upTo(8), &[]int{})
	ordered := 0
	table.OnOrdered = func(string, bool) { ordered++ }
	at := table.action()
	table.body.Tapped(&fyne.PointEvent{Position: fyne.NewPos(table.body.xs[at]+9, 4)})
	for range 9 {
		table.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	}
	if ordered != 0 || table.column != at-1 {
		t.Errorf("it was sorted %d times, and the keyboard is at column %d", ordered, table.column)
	}
}

func TestColumnsAreDropped(t *testing.T) {
	for _, c := range []struct {
		width float32
		want  []string
	}{
		{900, []string{"Name", "Double", "Triple", ""}},
		{400, []string{"Name", "Double", "Triple", ""}},
		{300, []string{"Name", "Triple", ""}},
		{200, []string{"Name", ""}},
	} {
		table := openNumbers(t, c.width, upTo(3), &[]int{})
		if got := titles(table); !slices.Equal(got, c.want) {
			t.Errorf("%v wide it has %q, want %q", c.width, got, c.want)
		}
		if end := table.body.end(); end > c.width {
			t.Errorf("%v wide its columns take %v", c.width, end)
		}
		if width := table.Columns()[0].Width; width > 250 || c.width >= 400 && width < 100 || width < 60 {
			t.Errorf("%v wide the name has %v", c.width, width)
		}
	}
	table := openNumbers(t, 900, nil, &[]int{})
	if got, columns := table.Object.MinSize().Width, table.Columns(); got < 60+columns[3].Width || got > 200 {
		t.Errorf("it asks for %v, want room for the name and the button", got)
	}
}

// Of many items, only the visible ones are queried, and the next ones reuse the same lines.
func TestDeclaredWidthsAreNotMeasured(t *testing.T) {
	table := openNumbers(t, 600, upTo(10_000), &[]int{})
	line, asked := table.body.lines[0], 0
	for i := range table.columns[:3] {
		cell := table.columns[i].Cell
		table.columns[i].Cell = func(n *int) TableCell { asked++; return cell(n) }
	}
	table.SetItems(upTo(9_000))
	if asked > 400 || table.body.lines[0] != line {
		t.Errorf("%d cells were asked for, of new lines: %v", asked, table.body.lines[0] != line)
	}
}

func TestLiveItemsDoNotMoveTheView(t *testing.T) {
	table := openNumbers(t, 600, upTo(1000), &[]int{})
	table.Choose(3)
	table.ShowRow(500)
	at := table.scroll.Offset
	items := upTo(1000)
	items[3], items[900] = 900, 3
	table.SetItems(items)
	if table.At() != 900 || table.scroll.Offset != at {
		t.Errorf("row %d is chosen, at %v instead of %v", table.At(), table.scroll.Offset, at)
	}
	table.SetItems(upTo(3))
	if table.At() != -1 {
		t.Errorf("row %d is chosen in place of one that is gone", table.At())
	}
	table.SetItems(upTo(1000))
	if table.At() != 3 {
		t.Errorf("row %d is chosen once it is back", table.At())
	}
}

func TestGivenOrderIsOnlyMarked(t *testing.T) {
	table := openNumbers(t, 600, []int{2, 3, 1}, &[]int{})
	table.Given = true
	var told []string
	table.OnOrdered = func(column string, descending bool) { told = append(told, fmt.Sprintf("%s %v", column, descending)) }
	for _, column := range []int{1, 1, 1, 2} {
		table.OnSorted(column)
	}
	if want := []string{"Double true", "Double false", "Double true", "Triple false"}; fmt.Sprint(told) != fmt.Sprint(want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if first := *table.Item(0); first != 2 || table.sorted != 2 {
		t.Errorf("the first is %d, the mark at column %d", first, table.sorted)
	}
	table.Given = false
	table.SortBy("Double", true)
	if first := *table.Item(0); first != 3 {
		t.Errorf("the largest is %d", first)
	}
}
