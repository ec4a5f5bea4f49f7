package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/monitor"
)

// settle runs what waits in the hop.
func settle(d *desk) {
	d.work.Wait()
	d.hop.drain()
}

func TestRunAsksTheSession(t *testing.T) {
	d, s := newTestDesk(t, alwaysDark, 1280, 800)
	enter(fieldNamed(t, d, "max_size"), "256")
	test.Tap(d.run.head.quick)
	test.Tap(d.run.head.start)
	d.work.Wait()
	if len(s.requests) != 1 {
		t.Fatalf("%d requests, want 1", len(s.requests))
	}
	r := s.requests[0]
	if r.Engine != "auto" || !r.Quick || len(r.Jobs) != 1 || r.Jobs[0].Workload != "batching" || r.Jobs[0].Params.Int("max_size") != 256 {
		t.Errorf("asked for %+v", r)
	}
	if d.run.head.start.Visible() || !d.run.head.stop.Visible() || d.run.segments.at != 1 {
		t.Error("a run that starts must show Stop and the results")
	}
	d.startRun()
	d.work.Wait()
	if len(s.requests) != 1 {
		t.Error("a second run was asked for while one is starting")
	}
}

func TestRefusedStartIsTold(t *testing.T) {
	d, s := newTestDesk(t, alwaysDark, 1280, 800)
	play(d, "finished")
	s.refuse = errors.New("create the bundle: /full: no space left on device")
	test.Tap(d.run.head.start)
	settle(d)
	if got := d.run.head.status.content; !strings.Contains(got, "no space left on device") {
		t.Errorf("told %q", got)
	}
	if d.run.head.start.Disabled() || !d.run.head.start.Visible() {
		t.Error("Run must be there to try again")
	}
	if n := len(d.model.outcome().results); n != 14 {
		t.Errorf("%d results of the run before are left, want 14", n)
	}
}

func TestStopOnce(t *testing.T) {
	d, s := newTestDesk(t, alwaysDark, 1280, 800)
	play(d, "running")
	test.Tap(d.run.head.stop)
	d.stopRun()
	if !slices.Equal(s.log, []string{"stop"}) {
		t.Errorf("session heard %v, want one stop", s.log)
	}
	if d.run.head.status.content != "Stopping…" {
		t.Errorf("told %q", d.run.head.status.content)
	}
	meta := sweepMeta()
	meta.State, meta.Finished = "stopped", epoch.Add(3*time.Second)
	apply(d, app.EndUpdate{Run: &app.Run{Meta: meta, Results: sweep()[:4]}})
	if got := d.run.head.status.content; !strings.HasPrefix(got, "Stopped after 3 s: 4 results") {
		t.Errorf("told %q", got)
	}
}

// TestQuitOrder checks that everything that may call the window has ended before the application does.
func TestQuitOrder(t *testing.T) {
	d, s := newTestDesk(t, alwaysDark, 1280, 800)
	d.listen()
	settle(d)
	play(d, "running")
	s.hang = make(chan struct{})
	d.quit()
	d.quit() // a second press does nothing
	if !d.quitting {
		t.Fatal("not quitting")
	}
	before := d.run.head.status.content
	s.send(app.EndUpdate{}) // comes too late
	d.hop.fire()
	d.hop.drain()
	if d.run.head.status.content != before {
		t.Error("an update reached the window after it had begun to close")
	}
	close(s.hang)
	<-d.closed
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.log, []string{"unsubscribe", "close"}) {
		t.Errorf("session heard %v, want unsubscribe, then one close", s.log)
	}
}

func TestQuitDoesNotWaitForEver(t *testing.T) {
	d, s := newTestDesk(t, alwaysDark, 1280, 800)
	s.hang = make(chan struct{})
	defer close(s.hang)
	d.patience = 10 * time.Millisecond
	d.quit()
	select {
	case <-d.closed:
	case <-time.After(10 * time.Second):
		t.Fatal("a session that does not end keeps the window from closing")
	}
}

func TestSettingsAreRemembered(t *testing.T) {
	a := test.NewTempApp(t)
	first := open(a, newFakeSession())
	chooseNamed(t, first, "fusion")
	enter(first.run.form().fields[firstNumeric(first)], "1024")
	name := first.run.form().fields[firstNumeric(first)].param.Name
	first.window.Resize(fyne.NewSize(1300, 820))
	first.settings.setSize(first.window.Canvas().Size())

	second := open(a, newFakeSession())
	if second.run.showing != "fusion" {
		t.Errorf("opens with %s, want fusion", second.run.showing)
	}
	if got := fieldNamed(t, second, name).entry.Text; got != "1024" {
		t.Errorf("%s is %q, want 1024", name, got)
	}
	if size := second.settings.size(); size != fyne.NewSize(1300, 820) {
		t.Errorf("size is %v", size)
	}
}

func firstNumeric(d *desk) int {
	return slices.IndexFunc(d.run.form().fields, func(f *field) bool { return f.slider != nil && f.param.Log2 })
}

func TestBadSettingsAreIgnored(t *testing.T) {
	for key, value := range map[string]string{
		keyValues + "batching": `{"min_size":"9999999","sweep":"nope","max_size":"512"}`,
		keyWorkload:            "gone",
		keyAppearance:          "pink",
		keyEngine:              "abacus",
		keyFolder:              "/no/such/folder",
	} {
		a := test.NewTempApp(t)
		a.Preferences().SetString(key, value)
		a.Preferences().SetFloat(keyWidth, -3)
		a.Preferences().SetFloat(keyHeight, 1e30)
		d := open(a, newFakeSession())
		if _, err := d.run.form().values(); err != nil || d.run.showing != "batching" {
			t.Errorf("%s=%s: opens with %s: %v", key, value, d.run.showing, err)
		}
		if d.settings.size() != fyne.NewSize(usualWidth, usualHeight) || d.settings.appearance() != followSystem && key == keyAppearance {
			t.Errorf("%s=%s: size %v, appearance %s", key, value, d.settings.size(), d.settings.appearance())
		}
		if d.run.head.engineName() != "auto" {
			t.Errorf("%s=%s: engine %s", key, value, d.run.head.engineName())
		}
	}
}

func TestAlertsMoveToThePast(t *testing.T) {
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	a := monitor.Alert{ID: "x", Severity: monitor.SeverityCritical, Title: "Too hot", Cause: "Critical thermal state", Raised: epoch}
	apply(d, app.AlertUpdate{Alert: a})
	if d.rail.badges[1].content != "1" || d.status.alerts.content != "1 alert" {
		t.Errorf("badge %q, status bar %q", d.rail.badges[1].content, d.status.alerts.content)
	}
	a.Cleared = epoch.Add(time.Minute)
	apply(d, app.AlertUpdate{Alert: a})
	if d.rail.badges[1].content != "" || len(d.model.active) != 0 || len(d.model.past) != 1 {
		t.Errorf("after it cleared: badge %q, %d active, %d past", d.rail.badges[1].content, len(d.model.active), len(d.model.past))
	}
}

func TestUnavailableEngineDisablesRun(t *testing.T) {
	d, s := newTestDesk(t, alwaysDark, 1280, 800)
	d.model.engines = s.engines
	d.update(changedEngines)
	d.run.head.engine.SetSelected("Metal")
	if got := d.run.head.status.content; got != "Metal is not available: needs macOS" || !d.run.head.start.Disabled() {
		t.Errorf("told %q, Run disabled %v", got, d.run.head.start.Disabled())
	}
	d.run.head.engine.SetSelected("CPU")
	if d.run.head.start.Disabled() || d.run.head.engineName() != "cpu" {
		t.Error("the CPU engine cannot be run")
	}
}

func TestDisplayIsLookedFor(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if HasDisplay() {
		t.Skip("this system needs no display server")
	}
	if err := Run(nil); !errors.Is(err, ErrNoDisplay) {
		t.Errorf("without a display Run says %v", err)
	}
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	if !HasDisplay() {
		t.Error("WAYLAND_DISPLAY is a display")
	}
}
