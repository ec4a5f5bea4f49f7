package bench

import (
	"math/rand/v2"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads/bench/benchtest"
)

// listener is a queue that keeps what was submitted to it.
type listener struct {
	gpu.Queue
	batches [][]gpu.Dispatch
}

func (l *listener) Submit(dispatches ...gpu.Dispatch) (gpu.Submission, error) {
	l.batches = append(l.batches, dispatches)
	return l.Queue.Submit(dispatches...)
}

// A sample of 1 ms leaves no time to list thousands of dispatches: the list stays as long as the repetitions do.
func TestBatchIsKeptBetweenSamples(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	heard := &listener{Queue: b.Env.Queue}
	b.Env.Queue = heard
	run := New(b.Env)
	s := run.NewScope(t.Context())
	defer s.Release()
	var v Variant
	for range 2 {
		in, err := s.Random(shaders.F32, 8, "x")
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Buffer(shaders.F32, 8, "out")
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.Dispatch("relu_f32", nil, shaders.ElementwiseParams{N: 8}, in, out)
		if err != nil {
			t.Fatal(err)
		}
		v.Dispatches = append(v.Dispatches, d)
	}
	subject := run.subject(&v)
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
	for i, batch := range heard.batches {
		if len(batch) != 2*reps[i] {
			t.Fatalf("%d dispatches for %d repetitions of 2", len(batch), reps[i])
		}
		for j := range batch {
			if batch[j].Bindings[1] != v.Dispatches[j%2].Bindings[1] {
				t.Errorf("%d repetitions: dispatch %d is not the variant's", reps[i], j)
			}
		}
		if i > 0 && (&batch[0] == &heard.batches[i-1][0]) != (reps[i] == reps[i-1]) {
			t.Errorf("sample %d of %d repetitions after one of %d: the list was made anew or wrongly kept", i, reps[i], reps[i-1])
		}
	}
}

// The search in words of eight bytes finds what one element at a time would.
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
		for _, size := range []int{2, 4} {
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
