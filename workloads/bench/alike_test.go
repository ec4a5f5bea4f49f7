package bench

import (
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// asks returns the buffers that a variant of two sets requests.
func asks(t *testing.T, s *Scope, variant string, most int) (all []gpu.Buffer) {
	t.Helper()
	s.For(variant)
	for range 2 {
		x, err := s.Random(shaders.F32, 100, "x")
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Output(shaders.F32, most, "out")
		if err != nil {
			t.Fatal(err)
		}
		own, err := s.Buffer(shaders.F32, 100, "own")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x, out, own)
	}
	return all
}

// Variants of a scope share random operands and outputs of the same size, set by set, even when they are built alternately; buffers
// that are overwritten are not shared, and in a short measurement outputs are not.
func TestVariantsShareOperands(t *testing.T) {
	for _, short := range []bool{false, true} {
		b := New(benchtest.New(t, gputest.Script{}).Env)
		b.Options = measure.Options{Short: short}
		s := b.NewScope(t.Context())
		defer s.Release()
		apart, err := s.Random(shaders.F32, 100, "before")
		if err != nil {
			t.Fatal(err)
		}
		first, second, larger := asks(t, s, "a", 100), asks(t, s, "b", 100), asks(t, s, "c", 101)
		for i, what := range []string{"x", "out", "own", "x 2", "out 2", "own 2"} {
			output := i%3 == 1
			if got, want := first[i] == second[i], i%3 == 0 || output && !short; got != want {
				t.Errorf("short %v: %s is the same: %v, want %v", short, what, got, want)
			}
			if got, want := first[i] == larger[i], i%3 == 0; got != want {
				t.Errorf("short %v: %s of the larger is the same: %v, want %v", short, what, got, want)
			}
			if first[i] == apart || i >= 3 && first[i] == first[i-3] {
				t.Errorf("short %v: %s is that of another set", short, what)
			}
		}
		s.For("d") // its first operand is a different one
		if other, err := s.Random(shaders.F32, 100, "y"); err != nil || other == first[0] || other == first[3] {
			t.Errorf("short %v: an operand of another label is that of one, %v", short, err)
		}
		if more := asks(t, s, "a", 100); more[0] == first[0] || more[1] == first[1] || more[0] == first[3] {
			t.Errorf("short %v: a variant that goes on is given what it has", short)
		}
	}
}

// Variants that share sets cycle through them together: each sample takes those that have gone unused the longest, however many it
// takes at once. Other work cycles by itself.
func TestVariantsGoAroundTogether(t *testing.T) {
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	defer s.Release()
	sets := ringOf(t, s, 12)
	alone := s.Launches(sets...).(*launches)
	s.For("a")
	a := s.Launches(sets...).(*launches)
	s.For("b")
	b := s.Launches(sets...).(*launches)
	for i, step := range []struct {
		work  *launches
		reps  int
		first int
	}{{a, 3, 0}, {b, 3, 3}, {b, 3, 6}, {alone, 3, 0}, {a, 2, 10}, {b, 3, 0}, {a, 2, 4}, {a, 4, 8}, {b, 1, 0}, {a, 12, 0}, {alone, 3, 3}, {b, 5, 0}, {a, 5, 6}} {
		if at, _ := step.work.upcoming(step.reps); at.first != step.first {
			t.Errorf("step %d: samples of %d go on at %d, want %d", i, step.reps, at.first, step.first)
		}
		if _, err := run(t.Context(), step.work, step.reps); err != nil {
			t.Fatal(err)
		}
	}
}
