package memorypage

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/gpu"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// liveView is the buffers that are in use now, in the order of one column.
type liveView struct {
	desk    *desk.Desk
	leases  []gpu.LiveLease
	drawn   bool // they are on show
	order   app.LiveOrder
	heads   kit.Choices
	arrows  []*widget.Icon
	table   *table
	note    *kit.Text
	nothing *fyne.Container // where the rows would be
	object  fyne.CanvasObject
	sorted  func() // asks for the leases in another order
	chosen  *leaseMark
	now     func() time.Time
}

// leaseMark is by what a lease is known again when it stands in another row.
type leaseMark struct {
	gpu.LiveLease
	born time.Time
}

// markSlack is how far two estimates of a lease's start may differ.
const markSlack = 100 * time.Millisecond

// liveColumns are the columns, and what each is ordered by.
func liveColumns() ([]column, []app.LiveColumn) {
	columns := []column{
		{"Label", "The buffer’s name.", 140, 1, false, 0},
		{"Requested", "Bytes requested.", 84, 0, true, 2},
		{"Granted", "Bytes allocated: the request rounded up to its size class.", 76, 0, true, 0},
		{"Age", "Time since it was acquired. Unusually old buffers may be leaks.", 84, 0, true, 1},
		{"Allocated at", "The source line that acquired it.", 186, 4, false, 0},
	}
	return columns, []app.LiveColumn{app.LiveLabel, app.LiveRequested, app.LiveGranted, app.LiveAge, app.LiveSite}
}

func newLiveView(d *desk.Desk, sorted func()) *liveView {
	v := &liveView{desk: d, sorted: sorted, note: kit.NewCaption("", 3), now: time.Now}
	columns, _ := liveColumns()
	v.heads.Changed = v.sort
	var header []fyne.CanvasObject
	for _, c := range columns {
		header = append(header, v.head(c))
	}
	v.table = newTable(columns, header, rowAction{"Copy", false, func(int) bool { return true }, v.copy}, v.choose)
	v.table.cell = v.cell
	v.nothing = container.NewCenter(kit.NewCaption("No live buffers.", 1).Whole())
	v.object = container.New(kit.HeadedLayout{Gap: 8}, v.note, container.NewStack(v.table.object, v.nothing))
	v.heads.Show(2)
	v.mark()
	return v
}

// head is the header of a column, which orders by it.
func (v *liveView) head(c column) fyne.CanvasObject {
	words := kit.NewCaption(c.title, 1).Whole()
	words.Style.Bold = true
	arrow := widget.NewIcon(nil)
	v.arrows = append(v.arrows, arrow)
	square := container.NewCenter(container.NewGridWrap(fyne.NewSize(14, 14), arrow))
	inside := container.NewBorder(nil, nil, words, nil, container.NewHBox(square))
	if c.number {
		inside = container.NewBorder(nil, nil, nil, words, container.New(trailing{}, square))
	}
	head := v.heads.Add(kit.Inset(inside, 4, 2))
	head.ExplainBelow(c.about, v.desk.Hints)
	return head
}

// trailing puts one object at the right end.
type trailing struct{}

func (trailing) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

func (trailing) Layout(o []fyne.CanvasObject, size fyne.Size) {
	minSize := o[0].MinSize()
	o[0].Resize(fyne.NewSize(minSize.Width, size.Height))
	o[0].Move(fyne.NewPos(size.Width-minSize.Width, 0))
}

// sort orders by a column: numbers from the largest, words from the first in the alphabet; again: in reverse.
func (v *liveView) sort(at int) {
	columns, orders := liveColumns()
	if by := orders[at]; by == v.order.By {
		v.order.Ascending = !v.order.Ascending
	} else {
		v.order = app.LiveOrder{By: by, Ascending: !columns[at].number}
	}
	v.mark()
	v.sorted()
}

// mark shows the arrow of the column in whose order the rows are.
func (v *liveView) mark() {
	for i, a := range v.arrows {
		switch {
		case i != v.heads.At:
			a.SetResource(nil)
		case v.order.Ascending:
			a.SetResource(theme.MenuDropUpIcon())
		default:
			a.SetResource(theme.MenuDropDownIcon())
		}
	}
}

// show shows the leases.
func (v *liveView) show(s *app.PoolState) {
	if len(s.Live) == 0 && v.drawn && len(v.leases) == 0 {
		return
	}
	v.leases, v.drawn = s.Live, true
	kit.Show(v.nothing, len(v.leases) == 0)
	v.note.Set(liveNote(s))
	v.table.show(len(v.leases), v.row())
}

// choose takes in which lease is chosen.
func (v *liveView) choose(row int) {
	v.chosen = nil
	if row < len(v.leases) {
		v.chosen = &leaseMark{v.leases[row], v.now().Add(-v.leases[row].Age)}
	}
}

// row is where the chosen lease stands now; −1: it was released, or none is chosen.
func (v *liveView) row() int {
	at, nearest := -1, markSlack
	if v.chosen == nil {
		return at
	}
	now := v.now()
	for i := range v.leases {
		l := v.leases[i]
		off := now.Add(-l.Age).Sub(v.chosen.born).Abs()
		if l.Age = v.chosen.Age; l == v.chosen.LiveLease && off < nearest {
			at, nearest = i, off
		}
	}
	return at
}

// liveNote says what the rows are, and what has no room among them.
func liveNote(s *app.PoolState) string {
	words := "Buffers in use, with the source line that acquired them. The oldest may be leaks. " +
		"Arrow keys select; Return, Ctrl or Cmd C copies."
	if s.LeftOut > 0 {
		words += fmt.Sprintf(" Showing %s; %s omitted.", grouped(len(s.Live)), leftOut(s.LeftOut))
	}
	return words
}

func leftOut(n int) string {
	if n == 1 {
		return "1 younger one is"
	}
	return grouped(n) + " younger ones are"
}

func (v *liveView) cell(row, at int) (string, fyne.ThemeColorName) {
	l := &v.leases[row]
	plain := theme.ColorNameForeground
	switch at {
	case 0:
		return l.Label, plain
	case 1:
		return bytesText(l.Requested), plain
	case 2:
		return bytesText(l.Granted), plain
	case 3:
		return ageText(l.Age.Seconds()), plain
	}
	return l.Site.String(), kit.ColorSecondary
}

// ageText is an age: "0.4 s", "12 s", "3 min 20 s".
func ageText(seconds float64) string {
	if seconds < 9.95 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return view.Duration(seconds)
}

// copy puts a row on the clipboard, with exact numbers.
func (v *liveView) copy(row int) {
	if row >= len(v.leases) {
		return
	}
	l := &v.leases[row]
	v.desk.Copy("The buffer “"+l.Label+"”", strings.Join([]string{
		l.Label, fmt.Sprintf("%d B requested", l.Requested), fmt.Sprintf("%d B granted", l.Granted),
		fmt.Sprintf("%.3f s old", l.Age.Seconds()), l.Site.String(),
	}, "\t"))
}
