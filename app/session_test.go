package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"assay/app/bundle"
	"assay/app/report"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
	"assay/workloads/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder collects updates.
type recorder struct {
	mu      sync.Mutex
	updates []Update
}

func (r *recorder) take(u Update) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.updates = append(r.updates, u)
}

func (r *recorder) count(is func(Update) bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, u := range r.updates {
		if is(u) {
			n++
		}
	}
	return n
}

func session(t *testing.T, script gputest.Script) (*Session, *recorder) {
	t.Helper()
	s, err := New(Config{
		Version: "test",
		Engines: []Engine{
			{Name: "missing", Title: "Missing", Missing: "never built"},
			{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) { return gputest.NewFake(script), nil }},
		},
		Workloads: suite.All(),
		RunsDir:   t.TempDir(),
		Interval:  50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{}
	s.Subscribe(rec.take)
	s.Start()
	t.Cleanup(func() { _ = s.Close() })
	return s, rec
}

func job(t *testing.T, s *Session, name string, set map[string]any) bundle.Job {
	t.Helper()
	w, err := workloads.Find(s.Workloads(), name)
	if err != nil {
		t.Fatal(err)
	}
	v := w.Defaults(true)
	for k, val := range set {
		v[k] = val
	}
	return bundle.Job{Workload: name, Params: v}
}

// small is a batching job of three tiny cases.
func small(t *testing.T, s *Session) bundle.Job {
	return job(t, s, "batching", map[string]any{"sweep": "matmul", "min_size": 4, "max_size": 16, "library": false})
}

func TestRunKeepsEverything(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	if !run.OK() || run.Meta.State != bundle.Finished || len(run.Results) != 3 {
		t.Fatalf("state %s, %d results, ok %v, events %+v", run.Meta.State, len(run.Results), run.OK(), run.Events)
	}
	if !strings.Contains(run.Meta.EngineReason, "no Missing: never built") {
		t.Errorf("the reason for the engine is %q", run.Meta.EngineReason)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded.Results) != 3 || loaded.Meta.State != bundle.Finished || len(loaded.Findings) == 0 {
		t.Errorf("the bundle holds %d results, %d findings, state %s", len(loaded.Results), len(loaded.Findings), loaded.Meta.State)
	}
	for i, r := range loaded.Results {
		if r.Case != run.Results[i].Case || r.Time() != run.Results[i].Time() || r.ID != run.Results[i].ID || r.MarkText() != run.Results[i].MarkText() {
			t.Errorf("result %d came back as %+v, want %+v", i, r, run.Results[i])
		}
	}
	if n := rec.count(func(u Update) bool { _, ok := u.(ResultUpdate); return ok }); n != 3 {
		t.Errorf("subscribers heard of %d results, want 3", n)
	}
	if n := rec.count(func(u Update) bool { _, ok := u.(EndUpdate); return ok }); n != 1 {
		t.Errorf("subscribers heard of %d ends, want 1", n)
	}
}

func TestWrongOutputHasNoTime(t *testing.T) {
	s, _ := session(t, gputest.Script{Steps: []gputest.Step{{Wrong: true}}, Repeat: true})
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	if run.OK() {
		t.Error("a run with wrong outputs passes for good")
	}
	for _, r := range run.Results {
		if r.Status != workloads.Failed || len(r.Samples) > 0 || r.Time().Median > 0 {
			t.Errorf("%s: status %s, %d samples, time %v", r.Case, r.Status, len(r.Samples), r.Time().Median)
		}
	}
}

func TestLeakIsFound(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{job(t, s, "leak", map[string]any{"rate": 1.0, "duration": 7.0})}})
	if err != nil {
		t.Fatal(err)
	}
	if run.OK() {
		t.Error("a run that leaks passes for good")
	}
	// Another test, beside the detector, shows in simulated time that this takes at most 5 s.
	if n := rec.count(func(u Update) bool { a, ok := u.(AlertUpdate); return ok && a.Alert.ID == "leak.slope" }); n == 0 {
		t.Error("no alert while the live bytes grew")
	}
	var end string
	for _, e := range run.Events {
		if e.Kind == "leak" && e.Title == "Buffers not released" {
			end = e.Text
		}
	}
	if !strings.Contains(end, "deliberate leak") || !strings.Contains(end, "leak.go") {
		t.Errorf("the end-of-run verdict is %q, want label and site", end)
	}
	if n := rec.count(func(u Update) bool { a, ok := u.(AlertUpdate); return ok && a.Alert.ID == "leak.end" }); n == 0 {
		t.Error("no alert for the buffers left behind")
	}
	for _, id := range []string{slopeAlert, endAlert} {
		over := func(u Update) bool { a, ok := u.(AlertUpdate); return ok && a.Alert.ID == id && !a.Alert.Active() }
		if n := rec.count(over); n != 1 {
			t.Errorf("%s ended %d times with the run that gave the memory back", id, n)
		}
	}
	if left := s.Alerts(); len(left) != 0 {
		t.Errorf("after the run these alerts stand: %+v", left)
	}
	if n := len(run.Leaks()); n != 2 {
		t.Errorf("the run keeps %d leaks, want growth and what was left behind: %+v", n, run.Leaks())
	}
}

// leaked reports whether the leak control has begun.
func leaked(s *Session) bool {
	state, err := s.Pool().State(LiveOrder{By: LiveAge})
	return err == nil && slices.ContainsFunc(state.Live, func(l gpu.LiveLease) bool { return strings.Contains(l.Label, "deliberate") })
}

// A stopped workload must clean up too: live buffers are leaks.
func TestLeakOfAStoppedRunIsFound(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil && !leaked(s) {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	run, err := s.Runs().Do(ctx, Request{Jobs: []bundle.Job{job(t, s, "leak", map[string]any{"duration": 60.0})}})
	if err == nil || run.OK() {
		t.Errorf("error %v, ok %v; want the context's error and a leak", err, run.OK())
	}
}

func TestNextRunMayStartAtTheEnd(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	again := make(chan error, 1)
	var once sync.Once
	defer s.Subscribe(func(u Update) {
		if _, ok := u.(EndUpdate); ok {
			once.Do(func() { go func() { again <- s.Runs().Start(Request{Jobs: []bundle.Job{small(t, s)}, Quick: true}) }() })
		}
	})()
	if _, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true}); err != nil {
		t.Fatal(err)
	}
	if err := <-again; err != nil {
		t.Errorf("a run started at the end of another: %v", err)
	}
}

// A tick while a run is closing must not be reported as a failed write.
func TestTicksAtTheEndOfARun(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	for range 5 {
		run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
		if err != nil || !run.OK() {
			t.Fatal(err, run.Events)
		}
	}
	if n := rec.count(func(u Update) bool { a, ok := u.(AlertUpdate); return ok && a.Alert.ID == "bundle" }); n > 0 {
		t.Errorf("%d alerts about bundles that were written well", n)
	}
}

func TestNoLeakWithoutRate(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{job(t, s, "leak", map[string]any{"rate": 0.0, "duration": 5.0})}})
	if err != nil {
		t.Fatal(err)
	}
	if !run.OK() {
		t.Errorf("a clean run is called leaking: %+v", run.Events)
	}
}

func TestStopKeepsWhatWasMeasured(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer s.Subscribe(func(u Update) {
		if _, ok := u.(ResultUpdate); ok {
			cancel()
		}
	})()
	run, err := s.Runs().Do(ctx, Request{Jobs: []bundle.Job{small(t, s)}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	if len(run.Results) != 1 || run.Meta.State != bundle.Stopped {
		t.Errorf("%d results, state %s; want 1, stopped", len(run.Results), run.Meta.State)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil || len(loaded.Results) != 1 || loaded.Meta.State != bundle.Stopped {
		t.Errorf("the bundle holds %v, error %v", loaded, err)
	}
}

func TestDeviceLostOpensAgain(t *testing.T) {
	opened := 0
	s, err := New(Config{
		Engines: []Engine{{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) {
			opened++
			if opened == 1 {
				return gputest.NewFake(gputest.Script{Steps: []gputest.Step{{}, {Err: gpu.ErrDeviceLost}}}), nil
			}
			return gputest.NewFake(gputest.Script{}), nil
		}}},
		Workloads: suite.All(), RunsDir: t.TempDir(), Interval: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	req := Request{Jobs: []bundle.Job{small(t, s)}, Quick: true}
	run, err := s.Runs().Do(context.Background(), req)
	if !errors.Is(err, gpu.ErrDeviceLost) || run.Meta.State != bundle.Failed {
		t.Fatalf("error %v, want device lost", err)
	}
	run, err = s.Runs().Do(context.Background(), req)
	if err != nil || !run.OK() || opened != 2 {
		t.Errorf("after re-opening (%d times): %v, ok %v", opened, err, run != nil && run.OK())
	}
}

func TestOneRunAtATime(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	if err := s.Runs().Start(Request{Jobs: []bundle.Job{job(t, s, "leak", map[string]any{"duration": 30.0})}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}}); !errors.Is(err, ErrBusy) {
		t.Errorf("a second run: %v, want ErrBusy", err)
	}
	if err := s.Close(); err != nil { // stops the run and waits for it
		t.Error(err)
	}
	if s.Runs().Active() {
		t.Error("a run is active after Close")
	}
	if err := s.Runs().Start(Request{Jobs: []bundle.Job{small(t, s)}}); err == nil {
		t.Error("a closed session started a run")
	}
}

// The last reading of a run ended by closing must not be an interrupted one.
func TestClosingLeavesNoFailedReading(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	if err := s.Runs().Start(Request{Jobs: []bundle.Job{job(t, s, "leak", map[string]any{"duration": 30.0})}}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	failed := func(u Update) bool {
		tick, ok := u.(TickUpdate)
		return ok && slices.ContainsFunc(tick.Snapshot.Readings, func(r monitor.Reading) bool { return r.Status == monitor.Failed })
	}
	if n := rec.count(failed); n > 0 {
		t.Errorf("%d ticks with failed readings", n)
	}
}

func TestBadRequests(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	bad := small(t, s)
	bad.Params["min_size"] = 999_999
	for name, c := range map[string]struct {
		request Request
		want    string
	}{
		"nothing":     {Request{}, "nothing to run"},
		"unknown":     {Request{Jobs: []bundle.Job{{Workload: "nope"}}}, "batching"},
		"range":       {Request{Jobs: []bundle.Job{bad}}, "min_size must be a whole number from 1 to 4,096 rows (you entered 999999)"},
		"engine":      {Request{Jobs: []bundle.Job{small(t, s)}, Engine: "cuda"}, "auto, missing, fake"},
		"unavailable": {Request{Jobs: []bundle.Job{small(t, s)}, Engine: "missing"}, "never built"},
		"folder":      {Request{Jobs: []bundle.Job{small(t, s)}, Out: "/proc/nowhere"}, "/proc/nowhere"},
	} {
		_, err := s.Runs().Do(context.Background(), c.request)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if s.Runs().Active() {
		t.Error("a refused request left a run active")
	}
}

func TestSnapshotsReachTheBundle(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{job(t, s, "leak", map[string]any{"rate": 10.0, "duration": 0.6})}})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(loaded.Snapshots) < 5 {
		t.Errorf("%d snapshots in the bundle after 0.6 s at 20 Hz", len(loaded.Snapshots))
	}
	var most float64
	for _, snap := range loaded.Snapshots {
		v, _ := snap.Value("engine.live_buffers")
		most = max(most, v)
	}
	if most < 1 {
		t.Error("no snapshot saw what was leaked")
	}
}

// The error says first what is missing, not the operations; errors.Is still works.
func TestWhyAnEngineIsNotAvailable(t *testing.T) {
	unsupported := func() (gpu.Engine, error) {
		return nil, fmt.Errorf("metal: %w", gpu.Errorf(gpu.ErrUnsupported, "open", "", "Metal needs macOS; this system is Linux"))
	}
	s, err := New(Config{Engines: []Engine{{Name: "metal", Title: "Metal", Open: unsupported}}, Workloads: suite.All()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Engines().List()[0].Reason; got != "Metal needs macOS; this system is Linux" {
		t.Errorf("reason %q", got)
	}
	_, err = s.Runs().Do(context.Background(), Request{Engine: "metal", Jobs: []bundle.Job{small(t, s)}})
	if err == nil || err.Error() != "engine metal is not available: Metal needs macOS; this system is Linux" || !errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

func ExampleRuns_Do() {
	s, err := New(Config{
		Engines:   []Engine{{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil }}},
		Workloads: suite.All(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	_, err = s.Runs().Do(context.Background(), Request{})
	fmt.Println(err)
	// Output: nothing to run
}

// A simulated device is never chosen automatically if another one opens.
func TestAutoPassesOverSimulated(t *testing.T) {
	fake := func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil }
	other := func() (gpu.Engine, error) { return notSimulated{gputest.NewFake(gputest.Script{})}, nil }
	for _, tc := range []struct {
		name    string
		engines []Engine
		want    bool // simulated
		why     string
	}{
		{"a real one after it", []Engine{{Name: "a", Title: "A", Open: fake}, {Name: "b", Title: "B", Open: other}}, false, "A: simulated"},
		{"no other", []Engine{{Name: "a", Title: "A", Open: fake}, {Name: "b", Title: "B", Missing: "none"}}, true, "A: simulated; no B: none; no other opens"},
	} {
		e := newEngines(tc.engines)
		engine, why, err := e.get("auto")
		if err != nil || engine.Info().Simulated != tc.want || why != tc.why {
			t.Errorf("%s: simulated %v because %q, error %v", tc.name, engine.Info().Simulated, why, err)
		}
		session := &Session{config: Config{Engines: tc.engines}, engines: e}
		if a := Automatic(session.Engines().List()); a == nil || a.Info.Simulated != tc.want {
			t.Errorf("%s: of the states, %+v is taken", tc.name, a)
		}
		if err := e.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAutomaticOfNone(t *testing.T) {
	if a := Automatic([]EngineState{{Name: "a", Reason: "none"}}); a != nil {
		t.Errorf("%+v is taken though it is not available", a)
	}
}

type notSimulated struct{ gpu.Engine }

func (n notSimulated) Info() gpu.Info {
	i := n.Engine.Info()
	i.Simulated = false
	return i
}

// lostAfter loses its device with the n-th command buffer, which fails with another error first.
type lostAfter struct {
	gpu.Engine
	lost *bool
}

func (l lostAfter) Lost() error {
	if *l.lost {
		return gpu.ErrDeviceLost
	}
	return nil
}

// A device lost with the last command buffer of a run is reopened by the next.
func TestLostAtTheEndReopens(t *testing.T) {
	opened, lost := 0, false
	open := func() (gpu.Engine, error) {
		opened++
		lost = false
		return lostAfter{gputest.NewFake(gputest.Script{}), &lost}, nil
	}
	s, err := New(Config{
		Engines: []Engine{{Name: "x", Title: "X", Open: open}}, Workloads: suite.All(), RunsDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	defer s.Subscribe(func(u Update) {
		if r, ok := u.(ResultUpdate); ok && opened == 1 && r.Result.Case == "matmul 16" {
			lost = true
		}
	})()
	for n := 1; n <= 2; n++ {
		run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
		if err != nil || len(run.Results) != 3 || opened != n {
			t.Fatalf("run %d: %v, opened %d times", n, err, opened)
		}
		if told := noteOf(run, "Device lost") != ""; told != (n == 1) {
			t.Errorf("run %d tells of a lost device: %v", n, told)
		}
	}
}

// What is done within cases is recorded as it happens, and not reported as an incident of the run.
func TestRunRecordsPhases(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	replay := report.NewReplay(loaded)
	for _, c := range replay.Cases {
		seen, buffers := map[measure.Phase]bool{}, 0
		for _, p := range replay.Phases {
			if p.Case == c.Case {
				seen[p.Name], buffers = true, buffers+p.Count
				if p.From < c.From || p.To > c.To {
					t.Errorf("%s is from %g to %g s, outside of its case %s, from %g to %g", p.Name, p.From, p.To, c.Case, c.From, c.To)
				}
			}
		}
		for _, want := range []measure.Phase{measure.Compiling, measure.Verifying, measure.WarmingUp, measure.Sampling, measure.Rechecking} {
			if !seen[want] {
				t.Errorf("%s: no %s: %v", c.Case, want, seen)
			}
		}
		if buffers == 0 {
			t.Errorf("%s has no command buffers", c.Case)
		}
	}
	for _, e := range loaded.Happenings() {
		if e.Kind == bundle.PhasesDone {
			t.Errorf("phases are told as an event: %+v", e)
		}
	}
}
