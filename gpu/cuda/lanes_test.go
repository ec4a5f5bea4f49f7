//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"slices"
	"testing"

	"assay/gpu"
	"assay/gpu/enginekit"
	"assay/shaders"
)

// orders returns the orders of launches given the buffers that they use; negative ones are written, and nil is a copy.
func orders(uses ...[]int) []int {
	commands := make([]command, len(uses))
	for i, list := range uses {
		if list == nil {
			commands[i].kind = copyCommand
		}
		for _, b := range list {
			commands[i].uses = append(commands[i].uses, enginekit.Use{Buffer: max(b, -b), Write: b < 0})
		}
	}
	sideBySide(commands)
	var all []int
	for i := range commands {
		all = append(all, commands[i].order)
	}
	return all
}

func TestSideBySide(t *testing.T) {
	for name, test := range map[string]struct{ got, want []int }{
		"independent":           {orders([]int{1, -2}, []int{1, -3}, []int{1, -4}), []int{firstOfSeveral, besideThose, besideThose}},
		"a chain":               {orders([]int{1, -2}, []int{2, -3}, []int{3, -4}), []int{afterAll, afterAll, afterAll}},
		"alone, then two":       {orders([]int{-1}, []int{1, -2}, []int{1, -3}), []int{afterAll, firstOfSeveral, besideThose}},
		"around a copy":         {orders([]int{1, -2}, nil, []int{1, -3}, []int{1, -4}), []int{afterAll, afterAll, firstOfSeveral, besideThose}},
		"written after reading": {orders([]int{1, -2}, []int{3, -1}), []int{afterAll, afterAll}},
		"nothing":               {orders(), nil},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: %d, want %d", name, test.got, test.want)
		}
	}
}

// add returns a launch of x's kernel on other buffers.
func (x *adder) add(a, b, out gpu.Buffer) gpu.Command {
	l := x.launch()
	l.Bindings = gpu.Bind(a, b, out)
	return l
}

// tree returns a program of two additions of a and b, then two of their sums, so that both results are 2 (a + b).
func (x *adder) tree(e gpu.Encoding) (p gpu.Program, results []gpu.Buffer, release func()) {
	x.t.Helper()
	var sums []gpu.Buffer
	for range 4 {
		sums = append(sums, newFloats(x.t, x.e, x.n, 0))
	}
	p, err := x.e.PrepareWith(e, x.add(x.a, x.b, sums[0]), x.add(x.a, x.b, sums[1]),
		x.add(sums[0], sums[1], sums[2]), x.add(sums[1], sums[0], sums[3]))
	if err != nil {
		x.t.Fatal(err)
	}
	return p, sums[2:], func() {
		if err := p.Release(); err != nil {
			x.t.Error(err)
		}
		for _, b := range sums {
			if err := b.Release(); err != nil {
				x.t.Error(err)
			}
		}
	}
}

func (x *adder) wait(p gpu.Program, repeat int) error {
	s, err := x.q.Submit(p, repeat)
	if err != nil {
		return err
	}
	_, err = s.Wait(x.t.Context())
	return err
}

// holds checks that every float of a buffer has the value.
func (x *adder) holds(b gpu.Buffer, value float64) {
	x.t.Helper()
	got := shaders.View{Type: shaders.F32, Data: make([]byte, 4*x.n)}
	if err := b.Read(0, got.Data); err != nil {
		x.t.Fatal(err)
	}
	for i := range x.n {
		if got.At(i) != value {
			x.t.Fatalf("element %d is %g, want %g", i, got.At(i), value)
		}
	}
}

// The fake driver runs a launch only when another can run beside it, and the next two launches find their inputs complete.
func TestLaunchesRunSideBySide(t *testing.T) {
	ledger(t)
	x := newAdder(t, openFake(t, "meet=2"), 1000)
	p, results, release := x.tree(gpu.Encoding{Concurrent: true})
	if err := x.wait(p, 150); err != nil { // more than a stream holds
		t.Fatal(err)
	}
	for _, b := range results {
		x.holds(b, 6)
	}
	release()
	x.close()
}

// In order, they would never meet: when commands are timed, launches do not run concurrently.
func TestStagesRunInOrder(t *testing.T) {
	x := newAdder(t, openFake(t, "meet=2 timeout=0"), 1000)
	p, _, _ := x.tree(gpu.Encoding{Concurrent: true, Stages: true})
	says(t, x.wait(p, 1), gpu.ErrTimeout)
	_ = x.e.Close() // the device is lost
}

// A submission for which streams cannot be created fails, and the next one creates them.
func TestStreamsAreMissing(t *testing.T) {
	ledger(t)
	x := newAdder(t, openFake(t, "cuStreamCreate@4=2"), 1000)
	p, results, release := x.tree(gpu.Encoding{Concurrent: true})
	says(t, x.wait(p, 1), gpu.ErrOutOfMemory, "add_f32")
	if err := x.wait(p, 2); err != nil {
		t.Fatal(err)
	}
	x.holds(results[0], 6)
	release()
	x.close()
}
