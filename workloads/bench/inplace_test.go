package bench

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/cpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/norm"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// onCPU is a bench on the CPU engine.
func onCPU(t testing.TB) (*Bench, *benchtest.Recorder) {
	t.Helper()
	e, err := cpu.OpenWith(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := e.NewQueue("test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := queue.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	heard := &benchtest.Recorder{}
	return New(&workloads.Env{
		Workload: &workloads.Workload{Name: "test"}, Engine: e, Queue: queue, Observer: heard, Seed: 3,
		Pool:    gpu.NewPool(e, gpu.PoolOptions{Mode: gpu.ModePoison, Disabled: true}),
		Options: measure.Options{MinSamples: 8, LateSamples: 8, MaxSamples: 20, MinTime: time.Nanosecond, Budget: time.Second},
	}), heard
}

// rmsNormOf is in-place RMSnorm of a matrix, and its operand. Weights alternate between 1 and `small`.
func rmsNormOf(t *testing.T, s *Scope, kind shaders.Type, rows, cols int, small float32) (gpu.Launch, gpu.Buffer) {
	t.Helper()
	x := own(t, s, kind, rows*cols, func(i int) float32 { return float32(i%97)/31 - 1.01 })
	weight := own(t, s, kind, cols, func(i int) float32 { return []float32{1, small}[i%2] })
	p := norm.RMSNormParams{Rows: uint32(rows), Cols: uint32(cols), Eps: 1e-5}
	d, err := s.Dispatch(shaders.Pick{Op: "rmsnorm", Type: kind}, nil, p, x, weight)
	if err != nil {
		t.Fatal(err)
	}
	return d, x
}

// own returns a buffer with the values of f.
func own(t *testing.T, s *Scope, kind shaders.Type, n int, f func(i int) float32) gpu.Buffer {
	t.Helper()
	b, err := s.Buffer(kind, n, "own")
	if err == nil {
		err = s.FillFloats(b, kind, n, func(dst []float32, at int) error {
			for i := range dst {
				dst[i] = f(at + i)
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A correct in-place kernel verifies before and after thousands of repetitions.
func TestInPlaceIsRight(t *testing.T) {
	for _, kind := range []shaders.Type{shaders.F32, shaders.F16, shaders.BF16} {
		b, heard := onCPU(t)
		build := func(s *Scope) ([]Variant, error) {
			d, _ := rmsNormOf(t, s, kind, 7, 33, 0.9) // an odd number of 2-byte elements, too
			return []Variant{{Name: "in place", Work: s.Launches([]gpu.Launch{d})}}, nil
		}
		if err := b.MeasureAll(t.Context(), []Case{{Name: "case", Build: build}}); err != nil {
			t.Fatal(err)
		}
		if len(heard.Measured) != 1 {
			t.Fatalf("%d results", len(heard.Measured))
		}
		r := &heard.Measured[0]
		if r.Status != workloads.OK || len(r.Samples) < 8 || !(r.Number(workloads.Repetitions) > 10) || !(r.Number(workloads.ErrorRel) >= 0) ||
			r.Number(workloads.Compared) != 7*33 || r.Number(workloads.Outputs) != 7*33 {
			t.Errorf("%v: %s %q, %d samples of %v, error %v", kind, r.Status, r.Failure.Text, len(r.Samples),
				r.Number(workloads.Repetitions), r.Number(workloads.ErrorRel))
		}
		if len(b.Pool.Live()) > 0 {
			t.Errorf("%v: %d buffers are live", kind, len(b.Pool.Live()))
		}
	}
}

// One wrong or unwritten element is found although few are compared. Verification leaves the operand unchanged.
func TestInPlaceThatIsWrong(t *testing.T) {
	const rows, cols, at = 64, 1024, 4 * 20_011 // not among the compared elements
	for _, tc := range []struct {
		name string
		with func(x []byte) []byte
		want string
	}{
		{"right", func([]byte) []byte { return nil }, ""},
		{"not written", func(x []byte) []byte { return slices.Clone(x[at:][:4]) }, "kernel rmsnorm_f32: x[20011] is"},
		{"many are wrong", func([]byte) []byte { return make([]byte, 16384) }, "kernel rmsnorm_f32: x["},
	} {
		b, _ := onCPU(t)
		s := b.NewScope(t.Context())
		d, x := rmsNormOf(t, s, shaders.F32, rows, cols, 0.9)
		v := Variant{Work: s.Launches([]gpu.Launch{d})}
		if c, err := check(t.Context(), &v); err != nil || !c.OK || c.Checked < verifyLimit {
			t.Errorf("%s: before, %+v, error %v", tc.name, c, err)
		}
		held := bytes.Clone(x.Bytes())
		b.Queue = corrupting(b.Queue, x, at, tc.with(held))
		c, err := check(t.Context(), &v)
		if err != nil || c.OK != (tc.want == "") || !strings.Contains(c.Failure, tc.want) {
			t.Errorf("%s: %+v, error %v; want %q", tc.name, c, err, tc.want)
		}
		if !bytes.Equal(x.Bytes(), held) {
			t.Errorf("%s: verification changed the operand", tc.name)
		}
		s.Release()
	}
}

// All samples do the same work: each begins with the original operand, and repetitions continue from there.
func TestSamplesInPlaceStartAlike(t *testing.T) {
	b, _ := onCPU(t)
	s := b.NewScope(t.Context())
	defer s.Release()
	d, x := rmsNormOf(t, s, shaders.F32, 4, 32, 0.9)
	work := s.Launches([]gpu.Launch{d})
	after := func(reps int) []byte {
		if _, err := run(t.Context(), work, reps); err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(x.Bytes())
	}
	once, thrice := after(1), after(3)
	if bytes.Equal(once, thrice) {
		t.Error("three repetitions give the same as one")
	}
	if !bytes.Equal(after(1), once) || !bytes.Equal(after(3), thrice) {
		t.Error("a sample starts from the output of the previous sample")
	}
}

// The output of a launch that a later one changes in place is compared in its intermediate state.
func TestInPlaceBehindAnotherLaunch(t *testing.T) {
	for wrong, want := range map[int]string{-1: "", 0: "kernel relu_f32: out[16]", 1: "kernel rmsnorm_f32: x[16]"} {
		b := benchtest.New(t, gputest.Script{})
		s := New(b.Env).NewScope(t.Context())
		norm, y := rmsNormOf(t, s, shaders.F32, 4, 8, 0.9)
		x := own(t, s, shaders.F32, 32, func(i int) float32 { return float32(1 + i%5) })
		relu, err := s.Dispatch(shaders.Pick{Op: "relu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: 32}, x, y)
		if err != nil {
			t.Fatal(err)
		}
		set := []gpu.Launch{relu, norm}
		work := s.Launches(set).(*launches)
		if work.inPlace.sets[0][0].carried {
			t.Error("the output of relu is restored")
		}
		c, err := check(t.Context(), &Variant{Work: work})
		if err != nil || !c.OK || c.Checked < 64 {
			t.Errorf("right work: %+v, error %v", c, err)
		}
		if wrong >= 0 {
			c = verifyAfterPass(t, work, set, wrong)
		}
		if c.OK != (wrong < 0) || !strings.HasPrefix(c.Failure, want) {
			t.Errorf("launch %d is wrong: %+v, want %q", wrong, c, want)
		}
		s.Release()
	}
}

// verifyAfterPass corrupts the output of one of two launches on the same buffer, after a pass over both.
func verifyAfterPass(t *testing.T, work *launches, set []gpu.Launch, wrong int) measure.Check {
	t.Helper()
	left := []gpu.Binding{work.inPlace.sets[0][0].before, set[1].Bindings[0]}[wrong]
	work.scope.bench.Queue = corrupting(work.scope.bench.Queue, left.Buffer, 4*16, []byte{0, 0, 0x80, 0xbf})
	c, err := work.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Rings of in-place operands are saved and restored set by set.
func TestInPlaceRings(t *testing.T) {
	b, _ := onCPU(t)
	s := b.NewScope(t.Context())
	defer s.Release()
	d, x := rmsNormOf(t, s, shaders.F32, 4, 32, 0.9)
	ring, err := s.Copies(x, 4*4*32, 5, "copies")
	if err != nil {
		t.Fatal(err)
	}
	held := bytes.Clone(ring.Bytes())
	d.Bindings[0].Buffer = ring.Buffer
	work := s.Launches(Rotate(d, ring)...)
	for _, reps := range []int{1, 2, 5, 10} {
		if _, err := run(t.Context(), work, reps); err != nil {
			t.Fatal(err)
		}
		if c, err := check(t.Context(), &Variant{Work: work}); err != nil || !c.OK || c.Checked < 5*minPerSet {
			t.Errorf("%d repetitions: %+v, error %v", reps, c, err)
		}
		if !bytes.Equal(ring.Bytes(), held) {
			t.Errorf("%d repetitions: the operands changed", reps)
		}
	}
}

// Values that vanish or overflow within a sample cause a warning: arithmetic on them may take a different time.
func TestDriftOfValuesIsWarnedOf(t *testing.T) {
	for small, warned := range map[float32]bool{1: false, 1e-3: true} {
		b, heard := onCPU(t)
		build := func(s *Scope) ([]Variant, error) {
			stays, _ := rmsNormOf(t, s, shaders.F32, 2, 16, 1) // one operand that stays normal hides no other
			d, _ := rmsNormOf(t, s, shaders.F32, 2, 16, small)
			return []Variant{{Name: "in place", Work: &upTo{s.Launches([]gpu.Launch{stays, d}).(*launches), 14}}}, nil
		}
		if err := b.MeasureAll(t.Context(), []Case{{Name: "case", Build: build}}); err != nil {
			t.Fatal(err)
		}
		r := &heard.Measured[0]
		got := slices.ContainsFunc(r.Warnings, func(w workloads.Warning) bool { return string(w.Kind) == string(measure.OwnOutput) })
		if r.Status != workloads.OK || got != warned {
			t.Errorf("weights of %g: %s %q, warnings %v", small, r.Status, r.Failure.Text, r.Warnings)
		}
	}
}

// upTo is work with a bounded number of repetitions per sample.
type upTo struct {
	*launches
	reps int
}

func (u *upTo) MaxReps() int { return u.reps }
