package memorypage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

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
	for _, words := range []string{"Pool of CPU · Test CPU", "Counters cover the current run; changes are noted in it", "training’s band", "not asked for lately", "by rounding up"} {
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
	if want := "Cleared the class of 4.10 kB: 3 buffers freed, 18.4 kB, which is noted in the run that goes on."; b.Desk.Model.Notice != want {
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

// enter types into a field and presses Return.
func enter(b *bench, e *entry, text string) {
	e.SetText(text)
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	b.Desk.Settle()
}

func TestCapacity(t *testing.T) {
	b := open(t, "running")
	p := b.page.settings
	enter(b, p.capacity, "50")
	asked(t, b, "capacity 50")
	if want := "The pool caches up to 50 buffers of each size, which is noted in the run that goes on."; b.Desk.Model.Notice != want {
		t.Errorf("the notice is %q, want %q", b.Desk.Model.Notice, want)
	}
	before := len(b.Session.Asked())
	enter(b, p.capacity, "lots")
	says(t, b, "“lots” is no whole number. Enter one from 0 to 1,000.")
	if n := len(b.Session.Asked()); n != before {
		t.Errorf("what is no number was asked of the session: %q", b.Session.Asked()[before:])
	}
	enter(b, p.capacity, "5000")
	says(t, b, "5,000 is out of range. Enter a whole number from 0 to 1,000.")
	if !p.capacity.frame.Visible() {
		t.Error("the field that is wrong is not marked")
	}
	b.Session.Refused = errors.New("the session is closed")
	enter(b, p.capacity, "500")
	says(t, b, "The session is closed.")
	b.Session.Refused = nil
	p.capacityBar.SetValue(capacityAt(200))
	b.Desk.Settle()
	asked(t, b, "capacity 200")
	if p.capacity.frame.Visible() {
		t.Error("the field is marked as wrong once it is right")
	}
}

// What stands in a field counts before another part of the page comes to the front, not in the midst of a later run.
func TestFieldCountsWhenItsPartIsLeft(t *testing.T) {
	b := open(t, "finished")
	b.Desk.Window.Canvas().Focus(b.page.settings.capacity)
	b.page.settings.capacity.SetText("0")
	b.page.segments.Changed(segmentLeaks)
	b.Desk.Settle()
	asked(t, b, "capacity 0")
}

// A long wrong text shows no scroll bar in its field, and the field is framed.
func TestLongTextShowsNoScrollBar(t *testing.T) {
	b := open(t, "wrong")
	e := b.page.actions.size
	if !e.frame.Visible() || e.frame.Size() != e.Size() {
		t.Errorf("the frame is %v of a field of %v", e.frame.Size(), e.Size())
	}
	if e.SetText("3 MB"); e.cover.Visible() {
		t.Error("a short text has a cover")
	}
	e.SetText("3 parsecs and some more")
	bar := theme.Size(theme.SizeNameScrollBarSmall)
	if at := e.cover.Position().Y; !e.cover.Visible() || at > e.Size().Height-theme.InputBorderSize()-bar || e.cover.Size().Width < e.Size().Width-4 {
		t.Errorf("below a long text the cover begins at %v of %v", at, e.Size())
	}
}

func TestBudget(t *testing.T) {
	b := open(t, "finished")
	p := b.page.settings
	if !p.budget.Disabled() || p.budget.Text != "12.8 GB" {
		t.Errorf("the default budget reads %q, enabled: %v", p.budget.Text, !p.budget.Disabled())
	}
	uitest.Choose(t, b.View.Object, "Limit")
	b.Desk.Settle()
	enter(b, p.budget, "1.5 GiB")
	asked(t, b, "budget 1610612736")
	enter(b, p.budget, "17 GB")
	says(t, b, "17 GB is out of range. Enter a size from 1.00 MB to 16.0 GB.")
	enter(b, p.budget, "12 kB")
	says(t, b, "12 kB is out of range. Enter a size from 1.00 MB to 16.0 GB.")
	uitest.Choose(t, b.View.Object, "None")
	b.Desk.Settle()
	asked(t, b, "budget 0")
	says(t, b, "No limit but the engine’s own")
	uitest.Choose(t, b.View.Object, "Default")
	b.Desk.Settle()
	asked(t, b, "budget -1")
	says(t, b, "80 % of the engine’s working set of 16.0 GB")
	uitest.Choose(t, b.View.Object, "Zeros")
	b.Desk.Settle()
	asked(t, b, "mode zero")
}

// A choice that was refused is not shown as if it held, and why stays to be read.
func TestRefusedChoicesDoNotHold(t *testing.T) {
	b := open(t, "finished")
	p := b.page.settings
	b.Session.Refused = errors.New("the engine is busy")
	for _, name := range []string{"Limit", "None", "Poison"} {
		uitest.Choose(t, b.View.Object, name)
		b.Desk.Settle()
		b.Desk.Redraw(desk.ChangedTick)
		if p.choice.At != budgetDefault || p.mode.At != 0 || p.budget.Text != "12.8 GB" || !p.budget.Disabled() {
			t.Errorf("%s was refused: the choices are %d of the budget, which reads %q, and %d", name, p.choice.At, p.budget.Text, p.mode.At)
		}
		says(t, b, "The engine is busy.")
	}
}

func TestBudgetIsKnownOnceAnEngineIsOpen(t *testing.T) {
	b := open(t, "empty")
	says(t, b, "which is known once an engine is open")
	b.Session.State = pool(classes(3), false)
	b.Desk.Redraw(desk.ChangedTick)
	says(t, b, "80 % of the engine’s working set of 16.0 GB")
	b = stand(t, kit.AlwaysDark, uitest.Usual)
	b.Session.State = pool(classes(3), false)
	b.Session.State.WorkingSet, b.Session.State.Stats.Budget = 0, 0
	b.Desk.Redraw(desk.ChangedTick)
	says(t, b, "this engine does not tell its working set")
}

func TestShrink(t *testing.T) {
	b := open(t, "finished")
	b.Session.Freed = gpu.Freed{Buffers: 7, Bytes: 90_000}
	b.page.actions.shrinkTo.SetText("256 KiB")
	press(t, b, "Shrink")
	asked(t, b, "shrink 262144")
	if !strings.Contains(b.Desk.Model.Notice, "7 buffers freed, 90.0 kB") {
		t.Errorf("the notice is %q", b.Desk.Model.Notice)
	}
	b.page.actions.shrinkTo.SetText("much")
	press(t, b, "Shrink")
	says(t, b, "“much” is no size. Enter a size such as 64 MB or 1.5 GiB.")
	b.page.actions.shrinkTo.SetText("32")
	press(t, b, "Shrink")
	asked(t, b, "shrink 32000000")
	if got := b.page.actions.shrinkTo.Text; got != "32 MB" {
		t.Errorf("a bare number is taken in MB, the field reads %q", got)
	}
}

func TestPrewarmIsFollowedAndCancelled(t *testing.T) {
	b := open(t, "warming")
	says(t, b, "6 of 10 buffers made so far")
	press(t, b, "Cancel")
	if b.Desk.Model.Notice != "Prewarming was cancelled: 5 buffers for requests of 1 MB made." {
		t.Errorf("the notice is %q", b.Desk.Model.Notice)
	}
	uitest.Button(t, b.View.Object, "Prewarm")
	b.Session.Refused = context.Canceled // as after Clear meanwhile
	press(t, b, "Prewarm")
	if want := "Prewarming ended early, since the pool was emptied meanwhile: 0 buffers for requests of 1 MB made."; b.Desk.Model.Notice != want {
		t.Errorf("the notice is %q, want %q", b.Desk.Model.Notice, want)
	}
	b.page.actions.count.SetText("50")
	b.Session.Refused = fmt.Errorf("prewarm: %w: 50 buffers of 1015808 B, the capacity is 10 per class", gpu.ErrInvalid)
	press(t, b, "Prewarm")
	says(t, b, "No room for 50 buffers of 1 MB: the capacity is 10 of a size. Raise it first")
	b.page.actions.size.SetText("4 GB")
	b.Session.Refused = fmt.Errorf("prewarm: %w: 50 buffers of 4026531840 B", gpu.ErrOutOfMemory)
	press(t, b, "Prewarm")
	says(t, b, "6.18 MB of the budget of 12.8 GB are held. Shrink the pool, or raise its budget")
}

func TestPrewarmDuringARunTakesItsEngine(t *testing.T) {
	b := open(t, "running")
	b.page.actions.count.SetText("3")
	b.page.actions.size.SetText("64 KiB")
	press(t, b, "Prewarm")
	asked(t, b, "prewarm cpu 3 × 65536")
	b.page.actions.count.SetText("0")
	press(t, b, "Prewarm")
	says(t, b, "0 is out of range. Enter a whole number from 1 to 1,000.")
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

func TestLeakCheck(t *testing.T) {
	b := stand(t, kit.AlwaysDark, uitest.Usual)
	b.Session.Check = check(true)
	uitest.Choose(t, b.View.Object, "Leak Lab")
	if !uitest.Button(t, b.View.Object, "Check Now").Disabled() {
		t.Error("without a baseline it can be checked")
	}
	press(t, b, "Set Baseline")
	says(t, b, "Process 61.2 MB")
	b.page.lab.check.tolerance.SetText("50 MB")
	press(t, b, "Check Now")
	if got := b.Session.Tolerances(); !slices.Equal(got, []int64{50_000_000}) {
		t.Errorf("the tolerances are %v", got)
	}
	for _, words := range []string{
		"Leak: grown by more than 50.0 MB", "grown by 86.8 MB: beyond the tolerance", "not available: the engine’s device keeps no count",
	} {
		says(t, b, words)
	}
	b.page.lab.check.tolerance.SetText("2 TiB")
	press(t, b, "Check Now")
	says(t, b, "is too much. Enter a size up to 1.00 TB.")
	b.Session.Check = check(false)
	b.page.lab.check.tolerance.SetText("100")
	press(t, b, "Check Now")
	says(t, b, "No leak: no growth beyond 50.0 MB")
	b.Session.LeakErr = fmt.Errorf("leak check: %w", app.ErrBusy)
	press(t, b, "Check Now")
	says(t, b, "A run goes on")
}

func TestLeakControl(t *testing.T) {
	b := open(t, "lab-empty")
	c := b.page.lab.control
	c.rate.SetText("25")
	c.duration.SetText("60")
	press(t, b, "Start")
	r := b.Session.Requests()
	if len(r) != 1 || r[0].Jobs[0].Workload != desk.LeakWorkload {
		t.Fatalf("the runs asked for are %v", r)
	}
	v := r[0].Jobs[0].Params
	if v["rate"] != 25.0 || v["duration"] != 60.0 || v["limit"] != 1500.0 {
		t.Errorf("the control runs with %v", v)
	}
	if b.Desk.Model.Workload().Name == desk.LeakWorkload {
		t.Error("the control was chosen on the Run page")
	}
	b.Desk.Take(app.StartUpdate{Meta: leakMeta()})
	tap(t, b, "Stop")
	if !slices.Contains(b.Session.Log(), "stop") {
		t.Error("Stop does not stop the run")
	}
	says(t, b, "Stopping…")
}

func TestLeakControlRefused(t *testing.T) {
	b := open(t, "lab-empty")
	b.page.lab.control.rate.SetText("5000")
	press(t, b, "Start")
	says(t, b, "Leak rate cannot be “5000”. Enter a number from")
	says(t, b, "1000")
	if len(b.Session.Requests()) > 0 {
		t.Error("it was started all the same")
	}
	b.page.lab.control.rate.SetText("10")
	b.Session.Refuse = errors.New("engine cpu: no memory")
	press(t, b, "Start")
	says(t, b, "Not started: engine cpu: no memory")
}

func TestCurveInWords(t *testing.T) {
	b := open(t, "leak")
	says(t, b, "Live bytes grow with every iteration")
	says(t, b, "MB/s, 95 % interval")
	if uitest.Says(b.View.Object, "Found: ") {
		t.Error("what the verdict tells is told twice")
	}
	says(t, b, "Leaks on purpose. About 2 s left.")
	uitest.Choose(t, b.View.Object, "By Iteration")
	says(t, b, "per iteration, 95 % interval")
	m := b.page.lab.curve.model()
	if len(m.Series) != 2 || len(m.Series[1].Lo) == 0 || len(m.Phases) != 1 {
		t.Errorf("the curve has %d series and %d cases, want 2 with an interval, and 1", len(m.Series), len(m.Phases))
	}
	b = open(t, "steady")
	says(t, b, "No line is fitted: it takes 4 s of iterations")
	says(t, b, "Not judged: the last case was too short")
	if m := b.page.lab.curve.model(); len(m.Series) != 1 || len(m.Phases) != 6 {
		t.Errorf("the curve has %d series and %d cases, want 1 and 6", len(m.Series), len(m.Phases))
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

func TestLeftWords(t *testing.T) {
	for seconds, want := range map[float64]string{0: "", 0.4: " Less than 1 s left.", 12.2: " About 12 s left."} {
		if got := leftWords(seconds); got != want {
			t.Errorf("%v s left are %q, want %q", seconds, got, want)
		}
	}
}

// What was prewarmed is no acquire: reused and made are all of them.
func TestAcquiresAddUp(t *testing.T) {
	got := acquiresNote(&gpu.Stats{Acquires: 1233, Reuses: 1101, Creates: 138})
	if want := "1,101 reused, 132\u00a0made; 6\u00a0prewarmed"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEmptyLabHasNoAxes(t *testing.T) {
	b := open(t, "lab-empty")
	says(t, b, "No curve yet")
	if c := b.page.lab.curve; c.chart.Visible() || c.by.Object.Visible() {
		t.Error("the axes of no curve are shown")
	}
	b.Session.Curve = steady()
	b.Desk.Redraw(desk.ChangedTick)
	if c := b.page.lab.curve; !c.chart.Visible() || c.empty.object.Visible() {
		t.Error("the curve is not shown once there is one")
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
