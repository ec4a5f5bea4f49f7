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

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/monitor"
	"assay/workloads"
)

// pooled is a session for tests of the pool; work runs inside its run.
func pooled(t *testing.T, script gputest.Script, work func(env *workloads.Env) error) *Session {
	t.Helper()
	s, err := New(Config{
		Engines: []Engine{
			{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) { return gputest.NewFake(script), nil }},
			{Name: "other", Title: "Other", Open: func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil }},
		},
		Workloads: []workloads.Workload{{
			Name: "work", Title: "Work", Run: func(_ context.Context, env *workloads.Env, _ workloads.Values) error { return work(env) },
		}},
		RunsDir: t.TempDir(), Interval: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil { // the engine reports buffers that are live
			t.Error(err)
		}
	})
	return s
}

func runWork(t *testing.T, s *Session) *bundle.Run {
	t.Helper()
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{{Workload: "work"}}})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// turns acquires and releases n buffers of the given size, one after another.
func turns(env *workloads.Env, n, bytes int) error {
	for range n {
		l, err := env.Pool.Acquire(bytes, "turn")
		if err != nil {
			return err
		}
		if err := l.Release(); err != nil {
			return err
		}
	}
	return nil
}

func poolState(t *testing.T, s *Session) PoolState {
	t.Helper()
	state, err := s.Pool().State(LiveOrder{})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// set changes some of the pool's settings.
func set(s *Session, change func(*PoolSettings)) error {
	settings := s.Pool().Settings()
	change(&settings)
	return s.Pool().Set(settings)
}

func prewarm(t *testing.T, s *Session, bytes, n int) {
	t.Helper()
	if made, err := s.Pool().Prewarm(context.Background(), "fake", bytes, n); made != n || err != nil {
		t.Fatalf("prewarmed %d of %d: %v", made, n, err)
	}
}

func TestPoolOutlivesTheRun(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error { return turns(env, 4, 1000) })
	if _, err := s.Pool().State(LiveOrder{}); !errors.Is(err, ErrNoPool) || !strings.Contains(err.Error(), "no run has used one") {
		t.Errorf("before the first use: %v", err)
	}
	for range 2 { // the counters are those of one run
		run := runWork(t, s)
		state := poolState(t, s)
		if state.RunID != run.Meta.ID || state.Running || state.Engine != run.Meta.Engine.Engine {
			t.Errorf("state %+v after run %s", state, run.Meta.ID)
		}
		if st := state.Stats; st.Acquires != 4 || st.Reuses != 3 || st.Creates != 1 || st.Cached != 0 {
			t.Errorf("stats %+v, want 4 acquires, 3 reuses, an empty cache", st)
		}
		if len(state.Classes) != 1 || state.Classes[0].Size != 1008 || state.Classes[0].Reuses != 3 {
			t.Errorf("classes %+v", state.Classes)
		}
		if state.Memory != (gpu.Memory{}) {
			t.Errorf("the engine holds %+v after the run", state.Memory)
		}
		if text := noteOf(run, "Pool at the end"); !strings.Contains(text, "4 acquires, 75 %") {
			t.Errorf("the run says of its pool %q", text)
		}
	}
}

func TestPrewarmedBuffersServeTheRun(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error { return turns(env, 4, 1000) })
	prewarm(t, s, 1000, 3)
	if state := poolState(t, s); state.Stats.Cached != 3 || state.RunID != "" {
		t.Errorf("after prewarming: %+v", state)
	}
	run := runWork(t, s)
	state := poolState(t, s)
	if rate, ok := state.Stats.ReuseRate(); !ok || rate != 1 || state.Stats.Creates != 0 || state.Stats.HighWater != 3024 {
		t.Errorf("stats %+v, want every acquire served", state.Stats)
	}
	if text := noteOf(run, "Pool"); !strings.Contains(text, "3 buffers (3.02 kB) prewarmed") || !strings.Contains(text, "10 buffers cached") {
		t.Errorf("the run says %q", text)
	}
	if !run.OK() || state.Memory.Buffers != 0 {
		t.Errorf("what was prewarmed counts as a leak: %+v, engine %+v", run.Leaks(), state.Memory)
	}
}

// Buffers outside the pool must be found even if the same number of prewarmed ones was freed.
func TestPrewarmingHidesNoLeak(t *testing.T) {
	var lost gpu.Buffer
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) (err error) {
		lost, err = env.Engine.NewBuffer(100, gpu.Shared, "lost")
		return err
	})
	prewarm(t, s, 100, 5)
	run := runWork(t, s)
	if leaks := run.Leaks(); len(leaks) != 1 || !strings.HasPrefix(leaks[0].Text, "1 buffer outside") {
		t.Errorf("leaks %+v, want the one buffer", leaks)
	}
	if err := lost.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestChangesByHandAreInTheRun(t *testing.T) {
	var s *Session
	result := func(env *workloads.Env, name string) {
		env.Observer.Results(workloads.Result{Workload: "work", Case: name, Status: workloads.Unsupported, Failure: workloads.Failure{Text: "a test"}})
	}
	s = pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		result(env, "before")
		err := turns(env, 1, 500)
		if !poolState(t, s).Running {
			t.Error("the pool of a run that goes on is not running")
		}
		made, e := s.Pool().Prewarm(context.Background(), "auto", 4096, 2)
		if made != 2 {
			t.Errorf("prewarmed %d of 2", made)
		}
		err = errors.Join(err, e, set(s, func(p *PoolSettings) { p.Capacity, p.Budget, p.Mode = 7, 5_000_000, gpu.ModeZero }))
		for _, free := range []func() (gpu.Freed, error){
			func() (gpu.Freed, error) { return s.Pool().ClearSize(500) },
			func() (gpu.Freed, error) { return s.Pool().Shrink(4096) },
			s.Pool().Clear,
		} {
			f, e := free()
			if f.Buffers != 1 {
				t.Errorf("freed %+v, want 1 buffer each time", f)
			}
			err = errors.Join(err, e)
		}
		result(env, "during")
		result(env, "after")
		if _, e := s.Pool().Prewarm(context.Background(), "other", 64, 1); !errors.Is(e, ErrBusy) {
			t.Errorf("prewarming another engine during a run: %v, want ErrBusy", e)
		}
		return err
	})
	run := runWork(t, s)
	var changes []string
	for _, e := range run.Events {
		if e.Title == "Pool changed during the run" && e.Severity == "warning" {
			changes = append(changes, e.Text)
		}
	}
	want := []string{
		"2 buffers for requests of 4.1 kB were prewarmed", "the capacity was set to 7", "the budget was set to 5 MB", "the mode was set to zero",
		"cleared of buffers of 500 B: 1 buffer (", "shrunk to 4.1 kB: 1 buffer (4.1 kB) freed", "the pool was cleared: 1 buffer (4.1 kB) freed",
	}
	if len(changes) != len(want) {
		t.Fatalf("%d changes are told: %q", len(changes), changes)
	}
	for i := range want {
		if !strings.Contains(changes[i], want[i]) {
			t.Errorf("change %d is told as %q, want %q", i, changes[i], want[i])
		}
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, warned := range []bool{false, true, false} {
		if r := loaded.Results[i]; slices.Contains(r.Warnings, workloads.Warning{Kind: workloads.PoolChanged, Text: poolWarning}) != warned {
			t.Errorf("result %s has warnings %q", r.Case, r.Warnings)
		}
	}
}

func TestSettingsHoldForLaterPools(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error { return turns(env, 1, 64) })
	if err := set(s, func(p *PoolSettings) { p.Capacity, p.Budget, p.Mode = 0, 3_000_000, gpu.ModePoison }); err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"fake", "other"} {
		if _, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{{Workload: "work"}}, Engine: engine}); err != nil {
			t.Fatal(err)
		}
		if st := poolState(t, s).Stats; st.Capacity != 0 || st.Budget != 3_000_000 || st.Mode != gpu.ModePoison {
			t.Errorf("engine %s: %+v", engine, st)
		}
	}
	if err := set(s, func(p *PoolSettings) { p.Budget = PoolBudgetDefault }); err != nil {
		t.Fatal(err)
	}
	if state := poolState(t, s); state.Stats.Budget != int64(PoolBudgetShare*float64(state.WorkingSet)) {
		t.Errorf("the default budget is %d B of a working set of %d B", state.Stats.Budget, state.WorkingSet)
	}
}

func TestPoolRefusals(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(*workloads.Env) error { return nil })
	_, noPool := s.Pool().Clear()
	if !errors.Is(noPool, ErrNoPool) {
		t.Errorf("clear without a pool: %v", noPool)
	}
	prewarm(t, s, 100, 1)
	second := func(_ any, err error) error { return err }
	many := func(engine string, bytes, n int) error {
		return second(s.Pool().Prewarm(context.Background(), engine, bytes, n))
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{set(s, func(p *PoolSettings) { p.Capacity = -1 }), "capacity of the pool: -1, want 0 to 1000 buffers per size class"},
		{set(s, func(p *PoolSettings) { p.Capacity = 1001 }), "1001"},
		{set(s, func(p *PoolSettings) { p.Budget = 5 }), "budget of the pool: 5 B, want 1000000 B or more"},
		{set(s, func(p *PoolSettings) { p.Budget = -2 }), "-2 B"},
		{set(s, func(p *PoolSettings) { p.Mode = 9 }), "mode of the pool: 9, want dirty, zero or poison"},
		{second(s.Pool().ClearSize(0)), "0 B, want 1 B or more"},
		{second(s.Pool().Shrink(-1)), "-1 B cached, want 0 B or more"},
		{many("fake", 0, 1), "prewarm"},
		{many("fake", 100, 0), "0 buffers, want 1 to 1000"},
		{many("fake", 100, 11), "11 buffers of 112 B, the capacity is 10 per class"},
		{many("nope", 100, 1), "fake, other"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", c.err, c.want)
		}
	}
	if most := poolState(t, s).BudgetMax; most < 1<<62 {
		if err := set(s, func(p *PoolSettings) { p.Budget = most + 1 }); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("a budget over the working set: %v", err)
		}
	}
}

func TestPrewarmEndsWithItsContext(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(*workloads.Env) error { return nil })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if made, err := s.Pool().Prewarm(ctx, "fake", 100, 5); made != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("made %d, error %v", made, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool().Prewarm(context.Background(), "fake", 100, 5); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("prewarming a closed session: %v", err)
	}
	if _, err := s.Pool().State(LiveOrder{}); !errors.Is(err, ErrNoPool) || !strings.Contains(err.Error(), "closed") {
		t.Errorf("the pool of a closed session: %v", err)
	}
}

func TestLostDeviceTakesItsPoolAlong(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		return errors.Join(turns(env, 1, 64), fmt.Errorf("gone: %w", gpu.ErrDeviceLost))
	})
	if _, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{{Workload: "work"}}}); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Fatal(err)
	}
	if _, err := s.Pool().State(LiveOrder{}); !errors.Is(err, ErrNoPool) || !strings.Contains(err.Error(), "lost") {
		t.Errorf("the pool of a lost device: %v", err)
	}
	prewarm(t, s, 100, 1) // on the engine opened again
}

func TestDeviceLostWhilePrewarming(t *testing.T) {
	s := pooled(t, gputest.Script{Allocations: map[int]error{2: gpu.ErrDeviceLost}}, func(*workloads.Env) error { return nil })
	if made, err := s.Pool().Prewarm(context.Background(), "fake", 100, 5); made != 1 || !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("made %d, error %v; want 1 and a lost device", made, err)
	}
	if _, err := s.Pool().State(LiveOrder{}); !errors.Is(err, ErrNoPool) {
		t.Errorf("the pool of a lost device: %v", err)
	}
}

// A replay's last reading is the run's own value.
func TestTheLastSnapshotIsOfTheRunsEnd(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error { return turns(env, 100, 64) })
	run := runWork(t, s)
	if len(run.Snapshots) == 0 {
		t.Fatal("no snapshot in the bundle")
	}
	last := run.Snapshots[len(run.Snapshots)-1]
	for metric, want := range map[string]float64{monitor.PoolReuse: 0.99, monitor.PoolCached: 64, monitor.EngineLive: 0} {
		if v, ok := last.Value(metric); !ok || v != want {
			t.Errorf("%s is %g, %v; want %g", metric, v, ok, want)
		}
	}
	if last.Time.After(run.Meta.Finished) || last.Time.Before(run.Meta.Started) {
		t.Errorf("taken at %v, the run went from %v to %v", last.Time, run.Meta.Started, run.Meta.Finished)
	}
}

// The waste of rounding requests up is a reading while they are live.
func TestPoolWasteIsAReading(t *testing.T) {
	reading := func(s *Session, metric string) monitor.Reading {
		for _, r := range s.Tick(context.Background()).Readings {
			if r.Metric == metric {
				return r
			}
		}
		return monitor.Reading{}
	}
	var s *Session
	s = pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		l, err := env.Pool.Acquire(96, "small")
		if err != nil {
			return err
		}
		if r := reading(s, monitor.PoolWaste); r.Status != monitor.OK || r.Value != 0.25 {
			t.Errorf("waste of 96 B in 128 B: %+v", r)
		}
		if r := reading(s, monitor.PoolWasted); r.Status != monitor.OK || r.Value != 32 {
			t.Errorf("bytes wasted: %+v", r)
		}
		return l.Release()
	})
	if err := set(s, func(p *PoolSettings) { p.Policy = gpu.PolicyPow2 }); err != nil {
		t.Fatal(err)
	}
	runWork(t, s)
	if r := reading(s, monitor.PoolWaste); r.Status != monitor.Unavailable || r.Reason != "nothing is live" {
		t.Errorf("waste after the run: %+v", r)
	}
}

func TestPoolReadingsBetweenRuns(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error { return turns(env, 100, 64) })
	reading := func(metric string) monitor.Reading {
		for _, r := range s.Tick(context.Background()).Readings {
			if r.Metric == metric {
				return r
			}
		}
		return monitor.Reading{}
	}
	if r := reading(monitor.PoolReuse); r.Status != monitor.Unavailable || !strings.Contains(r.Reason, "there is no pool") {
		t.Errorf("without a pool: %+v", r)
	}
	prewarm(t, s, 1000, 2)
	if r := reading(monitor.PoolCached); r.Status != monitor.OK || r.Value != 2016 {
		t.Errorf("cached after prewarming: %+v", r)
	}
	for _, metric := range []string{monitor.EngineLive, monitor.EngineBuffers} {
		if r := reading(metric); r.Status != monitor.OK || r.Value != 0 {
			t.Errorf("%s after prewarming: %+v; what is cached is not live", metric, r)
		}
	}
	for range 2 {
		runWork(t, s)
		if r := reading(monitor.PoolReuse); r.Status != monitor.OK || r.Value != 0.99 {
			t.Errorf("reuse after the run: %+v", r)
		}
		if r := reading(monitor.PoolReuseRecent); r.Status != monitor.OK || r.Value != 0.99 {
			t.Errorf("recent reuse after the run: %+v", r)
		}
	}
}

// TestPoolIsSafeForConcurrentUse does everything at once; the race detector and the engine's ledger judge.
func TestPoolIsSafeForConcurrentUse(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error { return turns(env, 300, 4096) })
	done := make(chan struct{})
	var users sync.WaitGroup
	for _, use := range []func(){
		func() { _, _ = s.Pool().State(LiveOrder{By: LiveSite}) },
		func() { _, _ = s.Pool().Clear() },
		func() { _, _ = s.Pool().Prewarm(context.Background(), "fake", 4096, 3) },
		func() { _ = set(s, func(p *PoolSettings) { p.Capacity, p.Budget = 3, 2_000_000 }) },
		func() { _, _ = s.Leaks().SetBaseline() },
		func() { s.Leaks().Curve() },
	} {
		users.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					use()
				}
			}
		})
	}
	for range 5 {
		if run := runWork(t, s); !run.OK() {
			t.Errorf("leaks %+v", run.Leaks())
		}
	}
	close(done)
	users.Wait()
}

// TestBuffersThatARunLeftAreListed ends a run that leaks: the buffers it left stay in the state until the next run.
func TestBuffersThatARunLeftAreListed(t *testing.T) {
	leaks := true
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		for range 3 {
			b, err := env.Pool.Acquire(1000, "deliberate leak")
			if err != nil {
				return err
			}
			if !leaks {
				b.Release()
			}
		}
		return nil
	})
	state := func() PoolState {
		if _, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{{Workload: "work"}}}); err != nil {
			t.Fatal(err)
		}
		state, err := s.Pool().State(LiveOrder{By: LiveAge})
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	first := state()
	sites := GroupLive(first.Left)
	if len(first.Live) != 0 || len(sites) != 1 || sites[0].Count != 3 || sites[0].Requested != 3000 || sites[0].Label != "deliberate leak" {
		t.Fatalf("%d live, %d left, sites %+v", len(first.Live), len(first.Left), sites)
	}
	if oldest, youngest := first.Left[0].Age, first.Left[2].Age; oldest < youngest || sites[0].Oldest != oldest {
		t.Errorf("the first is %v old, the last %v: want the oldest first", oldest, youngest)
	}
	leaks = false
	if again := state(); len(again.Left) != 0 {
		t.Errorf("after a run without leak %d are left", len(again.Left))
	}
}

// The gauge of the working set counts what is allocated, live or cached, and needs an engine that reports one.
func TestWorkingSetInUse(t *testing.T) {
	gauge := func(s *Session) monitor.Reading {
		snap := s.Tick(context.Background())
		r, _ := snap.Find(monitor.EngineWorkingSet)
		return r
	}
	work := func(*workloads.Env) error { return nil }
	s := pooled(t, gputest.Script{MemoryLimit: 1 << 20}, work)
	if r := gauge(s); r.Status != monitor.Unavailable || r.Reason != "no engine is open" {
		t.Errorf("without an engine: %+v", r)
	}
	prewarm(t, s, 1<<18, 1)
	engine, _ := s.engines.current()
	live, err := engine.NewBuffer(1<<17, gpu.Shared, "live")
	if err != nil {
		t.Fatal(err)
	}
	if r := gauge(s); r.Status != monitor.OK || r.Value != 0.375 || !strings.Contains(r.Source, "working set of 1.05 MB") {
		t.Errorf("three eighths are allocated, of which a third is live: %+v", r)
	}
	if err := live.Release(); err != nil {
		t.Fatal(err)
	}
	if r := gauge(s); r.Value != 0.25 {
		t.Errorf("a quarter is cached: %+v", r)
	}
	unlimited := pooled(t, gputest.Script{}, work)
	prewarm(t, unlimited, 1<<18, 1)
	if r := gauge(unlimited); r.Status != monitor.Unavailable || !strings.Contains(r.Reason, "does not report its working set") {
		t.Errorf("of an engine without one: %+v", r)
	}
}
