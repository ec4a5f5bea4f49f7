package bench_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// After each case, even one that cannot be built, its buffers have been released.
func TestAfterEachCase(t *testing.T) {
	var told []string
	b := benchtest.New(t, gputest.Script{})
	b.Env.After = func(name string) {
		if live := len(b.Env.Pool.Live()); live != 0 {
			t.Errorf("after %s %d buffers are live", name, live)
		}
		told = append(told, name)
	}
	build := func(s *bench.Scope) ([]bench.Variant, error) {
		if _, err := s.Buffer(0, 100, "x"); err != nil {
			return nil, err
		}
		return nil, errors.New("cannot be built")
	}
	w := workloads.Workload{Name: "after", Title: "After", Group: "Tests", Run: bench.Run(func(ctx context.Context, b *bench.Bench, _ workloads.Values) error {
		return b.MeasureAll(ctx, []bench.Case{{Name: "one", Build: build}, {Name: "two", Build: build}})
	})}
	if err := b.Run(t.Context(), t, w, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []string{"one", "two"}) {
		t.Errorf("told after %q", told)
	}
}
