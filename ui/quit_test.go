package ui

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu/cpu"
	"assay/internal/race"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads/suite"
	"assay/workloads/suite/throughput"
)

// endlessVariable makes this binary make run after run in the folder that it names, until it is killed.
const endlessVariable = "ASSAY_TEST_ENDLESS"

// newRealSession is a session with the CPU engine that writes its runs to a folder.
func newRealSession(runs string) (*app.Session, error) {
	return app.New(app.Config{
		Version: "test", RunsDir: runs, Workloads: suite.All(),
		Engines: []app.Engine{{Name: "cpu", Title: "CPU", Open: cpu.Open}},
	})
}

// smallRun is a run of less than a second.
func smallRun() app.Request {
	w := throughput.Batching()
	v := w.Defaults(true)
	v["sweep"], v["min_size"], v["max_size"], v["max_batch"] = "matmul", 16, 16, 2
	return app.Request{Quick: true, Jobs: []bundle.Job{{Workload: "batching", Params: v}}}
}

// runEndlessly is what the binary does under endlessVariable; it returns an exit code if it fails.
func runEndlessly(runs string) int {
	s, err := newRealSession(runs)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	s.Start()
	for {
		if _, err := s.Runs().Do(context.Background(), smallRun()); err != nil {
			fmt.Println(err)
			return 1
		}
	}
}

// TestKilledRunsCanBeOpened kills the process at random moments of real runs: every run in the folder can be opened.
func TestKilledRunsCanBeOpened(t *testing.T) {
	if testing.Short() {
		t.Skip("real runs take seconds")
	}
	runs := t.TempDir()
	kills := 4
	if race.On {
		kills = 2 // the race detector does not affect what is then on disk
	}
	for range kills {
		killInARun(t, runs)
	}
	openAll(t, runs)
}

// killInARun starts the binary that makes run after run, and kills it at a random moment after a run has begun.
func killInARun(t *testing.T, runs string) {
	t.Helper()
	before := len(runsIn(t, runs))
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), endlessVariable+"="+runs)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	began := func() bool { return len(runsIn(t, runs)) > before }
	for end := time.Now().Add(time.Minute); !began() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	begun := began()
	time.Sleep(rand.N(1200 * time.Millisecond))
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // reports that it was killed
	if !begun {
		t.Error("no run was begun before the process was killed")
	}
}

// runsIn returns the runs in a folder: the folders with a run.json, which a run has from its first moment.
func runsIn(t *testing.T, runs string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(runs, "*"+bundle.Extension, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range dirs {
		dirs[i] = filepath.Dir(dirs[i])
	}
	return dirs
}

// openAll opens every run in a folder. A run that was killed before it had a run.json has recorded nothing.
func openAll(t *testing.T, runs string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(runs, "*"+bundle.Extension))
	if err != nil {
		t.Fatal(err)
	}
	opened := runsIn(t, runs)
	for _, dir := range dirs {
		if !slices.Contains(opened, dir) {
			if files, err := filepath.Glob(filepath.Join(dir, "[^.]*")); err != nil || len(files) > 0 {
				t.Errorf("%s has no run.json, but %v: %v", dir, files, err)
			}
		}
	}
	for _, dir := range opened {
		run, err := bundle.Load(dir)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		d, _ := newTestWindow(t, kit.AlwaysDark, 1100, 700)
		if err := d.openNow(dir); err != nil {
			t.Errorf("%s with %d results: %v", dir, len(run.Results), err)
		}
	}
}

// TestQuittingInARun quits the window at random moments of real runs, each of which is then whole.
func TestQuittingInARun(t *testing.T) {
	if testing.Short() {
		t.Skip("real runs take seconds")
	}
	for range 4 {
		runs := t.TempDir()
		s, err := newRealSession(runs)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		a := uitest.NewApp(t)
		d := open(a, desk.SessionOf(s), desk.Settings{Store: a.Preferences()}, uitest.Never, largeScreen)
		d.listen()
		d.Settle()
		if err := s.Runs().Start(smallRun()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(700 * time.Millisecond))
		d.Settle()
		d.quit()
		<-d.closed
		dirs := runsIn(t, runs)
		if len(dirs) != 1 {
			t.Fatalf("%d runs", len(dirs))
		}
		run, err := bundle.Load(dirs[0])
		if err != nil || run.Meta.Finished.IsZero() || len(run.Notes) > 0 {
			t.Errorf("the run ended %v, with the notes %v: %v", run.Meta.Finished, run.Notes, err)
		}
	}
}

// TestQuittingKeepsWhatWasTyped quits while a note is being typed for a run.
func TestQuittingKeepsWhatWasTyped(t *testing.T) {
	runs := t.TempDir()
	s, err := newRealSession(runs)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	run, err := s.Runs().Do(t.Context(), smallRun())
	if err != nil {
		t.Fatal(err)
	}
	a := uitest.NewApp(t)
	d := open(a, desk.SessionOf(s), desk.Settings{Store: a.Preferences()}, uitest.Never, largeScreen)
	d.listen()
	d.showNamed(desk.PageHistory)
	d.Settle()
	note, ok := uitest.Find(d.views[d.at].Object, func(e *kit.Entry) bool { return e.MultiLine && e.Visible() })
	if !ok {
		t.Fatal("no field for a note")
	}
	test.Type(note, "cooler fan")
	d.quit()
	<-d.closed
	if kept, err := s.Library().Labels(run.Dir); err != nil || kept.Note != "cooler fan" {
		t.Errorf("the note is %q, %v", kept.Note, err)
	}
}
