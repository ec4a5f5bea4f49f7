package historypage

import (
	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// arrange makes the columns as wide as what is in them, as far as the table has room, with the next SetRows. Those with
// nothing are left out.
func (l *list) arrange() {
	var columns []kit.TableColumn
	l.columns = l.columns[:0]
	for _, c := range l.all() {
		of := func(i int) string { return c.text(&l.rows[i]) }
		wide := kit.WidestCell(0, len(l.rows), of, shaped(c.title))
		if wide > 0 || len(l.rows) == 0 {
			l.columns = append(l.columns, c)
			columns = append(columns, kit.TableColumn{Title: c.title, Number: c.number, Width: max(kit.HeadWidth(c.title), wide)})
		}
	}
	fit(columns, l.room)
	l.SetColumns(columns, 1)
	l.markSorted()
}

// shaped reports whether cells of a column have a shape before their text.
func shaped(title string) bool { return title == "State" || title == "Wrong" || title == "Leaks" }

// yields are the columns that give way where there is no room for all, in that order, and how much each keeps at 100 %.
var yields = [...]struct {
	title string
	least float32
}{{"Device", 90}, {"Tags", 90}, {"Workloads", 110}, {"Problem", 170}}

const mostSpare = 48 // what a column gets at most of the room that is left

// fit narrows columns that are wider than the room together, and shares out what is left of it.
func fit(columns []kit.TableColumn, room float32) {
	left := room
	for i := range columns {
		left -= columns[i].Width + kit.CellPads + 1
	}
	for _, y := range yields {
		for i := range columns {
			if c := &columns[i]; left < 0 && c.Title == y.title {
				by := max(0, min(-left, c.Width-kit.Scaled(y.least)))
				c.Width -= by
				left += by
			}
		}
	}
	for i := range columns {
		columns[i].Width += max(0, min(kit.Scaled(mostSpare), left/float32(len(columns))))
	}
}

// fitted is the layout of the table: its columns follow from its width.
type fitted struct{ list *list }

func (fitted) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

func (f fitted) Layout(o []fyne.CanvasObject, size fyne.Size) {
	if l := f.list; l.room != size.Width {
		l.room = size.Width
		l.arrange()
		l.SetRows(len(l.rows))
	}
	kit.FixedSize{}.Layout(o, size)
}
