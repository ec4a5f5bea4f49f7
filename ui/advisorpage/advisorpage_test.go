package advisorpage

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	"assay/workloads/measure"
)

func stand(t testing.TB, look kit.Appearance, size fyne.Size) *uitest.Stand {
	t.Helper()
	return uitest.Open(t, desk.Page{Name: "advisor", Title: "Advisor", Build: New}, look, size)
}

// settle waits until requests are done and shown.
func settle(s *uitest.Stand) {
	for range 3 {
		s.Desk.Settle()
	}
}

// play brings the page to a state: one of its parts, measured or not.
func play(t testing.TB, s *uitest.Stand, state string) {
	t.Helper()
	if state == "empty" {
		return
	}
	s.Desk.ShowRun(uitest.FinishedRun(uitest.Sweep()))
	settle(s)
	switch state {
	case "measured":
		press(t, s, "Measure the Gain")
	case "list", "ticked":
		tab(t, s, "Deployment")
		if state == "ticked" {
			press(t, s, "Measure Now")
		}
	case "flow", "walked":
		tab(t, s, "Low speed")
		if state == "walked" {
			press(t, s, "Find the Cause")
		}
	}
}

func press(t testing.TB, s *uitest.Stand, name string) {
	t.Helper()
	uitest.Button(t, s.View.Object, name).OnTapped()
	settle(s)
}

// tab brings a part to the front.
func tab(t testing.TB, s *uitest.Stand, name string) {
	t.Helper()
	o, ok := uitest.Find(s.View.Object, func(o *kit.Option) bool { return slices.Contains(uitest.Texts(o), name) })
	if !ok {
		t.Fatalf("no part %s", name)
	}
	o.Tapped(nil)
	settle(s)
}

var states = []string{"empty", "advice", "measured", "list", "ticked", "flow", "walked"}

func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := stand(t, l.Appearance, l.Size)
	play(t, s, l.State)
	return s
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}

// says are words that the page must show in a state.
func TestPageSays(t *testing.T) {
	for state, words := range map[string][]string{
		"empty":    {"No run is shown."},
		"advice":   {"Operations that could be fused", "What to do: Quit other programs", "Gain: 1.55× faster (1.51–1.60), measured in this run", "Gain: not known", "limit 90 %"},
		"measured": {"Measured now: before 2.00 ms, after 1.00 ms. After is FASTER than before"},
		"list":     {"Not measured", "Done when"},
		"ticked":   {"1 of 8 lines done, 1 not done, 6 not certain, 0 not available", "Not done", "Rate below"},
		"flow":     {"1. The machine", "A vector sum"},
		"walked":   {"Verdict", "The largest gain is here", "There is something to gain here", "Not certain"},
	} {
		s := stand(t, kit.AlwaysDark, uitest.Usual)
		play(t, s, state)
		for _, w := range words {
			if !uitest.Says(s.View.Object, w) {
				t.Errorf("%s does not say %q: %q", state, w, uitest.Texts(s.View.Object))
			}
		}
	}
}

// Results that support no conclusion are counted.
func TestDisturbedResultsAreTold(t *testing.T) {
	s := stand(t, kit.AlwaysDark, uitest.Usual)
	r := uitest.FinishedRun(uitest.Sweep())
	r.Results[0].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: others")
	s.Desk.ShowRun(r)
	settle(s)
	if !uitest.Says(s.View.Object, "is disturbed, and left out") {
		t.Errorf("%q", uitest.Texts(s.View.Object))
	}
}

// A measurement can be stopped, and nothing else can start meanwhile.
func TestStop(t *testing.T) {
	for _, c := range []struct{ tab, start, asked, says string }{
		{"Advice", "Measure the Gain", "measure fusion", "before 2.00 ms, after 1.00 ms"},
		{"Deployment", "Measure Now", "check deploy on auto", "Not measured completely: Stopped."},
		{"Low speed", "Find the Cause", "walk slow on auto", "No verdict: Stopped."},
	} {
		s := stand(t, kit.AlwaysDark, uitest.Usual)
		s.Session.Advised.Hang = true
		play(t, s, "advice")
		tab(t, s, c.tab)
		uitest.Button(t, s.View.Object, c.start).OnTapped()
		stop := uitest.Button(t, s.View.Object, "Stop")
		if !stop.Visible() || s.Desk.Model.CannotMeasureAdvice() == "" {
			t.Errorf("%s: Stop is not offered", c.tab)
		}
		stop.OnTapped()
		settle(s)
		if got := strings.Join(s.Session.Advised.Asked(), ", "); !strings.Contains(got, c.asked) {
			t.Errorf("asked %s, want %s", got, c.asked)
		}
		if !uitest.Says(s.View.Object, c.says) || stop.Visible() {
			t.Errorf("%s: %q", c.tab, uitest.Texts(s.View.Object))
		}
	}
}
