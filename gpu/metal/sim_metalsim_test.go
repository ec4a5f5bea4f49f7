//go:build metalsim && cgo && !darwin

package metal

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/gpu/metal/sim"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
)

// The tests below run the engine, its Objective-C included, on the simulated Metal. They do not run in parallel, since the
// simulator's script and ledger belong to the process.

// ledger empties the simulator's ledger and checks at the end of the test that no rule was broken and nothing leaked.
func ledger(t *testing.T) {
	t.Helper()
	sim.Reset()
	t.Cleanup(func() {
		sim.Inject(sim.Script{})
		for _, broken := range sim.Violations() {
			t.Error(broken)
		}
		for _, o := range remaining(0) {
			t.Errorf("not released: %v", o)
		}
		sim.Reset()
	})
}

// remaining returns the live objects once there are at most max, or after the simulator's threads had time to release
// finished work.
func remaining(max int) []sim.Object {
	live := sim.Live()
	for i := 0; i < 200 && len(live) > max; i++ {
		time.Sleep(5 * time.Millisecond)
		live = sim.Live()
	}
	return live
}

// simOptions are options with a cache folder of the test, which all engines opened with them share.
func simOptions(t *testing.T) Options {
	t.Helper()
	return Options{CacheDir: t.TempDir(), Timeout: 20 * time.Second}
}

func openSim(t *testing.T, o Options) *engine {
	t.Helper()
	e, err := OpenWith(o)
	if err != nil {
		t.Fatal(err)
	}
	return e.(*engine)
}

// adder is add_f32 over n elements: out = a + b.
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

func newFloats(t *testing.T, e *engine, n int, value float32) gpu.Buffer {
	t.Helper()
	b, err := e.NewBuffer(4*n, gpu.Shared, "floats")
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 4*n)
	for i := range n {
		binary.NativeEndian.PutUint32(data[4*i:], math.Float32bits(value))
	}
	if err := b.Write(0, data); err != nil {
		t.Fatal(err)
	}
	return b
}

func (x *adder) dispatch() gpu.Launch {
	return gpu.Launch{
		Kernel: x.kernel, Params: elementwise.ElementwiseParams{N: uint32(x.n)}, Bindings: gpu.Bind(x.a, x.b, x.out),
	}
}

// run submits one addition.
func (x *adder) run() (gpu.Timing, error) {
	s, err := gputest.Submit(x.e, x.q, x.dispatch())
	if err != nil {
		return gpu.Timing{}, err
	}
	return s.Wait(context.Background())
}

// works checks that the engine still computes correctly.
func (x *adder) works() {
	x.t.Helper()
	if err := gpu.Lost(x.e); err != nil {
		x.t.Errorf("lost, yet it works: %v", err)
	}
	if err := x.out.Fill(0); err != nil {
		x.t.Fatal(err)
	}
	timing, err := x.run()
	if err != nil {
		x.t.Fatal(err)
	}
	if timing.Device <= 0 || timing.Wall < timing.Device {
		x.t.Errorf("it took %+v", timing)
	}
	got := make([]byte, 4*x.n)
	if err := x.out.Read(0, got); err != nil {
		x.t.Fatal(err)
	}
	for i := range x.n {
		if v := math.Float32frombits(binary.NativeEndian.Uint32(got[4*i:])); v != 3 {
			x.t.Fatalf("element %d is %g, want 3", i, v)
		}
	}
}

// close releases everything and requires that Close succeeds.
func (x *adder) close() {
	x.t.Helper()
	x.release()
	if err := x.q.Close(); err != nil {
		x.t.Error(err)
	}
	if err := x.e.Close(); err != nil {
		x.t.Error(err)
	}
}

func (x *adder) release() {
	x.t.Helper()
	for _, b := range []gpu.Buffer{x.a, x.b, x.out} {
		if err := b.Release(); err != nil {
			x.t.Error(err)
		}
	}
	if m := x.e.Memory(); m != (gpu.Memory{}) {
		x.t.Errorf("all is released, yet Memory is %+v", m)
	}
}

// says checks that err contains all of the words.
func says(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error %v does not say %q", err, w)
		}
	}
}
