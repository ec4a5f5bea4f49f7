package memorypage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/gpu"
	"assay/ui/chart"
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
	says(t, b, "No run has used one yet")
	press(t, b, "Prewarm")
	asked(t, b, "prewarm auto 10 × 1000000")
	if b.Desk.Model.Notice != "Prewarmed 10 buffers for requests of 1 MB in 0.00 s." {
		t.Errorf("the notice is %q", b.Desk.Model.Notice)
	}
}

func TestFiguresAndWhoseTheyAre(t *testing.T) {
	b := open(t, "running")
	for _, words := range []string{"Pool of CPU · Test CPU", "Counters cover the current run; changes are noted in it", "as in training: 80–95 %", "not asked for lately", "by rounding up"} {
		says(t, b, words)
	}
	b = open(t, "finished")
	says(t, b, "Counters are from the last run, "+runID)
	b = open(t, "wrong")
	says(t, b, "Pool of Metal · Simulated GPU. Simulated: no such device is present.")
	b = open(t, "lost")
	says(t, b, "The device was lost")
	says(t, b, "The next run opens the engine anew")
	to := ""
	b.Desk.Show = func(page string) { to = page }
	press(t, b, "Go to Run")
	if to != desk.PageRun {
		t.Errorf("the button leads to %q", to)
	}
}

func TestStripAndTableAreLinked(t *testing.T) {
	b := open(t, "running")
	v := b.page.classes
	strip, ok := uitest.Find(b.View.Object, func(*chart.Strip) bool { return true })
	if !ok || strip.Selected() != 5 {
		t.Fatalf("the strip has %v chosen, want 5", strip.Selected())
	}
	v.table.list.Select(3)
	if strip.Selected() != 3 || v.chosen != v.classes[3].Size {
		t.Errorf("a row that is chosen marks cell %d", strip.Selected())
	}
	// The chosen class stays chosen when smaller ones come.
	b.Session.State.Classes = append([]gpu.ClassStats{{Size: 16, Cached: 1}}, b.Session.State.Classes...)
	b.Desk.Redraw(desk.ChangedTick)
	if strip.Selected() != 4 {
		t.Errorf("with one more class before it cell %d is marked, want 4", strip.Selected())
	}
}

func TestClear(t *testing.T) {
	b := open(t, "running")
	b.Session.Freed = gpu.Freed{Buffers: 3, Bytes: 18_432}
	clear, ok := uitest.Find(b.View.Object, func(x *kit.Button) bool { return x.Text == "Clear" && !x.Disabled() })
	if !ok {
		t.Fatal("no class can be cleared")
	}
	b.Desk.Window.Canvas().Focus(clear)
	clear.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	b.Desk.Settle()
	asked(t, b, fmt.Sprintf("clear %d", b.page.classes.classes[0].Size))
	if want := "Cleared the class of 4.10 kB: 3 buffers freed, 18.4 kB, which is noted in the current run."; b.Desk.Model.Notice != want {
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
	says(t, b, "10,000 are listed; 2,000 younger ones are left out")
	uitest.Choose(t, b.View.Object, "Age")
	if o := b.Session.Order(); o != (app.LiveOrder{By: app.LiveAge}) {
		t.Errorf("the order is %v, want the oldest first", o)
	}
	uitest.Choose(t, b.View.Object, "Age")
	if o := b.Session.Order(); o != (app.LiveOrder{By: app.LiveAge, Ascending: true}) {
		t.Errorf("the order is %v, want the youngest first", o)
	}
	uitest.Choose(t, b.View.Object, "Allocated at")
	if o := b.Session.Order(); o != (app.LiveOrder{By: app.LiveSite, Ascending: true}) {
		t.Errorf("the order is %v, want the sites' alphabet", o)
	}
	tap(t, b, "Copy")
	if got := b.Desk.App.Clipboard().Content(); !strings.HasPrefix(got, "input\t1908408 B requested\t2097152 B granted\t466.600 s old\tworkloads/batching.go:100") {
		t.Errorf("copied is %q", got)
	}
}

func TestOnlyRowsInSightHaveWidgets(t *testing.T) {
	b := open(t, "many")
	made := 0
	create := b.page.live.table.list.CreateItem
	b.page.live.table.list.CreateItem = func() fyne.CanvasObject { made++; return create() }
	for range 20 {
		b.Desk.Redraw(desk.ChangedTick)
	}
	rows := 0
	uitest.Walk(b.page.live.object, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if x, ok := o.(*kit.Button); ok && x.Text == "Copy" {
			rows++
		}
	})
	if rows < 10 || rows > 60 || made > 20 { // the list measures one at each redraw
		t.Errorf("%d rows have widgets, %d were made by 20 ticks", rows, made)
	}
}

func TestEverythingIsReachedByKeyboard(t *testing.T) {
	for state, names := range map[string][]string{
		"finished": {"Clear All", "Clear", "Shrink", "Prewarm"}, "many": {"Copy"}, "checked": {"Set Baseline", "Check Now", "Start"},
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
			"*widget.List": state != "checked", "*chart.Plot": state == "checked", "*kit.Term": state != "checked",
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

// What was prewarmed is no acquire: reused and made are all of them.
func TestAcquiresAddUp(t *testing.T) {
	got := acquiresNote(&gpu.Stats{Acquires: 1233, Reuses: 1101, Creates: 138})
	if want := "1,101 reused, 132\u00a0made; 6\u00a0prewarmed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHeadsOfLiveBuffersExplain(t *testing.T) {
	b := open(t, "live")
	columns, _ := liveColumns()
	for i, c := range columns {
		b.Desk.Window.Canvas().Focus(b.page.live.heads.Options[i])
		if c.about == "" || !uitest.Says(b.Desk.Hints.Object, c.about) {
			t.Errorf("%s explains itself by %q", c.title, c.about)
		}
	}
}

// On a wide screen the columns of a row stay close enough to be read together.
func TestColumnsStayTogether(t *testing.T) {
	columns := classColumns()
	cells := make([]fyne.CanvasObject, len(columns)+1)
	for i := range cells {
		cells[i] = kit.NewBody("", 1)
	}
	rowCells{columns, 0}.Layout(cells, fyne.NewSize(1900, 24))
	for i, c := range columns {
		if got := cells[i].Size().Width; got > kit.Scaled(c.most())+0.5 || got < kit.Scaled(c.width) {
			t.Errorf("%s is %v wide, want %v to %v", c.title, got, kit.Scaled(c.width), kit.Scaled(c.most()))
		}
	}
}
