package memorypage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/gpu"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

func open(t testing.TB, state string) *bench {
	t.Helper()
	b := stand(t, kit.AlwaysDark, uitest.Usual)
	play(t, b, state)
	return b
}

func says(t *testing.T, b *bench, words string) {
	t.Helper()
	if !uitest.Says(b.View.Object, words) {
		t.Errorf("nothing says %q in %q", words, uitest.Texts(b.View.Object))
	}
}

func asked(t *testing.T, b *bench, want string) {
	t.Helper()
	if list := b.Session.Asked(); !slices.Contains(list, want) {
		t.Errorf("asked of the session were %q, want %q", list, want)
	}
}

func TestNoPoolSaysWhyAndOffersPrewarm(t *testing.T) {
	b := open(t, "empty")
	says(t, b, "No run has used one")
	press(t, b, "Prewarm")
	asked(t, b, "prewarm auto 10 × 1000000")
	if b.Desk.Model.Notice != "Prewarmed 10 buffers for requests of 1 MB in 0.00 s." {
		t.Errorf("the notice is %q", b.Desk.Model.Notice)
	}
}

func TestFiguresAndWhoseTheyAre(t *testing.T) {
	uitest.Alone(t)
	b := open(t, "running")
	for _, words := range []string{"Pool of CPU · Test CPU", "Counters cover the current run, which records changes", "training: 80–95 %", "not used lately", "by rounding up"} {
		says(t, b, words)
	}
	b = open(t, "finished")
	says(t, b, "Counters are from the last run, "+runID)
	b = open(t, "wrong")
	says(t, b, "Pool of Metal · Simulated GPU. Simulated: not real hardware.")
	b = open(t, "lost")
	says(t, b, "The device was lost")
	says(t, b, "The next run opens the engine again")
	to := ""
	b.Desk.Show = func(page string) { to = page }
	press(t, b, "Go to Run")
	if to != desk.PageRun {
		t.Errorf("the button leads to %q", to)
	}
}

// After a loss that only another process can undo, the page says what to do.
func TestLostForGood(t *testing.T) {
	_, title, why := noPool(fmt.Errorf("%w: %w: %w to use it again", app.ErrNoPool, gpu.ErrDeviceLost, gpu.ErrRestart))
	if title != "The device was lost" || !strings.Contains(why, "Restart Assay") || strings.Contains(why, "opens the engine again") {
		t.Errorf("%s: %s", title, why)
	}
}

func TestStripAndTableAreLinked(t *testing.T) {
	uitest.Alone(t)
	b := open(t, "running")
	v := b.page.classes
	strip, ok := uitest.Find(b.View.Object, func(*uichart.Strip) bool { return true })
	if !ok || strip.Selected() != 5 {
		t.Fatalf("the strip has %v chosen, want 5", strip.Selected())
	}
	if v.table.At() != 5 {
		t.Errorf("a cell that is chosen marks row %d", v.table.At())
	}
	v.table.Choose(3)
	if strip.Selected() != 3 {
		t.Errorf("a row that is chosen marks cell %d", strip.Selected())
	}
	// The chosen class stays chosen when smaller ones come.
	b.Session.State.Classes = append([]gpu.ClassStats{{Size: 16, Cached: 1}}, b.Session.State.Classes...)
	b.Desk.Redraw(desk.ChangedTick)
	if strip.Selected() != 4 || v.table.At() != 4 {
		t.Errorf("with one more class before it cell %d and row %d are marked, want 4", strip.Selected(), v.table.At())
	}
	// In another order the row differs, and the cell is the same.
	sortBy(t, v.table.TableView, "Size")
	sortBy(t, v.table.TableView, "Size")
	if at := len(v.classes) - 5; strip.Selected() != 4 || v.table.At() != at {
		t.Errorf("the largest first, cell %d and row %d are marked, want 4 and %d", strip.Selected(), v.table.At(), at)
	}
	v.table.Choose(0)
	if want := len(v.classes) - 1; strip.Selected() != want {
		t.Errorf("the first row is that of cell %d, want %d", strip.Selected(), want)
	}
}

func TestClear(t *testing.T) {
	b := open(t, "running")
	b.Session.Freed = gpu.Freed{Buffers: 3, Bytes: 18_432}
	pressRow(t, b.page.classes.table.TableView, 0, "Clear")
	b.Desk.Settle()
	asked(t, b, fmt.Sprintf("clear %d", b.page.classes.classes[0].Size))
	if want := "Cleared the class of 4\u00a0KiB: 3 buffers freed, 18.4 kB, noted in the current run."; b.Desk.Model.Notice != want {
		t.Errorf("the notice is %q, want %q", b.Desk.Model.Notice, want)
	}
	press(t, b, "Clear All")
	asked(t, b, "clear")
	b.Session.Refused = errors.New("release: the device is gone")
	press(t, b, "Clear All")
	if !strings.Contains(b.Desk.Model.Notice, "the device is gone") || !b.Desk.Model.Wrong {
		t.Errorf("the notice is %q", b.Desk.Model.Notice)
	}
}

func TestLiveBuffersSortAndCopy(t *testing.T) {
	b := open(t, "many")
	says(t, b, "Showing 10,000; 2,000 younger ones are omitted")
	if o := b.Session.Order(); o != (app.LiveOrder{By: app.LiveAge}) {
		t.Errorf("the order is %v, want the oldest first", o)
	}
	b.page.live.sites.Choose(0)
	says(t, b, "Allocated at workloads/")
	says(t, b, ", called from workloads/bench.go:118 (workloads.(*bench).measure)")
	b.page.live.choose(byBuffer)
	if words := b.page.live.calls.Content; words != "" {
		t.Errorf("of no buffer %q is told", words)
	}
	table := b.page.live.table.TableView
	sortBy(t, table, "Age")
	if o := b.Session.Order(); o != (app.LiveOrder{By: app.LiveAge, Ascending: true}) {
		t.Errorf("the order is %v, want the youngest first", o)
	}
	sortBy(t, table, "Case")
	if o := b.Session.Order(); o != (app.LiveOrder{By: app.LiveCase, Ascending: true}) {
		t.Errorf("the order is %v, want the cases' alphabet", o)
	}
	sortBy(t, table, "Allocated at")
	if o := b.Session.Order(); o != (app.LiveOrder{By: app.LiveSite, Ascending: true}) {
		t.Errorf("the order is %v, want the sites' alphabet", o)
	}
	pressRow(t, table, 0, "Copy")
	if got := b.Desk.App.Clipboard().Content(); !strings.HasPrefix(got, "input\t1908408 B requested\t2097152 B granted\t466.600 s old\tworkloads/batching.go:100") ||
		!strings.Contains(got, ", called from workloads/bench.go:118 (workloads.(*bench).measure)") {
		t.Errorf("copied is %q", got)
	}
}

func TestEverythingIsReachedByKeyboard(t *testing.T) {
	for state, names := range map[string][]string{
		"finished": {"Clear All", "Shrink", "Prewarm"}, "many": {}, "checked": {"Set Baseline", "Check Now", "Start"},
	} {
		b := open(t, state)
		canvas := b.Desk.Window.Canvas()
		reached, kinds := map[string]bool{}, map[string]int{}
		for range 120 {
			test.FocusNext(canvas)
			switch o := canvas.Focused().(type) {
			case *kit.Button:
				reached[o.Text] = true
			default:
				kinds[fmt.Sprintf("%T", o)]++
			}
		}
		for _, name := range names {
			if !reached[name] {
				t.Errorf("%s: Tab never reaches %q", state, name)
			}
		}
		for kind, want := range map[string]bool{
			"*kit.Option": true, "*memorypage.entry": state != "many", "*kit.Slider": state == "finished", "*chart.Strip": state == "finished",
			"*kit.TableView": state != "checked", "*chart.Plot": state == "checked", "*kit.Term": state != "checked",
		} {
			if (kinds[kind] > 0) != want {
				t.Errorf("%s: Tab reaches %d of %s", state, kinds[kind], kind)
			}
		}
	}
}

func TestNothingIsAskedWhileHidden(t *testing.T) {
	b := open(t, "finished")
	b.View.Object.Hide()
	b.Session.State = nil
	b.Session.Lacking = errors.New("must not be asked")
	b.page.poll()
	if strings.Contains(b.page.lacking.why.Content, "must not") {
		t.Error("a hidden page asks for the pool")
	}
}

func BenchmarkPollTenThousandLive(b *testing.B) {
	s := stand(b, kit.AlwaysDark, uitest.Usual)
	play(b, s, "many")
	b.ReportAllocs()
	for b.Loop() {
		s.page.poll()
	}
}

// Prewarmed buffers are not acquires: reused and made buffers add up to all acquires.
func TestAcquiresAddUp(t *testing.T) {
	got := acquiresNote(&gpu.Stats{Acquires: 1233, Reuses: 1101, Creates: 138})
	if want := "1,101 reused, 132\u00a0made; 6\u00a0prewarmed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHeadsExplain(t *testing.T) {
	uitest.Alone(t)
	b := open(t, "live")
	live, classes := b.page.live, b.page.classes
	for i, c := range live.columns() {
		live.table.OnColumn(i)
		explained(t, live.hint, c.Title, c.About)
	}
	for i, c := range classes.columns() {
		classes.table.OnColumn(i)
		explained(t, classes.hint, c.Title, c.About)
	}
}

// explained checks what a hint says about a column.
func explained(t *testing.T, hint *kit.Text, title, about string) {
	t.Helper()
	if want := title + ": " + about; title != "" && (about == "" || hint.Content != want) {
		t.Errorf("%s explains itself by %q, want %q", title, hint.Content, want)
	}
}

// A row whose class caches nothing has nothing to clear.
func TestNothingToClearIsOff(t *testing.T) {
	uitest.Alone(t)
	b := open(t, "running")
	b.Session.State.Classes = slices.Clone(b.Session.State.Classes)
	b.Session.State.Classes[0].Cached = 0
	b.Desk.Redraw(desk.ChangedTick)
	v := b.page.classes
	last := len(v.table.Columns()) - 1
	if !v.table.Cell(0, last).Off || v.table.Cell(1, last).Off {
		t.Error("what can be cleared is not what is cached")
	}
	v.table.Choose(0)
	key(v.table, fyne.KeyReturn, fyne.KeyDelete)
	b.Desk.Settle()
	if list := b.Session.Asked(); slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, "clear") }) {
		t.Errorf("asked of the session were %q", list)
	}
}

// An update leaves the visible rows where they are, even if the chosen one is out of view.
func TestUpdatesDoNotMoveTheView(t *testing.T) {
	uitest.Alone(t)
	b := open(t, "many")
	b.page.live.choose(byBuffer)
	table := b.page.live.table
	table.Choose(0)
	table.ShowRow(5000)
	before := uitest.Texts(b.View.Object)
	b.Desk.Redraw(desk.ChangedTick)
	if got := uitest.Texts(b.View.Object); !slices.Equal(got, before) {
		t.Errorf("in sight is %q", got)
	}
	if table.At() != 0 {
		t.Errorf("row %d is chosen", table.At())
	}
}

// pressRow presses the button of a row, as a click on it does.
func pressRow(t *testing.T, table *kit.TableView, row int, name string) {
	t.Helper()
	at := slices.IndexFunc(table.Columns(), func(c kit.TableColumn) bool { return c.Action })
	if at < 0 || table.Cell(row, at).Text != name || table.Cell(row, at).Off {
		t.Fatalf("row %d has no button %q", row, name)
	}
	table.OnAction(row, at)
}

// sortBy clicks on the head of a column.
func sortBy(t *testing.T, table *kit.TableView, title string) {
	t.Helper()
	at := slices.IndexFunc(table.Columns(), func(c kit.TableColumn) bool { return c.Title == title })
	if at < 0 {
		t.Fatalf("no column %q", title)
	}
	table.OnSorted(at)
}

// stops returns where Tab stops on its way once around the page, or Shift+Tab if back is set.
func stops(b *bench, back bool) (list []fyne.Focusable) {
	canvas := b.Desk.Window.Canvas()
	canvas.Unfocus()
	for range 200 {
		if back {
			test.FocusPrevious(canvas)
		} else {
			test.FocusNext(canvas)
		}
		if o := canvas.Focused(); o == nil || slices.Contains(list, o) {
			return list
		} else {
			list = append(list, o)
		}
	}
	return list
}

func isRows(o fyne.Focusable) bool { _, is := o.(*kit.TableView); return is }

// The rows are one stop, after the head and before the controls, also backward.
func TestRowsAreOneStop(t *testing.T) {
	uitest.Alone(t)
	for state, before := range map[string]string{"running": "*chart.Strip", "many": "*kit.Option"} {
		b := open(t, state)
		list := stops(b, false)
		at := slices.IndexFunc(list, isRows)
		if at < 1 || slices.ContainsFunc(list[at+1:], isRows) || fmt.Sprintf("%T", list[at-1]) != before {
			t.Fatalf("%s: the rows are stop %d of %T", state, at, list)
		}
		back := stops(b, true)
		if i := slices.IndexFunc(back, isRows); len(back) != len(list) || len(list)-1-i != at {
			t.Errorf("%s: backward the rows are stop %d of %d, forward %d of %d", state, i, len(back), at, len(list))
		}
	}
}

func key(o fyne.Focusable, names ...fyne.KeyName) {
	for _, name := range names {
		o.TypedKey(&fyne.KeyEvent{Name: name})
	}
}

func TestKeysClearTheChosenClass(t *testing.T) {
	b := open(t, "finished")
	v := b.page.classes
	rows := v.table
	key(rows, fyne.KeyReturn, fyne.KeyDelete)
	b.Desk.Settle()
	if list := b.Session.Asked(); slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, "clear") }) {
		t.Errorf("with no class chosen %q were asked", list)
	}
	key(rows, fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
	b.Desk.Settle()
	asked(t, b, fmt.Sprintf("clear %d", v.classes[1].Size))
	if v.strip.Selected() != 1 {
		t.Errorf("the strip has %d chosen", v.strip.Selected())
	}
	for _, name := range []fyne.KeyName{fyne.KeyDelete, fyne.KeyBackspace} {
		key(rows, fyne.KeyEnd, name)
		b.Desk.Settle()
		asked(t, b, fmt.Sprintf("clear %d", v.classes[len(v.classes)-1].Size))
		key(rows, fyne.KeyHome)
	}
	if v.table.At() != 0 {
		t.Errorf("Home chooses row %d", v.table.At())
	}
}

// The chosen lease stays chosen wherever its row moves, and is copied from there.
func TestKeysCopyTheChosenLease(t *testing.T) {
	uitest.Alone(t)
	b := open(t, "live")
	v := b.page.live
	v.choose(byBuffer)
	key(v.table, fyne.KeyDown, fyne.KeyDown)
	chosen := *v.table.Item(1)
	later := slices.Clone(b.Session.State.Live)
	for i := range later {
		later[i].Age += 5 * time.Second
	}
	b.Session.State.Live = slices.Insert(later, 0, gpu.LiveLease{ID: 1 << 20, Label: "largest", Granted: 1 << 30, Age: time.Hour})
	b.Desk.Redraw(desk.ChangedTick)
	if v.table.At() != 2 {
		t.Fatalf("with one more before it row %d is chosen, want 2", v.table.At())
	}
	for _, copies := range []func(){
		func() { key(v.table, fyne.KeyReturn) },
		func() { v.table.TypedShortcut(&fyne.ShortcutCopy{}) },
	} {
		b.Desk.App.Clipboard().SetContent("")
		copies()
		want := fmt.Sprintf("%s\t%d B requested\t%d B granted\t%.3f s old", chosen.Label, chosen.Requested, chosen.Granted, chosen.Age.Seconds()+5)
		if got := b.Desk.App.Clipboard().Content(); !strings.HasPrefix(got, want) {
			t.Errorf("copied is %q, want %q", got, want)
		}
	}
	b.Session.State.Live = later[:1]
	b.Desk.Redraw(desk.ChangedTick)
	if v.table.At() != -1 {
		t.Errorf("row %d is chosen once the lease was given back", v.table.At())
	}
}

// In the leak lab, Tab goes through the controls on the left before the chart on the right.
func TestLeakLabIsReadFromTheLeft(t *testing.T) {
	list := stops(open(t, "checked"), false)
	first := slices.IndexFunc(list, func(o fyne.Focusable) bool { _, is := o.(*uichart.Plot); return is })
	for i, o := range list {
		if e, is := o.(*entry); is && i > first {
			t.Errorf("the field %q comes after the chart", e.Text)
		}
	}
	if first < 0 {
		t.Error("Tab never reaches the chart")
	}
}

// TestBuffersLeftAtTheEndStay shows, after a run that leaked, what it left, by the line that acquired it.
func TestBuffersLeftAtTheEndStay(t *testing.T) {
	uitest.Alone(t)
	b := open(t, "finished")
	state := *b.Session.State
	state.Live, state.Stats.Live = nil, 0
	site := gpu.Site{Func: "assay/workloads/suite/memory.iterate", File: "/src/assay/workloads/suite/memory/leak.go", Line: 82}
	for i := range 108 {
		state.Left = append(state.Left, gpu.LiveLease{
			ID: uint64(i), Label: "deliberate leak", Requested: 500_000, Granted: 524_288, Age: time.Duration(i) * time.Second, Site: site,
		})
	}
	b.Session.State = &state
	b.page.show(segmentLive)
	says(t, b, "Left live at the end of the run")
	says(t, b, "Left Buffers (108)")
	sites := b.page.live.sites
	if sites.Rows() != 1 || sites.Item(0).Count != 108 || sites.Item(0).Oldest != 107*time.Second || !b.page.live.sites.Object.Visible() {
		t.Fatalf("%d sites: %+v", sites.Rows(), sites.Item(0))
	}
	b.page.live.choose(byBuffer)
	if n := b.page.live.table.Rows(); n != 108 {
		t.Errorf("%d buffers", n)
	}
	state.Live, state.Stats.Live = state.Left[:1], 1 // the next run
	b.page.poll()
	says(t, b, "Live Buffers (1)")
}
