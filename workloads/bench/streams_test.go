package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/quant"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// Streams start everything before they wait, and wait for everything started even if one fails.
func TestStreams(t *testing.T) {
	for _, tc := range []struct {
		name       string
		start, end error // of the second of three
		want       []string
	}{
		{"all well", nil, nil, []string{"start a", "start b", "start c", "wait a", "wait b", "wait c"}},
		{"one cannot start", errBoom, nil, []string{"start a", "start b", "wait a"}},
		{"one fails", nil, errBoom, []string{"start a", "start b", "start c", "wait a", "wait b", "wait c"}},
	} {
		var log []string
		s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
		w, failed := s.Streams(&scripted{"a", &log, nil, nil}, &scripted{"b", &log, tc.start, tc.end}, &scripted{"c", &log, nil, nil})
		if failed != nil {
			t.Fatal(failed)
		}
		clock := time.Unix(0, 0)
		w.(*streams).now = func() time.Time { clock = clock.Add(time.Second); return clock }
		wait, err := w.Start(t.Context(), 4)
		var seconds float64
		if err == nil {
			seconds, err = wait()
		}
		if want := errors.Join(tc.start, tc.end); (err != nil) != (want != nil) || !slices.Equal(log, tc.want) {
			t.Errorf("%s: error %v, %v; want %v", tc.name, err, log, tc.want)
		}
		if err == nil && (seconds != 0.25 || w.MaxReps() != 7) {
			t.Errorf("%s: %g s for each of 4 repetitions in one second, at most %d", tc.name, seconds, w.MaxReps())
		}
		s.Release()
	}
}

// reluOf is ReLU of n elements, and its output.
func reluOf(t testing.TB, s *Scope, n int) ([]gpu.Launch, gpu.Buffer) {
	t.Helper()
	x, err := s.Random(shaders.F32, n, "x")
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Buffer(shaders.F32, n, "out")
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Dispatch(shaders.Pick{Op: "relu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: uint32(n)}, x, out)
	if err != nil {
		t.Fatal(err)
	}
	return []gpu.Launch{d}, out
}

func streamsOf(t *testing.T, s *Scope, works ...Work) Work {
	t.Helper()
	w, err := s.Streams(works...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The second stream completes although the first never does: each has its own queue, separate from the bench's.
func TestStreamsOverlap(t *testing.T) {
	b := benchtest.New(t, gputest.Script{Steps: []gputest.Step{{Hang: true}}})
	s := New(b.Env).NewScope(t.Context())
	first, _ := reluOf(t, s, 8)
	second, out := reluOf(t, s, 8)
	works := []*clocked{{s.Launches(first).(*launches), nil, new(float64)}, {s.Launches(second).(*launches), nil, new(float64)}}
	w := streamsOf(t, s, works[0], works[1])
	if err := out.Fill(gpu.PoisonByte); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if queues := s.queues; len(queues) != 2 || works[0].queue != queues[0] || works[1].queue != queues[1] || queues[0] == queues[1] || slices.Contains(queues, b.Env.Queue) {
		t.Errorf("queues %v", queues)
	}
	if _, err := works[1].wait(); err != nil {
		t.Error(err)
	}
	if firstPoison(out.Bytes(), 4) >= 0 {
		t.Error("the second stream has written nothing")
	}
	s.Release() // closes the queues, which ends the hang
	for i, q := range s.queues {
		t.Errorf("queue %d, %v, is open", i, q)
	}
	b.NoLive(t)
}

// On the CPU engine streams run at the same time: the device's times of both together are longer than the host's. On a busy machine
// one may be held up, but not each time.
func TestStreamsOverlapOnTheCPU(t *testing.T) {
	b, _ := onCPU(t)
	s := b.NewScope(t.Context())
	defer s.Release()
	var device float64
	var works []Work
	for range 2 {
		set, _ := reluOf(t, s, 1<<18)
		works = append(works, &clocked{s.Launches(set).(*launches), nil, &device})
	}
	w := streamsOf(t, s, works...)
	const reps = 400
	var host float64
	for attempt := 0; attempt < 20 && device <= 1.2*host; attempt++ {
		device = 0
		var err error
		if host, err = run(t.Context(), w, reps); err != nil {
			t.Fatal(err)
		}
	}
	if device <= 1.2*host {
		t.Errorf("%g s of two streams in %g s: they ran one after another", reps*device, reps*host)
	}
	if c, err := check(t.Context(), &Variant{Work: w}); err != nil || !c.OK || c.Checked != 2*verifyLimit {
		t.Errorf("%+v, error %v", c, err)
	}
}

// clocked sums its times and records the last wait.
type clocked struct {
	*launches
	wait measure.Pending
	sum  *float64
}

func (c *clocked) Start(ctx context.Context, reps int) (measure.Pending, error) {
	wait, err := c.launches.Start(ctx, reps)
	c.wait = func() (float64, error) {
		seconds, err := wait()
		*c.sum += seconds
		return seconds, err
	}
	return c.wait, err
}

// A wrong result is found in any stream, floats and integers alike, and every set is compared.
func TestEveryStreamIsVerified(t *testing.T) {
	for wrong := range 3 {
		s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
		single, out := reluOf(t, s, 8)
		ring := ringOf(t, s, 3)
		codes := quantizeOf(t, s)
		w := streamsOf(t, s, s.Launches(single), s.Launches(ring...), s.Launches(codes), &scripted{"host", new([]string), nil, nil})
		if n := w.(Verifier).Round(); n != 3 || w.Reps(1) != 1 || w.Reps(4) != 6 {
			t.Errorf("a round is %d repetitions; of 4 there are %d", n, w.Reps(4))
		}
		c, err := check(t.Context(), &Variant{Work: w})
		if want := 8 + 3*8 + 4*8 + 4 + 4; err != nil || !c.OK || c.Checked != want {
			t.Fatalf("right work: %+v, error %v; want %d compared", c, err, want)
		}
		at := []gpu.Binding{{Buffer: out}, ring[2][0].Bindings[1], codes[0].Bindings[1]}[wrong]
		if err := at.Buffer.Write(at.Offset, []byte{99, 98, 3, 64}); err != nil {
			t.Fatal(err)
		}
		c, err = w.(Verifier).Verify(t.Context())
		if want := []string{"stream 1: kernel relu", "stream 2: kernel relu", "stream 3: kernel quantize"}[wrong]; err != nil || c.OK ||
			!strings.HasPrefix(c.Failure, want) {
			t.Errorf("%+v, error %v; want %q", c, err, want)
		}
		s.Release()
	}
}

// quantizeOf is a quantization of 4 × 8 elements to int8.
func quantizeOf(t *testing.T, s *Scope) []gpu.Launch {
	t.Helper()
	x, err := s.Random(shaders.F32, 32, "x")
	if err != nil {
		t.Fatal(err)
	}
	buffers := []gpu.Buffer{x}
	for _, n := range []int{32, 16, 16} {
		out, err := s.bytes(n, "out")
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, out)
	}
	d, err := s.Dispatch(shaders.Pick{Op: "quantize", Type: shaders.I8}, nil, quant.QuantParams{Rows: 4, Cols: 8, Block: 8}, buffers...)
	if err != nil {
		t.Fatal(err)
	}
	return []gpu.Launch{d}
}

// Unwritten integers of a stream are found as in plain launches.
func TestUnwrittenIntegersOfAStream(t *testing.T) {
	for _, left := range []int{0, 1} {
		s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
		codes := quantizeOf(t, s)
		inner := s.Launches(codes).(*launches)
		other, _ := reluOf(t, s, 8)
		w := streamsOf(t, s, s.Launches(other), inner)
		out := codes[0].Bindings[1].Buffer
		inner.queue = forgetting(inner.queue, out, 5, 5+left)
		c, err := check(t.Context(), &Variant{Work: w})
		if err != nil || c.OK != (left == 0) {
			t.Errorf("%d bytes were not written: %+v, error %v", left, c, err)
		}
		s.Release()
	}
}

// The cost of streams is their sum, and unknown if one has none.
func TestStreamsAddUpTheirCost(t *testing.T) {
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	defer s.Release()
	small, _ := reluOf(t, s, 8)
	large, _ := reluOf(t, s, 100)
	a, b := s.Launches(small), s.Launches(append(large, small...))
	w := streamsOf(t, s, a, b).(Costed)
	one, two := a.(Costed).Cost(), b.(Costed).Cost()
	if want := (shaders.Cost{Ops: one.Ops + two.Ops, Bytes: one.Bytes + two.Bytes}); w.Cost() != want || want.Ops != 116 || w.Launches() != 3 {
		t.Errorf("cost %+v of %d launches, want %+v of 3", w.Cost(), w.Launches(), want)
	}
	mixed := streamsOf(t, s, a, &scripted{"host", new([]string), nil, nil}).(Costed)
	if mixed.Cost() != (shaders.Cost{}) || mixed.Launches() != 1 {
		t.Errorf("with work of no known cost: %+v, %d launches", mixed.Cost(), mixed.Launches())
	}
}

// A case with a streams variant has results with operations, errors and times, like any other.
func TestStreamsAreMeasured(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Workload = &workloads.Workload{Name: "streams"}
	build := func(s *Scope) ([]Variant, error) {
		one, _ := reluOf(t, s, 8)
		two, _ := reluOf(t, s, 8)
		w, err := s.Streams(s.Launches(one), s.Launches(two))
		return []Variant{{Name: "alone", Work: s.Launches(one)}, {Name: "streams", Work: w, Baseline: "alone"}}, err
	}
	if err := New(b.Env).MeasureAll(t.Context(), []Case{{Name: "case", Build: build}}); err != nil {
		t.Fatal(err)
	}
	r := &b.Measured[1]
	if r.Status != workloads.OK || !(r.Time().Median > 0) || r.Number(workloads.Ops) != 16 || r.Number(workloads.Compared) != 16 || r.Number(workloads.Outputs) != 16 || r.Number(workloads.Dispatches) != 2 ||
		math.IsNaN(r.Number(workloads.ErrorMax)) || math.IsNaN(r.Speedup().Median) {
		t.Errorf("%+v", r)
	}
	b.NoLive(t)
}

// oneQueue is an engine that can open one more queue.
type oneQueue struct {
	gpu.Engine
	opened bool
}

func (e *oneQueue) NewQueue(label string) (gpu.Queue, error) {
	if e.opened {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "open queue", "", "%s", label)
	}
	e.opened = true
	return e.Engine.NewQueue(label)
}

// If a queue cannot be opened there are no streams, and the opened ones are closed with the scope.
func TestStreamsNeedQueues(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Engine = &oneQueue{Engine: b.Engine}
	s := New(b.Env).NewScope(t.Context())
	set, _ := reluOf(t, s, 8)
	if _, err := s.Streams(s.Launches(set), s.Launches(set)); !errors.Is(err, gpu.ErrOutOfMemory) {
		t.Errorf("two streams in one queue: %v", err)
	}
	first := s.queues[0]
	s.Release()
	if err := first.Close(); !errors.Is(err, gpu.ErrClosed) {
		t.Errorf("the queue of the first is open: %v", err)
	}
}
