package alertspage

import (
	"errors"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/monitor"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// rulesPage returns the page with the list of rules visible.
func rulesPage(t *testing.T) *uitest.Stand {
	t.Helper()
	s := stand(t, kit.AlwaysDark, fyne.NewSize(1100, 4000)) // nothing scrolls
	tapSegment(t, s, "Rules")
	return s
}

// rule is the rule of that ID in force.
func rule(t *testing.T, s *uitest.Stand, id string) monitor.Rule {
	t.Helper()
	for _, r := range s.Desk.Rules() {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no rule %s", id)
	return monitor.Rule{}
}

// press taps the nth button of a name.
func press(t *testing.T, s *uitest.Stand, name string, n int) {
	t.Helper()
	uitest.Walk(s.View.Object, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if b, ok := o.(*kit.Button); ok && b.Text == name {
			if n == 0 {
				test.Tap(b)
			}
			n--
		}
	})
	if n >= 0 {
		t.Fatalf("no button %q", name)
	}
}

// entries returns the visible text fields.
func entries(s *uitest.Stand) []*kit.Entry {
	var list []*kit.Entry
	uitest.Walk(s.View.Object, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if e, ok := o.(*kit.Entry); ok {
			list = append(list, e)
		}
	})
	return list
}

// index is where a rule is in the list.
func index(t *testing.T, s *uitest.Stand, id string) int {
	t.Helper()
	for i, r := range s.Desk.Rules() {
		if r.ID == id {
			return i
		}
	}
	t.Fatalf("no rule %s", id)
	return 0
}

func TestRulesAreEdited(t *testing.T) {
	s := rulesPage(t)
	if !uitest.Says(s.View.Object, "Raised at 90 % or more for 2 s, cleared at 85 % or less for 5 s.") {
		t.Fatalf("the list lacks a rule: %q", uitest.Texts(s.View.Object))
	}
	press(t, s, "Edit", index(t, s, "memory.full"))
	fields := entries(s) // raise, clear, for, clear-after
	if len(fields) != 4 || fields[0].Text != "90 %" {
		t.Fatalf("%d fields", len(fields))
	}
	fields[0].SetText("120 %")
	press(t, s, "Save", 0)
	if !uitest.Says(s.View.Object, "Must be between 0 and 100 % (you entered \"120 %\").") || changed(t, s) {
		t.Errorf("a bad value: %q", uitest.Texts(s.View.Object))
	}
	fields[0].SetText("80 %")
	press(t, s, "Save", 0)
	r := rule(t, s, "memory.full")
	if r.Level(r.Raise) != "80 %" || r.Level(r.Clear) != "75 %" || !uitest.Says(s.View.Object, "Raised at 80 % or more") || len(entries(s)) > 0 {
		t.Errorf("%+v: %q", r, uitest.Texts(s.View.Object))
	}
	limits := s.Desk.Model.Record.Rules()
	if changed := limits[index(t, s, "memory.full")]; changed.Level(changed.Raise) != "80 %" {
		t.Errorf("charts draw %+v", changed)
	}
	press(t, s, "Edit", index(t, s, "memory.full"))
	press(t, s, "Use Defaults", 0)
	if r := rule(t, s, "memory.full"); changed(t, s) {
		t.Errorf("%+v", r)
	}
}

func TestRulesAreTurnedOff(t *testing.T) {
	s := rulesPage(t)
	n := index(t, s, "pool.reuse")
	uitest.Walk(s.View.Object, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if sw, ok := o.(*kit.Switch); ok {
			if n == 0 {
				test.Tap(sw)
			}
			n--
		}
	})
	if !rule(t, s, "pool.reuse").Off || !uitest.Says(s.View.Object, "Information, off") && !uitest.Says(s.View.Object, ", off") {
		t.Errorf("%q", uitest.Texts(s.View.Object))
	}
	press(t, s, "Reset All…", 0)
	test.Tap(uitest.Button(t, s.Desk.Window.Canvas().Overlays().Top(), "Reset Rules"))
	if rule(t, s, "pool.reuse").Off {
		t.Error("it is off after the reset")
	}
}

func TestRuleIsAddedAndRemoved(t *testing.T) {
	s := rulesPage(t)
	press(t, s, "Add Rule…", 0)
	var metric *kit.Select
	uitest.Walk(s.View.Object, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if sel, ok := o.(*kit.Select); ok && metric == nil {
			metric = sel
		}
	})
	entries(s)[len(entries(s))-1].SetText("soon")
	press(t, s, "Save", 0)
	for _, words := range []string{"Choose a metric.", "Enter the value at which the alert is raised.", "Must be between 0 and 60 min, such as 5 s (you entered \"soon\")."} {
		if !uitest.Says(s.View.Object, words) {
			t.Errorf("nothing says %q: %q", words, uitest.Texts(s.View.Object))
		}
	}
	entries(s)[len(entries(s))-1].SetText("5 s")
	metric.SetSelected("Host CPU")
	fields := entries(s) // title, raise, clear, for, clear-after
	if len(fields) != 5 || fields[0].Text != "Host CPU" {
		t.Fatalf("%d fields", len(fields))
	}
	press(t, s, "Save", 0)
	if !uitest.Says(s.View.Object, "Enter the value at which the alert is raised.") {
		t.Errorf("without a value: %q", uitest.Texts(s.View.Object))
	}
	fields[1].SetText("50 %")
	press(t, s, "Save", 0)
	r := rule(t, s, "host-cpu")
	if !r.Own || r.Level(r.Raise) != "50 %" || r.Level(r.Clear) != "47.5 %" || r.Metric != monitor.HostCPU {
		t.Errorf("%+v", r)
	}
	press(t, s, "Edit", index(t, s, "host-cpu"))
	press(t, s, "Remove", 0)
	if uitest.Says(s.View.Object, "Host CPU.") {
		t.Errorf("it is still there: %q", uitest.Texts(s.View.Object))
	}
}

func TestRulesThatCannotBeKept(t *testing.T) {
	s := rulesPage(t)
	s.Session.Rules.Refuses = errors.New("disk full")
	press(t, s, "Edit", 0)
	entries(s)[0].SetText("1 %")
	press(t, s, "Save", 0)
	if s.Desk.Model.Notice != "Cannot change the rule: disk full" || len(entries(s)) == 0 {
		t.Errorf("the notice says %q", s.Desk.Model.Notice)
	}
}

// changed reports whether the rule memory.full differs from the catalog's.
func changed(t *testing.T, s *uitest.Stand) bool {
	t.Helper()
	r := rule(t, s, "memory.full")
	return r.Changed()
}
