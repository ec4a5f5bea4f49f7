package memorypage

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/gpu"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
)

// liveView shows the buffers that are in use now, or that the last run left: by the line that acquired them, or individually,
// sorted by one column.
type liveView struct {
	desk    *desk.Desk
	drawn   bool // leases are visible
	order   app.LiveOrder
	by      *kit.Segments
	sites   *kit.Table[app.LiveGroup]
	table   *kit.Table[gpu.LiveLease]
	state   app.PoolState // as last shown
	note    *kit.Text
	calls   *kit.Text // that led to the chosen row's allocation
	hint    *kit.Text
	nothing *fyne.Container // where the rows would be
	object  fyne.CanvasObject
	sorted  func() // requests the leases in another order
}

func newLiveView(d *desk.Desk, sorted func()) *liveView {
	v := &liveView{desk: d, sorted: sorted, note: kit.NewCaption("", 3), calls: kit.NewCaption("", 4), hint: kit.NewCaption("", 1), order: app.LiveOrder{By: app.LiveAge}}
	v.by = kit.NewSegments(v.choose, "By Site", "Each Buffer")
	v.sites, v.table = v.newSites(), v.newTable()
	v.nothing = container.NewCenter(kit.NewCaption("No live buffers.", 1).Whole())
	rows := kit.Edged(kit.NewPanel(kit.StackOf(v.sites.Object, v.table.Object), 1), kit.AtBottom, kit.Inset(kit.NewFlow(2, v.calls, v.hint), 2, 3))
	head := container.New(&kit.ToolsLayout{MinWidth: 300}, kit.NewFlow(2, v.note), v.by.Object)
	v.object = container.New(kit.HeadedLayout{Gap: 8}, head, container.NewStack(rows, v.nothing))
	v.explain("", "")
	v.choose(bySite)
	return v
}

// The ways to list buffers.
const (
	bySite = iota
	byBuffer
)

// choose lists the sites, or each buffer.
func (v *liveView) choose(i int) {
	v.by.Show(i)
	kit.Show(v.sites.Object, i == bySite)
	kit.Show(v.table.Object, i == byBuffer)
	v.trace(nil)
	v.show(&v.state)
}

// newSites makes the table of sites, those with the oldest buffer first.
func (v *liveView) newSites() *kit.Table[app.LiveGroup] {
	t := kit.NewTable(v.siteColumns(), 0)
	t.Key, t.Live = func(s *app.LiveGroup) string { return s.Label + "\n" + s.Case + "\n" + s.Site.String() }, true
	t.OnItem = func(s *app.LiveGroup) { v.trace(s.Trace) }
	t.SortBy("Oldest", true)
	t.OnHead = func(c *siteColumn) {
		if c == nil {
			v.explain("", "")
			return
		}
		v.explain(c.Title, c.About)
	}
	return t
}

// siteColumn is one column of the sites.
type siteColumn = kit.Column[app.LiveGroup]

func (v *liveView) siteColumns() []siteColumn {
	amount := func(of func(*app.LiveGroup) int64) func(a, b *app.LiveGroup) int {
		return func(a, b *app.LiveGroup) int { return cmp.Compare(of(a), of(b)) }
	}
	bytes := func(s *app.LiveGroup) int64 { return s.Granted }
	count := func(s *app.LiveGroup) int64 { return int64(s.Count) }
	oldest := func(s *app.LiveGroup) int64 { return int64(s.Oldest) }
	return []siteColumn{
		{
			Title: "Allocated at", About: "The source line that acquired the buffers.", Width: 410, Min: 119, Most: 630,
			Cell: func(s *app.LiveGroup) kit.TableCell { return kit.TableCell{Text: s.Site.String()} },
		},
		{
			Title: "Label", About: "The buffers’ name.", Width: 140, Min: 90, Rank: 1, Most: 300,
			Cell: func(s *app.LiveGroup) kit.TableCell { return kit.TableCell{Text: s.Label} },
		},
		{
			Title: "Case", About: caseAbout, Width: 130, Min: 80, Rank: 2, Most: 300, Drop: 1,
			Cell: func(s *app.LiveGroup) kit.TableCell { return kit.TableCell{Text: s.Case, Color: kit.ColorSecondary} },
		},
		{
			Title: "Buffers", About: "How many it acquired and has not released.", Number: true, Largest: true, Width: 60, Order: amount(count),
			Cell: func(s *app.LiveGroup) kit.TableCell { return kit.TableCell{Text: grouped(s.Count)} },
		},
		{
			Title: "Granted", About: "Bytes allocated for them.", Number: true, Largest: true, Width: 76, Order: amount(bytes),
			Cell: func(s *app.LiveGroup) kit.TableCell { return kit.TableCell{Text: bytesText(s.Granted)} },
		},
		{
			Title: "Oldest", About: "Time since the oldest was acquired. Unusually old buffers may be leaks.", Number: true, Largest: true, Width: 80,
			Order: amount(oldest), Cell: func(s *app.LiveGroup) kit.TableCell { return kit.TableCell{Text: ageText(s.Oldest.Seconds())} },
		},
	}
}

// newTable makes the table of buffers, oldest first.
func (v *liveView) newTable() *kit.Table[gpu.LiveLease] {
	t := kit.NewTable(v.columns(), 1)
	t.Key, t.Live, t.Given = func(l *gpu.LiveLease) string { return strconv.FormatUint(l.ID, 10) }, true, true
	t.SortBy("Age", true)
	t.OnOrdered = v.sort
	t.OnItem = func(l *gpu.LiveLease) { v.trace(l.Trace) }
	t.OnHead = func(c *liveColumn) {
		if c == nil {
			v.explain("", "")
			return
		}
		v.explain(c.Title, c.About)
	}
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
		{
			Title: "Case", About: caseAbout, Width: 130, Min: 80, Rank: 2, Most: 300, Drop: 3,
			Cell: func(l *gpu.LiveLease) kit.TableCell { return kit.TableCell{Text: l.Owner, Color: kit.ColorSecondary} },
		},
		{Action: &kit.Action[gpu.LiveLease]{Name: "Copy", Do: v.copy}},
	}
}

// liveOrders are the sort keys of the columns.
func liveOrders() map[string]app.LiveColumn {
	return map[string]app.LiveColumn{
		"Label": app.LiveLabel, "Requested": app.LiveRequested, "Granted": app.LiveGranted, "Age": app.LiveAge, "Allocated at": app.LiveSite, "Case": app.LiveCase,
	}
}

// sort requests the leases in the order of a column.
func (v *liveView) sort(column string, descending bool) {
	v.order = app.LiveOrder{By: liveOrders()[column], Ascending: !descending}
	v.sorted()
}

// caseAbout explains the column of cases.
const caseAbout = "The case of the run that acquired it; empty: none, as with inputs that cases share."

// trace shows the calls that led to the chosen row's allocation.
func (v *liveView) trace(calls []gpu.Site) {
	words := ""
	if len(calls) > 0 {
		words = "Allocated at " + callText(calls)
	}
	if v.calls.Content != words {
		v.calls.Set(words)
		v.object.Refresh()
	}
}

// callText lists the calls that led to an allocation, innermost first.
func callText(calls []gpu.Site) string {
	var all []string
	for _, s := range calls {
		all = append(all, s.String())
	}
	return strings.Join(all, ", called from ")
}

// explain explains the column under the pointer or the keyboard focus.
func (v *liveView) explain(title, about string) {
	switch {
	case about != "":
		v.hint.Set(title + ": " + about)
	case v.by.At == bySite:
		v.hint.Set("Click a header to sort; hover for help.")
	default:
		v.hint.Set("Click a header to sort; hover for help. Arrow keys select; Return, Ctrl or Cmd C copies.")
	}
}

// show shows the leases.
func (v *liveView) show(s *app.PoolState) {
	leases, _ := shownLeases(s)
	if len(leases) == 0 && v.drawn && len(v.state.Live)+len(v.state.Left) == 0 {
		return
	}
	v.drawn, v.state = true, *s
	kit.Show(v.nothing, len(leases) == 0)
	v.note.Set(liveNote(s))
	if v.by.At == bySite {
		v.sites.SetItems(app.GroupLive(leases))
	} else {
		v.table.SetItems(leases)
	}
}

// shownLeases are the buffers in use, or if there are none those that the last run left.
func shownLeases(s *app.PoolState) (leases []gpu.LiveLease, left bool) {
	if len(s.Live) == 0 && len(s.Left) > 0 {
		return s.Left, true
	}
	return s.Live, false
}

// liveTab names the segment: the buffers in use, or those left.
func liveTab(s *app.PoolState) string {
	if left, is := shownLeases(s); is {
		return "Left Buffers (" + grouped(len(left)) + ")"
	}
	return "Live Buffers (" + grouped(s.Stats.Live) + ")"
}

// liveNote says what the rows are, and what was left out.
func liveNote(s *app.PoolState) string {
	if _, left := shownLeases(s); left {
		return "Left live at the end of the run " + s.RunID + ", which is a leak. They have been released since."
	}
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
	return si.Duration(seconds)
}

// copy puts a row on the clipboard, with exact numbers.
func (v *liveView) copy(l *gpu.LiveLease) {
	v.desk.Copy("The buffer “"+l.Label+"”", strings.Join([]string{
		l.Label, fmt.Sprintf("%d B requested", l.Requested), fmt.Sprintf("%d B granted", l.Granted),
		fmt.Sprintf("%.3f s old", l.Age.Seconds()), l.Site.String(), l.Owner, callText(l.Trace),
	}, "\t"))
}
