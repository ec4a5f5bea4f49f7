package memorypage

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

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
		"Leak: grown by more than 50.0 MB", "grown by 86.8 MB: beyond the tolerance", "not available: the device does not count allocations",
	} {
		says(t, b, words)
	}
	b.page.lab.check.tolerance.SetText("2 TiB")
	press(t, b, "Check Now")
	says(t, b, "is too big. Enter a size up to 1.00 TB.")
	b.Session.Check = check(false)
	b.page.lab.check.tolerance.SetText("100")
	press(t, b, "Check Now")
	says(t, b, "No leak: no growth beyond 50.0 MB")
	b.Session.LeakErr = fmt.Errorf("leak check: %w", app.ErrBusy)
	press(t, b, "Check Now")
	says(t, b, "A run is in progress")
}

// A verdict belongs to its check: it goes gray when the tolerance changes or a run begins, and comes back with the tolerance.
func TestVerdictGoesOutOfDate(t *testing.T) {
	b := stand(t, kit.AlwaysDark, uitest.Usual)
	b.Session.Check = check(false)
	uitest.Choose(t, b.View.Object, "Leak Lab")
	press(t, b, "Set Baseline")
	l := b.page.lab.check
	enter(b, l.tolerance, "50 MB")
	press(t, b, "Check Now")
	holds := func(want bool, since string) {
		t.Helper()
		if got := l.verdict.head.Color == theme.ColorNameSuccess; got != want || uitest.Says(b.View.Object, "(out of date)") == want {
			t.Errorf("the verdict reads %q in %v", l.verdict.head.Content, l.verdict.head.Color)
		}
		says(t, b, "with a tolerance of 50.0 MB."+since)
	}
	holds(true, "")
	enter(b, l.tolerance, "20 MB")
	holds(false, " The tolerance changed since.")
	enter(b, l.tolerance, "50 MB")
	holds(true, "")
	b.Session.Curve = curve(leakRun, "leak control", 40, false)
	b.Desk.Redraw(desk.ChangedTick)
	holds(false, " A run started since.")
	press(t, b, "Check Now")
	holds(true, "")
	b.Desk.Take(app.StartUpdate{Meta: leakMeta()})
	holds(false, " A run started since.")
}

func TestToleranceIsRemembered(t *testing.T) {
	b := open(t, "lab-empty")
	enter(b, b.page.lab.check.tolerance, "20 MB")
	enter(b, b.page.lab.check.tolerance, "20 parsecs")
	if got := newMemoryPage(b.Desk).lab.check.tolerance.Text; got != "20 MB" {
		t.Errorf("the next page has a tolerance of %q", got)
	}
	b.Desk.Forget()
	uitest.Choose(t, b.View.Object, "Leak Lab")
	if got := b.page.lab.check.tolerance.Text; got != "50 MB" {
		t.Errorf("once forgotten it is %q", got)
	}
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
		t.Error("it was started anyway")
	}
	b.page.lab.control.rate.SetText("10")
	b.Session.Refuse = errors.New("engine cpu: no memory")
	press(t, b, "Start")
	says(t, b, "Not started: engine cpu: no memory")
}

func TestCurveInWords(t *testing.T) {
	uitest.Alone(t)
	b := open(t, "leak")
	says(t, b, "Live bytes grow with every iteration")
	says(t, b, "MB/s (95 % interval ")
	if uitest.Says(b.View.Object, "Found: ") {
		t.Error("what the verdict tells is told twice")
	}
	says(t, b, "Leaking deliberately. About 2 s left.")
	uitest.Choose(t, b.View.Object, "By Iteration")
	says(t, b, plain.Capitalized(b.page.lab.curve.curve.Verdict.Cause)) // the same as in the alert
	m := b.page.lab.curve.model()
	if len(m.Series) != 2 || len(m.Series[1].Lo) == 0 || len(m.Phases) != 1 {
		t.Errorf("the curve has %d series and %d cases, want 2 with a range, and 1", len(m.Series), len(m.Phases))
	}
	b = open(t, "steady")
	says(t, b, "No rate and no interval: it takes 4 s of iterations")
	says(t, b, "Not judged: the last case was too short")
	if m := b.page.lab.curve.model(); len(m.Series) != 1 || len(m.Phases) != 6 {
		t.Errorf("the curve has %d series and %d cases, want 1 and 6", len(m.Series), len(m.Phases))
	}
}

func TestLeftWords(t *testing.T) {
	for seconds, want := range map[float64]string{0: "", 0.4: " Less than 1 s left.", 12.2: " About 12 s left."} {
		if got := leftWords(seconds); got != want {
			t.Errorf("%v s left are %q, want %q", seconds, got, want)
		}
	}
}

func TestEmptyLabHasNoAxes(t *testing.T) {
	uitest.Alone(t)
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

// The switch makes the session check after runs, with the tolerance of the field; the result is shown, and the switch is
// remembered.
func TestChecksAfterRuns(t *testing.T) {
	b := stand(t, kit.AlwaysDark, uitest.Usual)
	uitest.Choose(t, b.View.Object, "Leak Lab")
	l := b.page.lab.check
	test.Tap(l.after)
	if auto := b.Session.Auto; auto == nil || *auto != app.LeakToleranceDefault {
		t.Fatalf("the session checks with %v", auto)
	}
	enter(b, l.tolerance, "20 MB")
	if *b.Session.Auto != 20_000_000 {
		t.Errorf("with another tolerance: %d", *b.Session.Auto)
	}
	found := check(true)
	found.Taken = time.Now()
	b.Session.Checked = &found
	b.Desk.Redraw(desk.ChangedTick)
	says(t, b, "grown by 86.8 MB: beyond the tolerance")
	if !newMemoryPage(b.Desk).lab.check.after.On {
		t.Error("it is not remembered")
	}
	test.Tap(l.after)
	if b.Session.Auto != nil {
		t.Error("it cannot be ended")
	}
}
