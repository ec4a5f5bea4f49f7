package memorypage

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/gpu"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

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
	if want := "The pool caches up to 50 buffers of each size, noted in the current run."; b.Desk.Model.Notice != want {
		t.Errorf("the notice is %q, want %q", b.Desk.Model.Notice, want)
	}
	before := len(b.Session.Asked())
	enter(b, p.capacity, "lots")
	says(t, b, "“lots” is not a whole number. Enter one from 0 to 1,000.")
	if n := len(b.Session.Asked()); n != before {
		t.Errorf("what is not a number was asked of the session: %q", b.Session.Asked()[before:])
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

// The content of a field takes effect before another part of the page comes to the front, not in the middle of a later run.
func TestFieldCountsWhenItsPartIsLeft(t *testing.T) {
	b := open(t, "finished")
	b.Desk.Window.Canvas().Focus(b.page.settings.capacity)
	b.page.settings.capacity.SetText("0")
	b.page.segments.Changed(segmentLeaks)
	b.Desk.Settle()
	asked(t, b, "capacity 0")
	if b.Desk.Model.Notice != "The pool caches no buffers." {
		t.Errorf("the notice is %q", b.Desk.Model.Notice)
	}
}

// A long wrong text shows no scroll bar in its field, and the field is framed.
func TestLongTextShowsNoScrollBar(t *testing.T) {
	uitest.Alone(t)
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
	says(t, b, "Limited only by the engine")
	uitest.Choose(t, b.View.Object, "Default")
	b.Desk.Settle()
	asked(t, b, "budget -1")
	says(t, b, "80 % of the engine’s 16.0 GB working set")
	uitest.Choose(t, b.View.Object, "Zeroed")
	b.Desk.Settle()
	asked(t, b, "mode zero")
}

func TestPoolOnAndItsSizeClasses(t *testing.T) {
	b := open(t, "finished")
	p := b.page.settings
	uitest.Choose(t, b.View.Object, "Exact")
	b.Desk.Settle()
	asked(t, b, "policy exact")
	uitest.Choose(t, b.View.Object, "Off")
	b.Desk.Settle()
	asked(t, b, "off true")
	if kept := b.Desk.Settings.Pool(); !kept.Off || kept.Policy != gpu.PolicyExact {
		t.Errorf("the next start begins with %+v", kept)
	}
	// a pool that is off caches nothing and rounds nothing: what it will be set to again is shown
	x := &b.Session.State.Stats
	x.Disabled, x.Capacity, x.Policy = true, 0, gpu.PolicyExact
	b.Desk.Redraw(desk.ChangedTick)
	if p.state.segments.At != 1 || p.policy.segments.At != 2 || p.capacity.Text != "10" {
		t.Errorf("the choices are %d and %d, the capacity %q", p.state.segments.At, p.policy.segments.At, p.capacity.Text)
	}
	says(t, b, "Wastes nothing")
	says(t, b, "every release frees one: for comparison")
}

// A refused choice is not shown as if it were in force, and the reason stays visible.
func TestRefusedChoicesDoNotHold(t *testing.T) {
	b := open(t, "finished")
	p := b.page.settings
	b.Session.Refused = errors.New("the engine is busy")
	for _, name := range []string{"Limit", "None", "Poisoned"} {
		uitest.Choose(t, b.View.Object, name)
		b.Desk.Settle()
		b.Desk.Redraw(desk.ChangedTick)
		if p.choice.At != budgetDefault || p.mode.segments.At != 0 || p.budget.Text != "12.8 GB" || !p.budget.Disabled() {
			t.Errorf("%s was refused: the choices are %d of the budget, which reads %q, and %d", name, p.choice.At, p.budget.Text, p.mode.segments.At)
		}
		says(t, b, "The engine is busy.")
	}
}

func TestBudgetIsKnownOnceAnEngineIsOpen(t *testing.T) {
	b := open(t, "empty")
	says(t, b, "working set, known once an engine is open")
	b.Session.State = pool(classes(3), false)
	b.Desk.Redraw(desk.ChangedTick)
	says(t, b, "80 % of the engine’s 16.0 GB working set")
	b = stand(t, kit.AlwaysDark, uitest.Usual)
	b.Session.State = pool(classes(3), false)
	b.Session.State.WorkingSet, b.Session.State.Stats.Budget = 0, 0
	b.Desk.Redraw(desk.ChangedTick)
	says(t, b, "this engine does not report its working set")
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
	says(t, b, "Invalid size “much”: no number. Enter bytes, or a size such as 64 MB or 1.5 GiB.")
	b.page.actions.shrinkTo.SetText("32")
	press(t, b, "Shrink")
	asked(t, b, "shrink 32")
	if got := b.page.actions.shrinkTo.Text; got != "32 B" {
		t.Errorf("a bare number is in bytes, as on the command line; the field reads %q, want the unit beside it", got)
	}
}

func TestPrewarmIsFollowedAndCanceled(t *testing.T) {
	b := open(t, "warming")
	says(t, b, "Allocated 6 of 10 buffers")
	press(t, b, "Cancel")
	if b.Desk.Model.Notice != "Prewarming canceled: 5 buffers for requests of 1 MB allocated." {
		t.Errorf("the notice is %q", b.Desk.Model.Notice)
	}
	uitest.Button(t, b.View.Object, "Prewarm")
	b.Session.Refused = context.Canceled // as if Clear had come meanwhile
	press(t, b, "Prewarm")
	if want := "Prewarming stopped because the pool was emptied: 0 buffers for requests of 1 MB allocated."; b.Desk.Model.Notice != want {
		t.Errorf("the notice is %q, want %q", b.Desk.Model.Notice, want)
	}
	b.page.actions.count.SetText("50")
	b.Session.Refused = fmt.Errorf("prewarm: %w: 50 buffers of 1015808 B, the capacity is 10 per class", gpu.ErrInvalid)
	press(t, b, "Prewarm")
	says(t, b, "Cannot allocate 50 buffers of 1 MB: the capacity is 10 per size. Raise it first")
	b.page.actions.size.SetText("4 GB")
	b.Session.Refused = fmt.Errorf("prewarm: %w: 50 buffers of 4026531840 B", gpu.ErrOutOfMemory)
	press(t, b, "Prewarm")
	says(t, b, "the pool holds 6.18 MB of its 12.8 GB budget. Shrink the pool or raise its budget")
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

// machine gives the engine of a session the memory of a machine.
func machine(b *bench, bytes int64) {
	b.Session.States[1].Info.WorkingSet = bytes
	b.Desk.Model.Engines = nil
	b.Desk.TakeEngines(b.Session.States)
	b.Desk.Settle()
}

// Before there is a pool, a limit begins within the memory of the engine that a run would use, and is written the same way
// everywhere.
func TestLimitBeforeAPool(t *testing.T) {
	b := open(t, "empty")
	const memory = 25_276_514_304
	machine(b, memory)
	says(t, b, "80 % of the engine’s 25.3 GB working set")
	uitest.Choose(t, b.View.Object, "Limit")
	b.Desk.Settle()
	asked(t, b, "budget 20200000000")
	p := b.page.settings
	if p.budget.Text != "20.2 GB" || b.Desk.Model.Notice != "The pool’s budget is 20.2 GB." {
		t.Errorf("the field reads %q, the notice %q", p.budget.Text, b.Desk.Model.Notice)
	}
	p.budgetBar.SetValue(1)
	b.Desk.Settle()
	asked(t, b, "budget 25200000000")
	if p.budget.Text != "25.2 GB" {
		t.Errorf("at the slider’s end the field reads %q", p.budget.Text)
	}
	b = open(t, "empty")
	uitest.Choose(t, b.View.Object, "Limit")
	b.Desk.Settle()
	asked(t, b, "budget 1000000000") // for a machine that nothing is known about
}

// The pool's settings are the same at the next start, until the settings are cleared.
func TestPoolSettingsAreRemembered(t *testing.T) {
	b := open(t, "empty")
	machine(b, 16_000_000_000)
	enter(b, b.page.settings.capacity, "50")
	uitest.Choose(t, b.View.Object, "Limit")
	b.Desk.Settle()
	enter(b, b.page.settings.budget, "2 GB")
	uitest.Choose(t, b.View.Object, "Zeroed")
	b.Desk.Settle()
	next := newMemoryPage(b.Desk)
	next.poll()
	p := next.settings
	if p.capacity.Text != "50" || p.budget.Text != "2 GB" || p.choice.At != budgetLimit || p.mode.segments.At != 1 {
		t.Errorf("the next page has capacity %q, budget %q of choice %d, mode %d", p.capacity.Text, p.budget.Text, p.choice.At, p.mode.segments.At)
	}
	before := len(b.Session.Asked())
	b.Session.Reopen()
	machine(b, 16_000_000_000)
	if got := b.Session.Asked()[before:]; !slices.Equal(got, []string{"capacity 50", "budget 2000000000", "mode zero"}) {
		t.Errorf("at the next start %q were asked", got)
	}
	before = len(b.Session.Asked())
	b.Desk.Forget()
	b.Desk.Settle()
	if got := b.Session.Asked()[before:]; !slices.Equal(got, []string{"capacity 10", "budget -1", "mode dirty"}) {
		t.Errorf("once forgotten %q were asked", got)
	}
	if p = b.page.settings; p.capacity.Text != "10" || p.choice.At != budgetDefault || p.mode.segments.At != 0 || p.budget.Text != "12.8 GB" {
		t.Errorf("the page has capacity %q, budget %q of choice %d, mode %d", p.capacity.Text, p.budget.Text, p.choice.At, p.mode.segments.At)
	}
}

func TestWhatDoesNotFitIsNotRecalled(t *testing.T) {
	b := open(t, "empty")
	b.Desk.Settings.SetPool(desk.PoolChoices{PoolSettings: app.PoolSettings{Capacity: 5000, Budget: 64_000_000_000, Mode: 9}, Tolerance: -1})
	machine(b, 16_000_000_000)
	if got := b.Session.Asked(); len(got) > 0 {
		t.Errorf("asked were %q", got)
	}
	usual := desk.PoolChoices{
		PoolSettings: app.PoolSettings{Capacity: app.PoolCapacityDefault, Budget: app.PoolBudgetDefault, Mode: gpu.ModeDirty},
		Tolerance:    app.LeakToleranceDefault,
	}
	if got := b.Desk.Settings.Pool(); !reflect.DeepEqual(got, usual) {
		t.Errorf("what holds is %+v", got)
	}
	b.Desk.Settings.Store.SetString("pool", "[1")
	if got := b.Desk.Settings.Pool(); !reflect.DeepEqual(got, usual) {
		t.Errorf("of what cannot be read %+v holds", got)
	}
}
