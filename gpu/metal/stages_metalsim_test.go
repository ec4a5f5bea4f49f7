//go:build metalsim && cgo && !darwin

package metal

import (
	"context"
	"errors"
	"sync"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/gpu/metal/sim"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
)

// With counters, every dispatch has its own time, within that of the command buffer.
func TestStagesOfDispatches(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 10_000)
	s, err := gputest.Submit(encoding{x.e, gpu.Encoding{Stages: true}}, x.q, x.dispatch(), x.dispatch(), x.dispatch())
	if err != nil {
		t.Fatal(err)
	}
	timing, err := s.Wait(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all, err := gpu.Stages(context.Background(), s)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	var sum float64
	for _, stage := range all {
		if stage.Label != "add_f32" || stage.Why != "" || stage.Seconds <= 0 {
			t.Errorf("stage %+v", stage)
		}
		sum += stage.Seconds
	}
	if sum > timing.Device {
		t.Errorf("the stages took %g s, the command buffer %g s", sum, timing.Device)
	}
	x.close()
}

// Library operations have no time of their own, and the stage says why.
func TestStagesOfLibraries(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 64)
	product, err := x.e.Kernel(catalog.MustFind("matmul_mps_f32"))
	if err != nil {
		t.Fatal(err)
	}
	multiply := gpu.Launch{
		Kernel: product, Params: gemm.MatmulParams{M: 8, N: 8, K: 8, Batch: 1}, Bindings: gpu.Bind(x.a, x.b, nil, x.out),
	}
	s, err := gputest.Submit(encoding{x.e, gpu.Encoding{Stages: true}}, x.q, x.dispatch(), multiply)
	if err != nil {
		t.Fatal(err)
	}
	all, err := gpu.Stages(context.Background(), s)
	if err != nil || len(all) != 2 || all[0].Why != "" || all[1].Seconds != 0 || all[1].Why != unsampledLibrary {
		t.Errorf("stages %+v, %v", all, err)
	}
	x.close()
}

// A process can have few sample buffers: many queues share them and wait for each other.
func TestCountersOfManyQueues(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 64)
	var work sync.WaitGroup
	for range 8 {
		q, err := x.e.NewQueue("one of many")
		if err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			for range 20 {
				if _, err := gputest.Submit(encoding{x.e, gpu.Encoding{Stages: true}}, q, x.dispatch()); err != nil {
					t.Error(err)
				}
			}
			if err := q.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	x.works()
	x.close()
}

// For invalid samples there is a reason instead of a time; the command buffer itself succeeds.
func TestStagesWithoutSamples(t *testing.T) {
	for name, counters := range map[string]sim.Counters{"zero": sim.ZeroCounters, "error": sim.ErrorCounters} {
		t.Run(name, func(t *testing.T) {
			o := simOptions(t)
			ledger(t)
			x := newAdder(t, openSim(t, o), 1000)
			sim.Inject(sim.Script{Counters: counters})
			s, err := gputest.Submit(encoding{x.e, gpu.Encoding{Stages: true}}, x.q, x.dispatch())
			if err != nil {
				t.Fatal(err)
			}
			all, err := gpu.Stages(context.Background(), s)
			if err != nil || len(all) != 1 || all[0].Seconds != 0 || all[0].Why == "" {
				t.Errorf("stages %+v, %v", all, err)
			}
			sim.Inject(sim.Script{})
			x.works()
			x.close()
		})
	}
}

func TestStagesUnasked(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	s, err := gputest.Submit(x.e, x.q, x.dispatch())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := gpu.Stages(context.Background(), s); !errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
	x.close()
}
