package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/app/internal/runstest"
	"assay/internal/stats"
	"assay/monitor/leak"
)

// watched writes the bundle of a watched program.
func watched(t *testing.T, change func(w *Watch)) string {
	t.Helper()
	code := 3
	w := Watch{Command: []string{"./train", "--fast"}, PID: 4711, Name: "train", Interval: 1, WarmUp: 30, Tolerance: 5e5, Mark: "epoch", ExitCode: &code, Ended: "the program exited with code 3"}
	v := WatchVerdict{Kind: "memory", Title: "Host memory", Metric: "watched.footprint", Unit: "B", Shape: ShapeName(leak.Growing), Leak: true, Text: "grows", Line: &WatchLine{From: 30, To: 600, Begin: 1e6, End: 2e6}}
	v.SetRate(stats.Interval{Median: 2, Lo: 1, Hi: 3})
	w.Verdicts = []WatchVerdict{v}
	if change != nil {
		change(&w)
	}
	b, err := Create(t.TempDir(), Meta{ID: NewWatchID(runstest.Began()), Started: runstest.Began(), Watch: &Watch{Name: "train"}}, nil)
	runstest.Check(t, err)
	b.Watched(w)
	e := MarkEvent("epoch 1")
	e.Time = runstest.Began().Add(time.Minute)
	runstest.Check(t, b.Event(e))
	runstest.Check(t, b.Event(LeakEvent("leak-1", "A program leaks memory", "grows", stats.Interval{Median: 2, Lo: 1, Hi: 3})))
	runstest.Check(t, b.Finish(Finished, nil))
	return b.Dir()
}

func TestWatchIsKept(t *testing.T) {
	dir := watched(t, nil)
	if !strings.Contains(filepath.Base(dir), "-watch-") {
		t.Errorf("the folder is %s", dir)
	}
	r, err := Load(dir)
	runstest.Check(t, err)
	w := r.Meta.Watch
	if w == nil || w.Name != "train" || *w.ExitCode != 3 || len(w.Command) != 2 || len(w.Verdicts) != 1 {
		t.Fatalf("%+v", w)
	}
	if v := &w.Verdicts[0]; !v.Known() || !v.Linear() || len(v.Rate) != 3 || *v.Rate[0] != 2 || v.Line.To != 600 {
		t.Errorf("%+v", v)
	}
	if r.OK() || len(r.Events) != 2 || r.Events[0].Kind != Marked || r.Events[0].Text != "epoch 1" {
		t.Errorf("%+v", r.Events)
	}
	s := Summarize(dir)
	if s.Watch != "watch train" || s.Leaks != 1 || s.Problem != "" || len(s.Workloads) != 1 {
		t.Errorf("%+v", s)
	}
}

// A file that no watch has written is rejected, and says why.
func TestWatchesAreChecked(t *testing.T) {
	for why, change := range map[string]func(w *Watch){
		"number 1 has no kind or title": func(w *Watch) { w.Verdicts[0].Title = "" },
		"B of text, want at most":       func(w *Watch) { w.Verdicts[0].Text = strings.Repeat("x", maxText) },
		"watch.verdicts has":            func(w *Watch) { w.Verdicts = make([]WatchVerdict, maxList+1) },
		"watch.command has":             func(w *Watch) { w.Command = make([]string, maxList+1) },
		"watch.name has":                func(w *Watch) { w.Name = strings.Repeat("x", maxText+1) },
	} {
		if _, err := Load(watched(t, change)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %q", err, why)
		}
	}
}

func TestFolderForRunsIsTried(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a", "b")
	runstest.Check(t, CheckFolder(root))
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	runstest.Check(t, os.WriteFile(file, nil, 0o600))
	if err := CheckFolder(filepath.Join(file, "runs")); err == nil {
		t.Error("a folder below a file can be used")
	}
}

// Handles that do not grow do not answer whether memory leaks.
func TestWatchIsJudgedByItsMemory(t *testing.T) {
	memory, handles := WatchVerdict{Kind: HostMemory}, WatchVerdict{Kind: "handles", Line: &WatchLine{}}
	w := Watch{Verdicts: []WatchVerdict{memory, handles}}
	if w.Judged() {
		t.Error("judged without enough readings of memory")
	}
	w.Verdicts[0].Line = &WatchLine{}
	if !w.Judged() {
		t.Error("not judged, with a line through the readings of memory")
	}
}
