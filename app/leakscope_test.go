package app

import (
	"context"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
)

// twoCases is a workload of two cases; the second leaves a buffer, and so does the workload itself.
func twoCases() workloads.Workload {
	return workloads.Workload{
		Name: "careless", Title: "Careless", Group: "Tests",
		Run: func(ctx context.Context, env *workloads.Env, _ workloads.Values) error {
			if _, err := env.Pool.Acquire(100, "of the workload"); err != nil {
				return err
			}
			for _, name := range []string{"tidy", "untidy"} {
				if err := env.Between(ctx, name); err != nil {
					return err
				}
				l, err := env.Pool.Acquire(1000, "weights")
				if err != nil {
					return err
				}
				env.Observer.Iteration(name)
				if name == "tidy" {
					_ = l.Release()
				}
				env.After(name)
			}
			return nil
		},
	}
}

// What a case leaves live is reported with the case when it ends, what the workload leaves in addition at its end; each once.
func TestCaseLeavesBuffers(t *testing.T) {
	s, err := New(Config{
		Engines:   []Engine{{Name: "x", Title: "X", Open: func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil }}},
		Workloads: []workloads.Workload{twoCases()}, RunsDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{{Workload: "careless"}}})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range run.Leaks() {
		if e.Title == "Buffers not released" {
			told = append(told, e.Text)
		}
	}
	if len(told) != 2 {
		t.Fatalf("told %q, want one leak of the case and one of the workload", told)
	}
	for _, want := range []string{"careless: 1 buffer, 1.01 kB, allocated by the case untidy at ", "leakscope_test.go", "(weights), called from app/run.go:"} {
		if !strings.Contains(told[0], want) {
			t.Errorf("of the case %q is told, want %q", told[0], want)
		}
	}
	if strings.Contains(told[1], "case") || !strings.Contains(told[1], "(of the workload)") {
		t.Errorf("of the workload %q is told", told[1])
	}
	state, err := s.Pool().State(LiveOrder{By: LiveAge})
	if err != nil || len(state.Left) != 2 || state.Left[0].Owner != "" || state.Left[1].Owner != "untidy" {
		t.Errorf("left %+v, %v", state.Left, err)
	}
	groups := GroupLive(state.Left)
	if len(groups) != 2 || groups[0].Case != "untidy" || len(groups[0].Trace) < 2 {
		t.Errorf("groups %+v", groups)
	}
}

// Buffers that the device still works on are not leaked, and not released.
func TestBuffersInFlightAreNoLeaks(t *testing.T) {
	s, err := New(Config{
		Engines: []Engine{{Name: "x", Title: "X", Open: func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil }}},
		Workloads: []workloads.Workload{{Name: "abandoned", Title: "Abandoned", Group: "Tests", Run: func(_ context.Context, env *workloads.Env, _ workloads.Values) error {
			if err := env.Between(t.Context(), "a case"); err != nil {
				return err
			}
			_, err := env.Pool.Acquire(1000, "weights")
			env.InFlight()
			env.InFlight()
			env.After("a case")
			return err
		}}}, RunsDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{{Workload: "abandoned"}}})
	if err != nil || len(run.Leaks()) != 0 {
		t.Errorf("%v, leaks %+v", err, run.Leaks())
	}
	told := 0
	for _, e := range run.Events {
		if e.Title == "Leaks not checked" {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times that leaks were not checked", told)
	}
}
