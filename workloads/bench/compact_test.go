package bench

import (
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads/bench/benchtest"
)

// relus is a chain of n steps, each with its own number of elements, and a result of the first that nobody reads.
func relus(elements ...uint32) []Step {
	labels := strings.Split("xabcdefgh", "")
	steps := []Step{step("relu", shaders.F32, elements[0], "x", "kept")}
	for i, n := range elements {
		steps = append(steps, step("relu", shaders.F32, n, labels[i], labels[i+1]))
	}
	return steps
}

func TestCompactSharesMemory(t *testing.T) {
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	defer s.Release()
	inputs := Buffers{}
	launches, held, err := s.Compact(relus(100, 100, 100, 100), inputs)
	if err != nil {
		t.Fatal(err)
	}
	written := func(i int) any { return launches[i].Bindings[1].Buffer }
	// a is read last while b is written, so c is the first to take over its buffer
	if written(3) != written(1) || written(4) != written(2) || written(2) == written(1) || written(0) == written(1) {
		t.Error("buffers are not passed on, or too early")
	}
	if want := int64(3 * 400); held < want || held > want+want/8 {
		t.Errorf("%d B held, want about %d", held, want)
	}
	if err := s.Verify(launches...); err != nil {
		t.Error(err)
	}
	if _, held, err := s.Compact(relus(100, 100, 100, 10), inputs); err != nil || held < 3*400+40 {
		t.Errorf("%d B held, %v: an operand of 10 elements took over 100", held, err)
	}
}

// A launch whose output is overwritten later is verified like any other; the script corrupts the second submission.
func TestCompactIsVerified(t *testing.T) {
	script := gputest.Script{Steps: make([]gputest.Step, 2)}
	script.Steps[1].Wrong = true
	s := New(benchtest.New(t, script).Env).NewScope(t.Context())
	defer s.Release()
	launches, _, err := s.Compact(relus(10, 10, 10, 10), Buffers{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(launches...); err == nil || !strings.Contains(err.Error(), "wrong result: kernel relu") {
		t.Errorf("the second submission was wrong: %v", err)
	}
}
