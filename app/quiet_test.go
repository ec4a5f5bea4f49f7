package app

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// window imitates a window: it redraws at every update, as often as it may.
type window struct {
	mu    sync.Mutex
	s     *Session
	quiet bool
	let   int // how often it was allowed to redraw
}

func (w *window) take(Update) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.quiet {
		w.s.Redrawn()
	}
}

func (w *window) hush(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.s.Redrawn()
	w.let++
	w.quiet = on
}

// timedRun runs a small job with a window open, and returns what it read and drew in laps.
func timedRun(t *testing.T, s *Session, quiet bool) (*bundle.Run, *window) {
	t.Helper()
	probing(s, quietLapNow)
	w := &window{s: s}
	defer s.OnQuiet(w.hush)()
	defer s.Subscribe(w.take)()
	run, err := s.Runs().Do(t.Context(), Request{
		Engine: "fake", Jobs: []bundle.Job{small(t, s)}, Quiet: quiet, Sampling: Sampling{Time: 300 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	if run, err = bundle.Load(run.Dir); err != nil {
		t.Fatal(err)
	}
	return run, w
}

// In quiet mode no result has a reading or a redraw in its time, whatever the monitor's interval; the window and the bundle have
// the readings between laps, and everything else says that it was not read.
func TestQuietModeReadsAndDrawsNothing(t *testing.T) {
	s, _ := session(t, gputest.Script{}) // 20 readings a second
	run, w := timedRun(t, s, true)
	if !run.Meta.Quiet || len(run.Results) == 0 || w.quiet || w.let < 2*3 {
		t.Errorf("quiet %v, %d results; the window is quiet %v after %d times", run.Meta.Quiet, len(run.Results), w.quiet, w.let)
	}
	for i := range run.Results {
		r := &run.Results[i]
		if ticks, redraws := r.Number(workloads.OwnTicks), r.Number(workloads.OwnRedraws); ticks != 0 || redraws != 0 {
			t.Errorf("%s: %v readings and %v redraws a second", r.Case, ticks, redraws)
		}
	}
	read, unread := 0, 0
	for i := range run.Snapshots {
		for _, r := range run.Snapshots[i].Readings {
			switch {
			case r.Status == monitor.OK && r.Metric == monitor.MonitorCost:
				read++
			case r.Reason == quietMode && (r.Status != monitor.Unavailable || r.Value != 0 && !math.IsNaN(r.Value)):
				t.Errorf("%+v", r)
			case r.Reason == quietMode:
				unread++
			}
		}
	}
	if read == 0 || unread == 0 {
		t.Errorf("%d readings between laps, %d that were not taken", read, unread)
	}
	before := s.latest() // the monitor reads again
	for deadline := time.Now().Add(5 * time.Second); !s.latest().After(before); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no reading after the run")
		}
	}
}

// onGPU is a fake whose kernels do not run on the processor.
type onGPU struct{ *gputest.Fake }

func (e onGPU) Info() gpu.Info {
	info := e.Fake.Info()
	info.GPU = true
	return info
}

// On a GPU the window takes nothing from the measurement, and stays live unless quiet mode is on.
func TestQuietWhereKernelsRunOnTheProcessor(t *testing.T) {
	card := func() (gpu.Engine, error) { return onGPU{gputest.NewFake(gputest.Script{})}, nil }
	for name, c := range map[string]struct {
		request Request
		want    bool
	}{
		"processor":              {Request{Engine: "fake", QuietOnHost: true}, true},
		"GPU":                    {Request{Engine: "card", QuietOnHost: true}, false},
		"GPU beside a processor": {Request{Engine: "card", QuietOnHost: true, Beside: "fake"}, true},
		"always, on a GPU":       {Request{Engine: "card", Quiet: true}, true},
		"never":                  {Request{Engine: "fake"}, false},
	} {
		s, _ := session(t, gputest.Script{})
		s.engines.specs = append(s.engines.specs, Engine{Name: "card", Title: "Card", Open: card})
		c.request.Quick, c.request.Jobs = true, []bundle.Job{small(t, s)}
		run, err := s.Runs().Do(t.Context(), c.request)
		if err != nil || run.Meta.Quiet != c.want || run.Meta.QuietOnHost != (c.want && !c.request.Quiet) {
			t.Errorf("%s: %v, quiet %v, want %v", name, err, run.Meta.Quiet, c.want)
		}
		if again := takeOver(run); again.Quiet != c.request.Quiet || again.QuietOnHost != run.Meta.QuietOnHost {
			t.Errorf("%s: again it is quiet %v, on the host %v", name, again.Quiet, again.QuietOnHost)
		}
	}
}

// A window of a series may take minutes: unless the user wants quiet, the monitor keeps reading and windows keep redrawing.
func TestSeriesStayLive(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		s, _ := session(t, gputest.Script{})
		var live atomic.Int64
		s.Subscribe(func(u Update) {
			if p, ok := u.(ProgressUpdate); ok && p.Measure.Phase == measure.Sampling && !s.quiet.timing() {
				live.Add(1)
			}
		})
		soak := job(t, s, "soak", map[string]any{"size": 16, "duration": 1.0, "window": 0.2})
		_, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Quick: true, Jobs: []bundle.Job{soak}, Quiet: quiet, QuietOnHost: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := live.Load(); (n > 0) == quiet {
			t.Errorf("quiet %v: the series told %d times how far it is, while the monitor read", quiet, n)
		}
	}
}

// The conclusions are the same with a window that redraws all the time and without one: the fake's kernels take scripted times.
func TestAnOpenWindowMovesNoConclusion(t *testing.T) {
	var said [][]string
	for _, quiet := range []bool{false, true} {
		s, _ := session(t, gputest.Script{})
		run, _ := timedRun(t, s, quiet)
		var words []string
		for i := range run.Results {
			r := &run.Results[i]
			words = append(words, r.Case, r.Variant, string(r.Status), fmt.Sprint(r.Time()))
		}
		for _, f := range run.Findings {
			words = append(words, f.Text)
		}
		said = append(said, words)
	}
	if len(said[0]) < 4 || !slices.Equal(said[0], said[1]) {
		t.Errorf("%s\n\nin quiet mode:\n%s", strings.Join(said[0], "\n"), strings.Join(said[1], "\n"))
	}
}

// While the session is quiet, alerts depend on what is read between laps, and a missing reading ends none.
func TestAlertsInQuietMode(t *testing.T) {
	full := reading(monitor.HostMemoryFull, 0.99)
	s, err := New(Config{Version: "test", RunsDir: t.TempDir(), Sources: []monitor.Source{&readings{list: []monitor.Reading{full}}}, Interval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.tick(monitor.Snapshot{Time: time.Now().Add(-3 * time.Second), Readings: []monitor.Reading{full}}) // it must last for 2 s
	s.hush()
	stands := func() bool {
		return slices.ContainsFunc(s.Alerts(), func(a monitor.Alert) bool { return strings.Contains(a.Cause, "99") })
	}
	if newest := s.snapshot(); newest.Readings[0].Reason != quietMode {
		t.Errorf("what was read before is told as read: %+v", newest.Readings[0])
	}
	s.tick(monitor.Snapshot{Time: time.Now(), Readings: []monitor.Reading{full}})
	if newest := s.snapshot(); newest.Readings[0].Reason != quietMode {
		t.Errorf("a reading that was in progress was taken in: %+v", newest.Readings[0])
	}
	before := s.activity.ticks.Load()
	if first, second := s.betweenLaps(), s.betweenLaps(); !first || second {
		t.Errorf("read between laps: %v, and again at once: %v", first, second)
	}
	if v, ok := ptr(s.snapshot()).Value(monitor.HostMemoryFull); !ok || v != 0.99 || s.activity.ticks.Load() != before+1 {
		t.Errorf("between laps %v, %v", v, ok)
	}
	if !stands() {
		t.Errorf("alerts: %+v", s.Alerts())
	}
	s.unhush()
	if s.betweenLaps() {
		t.Error("a reading between laps, though it is not quiet")
	}
}

func ptr[T any](v T) *T { return &v }

// Everything that is timed is quiet, and nothing else.
func TestWhatIsTimed(t *testing.T) {
	for p, want := range map[measure.Phase]bool{
		measure.Preparing: false, measure.Compiling: false, measure.Verifying: false, measure.Calibrating: true, measure.WarmingUp: true,
		measure.Sampling: true, measure.Powering: true, measure.Rechecking: false, measure.Cooling: false, measure.Paused: false, measure.Waiting: false,
	} {
		if timed(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}
