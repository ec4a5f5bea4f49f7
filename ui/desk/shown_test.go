package desk_test

import (
	"testing"

	"assay/app"
	"assay/app/bundle"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// older is a run that was kept.
func older() *bundle.Run {
	r := uitest.FinishedRun(uitest.Sweep())
	r.Meta.ID, r.Dir = "20261101-080000-batching", "/home/ada/runs/20261101-080000-batching"
	return r
}

// TestRunThatGoesOnIsKeptApart shows an older run while another is in progress, and returns to that.
func TestRunThatGoesOnIsKeptApart(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	s := &d.Model.Showing
	d.ShowRun(older())
	shown := s.Run
	uitest.Play(d, "running")
	running := s.Run
	if !s.Growing() || running == shown || len(running.Results) != 4 {
		t.Fatalf("a run that begins is not on show: %+v", running)
	}
	d.ShowRun(shown)
	d.Take(app.ResultUpdate{Result: uitest.Sweep()[4]})
	if s.Growing() || s.Run != shown || s.Running != running || len(running.Results) != 5 {
		t.Errorf("beside an older run the one that goes on has %d results, want 5", len(running.Results))
	}
	if list := s.Offered(); len(list) != 2 || list[0] != running || list[1] != shown {
		t.Errorf("%d runs are offered, want the one that goes on and the older one", len(list))
	}
	if d.ShowOutcome(d.Model.Outcome()); s.Run != running {
		t.Error("all results of the run that goes on are those of another")
	}
	d.ShowRun(shown)
	d.Take(app.EndUpdate{Run: uitest.FinishedRun(uitest.Sweep())})
	if s.Run != shown || s.Running != nil || len(s.Offered()) != 2 {
		t.Errorf("the end of a run changes what is read to %s, offered %d", s.Run.Meta.ID, len(s.Offered()))
	}
}

func TestEndOfTheRunOnShow(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	s := &d.Model.Showing
	d.PinBaseline(older())
	for _, kept := range []*bundle.Run{nil, uitest.FinishedRun(uitest.Sweep())} {
		uitest.Play(d, "running")
		running := s.Run
		d.Take(app.EndUpdate{Run: kept})
		d.Settle()
		if want := map[bool]*bundle.Run{true: running, false: kept}[kept == nil]; s.Run != want || s.Growing() || s.Comparison == nil {
			t.Errorf("with a bundle %v: on show %v, compared %v", kept != nil, s.Run.Meta.ID, s.Comparison != nil)
		}
	}
}

// TestRunIsKnownByItsID opens the run in progress from disk.
func TestRunIsKnownByItsID(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	uitest.Play(d, "running")
	read := &bundle.Run{Meta: uitest.SweepMeta(), Dir: "/home/ada/runs/" + uitest.SweepMeta().ID}
	d.ShowRun(read)
	if s := &d.Model.Showing; !s.Growing() || len(s.Recent) != 0 {
		t.Error("a run that goes on is taken for another when it is read from the disk")
	}
}
