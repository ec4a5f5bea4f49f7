package app

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads/suite"
)

// fragile is a session whose engines are lost after a while, and reopen with another fault script.
func fragile(t *testing.T, seed uint64) *Session {
	t.Helper()
	var opened atomic.Uint64
	s, err := New(Config{
		Engines: []Engine{{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) {
			r := rand.New(rand.NewPCG(seed, opened.Add(1)))
			steps := make([]gputest.Step, 200+r.IntN(4000))
			steps[len(steps)-1] = gputest.Step{Err: gpu.ErrDeviceLost}
			steps[r.IntN(len(steps))].Wrong = true
			return gputest.NewFake(gputest.Script{Steps: steps, MemoryLimit: 64 << 20}), nil
		}}},
		Workloads: suite.All(), RunsDir: t.TempDir(), Interval: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	return s
}

// order is a user action that can happen at any moment, and its allowed errors.
type order struct {
	do   func(r *rand.Rand) error
	want []error
}

// orders are the user actions on a session that runs j.
func orders(t *testing.T, s *Session, j bundle.Job) []order {
	tune := tuning(t, s, 8)
	usual := []error{ErrBusy, ErrSuperseded, context.Canceled, gpu.ErrDeviceLost, gpu.ErrClosed, gpu.ErrOutOfMemory, ErrNoPool, ErrNoBaseline}
	timed := func(r *rand.Rand) (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.Background(), time.Duration(r.IntN(30))*time.Millisecond)
	}
	timely := append([]error{context.DeadlineExceeded}, usual...)
	return []order{
		{func(*rand.Rand) error { return s.Runs().Start(Request{Jobs: []bundle.Job{j}, Quick: true}) }, usual},
		{func(r *rand.Rand) error {
			ctx, cancel := timed(r)
			defer cancel()
			_, err := s.Runs().Do(ctx, Request{Jobs: []bundle.Job{j}, Quick: true})
			return err
		}, timely},
		{func(*rand.Rand) error { s.Runs().Stop(); return nil }, nil},
		{func(*rand.Rand) error { return s.Tuner().Start(tune) }, usual},
		{func(r *rand.Rand) error {
			ctx, cancel := timed(r)
			defer cancel()
			_, err := s.Tuner().Measure(ctx, tune)
			return err
		}, timely},
		{func(*rand.Rand) error { s.Tuner().Stop(); return nil }, nil},
		{func(*rand.Rand) error {
			s.Tuner().Keep(s.Tuner().Clear(j.Workload))
			s.Tuner().Points(j.Workload)
			return nil
		}, nil},
		{func(r *rand.Rand) error {
			ctx, cancel := timed(r)
			defer cancel()
			_, err := s.Pool().Prewarm(ctx, "", 1+r.IntN(1<<16), 1+r.IntN(PoolCapacityDefault/2))
			return err
		}, append([]error{gpu.ErrInvalid}, timely...)}, // the capacity may currently be smaller
		{func(*rand.Rand) error { _, err := s.Pool().Clear(); return err }, usual},
		{func(r *rand.Rand) error { _, err := s.Pool().Shrink(int64(r.IntN(1 << 16))); return err }, usual},
		{func(r *rand.Rand) error {
			return set(s, func(p *PoolSettings) { p.Capacity = r.IntN(PoolCapacityDefault) })
		}, nil},
		{func(*rand.Rand) error { return set(s, func(p *PoolSettings) { p.Budget = PoolBudgetMin << 3 }) }, nil},
		{func(*rand.Rand) error { _, err := s.Pool().State(LiveOrder{}); return err }, usual},
		{func(*rand.Rand) error { _, err := s.Leaks().SetBaseline(); return err }, usual},
		{func(*rand.Rand) error { _, err := s.Leaks().Check(0); return err }, usual},
		{func(*rand.Rand) error { s.Leaks().Curve(); s.Alerts(); s.Engines().List(); return nil }, nil},
	}
}

// All actions in random order, on engines that get lost, until the session is closed: the race detector, the engines'
// ledger and goleak check it, and no bundle may be left half written.
func TestAnyOrder(t *testing.T) {
	for seed := range uint64(3) {
		s := fragile(t, seed)
		j := small(t, s)
		all := orders(t, s, j)
		var closed atomic.Bool
		var people sync.WaitGroup
		for person := range uint64(6) {
			people.Go(func() {
				r := rand.New(rand.NewPCG(seed, 100+person))
				for !closed.Load() {
					o := &all[r.IntN(len(all))]
					if err := o.do(r); err != nil && !isOneOf(err, o.want) && !closed.Load() {
						t.Errorf("seed %d: %v", seed, err)
					}
				}
			})
		}
		time.Sleep(700 * time.Millisecond)
		closed.Store(true)
		closing := make(chan error)
		go func() { closing <- s.Close() }()
		select {
		case err := <-closing:
			if err != nil && !errors.Is(err, gpu.ErrDeviceLost) {
				t.Errorf("seed %d: close: %v", seed, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("seed %d: the session does not close", seed)
		}
		people.Wait()
		settled(t, s)
	}
}

func isOneOf(err error, want []error) bool {
	for _, w := range want {
		if errors.Is(err, w) {
			return true
		}
	}
	return false
}

// settled checks a closed session: no tuning, no pool, and only finished bundles.
func settled(t *testing.T, s *Session) {
	t.Helper()
	if s.tuner.bench != nil || s.Runs().Active() {
		t.Error("work goes on after Close")
	}
	if own, _, _ := s.engines.pools.current(); own != nil || len(s.engines.open) > 0 {
		t.Errorf("%d engines are open after Close, pool %v", len(s.engines.open), own)
	}
	bundles, _ := filepath.Glob(filepath.Join(s.runsDir(), "*"+bundle.Extension))
	if len(bundles) == 0 {
		t.Error("nothing was run")
	}
	for _, dir := range bundles {
		run, err := bundle.Load(dir)
		if err != nil || run.Meta.State == bundle.Running {
			t.Errorf("bundle %s: %v", dir, err)
		}
		if parts, _ := filepath.Glob(filepath.Join(dir, ".*")); len(parts) > 0 {
			t.Errorf("half files %v", parts)
		}
	}
	if entries, _ := os.ReadDir(s.runsDir()); len(entries) != len(bundles) {
		t.Errorf("%d entries beside %d bundles", len(entries), len(bundles))
	}
}
