package bench

import (
	"context"
	"errors"
	"math"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/metric"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

var errBoom = errors.New("boom")

// scripted is Work that records calls.
type scripted struct {
	name string
	log  *[]string
	err  error // of Start
	late error // of the wait
}

func (w *scripted) MaxReps() int      { return 7 }
func (w *scripted) Reps(reps int) int { return reps }

func (w *scripted) Start(context.Context, int) (measure.Pending, error) {
	*w.log = append(*w.log, "start "+w.name)
	return func() (float64, error) {
		*w.log = append(*w.log, "wait "+w.name)
		return 1, w.late
	}, w.err
}

// Host work needs no dispatches: it has a time, no operations, and fails with its own error.
func TestHostWork(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Workload = &workloads.Workload{Name: "host"}
	runs := 0
	build := func(*Scope) ([]Variant, error) {
		return []Variant{
			{Name: "scripted", Work: Host(func(context.Context, int) (float64, error) { return 2e-3, nil }), Items: 3},
			{Name: "counted", Work: Host(func(_ context.Context, reps int) (float64, error) { runs += reps; return 1e-3, nil })},
			{Name: "broken", Work: Host(func(context.Context, int) (float64, error) { return 0, errBoom })},
		}, nil
	}
	if err := New(b.Env).MeasureAll(t.Context(), []Case{{Name: "case", Build: build}}); err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 3 {
		t.Fatalf("%d results", len(b.Measured))
	}
	r := &b.Measured[0]
	if r.Status != workloads.OK || r.Time().Median != 2e-3 || r.Number(workloads.ItemRate) != 1500 ||
		!math.IsNaN(r.Number(workloads.Dispatches)) || !math.IsNaN(r.Number(workloads.Ops)) {
		t.Errorf("%+v", r)
	}
	if r := &b.Measured[1]; r.Status != workloads.OK || !(r.Time().Median > 0) || runs < len(r.Samples)*int(r.Number(workloads.Repetitions)) {
		t.Errorf("%d runs for %d samples of %d, status %s", runs, len(r.Samples), int(r.Number(workloads.Repetitions)), r.Status)
	}
	if r := &b.Measured[2]; r.Status != workloads.Errored || r.Failure.Text != "verify: boom" || len(r.Samples) > 0 {
		t.Errorf("status %s: %q", r.Status, r.Failure.Text)
	}
}

func TestQuartilesOfSamples(t *testing.T) {
	var v metric.Values
	timed(&v, &measure.Result{Samples: []float64{8, 1, 7, 2, 6, 3, 5, 4}})
	if low, high := v.Number(workloads.LowerQuartile), v.Number(workloads.UpperQuartile); low != 3 || high != 7 {
		t.Errorf("%g and %g", low, high)
	}
	v = metric.Values{}
	timed(&v, &measure.Result{})
	if low := v.Number(workloads.LowerQuartile); !math.IsNaN(low) {
		t.Errorf("%g without samples", low)
	}
}
