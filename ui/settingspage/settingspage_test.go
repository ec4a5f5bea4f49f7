package settingspage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/gpu"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads/measure"
)

func open(t *testing.T, look kit.Appearance) *uitest.Stand {
	t.Helper()
	s := uitest.Open(t, desk.Page{Build: New}, look, uitest.Usual)
	s.Desk.Settings.SetAppearance(look)
	uitest.Play(s.Desk, "empty")
	s.View.Update(desk.ChangedAll)
	return s
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	for _, look := range []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight} {
		s := open(t, look)
		uitest.CheckClipping(t, s.View.Object, uitest.Usual)
		uitest.Golden(t, fmt.Sprintf("settings-%s", look), s.Desk.Window.Canvas())
		if look == kit.AlwaysDark {
			uitest.Picture(t, "look", s.Desk.Window.Canvas())
		}
	}
}

func TestChoicesAreTaken(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	d := s.Desk
	uitest.Choose(t, s.View.Object, "Light")
	if d.Settings.Appearance() != kit.AlwaysLight {
		t.Errorf("the appearance is %s", d.Settings.Appearance())
	}
	size, ok := uitest.Beside[*kit.Slider](s.View.Object, "Text size")
	if !ok {
		t.Fatal("the text size has no slider")
	}
	before := theme.TextSize()
	size.SetValue(130)
	size.OnChangeEnded(130)
	if d.Settings.TextSize() != 130 || theme.TextSize() < 1.29*before || !uitest.Says(s.View.Object, "130 %") {
		t.Errorf("size %d, text of %v after %v", d.Settings.TextSize(), theme.TextSize(), before)
	}
	uitest.CheckClipping(t, s.View.Object, uitest.Smallest)
	engine, _ := uitest.Beside[*kit.Select](s.View.Object, "Engine")
	engine.SetSelected("CPU")
	quick, _ := uitest.Beside[*kit.Check](s.View.Object, "Quick runs")
	test.Tap(quick)
	if d.Model.Engine != "cpu" || !d.Model.Quick {
		t.Errorf("engine %s, quick %v", d.Model.Engine, d.Model.Quick)
	}
	engine.SetSelected("Metal")
	if !uitest.Says(s.View.Object, "Metal is not available: needs macOS. Choose another.") {
		t.Errorf("told %q", uitest.Texts(s.View.Object))
	}
}

// If an engine has several devices, the page lists them, and the chosen one is opened now and at the next start.
func TestDeviceIsChosen(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	d := s.Desk
	s.Session.States = append([]app.EngineState{{
		Name: "cuda", Title: "CUDA", Available: true, Info: gpu.Info{Engine: "cuda", Device: "Card A", GPU: true},
		Devices: []gpu.Device{{ID: "GPU-1", Name: "Card A (0, GPU-1, PCI 1)"}, {ID: "GPU-2", Name: "Card B (1, GPU-2, PCI 2)"}},
	}}, s.Session.States...)
	d.TakeEngines(s.Session.States)
	s.View.Update(desk.ChangedAll)
	device, ok := uitest.Find(s.View.Object, func(o *kit.Select) bool { return slices.Contains(o.Options, "Card B (1)") })
	if !ok || device.Selected != "Card A (0)" {
		t.Fatalf("no list of devices, or not the one in use: %+v", device)
	}
	uitest.CheckClipping(t, s.View.Object, uitest.Smallest)
	device.SetSelected("Card B (1)")
	d.Settle()
	s.View.Update(desk.ChangedAll)
	if device.Selected != "Card B (1)" || !slices.Contains(s.Session.Log(), "use cuda GPU-2") {
		t.Errorf("%s is shown, %q done", device.Selected, s.Session.Log())
	}
	d.FindEngines()
	d.Settle()
	if log := s.Session.Log(); len(log) < 2 || log[len(log)-1] != "use cuda GPU-2" {
		t.Errorf("at the next start: %q", log)
	}
}

func TestResetAsksFirst(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	d := s.Desk
	d.SetQuick(true)
	d.SetTextSize(150)
	d.SetEngine("cpu")
	d.Settings.SetPage("alerts")
	for _, answer := range []string{"Cancel", "Reset Settings"} {
		test.Tap(uitest.Button(t, s.View.Object, "Reset…"))
		if !d.Modal() || !d.Model.Quick {
			t.Fatal("nothing is asked, or it is done before the answer")
		}
		test.Tap(uitest.Button(t, d.Window.Canvas().Overlays().Top(), answer))
		if kept := answer == "Cancel"; d.Model.Quick != kept || (d.Settings.TextSize() == 150) != kept ||
			(d.Model.Engine == "cpu") != kept || (d.Settings.Page() == "alerts") != kept {
			t.Errorf("after %s: quick %v, size %d, engine %s, page %q", answer, d.Model.Quick, d.Settings.TextSize(), d.Model.Engine, d.Settings.Page())
		}
	}
	if quick, _ := uitest.Beside[*kit.Check](s.View.Object, "Quick runs"); quick.Checked {
		t.Error("the page still shows what was forgotten")
	}
}

// Each choice of how to measure reaches the next run, and stays.
func TestSamplingIsChosen(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	for title, option := range map[string]string{
		"Target precision": "± 2 %", "Time per case": "10 s", "Minimum samples": "30", "On a busy machine": "Wait", "Kernels": "Tuned",
		"On a device that slows down": "Mark", "Cool down for at most": "5 min",
	} {
		control, ok := uitest.Beside[*kit.Select](s.View.Object, title)
		if !ok {
			t.Fatalf("%s has no control", title)
		}
		control.SetSelected(option)
	}
	s.View.Update(desk.ChangedAll)
	s.Desk.StartRun()
	s.Desk.Wait()
	if n := len(s.Session.Requests()); n != 1 {
		t.Fatalf("%d requests, want 1", n)
	}
	r := s.Session.Requests()[0]
	if want := (app.Sampling{Precision: 0.04, Time: 10 * time.Second, MinSamples: 30}); r.Sampling != want || r.WhenBusy != app.Wait || !r.Tuned ||
		r.Throttling != (app.Throttling{Mode: app.ThrottleMark, Timeout: 5 * time.Minute}) {
		t.Errorf("the run is asked for with %+v, %s, %+v", r.Sampling, r.WhenBusy, r.Throttling)
	}
}

func TestPrometheusIsServed(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	row := func() (*kit.Check, *kit.Entry) {
		check, _ := uitest.Find(s.View.Object, func(c *kit.Check) bool { return c.Text == "Serve" })
		entry, _ := uitest.Find(s.View.Object, func(e *kit.Entry) bool { return strings.Contains(e.Text, ":") })
		return check, entry
	}
	check, address := row()
	if check.Checked || address.Text != "127.0.0.1:9464" {
		t.Fatalf("on %v at %q", check.Checked, address.Text)
	}
	address.SetText("0.0.0.0:9464")
	test.Tap(check)
	s.Desk.Settle()
	if check.Checked || s.Session.Exporter.At() != "" || !uitest.Says(s.View.Object, "can be reached from other machines: want a loopback address") {
		t.Errorf("an open address: %q", uitest.Texts(s.View.Object))
	}
	address.SetText("127.0.0.1:9000")
	test.Tap(check)
	s.Desk.Settle()
	if on, at := s.Desk.Settings.Scrapes(); !on || at != "127.0.0.1:9000" || s.Session.Exporter.At() != at || !uitest.Says(s.View.Object, "Served at http://127.0.0.1:9000/metrics.") {
		t.Errorf("%v at %q: %q", on, at, uitest.Texts(s.View.Object))
	}
	test.Tap(check)
	s.Desk.Settle()
	if on, _ := s.Desk.Settings.Scrapes(); on || s.Session.Exporter.At() != "" {
		t.Error("it is still served")
	}
}

// The row says why validation is missing, that it is on from the next start, or that it is on.
func TestValidationIsChosen(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	check, _ := uitest.Find(s.View.Object, func(c *kit.Check) bool { return c.Text == "Validate" })
	says := func(words string) {
		t.Helper()
		if !uitest.Says(s.View.Object, words) {
			t.Errorf("nothing says %q: %q", words, uitest.Texts(s.View.Object))
		}
	}
	says("Not available: no engine here has a validation layer; Metal on a Mac does.")
	if !check.Disabled() {
		t.Error("it can be chosen anyway")
	}
	with := func(validation string) {
		states := slices.Clone(s.Session.States)
		states[0] = app.EngineState{Name: "metal", Title: "Metal", Available: true, Validates: true, Validation: validation}
		s.Desk.TakeEngines(states)
	}
	with("")
	test.Tap(check)
	if !s.Desk.Settings.Validates() {
		t.Error("it is not kept")
	}
	says("On from the next start of Assay.")
	with("Metal’s API validation")
	says("On: Metal’s API validation. Runs are not timing runs.")
	test.Tap(check)
	says("Still on: Metal’s API validation, until Assay starts again.")
}

func TestNotificationsAreChosen(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	check, _ := uitest.Find(s.View.Object, func(c *kit.Check) bool { return c.Text == "Notify" })
	test.Tap(check)
	if !s.Desk.Settings.Notifies() {
		t.Error("not kept")
	}
}

// Captures say why there are none and what enables them; the next start of Assay enables them.
func TestCapturesAreAllowed(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	check, _ := uitest.Find(s.View.Object, func(c *kit.Check) bool { return c.Text == "Allow" })
	button := uitest.Button(t, s.View.Object, "Capture Run…")
	says := func(words string, capture, allow bool) {
		t.Helper()
		if !uitest.Says(s.View.Object, words) || button.Disabled() == capture || check.Disabled() == allow {
			t.Errorf("capture %v, allow %v, or nothing says %q: %q", !button.Disabled(), !check.Disabled(), words, uitest.Texts(s.View.Object))
		}
	}
	says("Not available: no engine here can be captured; Metal on a Mac can.", false, false)
	with := func(why string) {
		states := slices.Clone(s.Session.States)
		states[0] = app.EngineState{Name: "metal", Title: "Metal", Available: true, Captures: true, NoCapture: why}
		s.Desk.TakeEngines(states)
	}
	with("captures are not enabled for this process: start it with MTL_CAPTURE_ENABLED=1")
	says("start it with MTL_CAPTURE_ENABLED=1. Allow makes Assay start that way from the next start on.", false, true)
	test.Tap(check)
	if !s.Desk.Settings.Captures() {
		t.Error("it is not kept")
	}
	says("Allowed from the next start of Assay.", false, true)
	with("")
	says("It is not a timing run.", true, true)
	test.Tap(check)
	says("It is not a timing run.", true, false)
}

func TestScheduleIsFollowed(t *testing.T) {
	s := open(t, kit.AlwaysDark)
	check, _ := uitest.Find(s.View.Object, func(c *kit.Check) bool { return c.Text == "Follow" })
	schedule, _ := uitest.Find(s.View.Object, func(e *kit.Entry) bool { return strings.Contains(e.Text, "=") })
	if check.Checked || schedule.Text != "wait=1,warmup=1,active=3,repeat=2" {
		t.Fatalf("on %v, %q", check.Checked, schedule.Text)
	}
	test.Tap(check)
	schedule.SetText("wait=1,warmup=1,active=0")
	if on, _ := s.Desk.Settings.Schedule(); on || !uitest.Says(s.View.Object, "Not followed: schedule: active must be between 1 and 1000000 (you entered 0).") {
		t.Errorf("a schedule without samples: on %v, told %q", on, uitest.Texts(s.View.Object))
	}
	schedule.SetText("warmup=10,active=100")
	if on, text := s.Desk.Settings.Schedule(); !on || text != "warmup=10,active=100" || uitest.Says(s.View.Object, "Not followed") {
		t.Errorf("on %v, %q", on, text)
	}
	uitest.CheckClipping(t, s.View.Object, uitest.Smallest)
	s.Desk.Start("batching", nil)
	s.Desk.Settle()
	if r := s.Session.Requests()[0].Sampling.Schedule; r != (measure.Schedule{Warmup: 10, Active: 100, Repeat: 1}) {
		t.Errorf("the request has %+v", r)
	}
}
