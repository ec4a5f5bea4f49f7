package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// idle is a queue that reports success without running anything.
type idle struct{ gpu.Queue }

func (idle) Submit(gpu.Program, int) (gpu.Submission, error) { return idleSubmission{}, nil }

type idleSubmission struct{}

func (idleSubmission) Wait(context.Context) (gpu.Timing, error) { return gpu.Timing{Device: 1e-3}, nil }

// An unwritten output is wrong even if its previous contents are correct: ReLU of all −1 is 0.
func TestUnwrittenOutputIsWrong(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	s := New(b.Env).NewScope(t.Context())
	defer s.Release()
	const n = 2000
	x, err := s.Buffer(shaders.F32, n, "x")
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Buffer(shaders.F32, n, "out")
	if err != nil {
		t.Fatal(err)
	}
	minus := func(dst []float32, _ int) error {
		for i := range dst {
			dst[i] = -1
		}
		return nil
	}
	if err := errors.Join(s.FillFloats(x, shaders.F32, n, minus), out.Fill(0)); err != nil {
		t.Fatal(err)
	}
	d, err := s.Dispatch(shaders.Pick{Op: "relu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: n}, x, out)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(d); err != nil {
		t.Errorf("completed work: %v", err)
	}
	if err := out.Fill(0); err != nil {
		t.Fatal(err)
	}
	b.Env.Queue = idle{b.Env.Queue}
	if err := s.Verify(d); !errors.Is(err, errWrong) {
		t.Errorf("skipped work: %v", err)
	}
	views := []shaders.View{{}, {Type: shaders.F32, Data: make([]byte, 4*n)}}
	if got := unwritten(d.Kernel.Spec(), views); got != "" {
		t.Errorf("zeros are not written: %s", got)
	}
	for i := range 4 {
		views[1].Data[4*1234+i] = gpu.PoisonByte
	}
	if got := unwritten(d.Kernel.Spec(), views); !strings.Contains(got, "out[1234] was not written") {
		t.Errorf("an element that holds poison: %q", got)
	}
}

func TestSeedDecidesTheInputs(t *testing.T) {
	content := func(seed uint64) string {
		b := benchtest.New(t, gputest.Script{})
		b.Env.Seed = seed
		s := New(b.Env).NewScope(t.Context())
		defer s.Release()
		var all string
		for range 2 {
			x, err := s.Random(0, 10, "x")
			if err != nil {
				t.Fatal(err)
			}
			all += fmt.Sprintf("%x ", x.Bytes())
		}
		if parts := strings.Fields(all); parts[0] == parts[1] {
			t.Error("two buffers have the same content")
		}
		return all
	}
	if first, again := content(1), content(1); first != again || first == content(2) {
		t.Error("the seed does not decide the inputs")
	}
}

func TestFindMarks(t *testing.T) {
	b := New(benchtest.New(t, gputest.Script{}).Env)
	b.Workload = &workloads.Workload{Name: "test"}
	b.add(benchtest.Timed("a", "x", 1), benchtest.Timed("a", "y", 1), benchtest.Timed("b", "x", 1))
	b.tell(3)
	b.Find(workloads.Finding{Kind: "smallest", Result: b.Results()[0].ID})
	b.Find(workloads.Finding{Kind: "fastest", Result: b.Results()[0].ID})
	b.Find(workloads.Finding{Kind: workloads.KindPays, Variant: "x"})
	for i, want := range []string{"smallest, fastest", "", ""} {
		if got := b.Results()[i].MarkText(); got != want {
			t.Errorf("result %d is marked %q, want %q", i, got, want)
		}
	}
}

// Notes concern what was measured: a variant that could not be measured has none.
func TestNotesOfVariants(t *testing.T) {
	rig := benchtest.New(t, gputest.Script{})
	b := New(rig.Env)
	b.Workload = &workloads.Workload{Name: "notes"}
	note := workloads.Note("half of the rows")
	build := func(*Scope) ([]Variant, error) {
		work := Host(func(context.Context, int) (float64, error) { return 1e-3, nil })
		return []Variant{{Name: "done", Work: work, Notes: []workloads.Warning{note}}, {Name: "lacking", Err: gpu.ErrUnsupported, Notes: []workloads.Warning{note}}}, nil
	}
	if err := b.MeasureAll(t.Context(), []Case{{Name: "a case", Build: build}}); err != nil {
		t.Fatal(err)
	}
	for _, r := range rig.Measured {
		if got := slices.Contains(r.Warnings, note); got != (r.Variant == "done") {
			t.Errorf("%s: %v", r.Variant, r.Warnings)
		}
	}
	if len(rig.Measured) != 2 {
		t.Errorf("%d results", len(rig.Measured))
	}
}
