package throughput

import (
	"errors"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/attention"
	shgemm "assay/shaders/gemm"
	"assay/shaders/norm"
	"assay/workloads"
	"assay/workloads/bench"
)

// attentionShape is the shape of a case.
type attentionShape struct {
	t         shaders.Type
	p         attention.AttentionParams
	constants shaders.Constants // the masks
}

func attentionOf(v workloads.Values, t shaders.Type, length int, one bool) attentionShape {
	p := attention.AttentionParams{
		Heads: uint32(v.Int("heads")), KVHeads: uint32(v.Int("kv_heads")), Queries: uint32(length), Keys: uint32(length), Dim: uint32(v.Int("dim")),
	}
	if p.KVHeads == 0 {
		p.KVHeads = p.Heads
	}
	constants := map[string]shaders.Constants{
		noMask: nil, causalMask: {attention.Causal: 1}, matrixMask: {attention.HasMask: 1},
	}
	a := attentionShape{t, p, constants[v.String("mask")]}
	if one {
		a.p.Queries = 1
		if a.constants[attention.Causal] != 0 {
			a.constants = nil // hides nothing from the last token
		}
	}
	return a
}

// suits returns why a way does not apply to the case; nil: it does.
func (a *attentionShape) suits(w *attentionWay) error {
	if w.Impl == nil || w.Suits == nil {
		return nil
	}
	k := w.Kernel(a.t)
	return w.Suits(k.Call(a.p))
}

func (a *attentionShape) queryElements() int { return a.rows() * int(a.p.Dim) }
func (a *attentionShape) keyElements() int   { return int(a.p.KVHeads) * int(a.p.Keys) * int(a.p.Dim) }
func (a *attentionShape) rows() int          { return int(a.p.Heads) * int(a.p.Queries) }

// ops counts the operations of the two GEMMs.
func (a *attentionShape) ops() float64 {
	return 4 * float64(a.rows()) * float64(a.p.Keys) * float64(a.p.Dim)
}

// bytes returns the size of a set of operands plus `more` elements.
func (a *attentionShape) bytes(more int) int {
	return a.t.Bytes(2*a.queryElements() + 2*a.keyElements() + more)
}

// stored returns the bytes that three dispatches pass through memory: the scores, before and after softmax.
func (a *attentionShape) stored() int { return a.t.Bytes(2 * a.rows() * int(a.p.Keys)) }

// variant is one way, on the shared operands.
func (a *attentionShape) variant(s *bench.Scope, w *attentionWay, operands string) bench.Variant {
	more := 0
	if w.Impl == nil {
		more = 2 * a.rows() * int(a.p.Keys)
	}
	rotation := s.Rotation(operands, int64(a.bytes(more)), maxSets)
	v := bench.Variant{Name: w.name, Items: float64(a.p.Queries), Baseline: w.baseline(inThree)}
	if err := a.suits(w); err != nil {
		v.Err = gpu.Errorf(gpu.ErrUnsupported, "attention", "", "%w", err)
		return v
	}
	return rotated(s, v, rotation, func(int) ([]gpu.Launch, error) { return a.launches(s, w) })
}

// launches returns the launches of one way on a set of operands.
func (a *attentionShape) launches(s *bench.Scope, w *attentionWay) ([]gpu.Launch, error) {
	if w.Impl != nil {
		if err := s.SupportsCall(a.pick(w), a.constants, a.p); err != nil {
			return nil, err
		}
	}
	in, err := randoms(s, a.t, []int{a.queryElements(), a.keyElements(), a.keyElements()}, "q", "k", "v")
	if err != nil {
		return nil, err
	}
	in = append(in, nil)
	if a.constants[attention.HasMask] != 0 {
		if in[3], err = s.Random(a.t, int(a.p.Queries*a.p.Keys), "mask"); err != nil {
			return nil, err
		}
	}
	out, err := s.Output(a.t, a.queryElements(), "out")
	if err != nil {
		return nil, err
	}
	if w.Impl == nil {
		return a.naive(s, in, out)
	}
	one, err := a.single(s, a.pick(w), append(in, out)...)
	return []gpu.Launch{one}, err
}

func (a *attentionShape) pick(w *attentionWay) shaders.Pick {
	return shaders.Pick{Op: "attention", Impl: w.Name, Type: a.t, Tuned: true}
}

// single is one dispatch, compiled for the head dimension; if that is not available, as on an engine without a compiler, for any
// dimension.
func (a *attentionShape) single(s *bench.Scope, pick shaders.Pick, args ...gpu.Buffer) (gpu.Launch, error) {
	l, err := s.Dispatch(pick, with(a.constants, shaders.Constants{attention.HeadDim: int32(a.p.Dim)}), a.p, args...)
	if errors.Is(err, gpu.ErrUnsupported) {
		if other, err := s.Dispatch(pick, a.constants, a.p, args...); err == nil {
			return other, nil
		}
	}
	return l, err
}

// attentionOps lists the operations that the dispatches are of.
func attentionOps() []string {
	return []string{"attention", "attention_scores", "softmax", "attention_values", "matmul"}
}

// naive stores all scores, then their softmax.
func (a *attentionShape) naive(s *bench.Scope, in []gpu.Buffer, out gpu.Buffer) ([]gpu.Launch, error) {
	var stored [2]gpu.Buffer
	for i, label := range []string{"scores", "probabilities"} {
		b, err := s.Output(a.t, a.rows()*int(a.p.Keys), label)
		if err != nil {
			return nil, err
		}
		stored[i] = b
	}
	scores, err := a.scores(s, in, stored[0])
	if err != nil {
		return nil, err
	}
	rows := norm.SoftmaxParams{Rows: uint32(a.rows()), Cols: a.p.Keys}
	shares, err := s.Dispatch(shaders.Pick{Op: "softmax", Type: a.t}, nil, rows, stored[0], stored[1])
	if err != nil {
		return nil, err
	}
	values, err := a.values(s, stored[1], in[2], out)
	return []gpu.Launch{scores, shares, values}, err
}

func (a *attentionShape) scores(s *bench.Scope, in []gpu.Buffer, out gpu.Buffer) (gpu.Launch, error) {
	if a.fewRows() {
		return s.Dispatch(shaders.Pick{Op: "matmul", Type: a.t}, shaders.Constants{shgemm.TransposeB: 1}, a.product(a.p.Keys, a.p.Dim), in[0], in[1], nil, out)
	}
	return s.Dispatch(shaders.Pick{Op: "attention_scores", Type: a.t}, a.constants, a.p, in[0], in[1], in[3], out)
}

func (a *attentionShape) values(s *bench.Scope, shares, v, out gpu.Buffer) (gpu.Launch, error) {
	if a.fewRows() {
		return s.Dispatch(shaders.Pick{Op: "matmul", Type: a.t}, nil, a.product(a.p.Dim, a.p.Keys), shares, v, nil, out)
	}
	return s.Dispatch(shaders.Pick{Op: "attention_values", Type: a.t}, nil, a.p, shares, v, out)
}

// fewRows reports whether there is one query per head and no mask to add: a causal mask hides nothing from the last token. Tiles of a
// GEMM for whole sequences would be nearly empty.
func (a *attentionShape) fewRows() bool {
	return a.p.Queries == 1 && a.constants[attention.HasMask] == 0
}

// product is the GEMM of few rows: the heads that share keys. Queries are assumed to be scaled already, as models do in the layer
// before.
func (a *attentionShape) product(n, k uint32) shgemm.MatmulParams {
	return shgemm.MatmulParams{M: a.p.Heads / a.p.KVHeads, N: n, K: k, Batch: a.p.KVHeads}
}
