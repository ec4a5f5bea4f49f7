package ui

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/internal/race"
	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	"assay/workloads/measure"
)

// maxGrowth is how much the Go heap may grow from two hours to eight.
const maxGrowth = 256 << 10

// TestEightHoursHoldMemoryFlat feeds the window the readings of eight hours four times a second, then of eight more once a
// second, with all pages built, the Monitor page in front over the whole run, and a run in progress, raising and clearing
// alerts. It is one window throughout: Fyne forgets a closed one only after minutes.
func TestEightHoursHoldMemoryFlat(t *testing.T) {
	if testing.Short() || race.On {
		t.Skip("takes many seconds, under the race detector minutes")
	}
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	for i := range d.pages {
		d.showPage(i)
	}
	d.showNamed(desk.PageMonitor)
	uitest.Choose(t, d.views[d.at].Object, "Whole Run")
	day := &longDay{window: d, now: uitest.Epoch}
	for _, rate := range []int{4, 1} {
		day.rate = rate
		day.pass(2 * time.Hour)
		early := heap()
		day.pass(6 * time.Hour)
		late := heap()
		t.Logf("%d a second: %.2f MB of heap after 2 h, %.2f MB after 8 h", rate, float64(early)/1e6, float64(late)/1e6)
		if late > early+maxGrowth {
			t.Errorf("%d a second: the heap grew by %d B, want %d B at most", rate, late-early, maxGrowth)
		}
	}
	runtime.KeepAlive(d)
}

// longDay is a monitor's readings over hours, with a run in progress.
type longDay struct {
	window *window
	now    time.Time
	rate   int // ticks a second
	ticks  int
}

// pass advances the time, and draws the window at the end.
func (l *longDay) pass(hours time.Duration) {
	for end := l.now.Add(hours); l.now.Before(end); l.ticks++ {
		l.tick()
		l.now = l.now.Add(time.Second / time.Duration(l.rate))
	}
	l.window.Window.Canvas().Capture()
}

// tick delivers one snapshot with its updates, as the queue does. Every text and value repeats within the first hours.
func (l *longDay) tick() {
	i, at := l.ticks, l.now
	var updates []app.Update
	if i == 60 {
		meta := uitest.SweepMeta()
		meta.Started = at
		updates = append(updates, app.StartUpdate{Meta: meta})
	}
	snap := uitest.Snapshot(i % 1000)
	snap.Time = at
	updates = append(updates, app.TickUpdate{Snapshot: snap})
	if i > 60 {
		updates = append(updates, progressOf(i))
	}
	switch i % 10 {
	case 3:
		updates = append(updates, app.AlertUpdate{Alert: alertAt(i, at)})
	case 8:
		a := alertAt(i-5, at)
		a.Cleared = at
		updates = append(updates, app.AlertUpdate{Alert: a})
	}
	l.window.Take(updates...)
}

// progressOf simulates cases of ten ticks; the last tick is not timed.
func progressOf(i int) app.ProgressUpdate {
	phase := measure.Sampling
	if i%10 == 9 {
		phase = measure.Verifying
	}
	return app.ProgressUpdate{Progress: workloads.Progress{
		Workload: "batching", Case: fmt.Sprintf("matmul %d", i/10%7), Done: i % 14, Total: 14,
		Measure: measure.Progress{Phase: phase, Variant: "f32"},
	}, Fraction: 0.31, Left: 12.4}
}

func alertAt(i int, at time.Time) monitor.Alert {
	return monitor.Alert{
		ID: "memory.full", Severity: severity.Warning, Title: "Memory almost full",
		Cause: fmt.Sprintf("%d.1 %% of memory is in use; swapping may start (limit 90 %%)", 91+i%7), Raised: at,
	}
}

// heap is the size of the Go heap in use, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what finalizers release
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestOneRedrawForAllThatWaits checks that one delivery of the queue redraws the window once.
func TestOneRedrawForAllThatWaits(t *testing.T) {
	d, s := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	d.Listen()
	redraws := 0
	redraw := d.Redraw
	d.Redraw = func(c desk.Change) { redraws++; redraw(c) }
	s.Send(app.StartUpdate{Meta: uitest.SweepMeta()})
	for i := range 200 {
		s.Send(app.TickUpdate{Snapshot: uitest.Snapshot(i)})
		s.Send(progressOf(i))
		s.Send(app.AlertUpdate{Alert: alertAt(i, uitest.Epoch)})
	}
	d.Settle()
	if redraws != 1 {
		t.Errorf("%d redraws, want 1", redraws)
	}
}

// TestNothingAnimates: an animation redraws the whole window 60 times per second. Fyne's own animations, such as the
// cursor's blinking, are left out of the build.
func TestNothingAnimates(t *testing.T) {
	tools, err := os.ReadFile("../scripts/tools.sh")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(tools), "no_animations\n") {
		t.Error("scripts/tools.sh does not build with no_animations")
	}
	moving := []string{"ProgressBarInfinite", "NewActivity", "NewAnimation"}
	err = filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range moving {
			if strings.Contains(string(source), m) {
				t.Errorf("%s uses %s", path, m)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
