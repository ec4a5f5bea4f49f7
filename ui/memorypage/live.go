package memorypage

import (
	"fmt"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/gpu"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// liveView is the buffers that are in use now, in the order of one column.
type liveView struct {
	desk    *desk.Desk
	drawn   bool // leases are on show
	order   app.LiveOrder
	table   *kit.Table[gpu.LiveLease]
	note    *kit.Text
	hint    *kit.Text
	nothing *fyne.Container // where the rows would be
	object  fyne.CanvasObject
	sorted  func() // asks for the leases in another order
}

func newLiveView(d *desk.Desk, sorted func()) *liveView {
	v := &liveView{desk: d, sorted: sorted, note: kit.NewCaption("", 3), hint: kit.NewCaption("", 1)}
	v.table = v.newTable()
	v.nothing = container.NewCenter(kit.NewCaption("No live buffers.", 1).Whole())
	rows := kit.Edged(kit.NewPanel(v.table.Object, 1), kit.AtBottom, kit.Inset(v.hint, 2, 3))
	v.object = container.New(kit.HeadedLayout{Gap: 8}, v.note, container.NewStack(rows, v.nothing))
	v.explain(nil)
	return v
}

// newTable makes the rows, the largest first.
func (v *liveView) newTable() *kit.Table[gpu.LiveLease] {
	t := kit.NewTable(v.columns(), 1)
	t.Key, t.Live, t.Given = func(l *gpu.LiveLease) string { return strconv.FormatUint(l.ID, 10) }, true, true
	t.SortBy("Granted", true)
	t.OnOrdered = v.sort
	t.OnHead = v.explain
	t.OnEdit = func(s fyne.Shortcut) {
		if _, ok := s.(*fyne.ShortcutCopy); ok {
			t.Act()
		}
	}
	return t
}

// liveColumn is one column of the table.
type liveColumn = kit.Column[gpu.LiveLease]

func (v *liveView) columns() []liveColumn {
	return []liveColumn{
		{
			Title: "Label", About: "The buffer’s name.", Width: 140, Min: 90, Rank: 1, Most: 300,
			Cell: func(l *gpu.LiveLease) kit.TableCell { return kit.TableCell{Text: l.Label} },
		},
		{
			Title: "Requested", About: "Bytes requested.", Number: true, Largest: true, Width: 76, Drop: 2,
			Cell: func(l *gpu.LiveLease) kit.TableCell { return kit.TableCell{Text: bytesText(l.Requested)} },
		},
		{
			Title: "Granted", About: "Bytes allocated: the request rounded up to its size class.", Number: true, Largest: true, Width: 68,
			Cell: func(l *gpu.LiveLease) kit.TableCell { return kit.TableCell{Text: bytesText(l.Granted)} },
		},
		{
			Title: "Age", About: "Time since it was acquired. Unusually old buffers may be leaks.", Number: true, Largest: true, Width: 80, Drop: 1,
			Cell: func(l *gpu.LiveLease) kit.TableCell { return kit.TableCell{Text: ageText(l.Age.Seconds())} },
		},
		{
			Title: "Allocated at", About: "The source line that acquired it.", Width: 410, Min: 119, Most: 630,
			Cell: func(l *gpu.LiveLease) kit.TableCell {
				return kit.TableCell{Text: l.Site.String(), Color: kit.ColorSecondary}
			},
		},
		{Action: &kit.Action[gpu.LiveLease]{Name: "Copy", Do: v.copy}},
	}
}

// liveOrders are what the columns are ordered by.
func liveOrders() map[string]app.LiveColumn {
	return map[string]app.LiveColumn{
		"Label": app.LiveLabel, "Requested": app.LiveRequested, "Granted": app.LiveGranted, "Age": app.LiveAge, "Allocated at": app.LiveSite,
	}
}

// sort has the leases come in the order of a column.
func (v *liveView) sort(column string, descending bool) {
	v.order = app.LiveOrder{By: liveOrders()[column], Ascending: !descending}
	v.sorted()
}

// explain explains the column that the pointer or the keyboard is at.
func (v *liveView) explain(c *liveColumn) {
	if c != nil && c.About != "" {
		v.hint.Set(c.Title + ": " + c.About)
		return
	}
	v.hint.Set("Click a header to sort; hover for help. Arrow keys select; Return, Ctrl or Cmd C copies.")
}

// show shows the leases.
func (v *liveView) show(s *app.PoolState) {
	if len(s.Live) == 0 && v.drawn && v.table.Rows() == 0 {
		return
	}
	v.drawn = true
	kit.Show(v.nothing, len(s.Live) == 0)
	v.note.Set(liveNote(s))
	v.table.SetItems(s.Live)
}

// liveNote says what the rows are, and what has no room among them.
func liveNote(s *app.PoolState) string {
	words := "Buffers in use, with the source line that acquired them. The oldest may be leaks."
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

// ageText is an age: "0.4 s", "12 s", "3 min 20 s".
func ageText(seconds float64) string {
	if seconds < 9.95 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return view.Duration(seconds)
}

// copy puts a row on the clipboard, with exact numbers.
func (v *liveView) copy(l *gpu.LiveLease) {
	v.desk.Copy("The buffer “"+l.Label+"”", strings.Join([]string{
		l.Label, fmt.Sprintf("%d B requested", l.Requested), fmt.Sprintf("%d B granted", l.Granted),
		fmt.Sprintf("%.3f s old", l.Age.Seconds()), l.Site.String(),
	}, "\t"))
}
