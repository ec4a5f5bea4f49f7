package desk_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestEveryWorkloadCanBeRunBeforeItsFormIsShown chooses each, as opening a run of it does, and runs it.
func TestEveryWorkloadCanBeRunBeforeItsFormIsShown(t *testing.T) {
	s := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual)
	d := s.Desk
	for i := range d.Model.Workloads {
		w := &d.Model.Workloads[i]
		d.Choose(i)
		if draft := d.Model.Drafts[w.Name]; w.Check(draft.Values) != nil {
			t.Errorf("%s begins with what cannot be run: %v", w.Name, w.Check(draft.Values))
		}
	}
	d.StartRun()
	d.Settle()
	w := d.Model.Workload()
	if asked := s.Session.Requests(); len(asked) != 1 || !maps.Equal(asked[0].Jobs[0].Params, w.Defaults(false)) {
		t.Errorf("asked for %+v", asked)
	}
}

// again is a desk with the settings of another one, as after a restart.
func again(t *testing.T, d *desk.Desk) *desk.Desk {
	t.Helper()
	return desk.New(d.App, d.Window, uitest.NewSession().Services(), d.Settings, uitest.Never)
}

func TestQuickConvertsEveryDraft(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	w := d.Model.Workload()
	v := w.Defaults(false)
	v["min_size"] = 100
	d.SetDraft(w, v, nil)
	d.SetQuick(true)
	got := d.Model.Drafts[w.Name].Values
	if got.Int("min_size") != 100 || got.Int("max_size") != w.Quick["max_size"] {
		t.Errorf("the chosen workload holds %v, want its own 100 and the quick %v", got, w.Quick["max_size"])
	}
	for i := range d.Model.Workloads {
		if other := &d.Model.Workloads[i]; other != w && !maps.Equal(d.Model.Drafts[other.Name].Values, other.Defaults(true)) {
			t.Errorf("%s holds %v, want its quick defaults", other.Name, d.Model.Drafts[other.Name].Values)
		}
	}
	// Stored values of the other mode are also converted at the next start.
	if next := again(t, d).Model.Drafts[w.Name].Values; !maps.Equal(next, got) {
		t.Errorf("after the next start it holds %v, want %v", next, got)
	}
	d.SetQuick(true) // again changes nothing
	if !maps.Equal(d.Model.Drafts[w.Name].Values, got) {
		t.Errorf("then it holds %v", d.Model.Drafts[w.Name].Values)
	}
}

func TestStoredValuesAtOddsAreNotTaken(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	d.Settings.Store.SetString("values.batching", `{"min_size":"2048","max_size":"64"}`)
	w := d.Model.Workload()
	if got := again(t, d).Model.Drafts[w.Name].Values; !maps.Equal(got, w.Defaults(false)) {
		t.Errorf("holds %v, want the defaults", got)
	}
}

// TestBadDraftKeepsTheLastGoodValues checks that an invalid form keeps the last valid values for its users.
func TestBadDraftKeepsTheLastGoodValues(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	w := d.Model.Workload()
	d.SetDraft(w, nil, errors.New("Smallest matrix is 0, want 1 or more"))
	if d.Model.Problem() == "" || !maps.Equal(d.Model.Drafts[w.Name].Values, w.Defaults(false)) {
		t.Errorf("problem %q, values %v", d.Model.Problem(), d.Model.Drafts[w.Name].Values)
	}
}

// TestRefusalIsToldWhereTheRunPageIsNot presses the shortcut with an invalid form, and with a session that rejects the run.
func TestRefusalIsToldWhereTheRunPageIsNot(t *testing.T) {
	for _, front := range []string{desk.PageRun, desk.PageResults} {
		for _, why := range []string{"Smallest matrix is 0", "the disk is full"} {
			s := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual)
			d := s.Desk
			d.Model.Front = front
			if why == "the disk is full" {
				s.Session.Refuse = errors.New(why)
			} else {
				d.SetDraft(d.Model.Workload(), nil, errors.New(why))
			}
			d.StartRun()
			d.Settle()
			if told := d.Model.Wrong && strings.HasSuffix(d.Model.Notice, why); told != (front != desk.PageRun) {
				t.Errorf("on %s of %q it tells %q", front, why, d.Model.Notice)
			}
			if d.SetFront(desk.PageRun); d.Model.Notice != "" {
				t.Errorf("on the Run page, which says so itself, it still tells %q", d.Model.Notice)
			}
		}
	}
}

func TestUnknownEngineIsForgotten(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	d.Settings.Store.SetString("engine", "abacus")
	next := again(t, d)
	next.Redraw = func(desk.Change) {}
	next.TakeEngines(uitest.NewSession().States)
	if next.Model.Engine != "auto" || next.Settings.Store.String("engine") != "auto" {
		t.Errorf("chosen %q, stored %q", next.Model.Engine, next.Settings.Store.String("engine"))
	}
	next.SetEngine("metal") // known, though it is not available
	if next.TakeEngines(uitest.NewSession().States); next.Model.Engine != "metal" {
		t.Errorf("an engine that is not available now is forgotten for %q", next.Model.Engine)
	}
}
