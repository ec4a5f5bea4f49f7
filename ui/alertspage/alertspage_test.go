package alertspage

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/ui/view"
)

func stand(t testing.TB, look kit.Appearance, size fyne.Size) *uitest.Stand {
	t.Helper()
	return uitest.Open(t, desk.Page{Name: "alerts", Title: "Alerts", Build: New}, look, size)
}

// play brings the page to a state.
func play(s *uitest.Stand, state string) {
	uitest.Ticks(s.Desk, 130)
	raise := func(id string, severity severity.Level, title, cause string, from, to int) {
		a := monitor.Alert{ID: id, Severity: severity, Title: title, Cause: cause, Raised: uitest.Epoch.Add(time.Duration(from) * time.Second)}
		s.Desk.Take(app.AlertUpdate{Alert: a})
		if to > 0 {
			a.Cleared = uitest.Epoch.Add(time.Duration(to) * time.Second)
			s.Desk.Take(app.AlertUpdate{Alert: a})
		}
	}
	if state == "empty" {
		return
	}
	raise("throttling", severity.Warning, "Throttled", "12 % throttling; times measured meanwhile are too long (limit 5 %)", 10, 42)
	raise("pool.reuse", severity.Info, "Low pool reuse", "31 % of the buffers come from the pool; the sizes may vary too much "+
		"or the pool’s budget be too small (limit 50 %)", 20, 95)
	if state == "past" {
		return
	}
	raise("memory.full", severity.Warning, "Memory almost full", "93.1 % of memory is in use; swapping may start (limit 90 %)", 100, 0)
	raise("leak.end", severity.Critical, "Buffers not released", "batching: 3 buffers, 12.6 MB, allocated in matmul.go:88", 110, 0)
}

var states = []string{"empty", "past", "active", "rules", "edit"}

// look opens the page in a look.
func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := stand(t, l.Appearance, l.Size)
	play(s, l.State)
	if l.State == "rules" || l.State == "edit" {
		tapSegment(t, s, "Rules")
	}
	if l.State == "edit" {
		press(t, s, "Edit", 0)
	}
	return s
}

// An alert that is cleared at once has a time but no duration.
func TestAlertOfAMoment(t *testing.T) {
	at := uitest.Epoch
	a := monitor.Alert{Raised: at, Cleared: at.Add(3 * time.Millisecond)}
	if got, want := alertTime(a, at), view.Clock(at); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a.Cleared = at.Add(4 * time.Second)
	if got := alertTime(a, at); !strings.HasSuffix(got, ", 4.0 s") && !strings.HasSuffix(got, ", 4 s") {
		t.Errorf("%q does not say how long", got)
	}
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

// TestLook compares the page in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "active", Appearance: kit.AlwaysDark, Size: uitest.Usual}, look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}

func TestFilters(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	play(s, "active")
	for _, c := range []struct {
		segment     string
		active, old bool
	}{{"Active (2)", true, false}, {"Past (2)", false, true}, {"All (4)", true, true}} {
		tapSegment(t, s, c.segment)
		if uitest.Says(s.View.Object, "Memory almost full") != c.active || uitest.Says(s.View.Object, "Throttled") != c.old {
			t.Errorf("%s lists %q", c.segment, uitest.Texts(s.View.Object))
		}
	}
	if got := s.View.Badge(); got != "2" {
		t.Errorf("the badge says %q", got)
	}
}

func TestAlertsSayHowLongAndWhatToDo(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	play(s, "active")
	for _, words := range []string{"What to do: Close other programs, lower", ", 29 s", ", 32 s", "Critical", "Warning, ended", "While active: 12 % throttling"} {
		if !uitest.Says(s.View.Object, words) {
			t.Errorf("%q is not told among %q", words, uitest.Texts(s.View.Object))
		}
	}
	s.Desk.Take(app.TickUpdate{Snapshot: uitest.Snapshot(160)})
	if !uitest.Says(s.View.Object, ", 60 s") {
		t.Errorf("the time does not go on: %q", uitest.Texts(s.View.Object))
	}
}

func TestMonitorIsOneTapAway(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	test.Tap(uitest.Button(t, s.View.Object, "Monitor"))
	if len(s.Shown) != 1 || s.Shown[0] != desk.PageMonitor {
		t.Errorf("%q came to the front", s.Shown)
	}
}

// tapSegment taps the segment of that name.
func tapSegment(t *testing.T, s *uitest.Stand, name string) {
	t.Helper()
	var at fyne.Position
	found := false
	uitest.Walk(s.View.Object, func(o fyne.CanvasObject, p fyne.Position, _ bool) {
		if text, ok := o.(*kit.Text); ok && text.Content == name {
			at, found = p, true
		}
	})
	if !found {
		t.Fatalf("no segment %q among %q", name, uitest.Texts(s.View.Object))
	}
	test.TapCanvas(s.Desk.Window.Canvas(), at.AddXY(4, 4))
}
