package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"assay/gpu/gputest"
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

// Work that changes its own input is reset before each sample.
func TestStatefulWorkIsReset(t *testing.T) {
	var log []string
	w := Stateful(&scripted{"a", &log, nil, nil}, func(context.Context) error { log = append(log, "reset"); return nil })
	for range 2 {
		if _, err := w.Start(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"reset", "start a", "wait a", "reset", "start a"}; !slices.Equal(log, want) {
		t.Errorf("%v, want %v", log, want)
	}
	w = Stateful(&scripted{"a", &log, nil, nil}, func(context.Context) error { return errBoom })
	if _, err := w.Start(t.Context(), 1); !errors.Is(err, errBoom) {
		t.Errorf("error %v", err)
	}
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

// Stateful work can be verified and has a cost, if the wrapped work can and has.
func TestStatefulKeepsWhatItsWorkOffers(t *testing.T) {
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	defer s.Release()
	reset := func(context.Context) error { return nil }
	inner := s.Launches(ringOf(t, s, 1)...)
	w := Stateful(inner, reset)
	if v, ok := w.(Verifier); !ok || v.Round() != 1 {
		t.Error("it cannot be verified")
	}
	if c, ok := w.(Costed); !ok || c.Cost() != inner.(Costed).Cost() {
		t.Error("it has no cost")
	}
	if c, err := check(t.Context(), &Variant{Work: w}); err != nil || !c.OK || c.Checked == 0 {
		t.Errorf("%+v, error %v", c, err)
	}
	var log []string
	if _, ok := Stateful(&scripted{"a", &log, nil, nil}, reset).(Verifier); ok {
		t.Error("work without outputs can be verified")
	}
}
