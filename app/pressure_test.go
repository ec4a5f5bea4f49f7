package app

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/monitor"
	"assay/workloads"
)

// feel gives the session a snapshot with a level of memory pressure, as a tick of the monitor does.
func feel(s *Session, at time.Time, level monitor.State) {
	r := monitor.Template(monitor.MemoryPressureLevel, "/proc/pressure/memory")
	r.Text, r.Status = level, monitor.OK
	stalls := monitor.Template(monitor.MemoryPressure, "/proc/pressure/memory")
	stalls.Value, stalls.Status = 0.415, monitor.OK
	s.tick(monitor.Snapshot{Time: at, Readings: []monitor.Reading{r, stalls}})
}

// Under pressure the pools shrink, and when it is critical they are emptied: in a run this is an event, a mark in live charts
// and a warning for the case.
func TestPoolsShrinkUnderPressure(t *testing.T) {
	var s *Session
	now := time.Now().Add(-time.Minute) // the last reading of a run comes after these
	s = pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		if _, err := env.Pool.Prewarm(context.Background(), 1000, 8); err != nil {
			return err
		}
		cached := func() int { return env.Pool.Stats().Cached }
		for _, step := range []struct {
			after time.Duration
			level monitor.State
			want  int // buffers cached
		}{
			{time.Second, monitor.Normal, 8},
			{2 * time.Second, monitor.Warning, 4},
			{3 * time.Second, monitor.Warning, 4},
			{13 * time.Second, monitor.Warning, 2},
			{14 * time.Second, monitor.Critical, 0},
			{15 * time.Second, monitor.Normal, 0},
		} {
			feel(s, now.Add(step.after), step.level)
			if got := cached(); got != step.want {
				t.Errorf("%v, %s: %d buffers cached, want %d", step.after, step.level, got, step.want)
			}
		}
		env.Observer.Results(workloads.Result{Workload: "work", Case: "c", Status: workloads.Unsupported, Failure: workloads.Failure{Text: "a test"}})
		return nil
	})
	var notes []string
	var mu sync.Mutex
	defer s.Subscribe(func(u Update) {
		if n, is := u.(NoteUpdate); is {
			mu.Lock()
			notes = append(notes, n.Event.Title+": "+n.Event.Text)
			mu.Unlock()
		}
	})()
	run := runWork(t, s)
	sums := totals(run)
	if sums["shrunk for pressure"].Count != 6 || sums["cleared for pressure"].Count != 2 {
		t.Errorf("freed %+v, want 6 and 2 buffers", sums)
	}
	mu.Lock()
	defer mu.Unlock()
	want := "Pool shrunk: 4 buffers (4.03 kB) freed under memory pressure: tasks waited for memory 41.5 % of the last 10 s"
	if len(notes) != 3 || notes[0] != want {
		t.Errorf("notes %q, want %q first", notes, want)
	}
	if len(run.Results) != 1 || len(run.Results[0].Warnings) != 1 || run.Results[0].Warnings[0].Kind != workloads.PoolChanged {
		t.Errorf("results %+v, want one with a warning", run.Results)
	}
}

// paused runs two cases, the second of which meets critical pressure; during waits until the run is paused.
func paused(t *testing.T, request Request, during func(s *Session, at time.Time)) (*bundle.Run, error) {
	t.Helper()
	var s *Session
	now := time.Now().Add(-time.Minute) // the last reading of a run comes after these
	s = pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		for i, name := range []string{"first", "second", "third"} {
			if i > 0 {
				feel(s, now.Add(time.Duration(i)*time.Second), monitor.Critical)
			}
			if err := env.Between(t.Context(), name); err != nil {
				return err
			}
		}
		return nil
	})
	defer s.Subscribe(func(u Update) {
		if n, is := u.(NoteUpdate); is && n.Event.Title == "Run paused" {
			go during(s, now.Add(10*time.Second))
		}
	})()
	request.Jobs = []bundle.Job{{Workload: "work"}}
	return s.Runs().Do(t.Context(), request)
}

// resumed returns how each pause of a run ended.
func resumed(run *bundle.Run) (texts []string) {
	for _, e := range poolEvents(run) {
		if e.Title == "Run resumed" {
			_, how, _ := strings.Cut(e.Text, ": ")
			texts = append(texts, how)
		}
	}
	return texts
}

func TestRunPausesUnderCriticalPressure(t *testing.T) {
	for name, c := range map[string]struct {
		request Request
		during  func(s *Session, at time.Time)
		want    []string // how each pause ended
	}{
		"until it eases":                        {Request{}, func(s *Session, at time.Time) { feel(s, at, monitor.Normal) }, []string{"memory pressure eased"}},
		"until the user goes on, and not again": {Request{}, func(s *Session, _ time.Time) { s.Runs().GoOn() }, []string{"the user continued"}},
		"for a while":                           {Request{PressurePause: 20 * time.Millisecond}, func(*Session, time.Time) {}, []string{"memory pressure stayed critical"}},
		"not at all":                            {Request{PressurePause: -1}, func(*Session, time.Time) {}, nil},
	} {
		run, err := paused(t, c.request, c.during)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := resumed(run)
		if name == "until it eases" && len(got) > 1 { // the third case meets it again
			got = got[:1]
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: resumed by %q, want %q", name, got, c.want)
		}
	}
}

func TestPausedRunCanBeStopped(t *testing.T) {
	var s *Session
	s = pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		feel(s, time.Now(), monitor.Critical)
		return env.Between(s.open().ctx, "first")
	})
	defer s.Subscribe(func(u Update) {
		if n, is := u.(NoteUpdate); is && n.Event.Title == "Run paused" {
			go s.Runs().Stop()
		}
	})()
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{{Workload: "work"}}})
	if !errors.Is(err, context.Canceled) || run.Meta.State != bundle.Stopped {
		t.Errorf("stopped with %v, state %s", err, run.Meta.State)
	}
}
