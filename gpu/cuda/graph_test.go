//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"testing"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/elementwise"
)

// counted submits out += a that many times in each of several submissions, and returns the value of out: the number of times.
func counted(t *testing.T, x *adder, repeats ...int) (float64, error) {
	t.Helper()
	if err := x.out.Fill(0); err != nil {
		t.Fatal(err)
	}
	l := gpu.Launch{Kernel: x.kernel, Params: elementwise.ElementwiseParams{N: uint32(x.n)}, Bindings: gpu.Bind(x.a, x.out, x.out)}
	p, err := x.e.Prepare(l)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Release(); err != nil {
			t.Error(err)
		}
	}()
	for _, n := range repeats {
		s, err := x.q.Submit(p, n)
		if err != nil {
			return 0, err
		}
		if _, err := s.Wait(context.Background()); err != nil {
			return 0, err
		}
	}
	v := shaders.View{Type: shaders.F32, Data: make([]byte, 4*x.n)}
	if err := x.out.Read(0, v.Data); err != nil {
		t.Fatal(err)
	}
	for i := range x.n {
		if v.At(i) != v.At(0) {
			t.Fatalf("element %d is %g, element 0 is %g", i, v.At(i), v.At(0))
		}
	}
	return v.At(0), nil
}

// A program that is submitted again runs as a graph, as often as requested, regardless of what cannot be captured.
func TestGraphsRunAsOftenAsAsked(t *testing.T) {
	for _, script := range []string{"", "cuStreamBeginCapture=900", "cuStreamEndCapture=901", "cuGraphInstantiate=801"} {
		t.Run(script, func(t *testing.T) {
			ledger(t)
			x := newAdder(t, openFake(t, script), 8)
			got, err := counted(t, x, 600, 600, 600, 1, 1, 515, 515, 8, 8, 9, 9, 10, 10, 600, 600)
			if want := 5*600.0 + 2 + 2*515 + 2*27; err != nil || got != want {
				t.Errorf("%g runs, %v; want %g", got, err, want)
			}
			x.close()
		})
	}
}

// The first submission creates no graph, and short ones use none.
func TestGraphsAreForWhatRepeats(t *testing.T) {
	for _, c := range []struct {
		repeats []int
		graph   bool
	}{
		{[]int{1000}, false},
		{[]int{100, 200, 100}, false},
		{[]int{7, 7, 7}, false},
		{[]int{8, 8}, true},
		{[]int{1000, 1000}, true},
	} {
		x := newAdder(t, openFake(t, "cuGraphLaunch=2"), 8)
		if _, err := counted(t, x, c.repeats...); (err != nil) != c.graph {
			t.Errorf("%v: %v", c.repeats, err)
		}
		x.close()
	}
}
