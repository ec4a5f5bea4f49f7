package monitor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a source that does what its function says.
type scripted struct {
	name string
	read func(ctx context.Context) []Reading
}

func (s scripted) Name() string                       { return s.name }
func (s scripted) Read(ctx context.Context) []Reading { return s.read(ctx) }

// counting returns 1, 2, 3 … in one reused slice.
func counting(name string) scripted {
	out := make([]Reading, 1)
	return scripted{name, func(context.Context) []Reading {
		out[0] = Reading{Metric: name + ".count"}.ok(out[0].Value + 1)
		return out
	}}
}

func newMonitor(t *testing.T, interval time.Duration, sources ...Source) *Monitor {
	t.Helper()
	m, err := New(sources, interval)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNewRefusesShortIntervals(t *testing.T) {
	_, err := New(nil, 49*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "49ms is below the minimum of 50ms") {
		t.Errorf("got %v", err)
	}
	if _, err := New(nil, MinInterval); err != nil {
		t.Errorf("the minimum itself: %v", err)
	}
}

func TestRunKeepsToItsGrid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := newMonitor(t, time.Second, counting("a"))
		start := time.Now()
		var at []time.Duration
		err := m.Run(ctx, func(s Snapshot) {
			at = append(at, s.Time.Sub(start))
			time.Sleep(300 * time.Millisecond) // a slow listener shifts nothing
			if len(at) == 100 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v", err)
		}
		for i, d := range at {
			if d != time.Duration(i)*time.Second {
				t.Fatalf("tick %d came at %v", i, d)
			}
		}
	})
}

// While held, Run reads nothing, and others still can.
func TestHeldMonitorReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := newMonitor(t, time.Second, counting("a"))
		var at []time.Duration
		start := time.Now()
		over := make(chan struct{})
		go func() {
			defer close(over)
			_ = m.Run(ctx, func(s Snapshot) { at = append(at, s.Time.Sub(start)) })
		}()
		time.Sleep(1500 * time.Millisecond)
		m.Hold(true)
		time.Sleep(3 * time.Second)
		if s := m.Tick(ctx); len(s.Readings) != 2 || s.Readings[0].Value != 3 {
			t.Errorf("a tick while held read %+v, want the third", s.Readings)
		}
		m.Hold(false)
		time.Sleep(time.Second)
		cancel()
		<-over
		if want := []time.Duration{0, time.Second, 5 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("ticks at %v, want %v", at, want)
		}
	})
}

// A metric that was not read has a reason and no value.
func TestSnapshotWithoutReadings(t *testing.T) {
	full := Snapshot{Readings: []Reading{Template(HostCPU, "test").ok(0.5), Template(MonitorCost, "test").estimated(0.1)}}
	full.Readings[0].Late = time.Second
	at := time.Unix(1000, 0)
	none := full.Without(at, "quiet mode")
	if len(none.Readings) != 2 || !none.Time.Equal(at) || full.Readings[0].Value != 0.5 {
		t.Fatalf("%+v of %+v", none, full)
	}
	for i, r := range none.Readings {
		want := Template(r.Metric, "test").unavailable("quiet mode")
		if r != want {
			t.Errorf("reading %d is %+v, want %+v", i, r, want)
		}
	}
}

func TestRunEndsAtOnceWhenCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		ticks := 0
		err := newMonitor(t, time.Hour, counting("a")).Run(ctx, func(Snapshot) { ticks++ })
		if ticks != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d ticks, %v", ticks, err)
		}
	})
}

func TestSnapshotsAreCopies(t *testing.T) {
	m := newMonitor(t, time.Second, counting("a"))
	first, second := m.Tick(t.Context()), m.Tick(t.Context())
	v1, _ := first.Value("a.count")
	v2, _ := second.Value("a.count")
	if v1 != 1 || v2 != 2 {
		t.Errorf("values %v and %v, want 1 and 2: a source's slice was shared", v1, v2)
	}
}

func TestPanicCostsOnlyItsSource(t *testing.T) {
	broken := false
	flaky := scripted{"flaky", func(context.Context) []Reading {
		if broken {
			panic("no such register")
		}
		return []Reading{Reading{Metric: "flaky.value"}.ok(7)}
	}}
	m := newMonitor(t, time.Second, flaky, counting("a"))
	m.Tick(t.Context())
	broken = true
	s := m.Tick(t.Context())
	r, found := s.Find("flaky.value")
	if !found || r.Status != Failed || r.Value != 0 || !strings.Contains(r.Reason, "no such register") {
		t.Errorf("reading of the source that panicked: %+v", r)
	}
	if v, ok := s.Value("a.count"); !ok || v != 2 {
		t.Errorf("the other source gave %v, %v", v, ok)
	}
	broken = false
	after := m.Tick(t.Context())
	if v, ok := after.Value("flaky.value"); !ok || v != 7 {
		t.Errorf("after recovery: %v, %v", v, ok)
	}
}

func TestHangCostsOnlyItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		reads, running := 0, 0
		hung := scripted{"hung", func(context.Context) []Reading {
			reads++
			if running++; running > 1 {
				t.Error("two reads of one source at a time")
			}
			defer func() { running-- }()
			if reads == 1 {
				<-release
			}
			return []Reading{Reading{Metric: "hung.value"}.ok(float64(reads))}
		}}
		m := newMonitor(t, time.Second, hung, counting("a"))
		for tick := range 3 {
			begin := time.Now()
			s := m.Tick(t.Context())
			if took := time.Since(begin); took > maxWait {
				t.Errorf("tick %d took %v", tick, took)
			}
			if r, _ := s.Find("source.hung"); r.Status != Failed || !strings.Contains(r.Reason, "no answer for") {
				t.Errorf("tick %d: %+v", tick, r)
			}
			if v, _ := s.Value("a.count"); v != float64(tick+1) {
				t.Errorf("tick %d: the other source gave %v", tick, v)
			}
			time.Sleep(time.Second)
		}
		if r := m.Tick(t.Context()).Readings[0]; !strings.Contains(r.Reason, "for 4 s") {
			t.Errorf("reason %q, want 4 s since the read began", r.Reason)
		}
		close(release)
		synctest.Wait()
		s := m.Tick(t.Context())
		if v, ok := s.Value("hung.value"); !ok || v != 2 {
			t.Errorf("after the hang: %v, %v; want a fresh read", v, ok)
		}
	})
}

// A source slower than the wait is read once at a time, and each of its answers is in the next snapshot, marked late.
func TestSlowSourceIsDeliveredLate(t *testing.T) {
	for _, c := range []struct {
		takes    time.Duration
		delivery int // ticks between deliveries
		late     time.Duration
	}{
		{300 * time.Millisecond, 1, 700 * time.Millisecond},
		{900 * time.Millisecond, 1, 100 * time.Millisecond},
		{2300 * time.Millisecond, 3, 700 * time.Millisecond},
	} {
		t.Run(c.takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testSlowSource(t, c.takes, c.delivery, c.late) })
		})
	}
}

func testSlowSource(t *testing.T, takes time.Duration, delivery int, late time.Duration) {
	running := 0
	out := make([]Reading, 1) // reused by the source
	slow := scripted{"slow", func(ctx context.Context) []Reading {
		if running++; running > 1 {
			t.Error("two reads of one source at a time")
		}
		defer func() { running-- }()
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			t.Error("the read was cut short")
		}
		out[0] = Reading{Metric: "slow.value"}.ok(out[0].Value + 1)
		return out
	}}
	m := newMonitor(t, time.Second, slow, counting("a"))
	for tick := range 10 {
		begin := time.Now()
		s := m.Tick(t.Context())
		if elapsed := time.Since(begin); elapsed > maxWait {
			t.Errorf("tick %d blocked for %v", tick, elapsed)
		}
		r, found := s.Find("slow.value")
		switch due := tick > 0 && tick%delivery == 0; {
		case due && (r.Status != OK || r.Value != float64(tick/delivery) || r.Late != late):
			t.Errorf("tick %d: %+v, want value %d, %v late", tick, r, tick/delivery, late)
		case due && !strings.Contains(r.String(), " late)"):
			t.Errorf("tick %d: %q does not say that it is late", tick, r.String())
		case !due && found && (r.Status != Failed || !strings.Contains(r.Reason, "no answer for")):
			t.Errorf("tick %d: %+v", tick, r)
		}
		if r, _ := s.Find("a.count"); r.Value != float64(tick+1) || r.Late != 0 {
			t.Errorf("tick %d: the other source gave %+v", tick, r)
		}
		time.Sleep(time.Until(begin.Add(time.Second)))
	}
	time.Sleep(takes) // the last read ends
}

func TestCostIsAShareOfTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := scripted{"slow", func(context.Context) []Reading {
			time.Sleep(10 * time.Millisecond)
			return nil
		}}
		m := newMonitor(t, time.Second, slow)
		first := m.Tick(t.Context())
		if r, _ := first.Find(MonitorCost); r.Status != Unavailable || r.Reason != needsTwo {
			t.Errorf("first tick: %+v", r)
		}
		time.Sleep(990 * time.Millisecond)
		s := m.Tick(t.Context())
		if v, ok := s.Value(MonitorCost); !ok || v != 0.01 || s.Cost != 10*time.Millisecond {
			t.Errorf("cost %v and %v, want 1 %% and 10 ms", v, s.Cost)
		}
	})
}

// The sources of the system that the tests run on: each reading describes itself, and one without a value says why.
func TestSourcesOfThisSystem(t *testing.T) {
	m := newMonitor(t, time.Second, Sources()...)
	m.Tick(t.Context())
	s := m.Tick(t.Context())
	seen := map[string]bool{}
	for _, r := range s.Readings {
		if r.Metric == "" || r.Title == "" || r.Source == "" || seen[r.Metric] {
			t.Errorf("metric, title and source are needed, once each: %+v", r)
		}
		seen[r.Metric] = true
		if (r.Status == OK) == (r.Reason != "") || (r.Status == OK) != (r.Provenance != "") {
			t.Errorf("status, reason and provenance do not go together: %+v", r)
		}
	}
	for _, metric := range []string{ProcessRSS, ProcessHeap, ProcessGoroutines, HostMemoryTotal, HostLoad} {
		if v, ok := s.Value(metric); !ok || v < 0 {
			t.Errorf("%s: %v, %v", metric, v, ok)
		}
	}
	for _, metric := range []string{HostCPU, HostMemory, HostSwap, MemoryPressure, Temperature, ThermalState, Throttling, Power} {
		if !seen[metric] {
			t.Errorf("nothing is said of %s", metric)
		}
	}
}

func TestFootprint(t *testing.T) {
	bytes, err := Footprint(t.Context())
	if err != nil || bytes < 1<<20 {
		t.Errorf("%d B, %v: a Go test takes more than a MiB", bytes, err)
	}
}

func TestHost(t *testing.T) {
	info, err := Host(t.Context())
	if err != nil {
		t.Skipf("this system does not describe itself: %v", err)
	}
	if info.OS == "" || info.Kernel == "" || info.Threads < 1 || info.MemoryBytes == 0 {
		t.Errorf("incomplete: %+v", info)
	}
}

func BenchmarkTick(b *testing.B) {
	m, err := New(Sources(), time.Second)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Tick(b.Context())
	}
}
