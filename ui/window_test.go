package ui

import (
	"errors"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/internal/severity"
	"assay/internal/si"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// newTestWindow is the window in the software driver. Updates from the session are those that the test sends with Take.
func newTestWindow(t testing.TB, look kit.Appearance, width, height float32) (*window, *uitest.Session) {
	t.Helper()
	a := uitest.NewApp(t)
	s := uitest.NewSession()
	settings := desk.Settings{Store: a.Preferences()}
	settings.SetAppearance(look)
	settings.SetSize(fyne.NewSize(width, height))
	d := openTest(t, a, s)
	d.Window.Resize(fyne.NewSize(width, height))
	return d, s
}

// openTest opens the window in an app of the software driver.
func openTest(t testing.TB, a fyne.App, s *uitest.Session) *window {
	t.Helper()
	return openOn(t, a, s, largeScreen(nil))
}

// largeScreen is a screen with room for every window.
func largeScreen(fyne.Window) fyne.Size { return fyne.NewSize(2560, 1440) }

// openOn opens the window on a screen of that size.
func openOn(t testing.TB, a fyne.App, s *uitest.Session, screen fyne.Size) *window {
	t.Helper()
	d := open(a, s.Services(), desk.Settings{Store: a.Preferences()}, uitest.Never, func(fyne.Window) fyne.Size { return screen })
	t.Cleanup(func() {
		d.Shut()
		d.Wait()
		d.Window.Close()
	})
	return d
}

// content is the content of the window.
func (d *window) content() fyne.CanvasObject { return d.Window.Content() }

// entryOf is the entry of a parameter of the form on show.
func entryOf(t testing.TB, d *window, parameter string) *kit.Entry {
	t.Helper()
	w := d.Model.Workload()
	i := slices.IndexFunc(w.Params, func(p workloads.Param) bool { return p.Name == parameter })
	if i < 0 {
		t.Fatalf("%s has no parameter %s", w.Name, parameter)
	}
	e, ok := uitest.Entry(d.content(), w.Params[i].Title)
	if !ok {
		t.Fatalf("the form has no entry for %s", w.Params[i].Title)
	}
	return e
}

// chooseNamed chooses a workload by name.
func chooseNamed(t testing.TB, d *window, name string) {
	t.Helper()
	w, err := workloads.Find(d.Model.Workloads, name)
	if err != nil {
		t.Fatal(err)
	}
	uitest.Choose(t, d.content(), w.Title)
}

// TestQuitOrder checks that everything that may call the window has ended before the application does.
func TestQuitOrder(t *testing.T) {
	d, s := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	d.listen()
	d.Settle()
	uitest.Play(d.Desk, "running")
	s.Hang = make(chan struct{})
	d.quit()
	d.quit() // a second press does nothing
	if !d.quitting {
		t.Fatal("not quitting")
	}
	before := uitest.Texts(d.content())
	s.Send(app.EndUpdate{}) // comes too late
	d.Settle()
	if !slices.Equal(uitest.Texts(d.content()), before) {
		t.Error("an update reached the window after it had begun to close")
	}
	close(s.Hang)
	<-d.closed
	if !slices.Equal(s.Log(), []string{"unsubscribe", "close"}) {
		t.Errorf("session heard %v, want unsubscribe, then one close", s.Log())
	}
}

func TestQuitDoesNotWaitForEver(t *testing.T) {
	d, s := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	s.Hang = make(chan struct{})
	defer close(s.Hang)
	d.timeout = 10 * time.Millisecond
	d.quit()
	select {
	case <-d.closed:
	case <-time.After(10 * time.Second):
		t.Fatal("a session that does not end keeps the window from closing")
	}
}

func TestSettingsAreRemembered(t *testing.T) {
	uitest.Again(t)
	a := uitest.NewApp(t)
	first := openTest(t, a, uitest.NewSession())
	chooseNamed(t, first, "fusion")
	name := firstNumeric(first.Model.Workload())
	e := entryOf(t, first, name)
	e.SetText("")
	test.Type(e, "1024")
	first.Window.Resize(fyne.NewSize(1300, 820))
	first.Settings.SetSize(first.Window.Canvas().Size())

	second := openTest(t, a, uitest.NewSession())
	if w := second.Model.Workload(); w.Name != "fusion" || !uitest.Says(second.content(), w.Question) {
		t.Errorf("opens with %s, want fusion", w.Name)
	}
	if got := entryOf(t, second, name).Text; got != si.Count(1024) {
		t.Errorf("%s is %q, want %q", name, got, si.Count(1024))
	}
	if size := second.Settings.Size(); size != fyne.NewSize(1300, 820) {
		t.Errorf("size is %v", size)
	}
}

// TestChoicesOfPagesAreRemembered makes choices on pages, opens another window, and clears them.
func TestChoicesOfPagesAreRemembered(t *testing.T) {
	uitest.Again(t)
	a := uitest.NewApp(t)
	first := openTest(t, a, uitest.NewSession())
	first.showNamed(desk.PageMonitor)
	uitest.Choose(t, first.front, "10 min")
	first.showNamed(desk.PageMemory)
	uitest.Choose(t, first.front, "Leak Lab")

	second := openTest(t, a, uitest.NewSession())
	ten := func() bool {
		second.showNamed(desk.PageMonitor)
		return second.Settings.Choice("monitor.window", "1 min", "10 min") == 1
	}
	lab := func() bool {
		second.showNamed(desk.PageMemory)
		return uitest.Says(second.front, "Leak control")
	}
	if !ten() || !lab() {
		t.Errorf("ten minutes %v, the leak lab %v", ten(), lab())
	}
	if second.Forget(); ten() || lab() {
		t.Errorf("forgotten, and there are ten minutes %v, the leak lab %v", ten(), lab())
	}
}

// firstNumeric is the first parameter with a slider of powers of two.
func firstNumeric(w *workloads.Workload) string {
	i := slices.IndexFunc(w.Params, func(p workloads.Param) bool { return p.Log2 })
	return w.Params[i].Name
}

func TestBadSettingsAreIgnored(t *testing.T) {
	uitest.Alone(t)
	for key, value := range map[string]string{
		"values.batching": `{"min_size":"9999999","sweep":"nope","max_size":"512"}`,
		"workload":        "gone",
		"appearance":      "pink",
		"engine":          "abacus",
		"export.folder":   "/no/such/folder",
	} {
		a := uitest.NewApp(t)
		a.Preferences().SetString(key, value)
		a.Preferences().SetFloat("window.width", -3)
		a.Preferences().SetFloat("window.height", 1e30)
		d := openTest(t, a, uitest.NewSession())
		if why := d.Model.Problem(); why != "" || d.Model.Workload().Name != "batching" {
			t.Errorf("%s=%s: opens with %s: %v", key, value, d.Model.Workload().Name, why)
		}
		if size := d.Settings.Size(); size != fyne.NewSize(1280, 800) {
			t.Errorf("%s=%s: size %v", key, value, size)
		}
		if look := d.Settings.Appearance(); look != kit.FollowSystem {
			t.Errorf("%s=%s: appearance %s", key, value, look)
		}
		if shown, ok := uitest.Find(d.content(), func(s *kit.Select) bool { return s.Selected == "Automatic" }); !ok {
			t.Errorf("%s=%s: the engine is %v", key, value, shown)
		}
	}
}

func TestAlertsMoveToThePast(t *testing.T) {
	uitest.Alone(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	at := slices.IndexFunc(d.pages, func(p desk.Page) bool { return p.Name == "alerts" })
	badge := d.rail.badges[at]
	a := monitor.Alert{ID: "x", Severity: severity.Critical, Title: "Too hot", Cause: "Critical thermal state", Raised: uitest.Epoch}
	d.Take(app.AlertUpdate{Alert: a})
	if badge.Content != "1" || d.status.alerts.Content != "1 alert" {
		t.Errorf("badge %q, status bar %q", badge.Content, d.status.alerts.Content)
	}
	a.Cleared = uitest.Epoch.Add(time.Minute)
	d.Take(app.AlertUpdate{Alert: a})
	if badge.Content != "" || len(d.Model.Active) != 0 || len(d.Model.Past) != 1 {
		t.Errorf("after it cleared: badge %q, %d active, %d past", badge.Content, len(d.Model.Active), len(d.Model.Past))
	}
}

func TestDisplayIsLookedFor(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if HasDisplay() {
		t.Skip("this system needs no display server")
	}
	if err := run(nil, nil); !errors.Is(err, ErrNoDisplay) {
		t.Errorf("without a display it says %v", err)
	}
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	if !HasDisplay() {
		t.Error("WAYLAND_DISPLAY is a display")
	}
}

func TestWindowFitsTheScreen(t *testing.T) {
	uitest.Alone(t)
	a := uitest.NewApp(t)
	d := openOn(t, a, uitest.NewSession(), fyne.NewSize(1100, 700))
	if size := d.Window.Canvas().Size(); size.Width > 1100 || size.Height > 700 {
		t.Errorf("on a screen of 1100 by 700 the window is %v", size)
	}
	small := fyne.NewSize(800, 600)
	d = openOn(t, a, uitest.NewSession(), small)
	if size, least := d.Window.Canvas().Size(), d.content().MinSize(); size != small || least.Width > small.Width || least.Height > small.Height {
		t.Errorf("on a screen of 800 by 600 the window is %v, at least %v", size, least)
	}
	desk.Settings{Store: a.Preferences()}.SetSize(fyne.NewSize(1200, 760))
	d = openOn(t, a, uitest.NewSession(), fyne.NewSize(1920, 1080))
	if size := d.Window.Canvas().Size(); size != fyne.NewSize(1200, 760) {
		t.Errorf("on a large screen the window is %v, want what it was", size)
	}
}

func TestPageInFrontIsRemembered(t *testing.T) {
	uitest.Again(t)
	a := uitest.NewApp(t)
	first := openTest(t, a, uitest.NewSession())
	first.showNamed("alerts")
	if second := openTest(t, a, uitest.NewSession()); second.pages[second.at].Name != "alerts" {
		t.Errorf("opens with %s", second.pages[second.at].Name)
	}
	a.Preferences().SetString("page", "gone")
	if third := openTest(t, a, uitest.NewSession()); third.at != 0 {
		t.Errorf("with a page that is gone it opens page %d", third.at)
	}
}

// TestNoticeOffersToUndo checks the offer until something else is done.
func TestNoticeOffersToUndo(t *testing.T) {
	uitest.Alone(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1100, 700)
	undone := 0
	d.Offer("The values are gone.", func() { undone++ })
	test.Tap(uitest.Button(t, d.notice.Object, "Undo"))
	if undone != 1 || d.notice.Object.Visible() {
		t.Errorf("undone %d times, the notice is still there: %v", undone, d.notice.Object.Visible())
	}
	d.Offer("The values are gone.", func() { undone++ })
	d.Say("Something else was done.")
	if _, ok := uitest.Find(d.notice.Object, func(b *kit.Button) bool { return b.Text == "Undo" }); ok || d.Model.Back != nil {
		t.Error("another notice offers to undo what the one before did")
	}
	d.Offer("The values are gone.", func() { undone++ })
	if d.SetQuick(true); d.Model.Back != nil {
		t.Error("what was set since would be lost by undoing")
	}
}

// TestShortcutsDoNothingBelowAQuestion opens a question, and presses the shortcuts of pages, settings and form.
func TestShortcutsDoNothingBelowAQuestion(t *testing.T) {
	uitest.Alone(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1100, 700)
	entryOf(t, d, "max_size").SetText("1024")
	before := d.Model.Drafts["batching"].Values.Int("max_size")
	d.Ask("Really?", "Delete", func() {})
	for _, i := range [][2]string{{"View", "Results"}, {"File", "Settings…"}, {"Help", "About"}, {"Run", "Reset to Defaults"}} {
		itemNamed(d.menu, i[0], i[1]).Action()
		if d.at != 0 || d.Model.Drafts["batching"].Values.Int("max_size") != before {
			t.Errorf("%s, %s: page %d, values %v", i[0], i[1], d.at, d.Model.Drafts["batching"].Values)
		}
	}
}

// TestNoticeStaysAsLongAsItMatters checks what removes a notice.
func TestNoticeStaysAsLongAsItMatters(t *testing.T) {
	uitest.Alone(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1100, 700)
	wrong := errors.New("/full: no space left on device")
	for _, c := range []struct {
		what  string
		tell  func()
		then  func()
		stays bool
	}{
		{"said, then progress", func() { d.Say("Exported.") }, func() { d.Redraw(desk.ChangedProgress) }, true},
		{"said, then a run", func() { d.Say("Exported.") }, func() { d.Redraw(desk.ChangedRun) }, false},
		{"failed, then a run ends", func() { d.Fail("Cannot export", wrong) }, func() { d.Redraw(desk.ChangedRun) }, true},
		{"failed, then a choice", func() { d.Fail("Cannot export", wrong) }, func() { d.SetQuick(true) }, false},
		{"failed, then dismissed", func() { d.Fail("Cannot export", wrong) }, func() {
			test.Tap(uitest.Button(t, d.content(), "Dismiss"))
		}, false},
	} {
		c.tell()
		if !d.notice.Object.Visible() || !uitest.Says(d.content(), d.Model.Notice) || d.Modal() {
			t.Errorf("%s: %q is not on show", c.what, d.Model.Notice)
		}
		c.then()
		if d.notice.Object.Visible() != c.stays {
			t.Errorf("%s: still on show %v, want %v", c.what, !c.stays, c.stays)
		}
		d.Dismiss()
	}
	if d.Fail("Cannot export", wrong); d.Model.Notice != "Cannot export: /full: no space left on device" {
		t.Errorf("told %q", d.Model.Notice)
	}
}
