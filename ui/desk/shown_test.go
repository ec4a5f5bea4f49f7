package desk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// older is a run that was kept.
func older() *bundle.Run {
	r := uitest.FinishedRun(uitest.Sweep())
	r.Meta.ID, r.Dir = "20261101-080000-batching", "/home/ada/runs/20261101-080000-batching"
	return r
}

// TestRunThatGoesOnIsKeptApart shows an older run while another is in progress, and returns to it.
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

// TestAdvisorsRunsAreNotRecent starts a run requested by the advisor: the list of workloads that the user ran last stays.
func TestAdvisorsRunsAreNotRecent(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	for _, c := range []struct{ purpose, want string }{{"flow memory, step epochs", ""}, {"", uitest.SweepMeta().Jobs[0].Workload}} {
		meta := uitest.SweepMeta()
		meta.Purpose = c.purpose
		d.Take(app.StartUpdate{Meta: meta})
		d.Settle()
		if got := strings.Join(d.Model.Recent, " "); got != c.want {
			t.Errorf("%q: ran last %q, want %q", c.purpose, got, c.want)
		}
	}
}

// TestRunsAreOfferedByTime offers runs in memory and on disk, latest first, whichever was shown last.
func TestRunsAreOfferedByTime(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	at := func(hours int) time.Time { return uitest.Epoch.Add(time.Duration(hours) * time.Hour) }
	first, second := older(), older()
	first.Meta.ID, first.Meta.Started, second.Meta.ID, second.Meta.Started = "first", at(1), "second", at(3)
	d.ShowRun(second)
	d.ShowRun(first)
	d.Model.Runs.List = []bundle.Summary{
		{ID: "kept", Started: at(2), State: bundle.Finished},
		{ID: "second", Started: at(3), State: bundle.Finished},
		{ID: "damaged", Started: at(4), State: bundle.Damaged},
		{ID: "elsewhere", Started: at(4), State: bundle.Running},
	}
	var got []string
	for _, o := range d.Model.Offers() {
		if o.Run != nil {
			got = append(got, o.Run.Meta.ID)
		} else {
			got = append(got, "on disk "+o.Kept.ID)
		}
	}
	if want := []string{"second", "on disk kept", "first"}; !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q", got, want)
	}
}

// TestOlderRunsAreReadAgain views runs one after the other: the window does not keep all of those that can be read again.
func TestOlderRunsAreReadAgain(t *testing.T) {
	first := uitest.KeptRun(t)
	root := filepath.Dir(first.Dir)
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	d.Library = app.NewLibrary(root)
	d.Listen()
	d.Settle()
	unwritten := older()
	d.ShowRun(unwritten)
	for _, name := range []string{"b", "c", "d"} {
		if err := os.CopyFS(filepath.Join(root, name), os.DirFS(first.Dir)); err != nil {
			t.Fatal(err)
		}
		run, err := bundle.Load(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		d.ShowRun(run)
	}
	s := &d.Model.Showing
	d.PinBaseline(s.Recent[len(s.Recent)-1])
	d.ShowRun(s.Recent[2])
	d.ReadLibrary()
	d.Settle()
	var kept []string
	for _, r := range s.Recent {
		kept = append(kept, filepath.Base(r.Dir))
	}
	if want := []string{"b", filepath.Base(unwritten.Dir), filepath.Base(first.Dir)}; !slices.Equal(kept, want) {
		t.Errorf("in memory are %q, want the shown one, the one that is not on disk and the baseline: %q", kept, want)
	}
}

// TestLastRunComesBack starts the window again: the latest run and its results are there.
func TestLastRunComesBack(t *testing.T) {
	run := uitest.KeptRun(t)
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	d.Library = app.NewLibrary(filepath.Dir(run.Dir))
	d.Listen()
	d.Settle()
	m := d.Model
	if m.Showing.Run == nil || m.Showing.Run.Meta.ID != run.Meta.ID || !m.Runs.Known {
		t.Fatalf("shown after a start: %v", m.Showing.Run)
	}
	if o := m.Outcomes["batching"]; o == nil || o.Phase != desk.Finished || len(o.Results) == 0 {
		t.Errorf("the outcome is %+v", o)
	}
	d.Listen() // what is shown meanwhile stays
	d.Settle()
	if m.Showing.Run.Meta.ID != run.Meta.ID {
		t.Error("another run is shown")
	}
}

// TestNoticesTimeOut shows what was done for a while, and an error until it is dismissed.
func TestNoticesTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := desk.New(test.NewTempApp(t), test.NewTempWindow(t, nil), uitest.NewSession().Services(), desk.Settings{Store: desk.NewFileStore("")}, uitest.Never)
		d.Redraw = func(desk.Change) {}
		d.Say("Copied.")
		time.Sleep(7 * time.Second)
		if d.Settle(); d.Model.Notice != "Copied." {
			t.Errorf("after 7 s it says %q", d.Model.Notice)
		}
		time.Sleep(2 * time.Second)
		if d.Settle(); d.Model.Notice != "" {
			t.Errorf("after 9 s it still says %q", d.Model.Notice)
		}
		d.Fail("Cannot save", errors.New("disk full"))
		time.Sleep(10 * time.Minute)
		if d.Settle(); d.Model.Notice == "" {
			t.Error("an error went by itself")
		}
		d.Shut()
	})
}
