package attention

import (
	"math"

	"assay/shaders"
)

// Tiled names the GEMMs of naive attention that use tiles in threadgroup memory.
const Tiled = "tiled"

// scores are the first dispatch of a naive attention; a softmax of rows follows.
func scores() *shaders.Impl {
	return tiled(&shaders.Op{
		Name:   "attention_scores",
		About:  "out[h,i,j] = q[h,i]·k[h',j] / sqrt(dim) + mask[i,j]; h' is the head of keys that h shares",
		Params: AttentionParams{},
		Args: []shaders.Arg{
			{Name: "q", Type: shaders.Var, Len: queryElements},
			{Name: "k", Type: shaders.Var, Len: keyElements},
			{Name: "mask", Type: shaders.Var, If: HasMask, Len: maskElements},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: scoreElements},
		},
		Constants: maskConstants(), Valid: valid,
		Cost: func(c shaders.Call) shaders.Cost { // all products are computed, including those of hidden keys
			elements := queryElements(c) + keyElements(c) + int(c.Constants[HasMask])*maskElements(c) + scoreElements(c)
			return shaders.Cost{
				Ops:   float64(scoreElements(c)) * (2*float64(params(c).Dim) + 1 + float64(c.Constants[HasMask])),
				Bytes: float64(c.Type.Bytes(elements)),
			}
		},
		Reference: scoresReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.SumTolerance(int(params(c).Dim), c.Type) },
		Cases:     naiveCases(shaders.Constants{Causal: 1}, shaders.Constants{HasMask: 1}),
	}, "scores.metal", func(p AttentionParams) uint32 { return p.Keys })
}

func scoresReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	p := params(c)
	keys, dim := int(p.Keys), int(p.Dim)
	row, key := i/keys, i%keys
	head, query := row/int(p.Queries), row%int(p.Queries)
	if key >= visible(c, query) {
		return shaders.Value{Want: math.Inf(-1)}
	}
	q, k := make([]float64, dim), make([]float64, dim)
	args[0].Floats(q, row*dim)
	args[1].Floats(k, (head/int(p.Heads/p.KVHeads)*keys+key)*dim)
	return score(c, q, k, args[2], query, key)
}

// values are the last dispatch of a naive attention.
func values() *shaders.Impl {
	return tiled(&shaders.Op{
		Name:   "attention_values",
		About:  "out[h,i] = the sum of v[h',j] times probabilities[h,i,j]; h' is the head of values that h shares",
		Params: AttentionParams{},
		Args: []shaders.Arg{
			{Name: "probabilities", Type: shaders.Var, Len: scoreElements},
			{Name: "v", Type: shaders.Var, Len: keyElements},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: queryElements},
		},
		Valid: valid,
		Cost: func(c shaders.Call) shaders.Cost {
			return shaders.Cost{
				Ops:   2 * float64(scoreElements(c)) * float64(params(c).Dim),
				Bytes: float64(c.Type.Bytes(scoreElements(c) + keyElements(c) + queryElements(c))),
			}
		},
		Reference: valuesReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.SumTolerance(int(params(c).Keys), c.Type) },
		Cases:     naiveCases(nil, nil),
	}, "values.metal", func(p AttentionParams) uint32 { return p.Dim })
}

func valuesReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	p := params(c)
	keys, dim := int(p.Keys), int(p.Dim)
	row, d := i/dim, i%dim
	from := row / int(p.Queries) / int(p.Heads/p.KVHeads) * keys
	var v shaders.Value
	for j := range keys {
		term := args[0].At(row*keys+j) * args[1].At((from+j)*dim+d)
		v.Want += term
		v.Scale += math.Abs(term)
	}
	return v
}

// tiled computes 64×64 tiles of each head's output, which has `columns`, from operands in threadgroup memory.
func tiled(op *shaders.Op, file string, columns func(p AttentionParams) uint32) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Tiled, Types: floats(), Source: shaders.Embedded(files, file), Constants: op.Constants,
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			p := params(c)
			return shaders.Launch{
				Groups:  [3]uint32{(columns(p) + 63) / 64, (p.Queries + 63) / 64, p.Heads},
				Threads: [3]uint32{16, 16, 1},
			}
		},
	}
}

func naiveCases(first, second shaders.Constants) []shaders.Case {
	return []shaders.Case{
		{Params: AttentionParams{2, 1, 0, 3, 8}},
		{Params: AttentionParams{1, 1, 1, 1, 1}},
		{Params: AttentionParams{2, 1, 17, 65, 80}, Constants: first},
		{Params: AttentionParams{4, 2, 3, 9, 5}, Constants: second},
		{Params: AttentionParams{2, 2, 2, 34, 18}},
	}
}
