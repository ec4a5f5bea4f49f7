package gputest

import (
	"testing"

	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
)

// TestReferencesAreComputedOnce verifies one GEMM three times: right, wrong, and right with other inputs.
func TestReferencesAreComputedOnce(t *testing.T) {
	k := catalog.MustFind("matmul_tiled_f32")
	p := gemm.MatmulParams{M: 3, N: 4, K: 50, Batch: 1}
	computed, reference := 0, k.Impl.Op.Reference
	counting := withReference(&k, func(c shaders.Call, args []shaders.View, arg, i int) shaders.Value {
		computed++
		return reference(c, args, arg, i)
	})
	args := make([]shaders.View, len(k.Args))
	for i, a := range k.Args {
		if k.Uses(i) {
			args[i] = shaders.View{Type: a.Type, Data: make([]byte, k.Bytes(i, p))}
			args[i].FillUniform(seeded(1, uint64(i)))
		}
	}
	out := k.Outputs()[0]
	right := func() {
		for i := range args[out].Len() {
			args[out].Set(i, reference(k.Call(p), args, out, i).Want)
		}
	}
	refs := newReferences()
	right()
	if c := refs.verify(counting, p, args); !c.OK() || c.Checked != 12 || computed != 12 {
		t.Errorf("the first time: %+v, %d references computed, want 12", c, computed)
	}
	args[out].Set(5, 100)
	if c := refs.verify(counting, p, args); c.OK() || c.Checked != 12 || computed != 12 {
		t.Errorf("a wrong element: %+v, %d references computed, want a failure and still 12", c, computed)
	}
	args[0].Set(0, 100)
	right()
	if c := refs.verify(counting, p, args); !c.OK() || computed != 24 {
		t.Errorf("with other inputs: %+v, %d references computed, want 24", c, computed)
	}
}
