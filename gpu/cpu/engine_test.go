package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/cpu"
	"assay/gpu/cpu/internal/machine"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	streams "assay/shaders/stream"
)

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		o    cpu.Options
		kind error
		word string
	}{
		{"unknown instructions", cpu.Options{ISA: "mmx"}, gpu.ErrUnsupported, "mmx"},
		{"negative threads", cpu.Options{Threads: -2}, gpu.ErrInvalid, "-2"},
		{"absurd threads", cpu.Options{Threads: 1 << 20}, gpu.ErrInvalid, "4096"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := cpu.OpenWith(c.o)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.word) {
				t.Errorf("OpenWith(%+v) = %v, %v; want %v naming %q", c.o, e, err, c.kind, c.word)
			}
		})
	}
}

func TestInfo(t *testing.T) {
	r := newBench(t, cpu.Options{ISA: "plain", Threads: 2})
	i := r.engine.Info()
	if i.Engine != "cpu" || !i.Unified || i.Simulated || i.Cores != 2 {
		t.Errorf("Info is %+v", i)
	}
	if !slices.Contains(i.Features, "plain (in use)") || len(i.Features) != len(cpu.ISAs()) {
		t.Errorf("Features are %q; found are %q", i.Features, cpu.ISAs())
	}
	if i.MaxBuffer <= 0 || i.WorkingSet < i.MaxBuffer {
		t.Errorf("the largest buffer is %d B, the working set %d B", i.MaxBuffer, i.WorkingSet)
	}
	i.Features[0] = "changed"
	if r.engine.Info().Features[0] == "changed" {
		t.Error("Info gives away its own Features")
	}
}

// TestThreadsFollowGOMAXPROCS: in a container it is the quota, while the number of processors is the machine's.
func TestThreadsFollowGOMAXPROCS(t *testing.T) {
	want := runtime.NumCPU() + 1
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(want))
	e, err := cpu.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got := e.Info().Cores; got != want {
		t.Errorf("%d threads with GOMAXPROCS %d", got, want)
	}
}

// available returns the memory that the system reports as available.
func (b *bench) available() int {
	b.Helper()
	m, err := machine.ReadMemory()
	b.must(err)
	return int(m.Available)
}

// TestMemoryIsNotOverbooked twice requests more than half of the available memory: untouched pages are not in use yet, but they
// are reserved.
func TestMemoryIsNotOverbooked(t *testing.T) {
	r := newBench(t, cpu.Options{Threads: 1})
	size := r.available() * 5 / 8
	first, err := r.engine.NewBuffer(size, gpu.Shared, "first")
	r.must(err)
	defer func() { r.must(first.Release()) }()
	_, err = r.engine.NewBuffer(size, gpu.Shared, "second")
	if !errors.Is(err, gpu.ErrOutOfMemory) || !strings.Contains(err.Error(), "available") {
		t.Errorf("a second buffer of %d B: %v, want %v", size, err, gpu.ErrOutOfMemory)
	}
	if got := r.engine.Memory(); got != (gpu.Memory{Bytes: int64(size), Buffers: 1}) {
		t.Errorf("Memory is %+v after one buffer of %d B", got, size)
	}
}

// TestManySmallBuffersAreNotOverbooked fills three quarters of the memory with one buffer, and then requests small ones.
func TestManySmallBuffersAreNotOverbooked(t *testing.T) {
	r := newBench(t, cpu.Options{Threads: 1})
	size := r.available() * 3 / 4
	first, err := r.engine.NewBuffer(size, gpu.Shared, "most")
	r.must(err)
	live := []gpu.Buffer{first}
	for err == nil && len(live) < 10_000 {
		var b gpu.Buffer
		if b, err = r.engine.NewBuffer(32<<20, gpu.Shared, "bit"); err == nil {
			live = append(live, b)
		}
	}
	if !errors.Is(err, gpu.ErrOutOfMemory) || !strings.Contains(err.Error(), "available") {
		t.Errorf("after %d buffers: %v, want %v", len(live), err, gpu.ErrOutOfMemory)
	}
	for _, b := range live {
		r.must(b.Release())
	}
}

// TestLargestBufferIsTheMachine: what was free when the engine opened does not limit later allocations.
func TestLargestBufferIsTheMachine(t *testing.T) {
	m, err := machine.ReadMemory()
	if err != nil {
		t.Skip(err)
	}
	if got := newBench(t, cpu.Options{Threads: 1}).engine.Info().MaxBuffer; got != m.Total {
		t.Errorf("the largest buffer is %d B, want the memory's %d B", got, m.Total)
	}
}

func TestCloseNamesLiveBuffers(t *testing.T) {
	e, err := cpu.Open()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := e.NewBuffer(1000, gpu.Private, "forgotten"); err != nil {
			t.Fatal(err)
		}
	}
	err = e.Close()
	if err == nil || !strings.Contains(err.Error(), "3 buffers (3000 B)") || !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("Close with 3 live buffers: %v", err)
	}
	if got := e.Memory(); got != (gpu.Memory{}) {
		t.Errorf("after Close Memory is %+v", got)
	}
}

// long is a submission that takes a while.
func (b *bench) long() gpu.Submission {
	b.Helper()
	d := b.dispatch("gelu_f32", elementwise.ElementwiseParams{N: 4_000_000}, nil)
	p, err := b.engine.Prepare(d)
	b.must(err)
	s, err := b.queue.Submit(p, 10)
	b.must(err, p.Release())
	return s
}

func TestWaitEndsWithItsContext(t *testing.T) {
	r := newBench(t, cpu.Options{ISA: "plain", Threads: 1})
	s := r.long()
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Wait(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled wait: %v", err)
	}
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if _, err := s.Wait(late); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("a wait past its deadline: %v", err)
	}
	timing, err := s.Wait(context.Background())
	if err != nil || timing.Device <= 0 || timing.Wall < timing.Device {
		t.Errorf("the work itself: %+v, %v", timing, err)
	}
	if again, err := s.Wait(canceled); err != nil || again != timing {
		t.Errorf("a canceled wait for finished work: %+v, %v; want %+v", again, err, timing)
	}
}

func TestReleasedInFlightIsBooked(t *testing.T) {
	r := newBench(t, cpu.Options{ISA: "plain", Threads: 1})
	r.long()
	spec := catalog.MustFind("copy_f32")
	k, err := r.engine.Kernel(spec)
	r.must(err)
	x, err := r.engine.NewBuffer(4096, gpu.Shared, "in flight")
	r.must(err)
	out := r.buffer(shaders.F32, 1024)
	before := r.engine.Memory()
	s, err := gputest.Submit(r.engine, r.queue, gpu.Launch{
		Kernel: k, Bindings: gpu.Bind(x, out), Params: streams.CopyParams{N: 1024},
	})
	r.must(err, x.Release())
	if got := r.engine.Memory(); got != before { // the long work is queued before it
		t.Errorf("while in flight Memory is %+v, want %+v", got, before)
	}
	_, err = s.Wait(context.Background())
	r.must(err)
	if got := r.engine.Memory(); got.Bytes != before.Bytes-4096 || got.Buffers != before.Buffers-1 {
		t.Errorf("after the work Memory is %+v, before it was %+v", got, before)
	}
}

// TestQueuesShareThreads runs GEMMs on more queues than threads while the engine is closed.
func TestQueuesShareThreads(t *testing.T) {
	e, err := cpu.OpenWith(cpu.Options{Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	k, err := e.Kernel(catalog.MustFind("matmul_tiled_f32"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 6 {
		q, err := e.NewQueue("shared")
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for _, n := range []int{130, 64, 200, 7} {
				if err := multiplyOnes(e, q, k, n); err != nil {
					t.Errorf("n = %d: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// multiplyOnes multiplies two n×n matrices of ones, so that every element of the product is n.
func multiplyOnes(e gpu.Engine, q gpu.Queue, k gpu.Kernel, n int) (err error) {
	var bufs [3]gpu.Buffer
	for i := range bufs {
		if bufs[i], err = e.NewBuffer(4*n*n, gpu.Shared, "shared"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, bufs[i].Release()) }()
		view := shaders.View{Data: bufs[i].Bytes()}
		for j := range view.Len() {
			view.Set(j, 1)
		}
	}
	p := gemm.MatmulParams{M: uint32(n), N: uint32(n), K: uint32(n), Batch: 1}
	s, err := gputest.Submit(e, q, gpu.Launch{Kernel: k, Params: p, Bindings: gpu.Bind(bufs[0], bufs[1], nil, bufs[2])})
	if err != nil {
		return err
	}
	if _, err := s.Wait(context.Background()); err != nil {
		return err
	}
	out := shaders.View{Data: bufs[2].Bytes()}
	for i := range out.Len() {
		if out.At(i) != float64(n) {
			return fmt.Errorf("element %d is %g", i, out.At(i))
		}
	}
	return nil
}

// brief is a program that knows whether that many runs of it are brief.
type brief interface{ Brief(repeat int) bool }

// finishing is a submission that reports whether it has ended, without a wait.
type finishing interface{ Done() <-chan struct{} }

// A brief submission has ended when Submit returns, in its turn; one that is not brief, or awaits an event, has not run on the
// caller.
func TestBriefWorkRunsAtOnce(t *testing.T) {
	b := newBench(t, cpu.Options{Threads: 2})
	stamp := b.dispatch("stamp_u32", streams.StampParams{N: 1, Value: 7}, nil)
	long := b.dispatch("chase_u32", streams.ChaseParams{N: 1, Steps: 1 << 22, Threads: 1}, nil)
	b.must(long.Bindings[0].Buffer.Fill(0))
	program := func(commands ...gpu.Command) gpu.Program {
		p, err := b.engine.Prepare(commands...)
		b.must(err)
		return p
	}
	ended := func(p gpu.Program, repeat int) bool {
		s, err := b.queue.Submit(p, repeat)
		b.must(err)
		done := s.(finishing).Done()
		select {
		case <-done:
			return true
		default:
		}
		<-done
		return false
	}
	if !ended(program(stamp), 1) || !ended(program(stamp, stamp), 3) {
		t.Error("a brief submission had not ended")
	}
	if p := program(stamp).(brief); p.Brief(17) {
		t.Error("many runs are brief")
	}
	if p := program(long).(brief); p.Brief(1) {
		t.Error("millions of loads are brief")
	}
	event, err := b.engine.NewEvent("test")
	b.must(err)
	if p := program(stamp, gpu.Signal{Event: event}).(brief); p.Brief(1) {
		t.Error("a program with events is brief")
	}
	behind, err := b.queue.Submit(program(long), 1)
	b.must(err)
	after, err := b.queue.Submit(program(stamp), 1)
	b.must(err)
	_, err = after.Wait(context.Background())
	b.must(err)
	select {
	case <-behind.(finishing).Done():
	default:
		t.Error("a brief submission ran before the one ahead of it ended")
	}
	b.must(event.Release())
}
