//go:build metalsim && cgo && !darwin

package metal

import (
	"math/rand/v2"
	"slices"
	"testing"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/chain"
)

// TestGeneratedChains runs each form of a generated kernel: vectors, single elements, and rows that are reduced.
func TestGeneratedChains(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	op := func(name string) chain.Code {
		return chain.Code(slices.IndexFunc(chain.Operations(), func(o chain.Operation) bool { return o.Name == name }))
	}
	var launches []gpu.Launch
	for i, form := range []struct {
		reduce  chain.Reduction
		strides [4]int
	}{{chain.Each, [4]int{0, 0, 40, 1}}, {chain.Each, [4]int{0, 0, 1, 9}}, {chain.Sum, [4]int{0, 0, 40, 1}}, {chain.Mean, [4]int{0, 0, 1, 9}}, {chain.Largest, [4]int{0, 0, 40, 1}}} {
		p := chain.Program{Inputs: 2, Constants: []float32{0.5}, Reduce: form.reduce, Steps: []chain.Step{
			{Op: op("mul"), X: 0, Y: 1}, {Op: op("gelu"), X: 3, Y: 3}, {Op: op("tanh"), X: 4, Y: 4}, {Op: op("sub"), X: 5, Y: 2}, {Op: op("gelu_erf"), X: 6, Y: 6},
		}}
		s := chain.Shape{Dims: [4]int{1, 1, 9, 40}, Strides: [][4]int{form.strides, {0, 0, 0, 1}}}
		k, params, err := chain.New(p, s, shaders.Type(i%2), "mul, gelu, tanh, sub, gelu_erf")
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := e.Kernel(k)
		if err != nil {
			t.Fatal(err)
		}
		l := gpu.Launch{Kernel: compiled, Params: params}
		for j := range k.Args {
			b, err := e.NewBuffer(max(4, k.Bytes(j, params)), gpu.Shared, "chain")
			if err != nil {
				t.Fatal(err)
			}
			shaders.View{Type: k.Type, Data: b.Bytes()}.FillUniform(rand.New(rand.NewPCG(uint64(i), uint64(j))))
			l.Bindings = append(l.Bindings, gpu.Binding{Buffer: b})
		}
		launches = append(launches, l)
	}
	q, err := e.NewQueue("chains")
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Prepare(gpu.Launches(launches...)...)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := q.Submit(p, 1)
	if err == nil {
		_, err = sub.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range launches {
		spec := l.Kernel.Spec()
		var views []shaders.View
		for j, b := range l.Bindings {
			views = append(views, shaders.View{Type: spec.Type, Data: b.Buffer.Bytes()[:spec.Bytes(j, l.Params)]})
		}
		if c := spec.Verify(l.Params, views, 0, 1); !c.OK() {
			t.Errorf("%s\n%s", c.Failure, spec.Impl.Source.Files()[0].Text)
		}
	}
	if err := p.Release(); err != nil {
		t.Error(err)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	closeWith(t, e, launches...)
}
