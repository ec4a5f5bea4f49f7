package throughput

import (
	"math"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/attention"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// For one query, the naive GEMMs have few rows, even if heads share keys. With one column per head nothing is scaled, so one dispatch
// gets the same result.
func TestNaiveAttentionOfOneQuery(t *testing.T) {
	s := bench.New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	defer s.Release()
	a := attentionShape{t: shaders.F32, p: attention.AttentionParams{Heads: 6, KVHeads: 2, Queries: 1, Keys: 5, Dim: 1}}
	in, err := randoms(s, a.t, []int{a.queryElements(), a.keyElements(), a.keyElements()}, "q", "k", "v")
	if err != nil {
		t.Fatal(err)
	}
	found := func(way func(in []gpu.Buffer, out gpu.Buffer) ([]gpu.Launch, error)) []float32 {
		out, err := s.Buffer(a.t, a.queryElements(), "out")
		if err != nil {
			t.Fatal(err)
		}
		launches, err := way(append(in[:3:3], nil), out)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(launches...); err != nil {
			t.Error(err)
		}
		values := make([]float32, a.queryElements())
		if err := s.Floats(out, a.t)(values, 0); err != nil {
			t.Fatal(err)
		}
		return values
	}
	naive := found(func(in []gpu.Buffer, out gpu.Buffer) ([]gpu.Launch, error) {
		launches, err := a.naive(s, in, out)
		for _, i := range []int{0, 2} {
			if op := launches[i].Kernel.Spec().Impl.Op.Name; op != "matmul" {
				t.Errorf("dispatch %d is %s", i, op)
			}
		}
		return launches, err
	})
	one := found(func(in []gpu.Buffer, out gpu.Buffer) ([]gpu.Launch, error) {
		l, err := s.Dispatch(shaders.Pick{Op: "attention", Impl: attention.Flash, Type: a.t}, nil, a.p, append(in, out)...)
		return []gpu.Launch{l}, err
	})
	for i := range one {
		if math.Abs(float64(one[i]-naive[i])) > 1e-6 {
			t.Fatalf("%v in three dispatches, %v in one", naive, one)
		}
	}
}
