package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
)

// poolEvents are the events of a run about its pool.
func poolEvents(run *bundle.Run) []bundle.Event {
	var out []bundle.Event
	for _, e := range run.Events {
		if e.Kind == bundle.PoolActed {
			out = append(out, e)
		}
	}
	return out
}

// totals adds up the pool's events by act and cause.
func totals(run *bundle.Run) map[string]bundle.PoolSum {
	sums := map[string]bundle.PoolSum{}
	for _, e := range poolEvents(run) {
		key := e.Pool.Act + " for " + e.Pool.Cause
		s := sums[key]
		s.Count, s.Bytes = s.Count+e.Pool.Count, s.Bytes+e.Pool.Bytes
		sums[key] = s
	}
	return sums
}

func TestPoolActsAreEventsOfTheRun(t *testing.T) {
	var stats gpu.Stats
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		ctx := context.Background()
		if err := env.Between(ctx, "first"); err != nil {
			return err
		}
		if _, err := env.Pool.Acquire(50_000_000, "weights"); !errors.Is(err, gpu.ErrOutOfMemory) {
			return fmt.Errorf("the budget lets 50 MB pass: %w", err)
		}
		env.Observer.Results(workloads.Result{Workload: "work", Case: "first", Status: workloads.Unsupported, Failure: workloads.Failure{Text: "a test"}})
		if err := env.Between(ctx, "second"); err != nil {
			return err
		}
		for n := range 300 { // each size is a separate class, and the budget has room for a few
			if err := turns(env, 1, 400_000+n); err != nil {
				return err
			}
		}
		stats = env.Pool.Stats()
		return env.Between(ctx, "third")
	})
	if err := set(s, func(p *PoolSettings) { p.Policy, p.Budget = gpu.PolicyExact, 1_000_000 }); err != nil {
		t.Fatal(err)
	}
	run := runWork(t, s)
	events, sums := poolEvents(run), totals(run)
	if len(events) < 2 || len(events) > 2*actsTold {
		t.Fatalf("%d events", len(events))
	}
	refused := events[0]
	if refused.Pool.Act != actRefused || refused.Case != "first" || refused.Severity != "warning" ||
		refused.Text != `1 request (50 MB) refused, beyond the pool’s budget; the last for "weights"` {
		t.Errorf("the refusal is %+v", refused)
	}
	// Evictions in the second case are not reported for the third, however late they are.
	for _, e := range events[1:] {
		if e.Pool.Act == actEvicted && e.Case != "second" {
			t.Errorf("evicted in %q: %+v", e.Case, e)
		}
	}
	evicted := sums["evicted for budget"]
	if evicted.Count != stats.Evictions || evicted.Count < 290 || evicted.Bytes < 290*400_000 {
		t.Errorf("%+v evicted in the events, %d in the pool’s counters", evicted, stats.Evictions)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := totals(loaded)["evicted for budget"]; got != evicted {
		t.Errorf("read back %+v, want %+v", got, evicted)
	}
}

// However much happens, the events become rarer, and their sums stay complete.
func TestPoolTallyIsBounded(t *testing.T) {
	var tally poolTally
	now := time.Now()
	told, sum := 0, int64(0)
	take := func(all bool) {
		for _, e := range tally.due(now, all) {
			told++
			sum += e.Pool.Count
		}
	}
	const seconds = 24 * 3600
	for range seconds {
		tally.add(poolAct{actEvicted, "capacity"}, poolSum{count: 3, bytes: 30, first: now, last: now})
		now = now.Add(time.Second)
		take(false)
	}
	take(true)
	if sum != 3*seconds || told < actsTold || told > 250 {
		t.Errorf("%d evictions in %d events, want %d in at most 250", sum, told, 3*seconds)
	}
}

func TestUpkeepBetweenWorkloadsAndCases(t *testing.T) {
	work := func(env *workloads.Env) error {
		for _, name := range []string{"a", "b"} {
			if err := env.Between(context.Background(), name); err != nil {
				return err
			}
			if err := errors.Join(turns(env, 1, 1000), turns(env, 1, 5000)); err != nil {
				return err
			}
		}
		return nil
	}
	job := bundle.Job{Workload: "work"}
	for _, c := range []struct {
		upkeep PoolUpkeep
		want   string // the kind of the events
		freed  int64  // buffers
		note   string
	}{
		{PoolUpkeep{Clear: true}, "cleared for request", 2, "cleared between workloads"},
		{PoolUpkeep{Clear: true, EachCase: true}, "cleared for request", 6, "cleared between cases"},
		{PoolUpkeep{Sizes: []int{1000}, EachCase: true}, "cleared for request", 3, "cleared of buffers for 1 kB between cases"},
		{PoolUpkeep{Shrink: true, ShrinkTo: 5200}, "shrunk for request", 1, "shrunk to 5.2 kB between workloads"},
	} {
		s := pooled(t, gputest.Script{}, work)
		run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{job, job}, Upkeep: c.upkeep})
		if err != nil {
			t.Fatal(err)
		}
		if got := totals(run)[c.want].Count; got != c.freed {
			t.Errorf("%+v: %d buffers freed in %+v, want %d", c.upkeep, got, totals(run), c.freed)
		}
		if text := noteOf(run, "Pool"); !strings.HasSuffix(text, c.note) {
			t.Errorf("the run says of its pool %q", text)
		}
	}
	s := pooled(t, gputest.Script{}, work)
	if _, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{job}, Upkeep: PoolUpkeep{Sizes: []int{0}}}); err == nil {
		t.Error("a size of 0 B is accepted")
	}
}

func TestPoolOff(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error { return turns(env, 3, 1000) })
	if err := set(s, func(p *PoolSettings) { p.Off = true }); err != nil {
		t.Fatal(err)
	}
	run := runWork(t, s)
	if st := poolState(t, s).Stats; st.Creates != 3 || st.Reuses != 0 || !st.Disabled {
		t.Errorf("a pool that is off: %+v", st)
	}
	if text := noteOf(run, "Pool"); !strings.HasPrefix(text, "off:") {
		t.Errorf("the run says of its pool %q", text)
	}
}
