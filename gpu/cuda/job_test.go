//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
)

// adder is add_f32 over n elements in device memory: out = a + b.
type adder struct {
	t         *testing.T
	e         *engine
	q         gpu.Queue
	kernel    gpu.Kernel
	a, b, out gpu.Buffer
	n         int
}

func newAdder(t *testing.T, e *engine, n int) *adder {
	t.Helper()
	x := &adder{t: t, e: e, n: n}
	var err error
	if x.q, err = e.NewQueue("adder"); err != nil {
		t.Fatal(err)
	}
	if x.kernel, err = e.Kernel(catalog.MustFind("add_f32")); err != nil {
		t.Fatal(err)
	}
	x.a, x.b, x.out = newFloats(t, e, n, 1), newFloats(t, e, n, 2), newFloats(t, e, n, 0)
	return x
}

func newFloats(t *testing.T, e *engine, n int, value float64) gpu.Buffer {
	t.Helper()
	b, err := e.NewBuffer(4*n, gpu.Private, "floats")
	if err != nil {
		t.Fatal(err)
	}
	v := shaders.View{Type: shaders.F32, Data: make([]byte, 4*n)}
	for i := range n {
		v.Set(i, value)
	}
	if err := b.Write(0, v.Data); err != nil {
		t.Fatal(err)
	}
	return b
}

func (x *adder) launch() gpu.Launch {
	return gpu.Launch{
		Kernel: x.kernel, Params: elementwise.ElementwiseParams{N: uint32(x.n)}, Bindings: gpu.Bind(x.a, x.b, x.out),
	}
}

// start submits additions in one submission.
func (x *adder) start(count int) (gpu.Submission, error) {
	var all []gpu.Launch
	for range count {
		all = append(all, x.launch())
	}
	return gputest.Submit(x.e, x.q, gpu.Launches(all...)...)
}

// run submits one addition and waits.
func (x *adder) run() error {
	s, err := x.start(1)
	if err != nil {
		return err
	}
	_, err = s.Wait(context.Background())
	return err
}

// works checks that the engine still computes correctly.
func (x *adder) works() {
	x.t.Helper()
	if err := gpu.Lost(x.e); err != nil {
		x.t.Errorf("lost, yet it should work: %v", err)
	}
	if err := x.out.Fill(0); err != nil {
		x.t.Fatal(err)
	}
	if err := x.run(); err != nil {
		x.t.Fatal(err)
	}
	v := shaders.View{Type: shaders.F32, Data: make([]byte, 4*x.n)}
	if err := x.out.Read(0, v.Data); err != nil {
		x.t.Fatal(err)
	}
	for i := range x.n {
		if v.At(i) != 3 {
			x.t.Fatalf("element %d is %g, want 3", i, v.At(i))
		}
	}
}

// close releases everything and closes the engine.
func (x *adder) close() {
	x.t.Helper()
	for _, b := range []gpu.Buffer{x.a, x.b, x.out} {
		if err := b.Release(); err != nil {
			x.t.Error(err)
		}
	}
	if m := x.e.Memory(); m != (gpu.Memory{}) {
		x.t.Errorf("all is released, yet Memory is %+v", m)
	}
	if err := x.q.Close(); err != nil {
		x.t.Error(err)
	}
	closed(x.t, x.e)
}
