package gpu_test

import (
	"context"
	"errors"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders/catalog"
	"assay/shaders/stream"
)

func TestMeteredEngineKeepsTheContract(t *testing.T) {
	m := gpu.NewMeter()
	gputest.EncodedContract(t, func() (gpu.Engine, error) { return m.Wrap(gputest.NewFake(gputest.Script{})), nil })
	if got := m.Totals(); got.InFlight != 0 || got.Submissions == 0 || got.Failures != 0 {
		t.Errorf("after the contract: %+v, want nothing in flight, no failures", got)
	}
}

// metered is a wrapped fake engine with a queue and a triad over n elements.
type metered struct {
	t      *testing.T
	meter  *gpu.Meter
	engine gpu.Engine
	queue  gpu.Queue
	triad  gpu.Launch
}

func newMetered(t *testing.T, n uint32, steps ...gputest.Step) *metered {
	t.Helper()
	m := &metered{t: t, meter: gpu.NewMeter()}
	m.engine = m.meter.Wrap(gputest.NewFake(gputest.Script{Steps: steps}))
	k, err := m.engine.Kernel(catalog.MustFind("triad_f32"))
	m.must(err)
	var buffers []gpu.Buffer
	for range 3 {
		b, err := m.engine.NewBuffer(int(4*n), gpu.Shared, "metered")
		m.must(err)
		buffers = append(buffers, b)
	}
	m.triad = gpu.Launch{Kernel: k, Params: stream.TriadParams{N: n, S: 2}, Bindings: gpu.Bind(buffers...)}
	m.queue, err = m.engine.NewQueue("metered")
	m.must(err)
	return m
}

func (m *metered) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *metered) submit(d ...gpu.Launch) gpu.Submission {
	m.t.Helper()
	s, err := gputest.Submit(m.engine, m.queue, gpu.Launches(d...)...)
	m.must(err)
	return s
}

func (m *metered) want(when string, want gpu.Totals) {
	m.t.Helper()
	if got := m.meter.Totals(); got != want {
		m.t.Errorf("%s: %+v, want %+v", when, got, want)
	}
}

func TestMeterCountsWhatCompletes(t *testing.T) {
	m := newMetered(t, 100, gputest.Step{Seconds: 0.25}, gputest.Step{Err: gpu.ErrExecution}, gputest.Step{Seconds: 0.5})
	first := m.submit(m.triad, m.triad)
	m.want("submitted", gpu.Totals{InFlight: 1})
	for range 3 { // only the first wait counts
		_, err := first.Wait(context.Background())
		m.must(err)
	}
	done := gpu.Totals{Submissions: 1, Dispatches: 2, Ops: 400, Bytes: 2400, Seconds: 0.25}
	m.want("done", done)

	if _, err := m.submit(m.triad).Wait(context.Background()); !errors.Is(err, gpu.ErrExecution) {
		t.Errorf("the scripted failure is %v", err)
	}
	done.Failures = 1
	m.want("failed", done)

	p, err := m.engine.Prepare(m.triad, m.triad)
	m.must(err)
	if _, err := m.queue.Submit(p, 0); !errors.Is(err, gpu.ErrInvalid) {
		t.Errorf("no repeat: %v", err)
	}
	m.want("refused", done)

	_, err = m.queue.Submit(p, 3) // nobody waits
	m.must(err)
	m.must(m.queue.Close())
	m.want("queue closed", gpu.Totals{Submissions: 2, Failures: 1, Dispatches: 8, Ops: 1600, Bytes: 9600, Seconds: 0.75})
}

func TestMeterKeepsCanceledWaitsInFlight(t *testing.T) {
	m := newMetered(t, 10, gputest.Step{Hang: true})
	s := m.submit(m.triad)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled wait: %v", err)
	}
	m.want("canceled", gpu.Totals{InFlight: 1})
	if err := m.engine.Close(); err == nil {
		t.Error("Close with three live buffers gives no error")
	}
	m.want("engine closed", gpu.Totals{Failures: 1})
}
