package app

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/suite"
)

// gated is an engine whose allocations block until the gate opens.
type gated struct {
	gpu.Engine
	asked chan struct{} // gets a value when an allocation waits
	gate  chan struct{}
}

func (g *gated) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	select {
	case g.asked <- struct{}{}:
	default:
	}
	<-g.gate
	return g.Engine.NewBuffer(bytes, storage, label)
}

// gatedSession returns a session with a gated engine.
func gatedSession(t *testing.T) (s *Session, asked chan struct{}, open func()) {
	t.Helper()
	g := &gated{Engine: gputest.NewFake(gputest.Script{}), asked: make(chan struct{}, 1), gate: make(chan struct{})}
	s, err := New(Config{
		Engines:   []Engine{{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) { return g, nil }}},
		Workloads: suite.All(), RunsDir: t.TempDir(), Interval: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	open = sync.OnceFunc(func() { close(g.gate) })
	t.Cleanup(func() {
		open()
		_ = s.Close()
	})
	return s, g.asked, open
}

// within fails a test that waits too long.
func within[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: not within 20 s", what)
		panic("not reached")
	}
}

// A run whose start waits for a hung allocation can be stopped, and reports what it waited for.
func TestStopEndsAStartThatWaits(t *testing.T) {
	s, asked, open := gatedSession(t)
	warmed, started := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := s.Pool().Prewarm(context.Background(), "fake", 64, 2)
		warmed <- err
	}()
	within(t, "prewarming", asked)
	go func() { started <- s.Runs().Start(Request{Jobs: []bundle.Job{small(t, s)}, Quick: true}) }()
	for !s.Runs().Active() {
		time.Sleep(time.Millisecond)
	}
	if err := s.Runs().Start(Request{Jobs: []bundle.Job{small(t, s)}}); !errors.Is(err, ErrBusy) {
		t.Errorf("a second run while the first waits: %v, want ErrBusy", err)
	}
	s.Runs().Stop()
	err := within(t, "the end of the start", started)
	var wait *WaitError
	if !errors.As(err, &wait) || wait.Holder != UsePrewarm || !errors.Is(err, context.Canceled) {
		t.Errorf("the start ended with %v, want that it waited for prewarming", err)
	}
	if s.Runs().Active() {
		t.Error("the run that was stopped is active")
	}
	open()
	// The stop may come before the start has told prewarming to end: then prewarming continues.
	if err := within(t, "the end of prewarming", warmed); err != nil && !errors.Is(err, ErrBusy) {
		t.Errorf("prewarming ended with %v, want ErrBusy: a run was asked for", err)
	}
}

// The start of a run ends a prewarming; the run uses the buffers made so far.
func TestRunEndsPrewarming(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(*workloads.Env) error { return nil })
	lease, err := s.device.Acquire(context.Background(), UsePrewarm)
	if err != nil {
		t.Fatal(err)
	}
	ctx, unbind := lease.bind(context.Background())
	defer unbind()
	go func() {
		<-ctx.Done()
		lease.Release()
	}()
	if _, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{{Workload: "work"}}}); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(context.Cause(ctx), ErrBusy) {
		t.Errorf("prewarming was ended by %v, want ErrBusy", context.Cause(ctx))
	}
}

// While its ledger is open, a run lets others prewarm and empty its pool, but not measure.
func TestLeaseOfARun(t *testing.T) {
	var d device
	run, err := d.Acquire(t.Context(), UseRun)
	if err != nil {
		t.Fatal(err)
	}
	for _, use := range []Use{UseRun, UseTuning, UseLeaks} {
		if _, err := d.Acquire(t.Context(), use); !errors.Is(err, ErrBusy) {
			t.Errorf("%s during a run: %v, want ErrBusy", use, err)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := d.Acquire(short, UsePool); err == nil || !strings.Contains(err.Error(), "waiting for a run to end") {
		t.Errorf("the pool of a run that opens: %v, want that it waits", err)
	}
	run.share()
	guest, err := d.Acquire(t.Context(), UsePrewarm)
	if err != nil {
		t.Fatal(err)
	}
	ctx, unbind := guest.bind(t.Context())
	defer unbind()
	closing := make(chan struct{})
	go func() {
		run.unshare()
		close(closing)
	}()
	within(t, "the end of the run interrupts prewarming", ctx.Done())
	select {
	case <-closing:
		t.Error("a run closes its ledger during prewarming")
	case <-time.After(10 * time.Millisecond):
	}
	guest.Release()
	within(t, "closing", closing)
	run.Release()
	run.Release()
	if tuning, err := d.Acquire(t.Context(), UseTuning); err != nil {
		t.Error(err)
	} else {
		tuning.Release()
	}
}

// Subscribers receive a run's end before the start of the next.
func TestEndComesBeforeTheNextStart(t *testing.T) {
	done := make(chan struct{}, 1)
	s := pooled(t, gputest.Script{}, func(*workloads.Env) error { done <- struct{}{}; return nil })
	var mu sync.Mutex
	var seen []Update
	ended := make(chan struct{}, 2)
	ticked := make(chan struct{}, 1)
	defer s.Subscribe(func(u Update) {
		mu.Lock()
		defer mu.Unlock()
		switch u.(type) {
		case StartUpdate:
			seen = append(seen, u)
		case EndUpdate:
			seen = append(seen, u)
			ended <- struct{}{}
		case TickUpdate:
			select {
			case ticked <- struct{}{}:
			default:
			}
		}
	})()
	request := Request{Jobs: []bundle.Job{{Workload: "work"}}}
	if err := s.Runs().Start(request); err != nil {
		t.Fatal(err)
	}
	within(t, "the workload", done)
	within(t, "the tick at the end", ticked)
	s.publishing.Lock() // so that the update of the end waits
	time.Sleep(300 * time.Millisecond)
	if err := s.Runs().Start(request); !errors.Is(err, ErrBusy) {
		t.Errorf("a run before the end of another was published: %v, want ErrBusy", err)
	}
	s.publishing.Unlock()
	within(t, "the end", ended)
	if err := s.Runs().Start(request); err != nil {
		t.Fatal(err)
	}
	within(t, "the second end", ended)
	mu.Lock()
	defer mu.Unlock()
	for i, u := range seen {
		if _, start := u.(StartUpdate); start != (i%2 == 0) {
			t.Errorf("update %d is %T", i, u)
		}
	}
}
