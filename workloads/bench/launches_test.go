package bench

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/workloads/bench/benchtest"
)

// listener is a queue that records submissions.
type listener struct {
	gpu.Queue
	programs []gpu.Program
	repeats  []int
}

func (l *listener) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	l.programs, l.repeats = append(l.programs, p), append(l.repeats, repeat)
	return l.Queue.Submit(p, repeat)
}

// A sample of 1 ms leaves no time to check and encode: a variant is prepared once, and samples only repeat it.
func TestVariantIsPreparedOnce(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	heard := &listener{Queue: b.Env.Queue}
	b.Env.Queue = heard
	run := New(b.Env)
	s := run.NewScope(t.Context())
	defer s.Release()
	var ds []gpu.Launch
	for range 2 {
		in, err := s.Random(shaders.F32, 8, "x")
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Buffer(shaders.F32, 8, "out")
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Dispatch(shaders.Pick{Op: "relu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: 8}, in, out)
		if err != nil {
			t.Fatal(err)
		}
		ds = append(ds, d)
	}
	v := Variant{Work: s.Launches(ds)}
	subject := s.subject(&v)
	reps := []int{3, 3, 5, 5, 2}
	for _, n := range reps {
		wait, err := subject.Start(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := wait(); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := subject.Check(t.Context()); err != nil || !c.OK || c.Checked != 16 {
		t.Errorf("the check says %+v, %v; want 2 outputs of 8 elements", c, err)
	}
	reps = append(reps, 1)
	if !slices.Equal(heard.repeats, reps) {
		t.Errorf("programs were repeated %v times, want %v", heard.repeats, reps)
	}
	for i, p := range heard.programs {
		if p != heard.programs[0] || p.Launches() != 2 {
			t.Errorf("sample %d: another program, of %d launches", i, p.Launches())
		}
	}
	s.Release()
	if err := heard.programs[0].Release(); !errors.Is(err, gpu.ErrReleased) {
		t.Errorf("the scope has ended, and its program: %v", err)
	}
}

// The search in eight-byte words finds the same as one element at a time.
func TestFirstPoison(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	slow := func(data []byte, size int) int {
		for at := 0; at+size <= len(data); at += size {
			all := true
			for _, b := range data[at : at+size] {
				all = all && b == gpu.PoisonByte
			}
			if all {
				return at
			}
		}
		return -1
	}
	found := 0
	for range 20_000 {
		data := make([]byte, r.IntN(40))
		for i := range data {
			if data[i] = gpu.PoisonByte; r.IntN(4) == 0 {
				data[i] = []byte{0, 1, 0x7F, 0x80, 0xFE}[r.IntN(5)]
			}
		}
		for _, size := range []int{1, 2, 4} {
			want := slow(data, size)
			if got := firstPoison(data, size); got != want {
				t.Fatalf("elements of %d B in % x: the first poison is at %d, want %d", size, data, got, want)
			}
			if want > 0 {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d of the data had poison within", found)
	}
}
