// Package attention is the attention family: the queries of each head look up values by keys.
package attention

import (
	"embed"
	"errors"
	"fmt"
	"math"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// Names of the constants.
const (
	HasMask = "has_mask"
	Causal  = "causal"
	HeadDim = "head_dim"
)

// Names of the tunables and of implementations in one dispatch.
const (
	Threads      = "threads"
	Flash        = "flash"
	FlashSIMD    = "flash_simd"
	FlashBlocked = "flash_blocked"
	Decode       = "decode"
)

// MaxDim is the largest head dimension: the sums of a query stay in registers.
const MaxDim = 128

// AttentionParams is the parameter struct of the family: q[Heads, Queries, Dim], k and v[KVHeads, Keys, Dim]. Neighboring heads
// share keys and values if KVHeads is smaller than Heads.
type AttentionParams struct{ Heads, KVHeads, Queries, Keys, Dim uint32 }

// Family lists the implementations.
func Family() []*shaders.Impl {
	op := attentionOp()
	return []*shaders.Impl{flash(op), flashSIMD(op), flashBlocked(op), decode(op), scores(), values()}
}

func params(c shaders.Call) AttentionParams { return c.Params.(AttentionParams) }

func queryElements(c shaders.Call) int {
	p := params(c)
	return shaders.Product(int(p.Heads), int(p.Queries), int(p.Dim))
}

func keyElements(c shaders.Call) int {
	p := params(c)
	return shaders.Product(int(p.KVHeads), int(p.Keys), int(p.Dim))
}

func maskElements(c shaders.Call) int {
	p := params(c)
	return shaders.Product(int(p.Queries), int(p.Keys))
}

// scoreElements is the number of scores: one per key, query and head.
func scoreElements(c shaders.Call) int {
	return shaders.Product(int(params(c).Heads), maskElements(c))
}

func maskConstants() []shaders.Constant {
	return []shaders.Constant{
		{Name: HasMask, Index: 0, Max: 1, About: "mask[query,key] is added to the scores"},
		{Name: Causal, Index: 1, Max: 1, About: "a query sees no later key; the last query sees all keys"},
	}
}

func attentionOp() *shaders.Op {
	return &shaders.Op{
		Name: "attention",
		About: "out[h,i] = the sum of v[h',j] times softmax over j of q[h,i]·k[h',j] / sqrt(dim) + mask[i,j]; " +
			"h' is the head of keys that h shares",
		Params: AttentionParams{},
		Args: []shaders.Arg{
			{Name: "q", Type: shaders.Var, Len: queryElements},
			{Name: "k", Type: shaders.Var, Len: keyElements},
			{Name: "v", Type: shaders.Var, Len: keyElements},
			{Name: "mask", Type: shaders.Var, If: HasMask, Len: maskElements},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: queryElements},
		},
		Constants: append(maskConstants(), shaders.Constant{
			Name: HeadDim, Index: 2, Max: MaxDim,
			About: "the head dimension that the kernel is compiled for, which keeps sums in fewer registers; 0: any",
		}),
		Finite: true, // hidden keys may or may not be multiplied by zero
		Valid:  valid,
		Cost: func(c shaders.Call) shaders.Cost {
			elements := 2*queryElements(c) + 2*keyElements(c) + int(c.Constants[HasMask])*maskElements(c)
			pairs := visiblePairs(c)
			return shaders.Cost{
				Ops:   pairs * (4*float64(params(c).Dim) + 5), // two GEMMs; scale, maximum, difference, power and sum
				Bytes: float64(c.Type.Bytes(elements)),
			}
		},
		Reference: attentionReference,
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			t := shaders.SumTolerance(int(params(c).Keys)+int(params(c).Dim), c.Type)
			t.Why += "; a score’s error multiplies its power"
			return t
		},
		Cases:  attentionCases(),
		Prefer: preferences(),
	}
}

// preferences for NVIDIA GPUs were measured on an H200: at 4096 tokens and 64 columns these tiles take a third of the time of
// three dispatches. Tiles are of queries and keys; for heads beyond 64 columns both are halved, with the same threadgroup memory.
// Elsewhere simdgroup_matrix is what MLX and others use.
func preferences() []shaders.Preference {
	one := func(c shaders.Call) bool { return params(c).Queries == 1 }
	return []shaders.Preference{
		{Impl: Decode, For: one, Why: "one query: its keys are split"},
		{
			Impl: FlashBlocked, Tunables: shaders.Constants{TileQueries: 128, TileKeys: 64}, NVIDIA: true,
			Why: "large tiles in registers on an NVIDIA GPU",
		},
		{Impl: FlashSIMD, Why: "the device has simdgroup_matrix"},
		{Impl: Flash, Why: "the default"},
	}
}

func valid(c shaders.Call) error {
	p := params(c)
	dim := c.Constants[HeadDim]
	switch {
	case p.KVHeads == 0 || p.Heads%p.KVHeads != 0:
		return fmt.Errorf("%d heads cannot share %d heads of keys evenly", p.Heads, p.KVHeads)
	case p.Dim == 0 || p.Dim > MaxDim:
		return fmt.Errorf("head dimension %d, want 1 to %d", p.Dim, MaxDim)
	case p.Keys == 0:
		return errors.New("no keys")
	case c.Constants[Causal] != 0 && p.Queries > p.Keys:
		return fmt.Errorf("%d queries with a causal mask, but %d keys: the first queries would see none", p.Queries, p.Keys)
	case dim != 0 && uint32(dim) != p.Dim:
		return fmt.Errorf("compiled for head dimension %d, not %d", dim, p.Dim)
	}
	return nil
}

// visible returns how many keys a query sees: the first ones.
func visible(c shaders.Call, query int) int {
	p := params(c)
	if c.Constants[Causal] == 0 {
		return int(p.Keys)
	}
	return query + 1 + int(p.Keys) - int(p.Queries)
}

// visiblePairs counts the pairs of a query and a key that it sees, in all heads.
func visiblePairs(c shaders.Call) float64 {
	p := params(c)
	seen := float64(p.Keys)
	if c.Constants[Causal] != 0 { // from keys − queries + 1 to keys
		seen -= (float64(p.Queries) - 1) / 2
	}
	return float64(p.Heads) * float64(p.Queries) * seen
}

// score returns a scaled and masked score, and the sum of the magnitudes of its terms.
func score(c shaders.Call, q, k []float64, mask shaders.View, query, key int) shaders.Value {
	var s shaders.Value
	for d := range q {
		term := q[d] * k[d]
		s.Want += term
		s.Scale += math.Abs(term)
	}
	scale := 1 / math.Sqrt(float64(len(q)))
	s.Want, s.Scale = s.Want*scale, s.Scale*scale
	if c.Constants[HasMask] != 0 {
		m := mask.At(query*int(params(c).Keys) + key)
		s.Want += m
		s.Scale += math.Abs(m)
	}
	return s
}

// attentionReference is the weighted sum of the values of visible keys. An error in a score changes its weight by the same
// relative amount, and all weights by the weighted mean of the errors.
func attentionReference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	p := params(c)
	dim := int(p.Dim)
	row, d := i/dim, i%dim
	head, query := row/int(p.Queries), row%int(p.Queries)
	from := head / int(p.Heads/p.KVHeads) * int(p.Keys)
	weights := c.PerRow(row, func() []float64 { return weigh(c, args, row*dim, from*dim, query) })
	seen := len(weights) / 2
	var v shaders.Value
	spread := 0.0
	for j, w := range weights[:seen] {
		term, doubt := w*args[2].At((from+j)*dim+d), weights[seen+j]
		v.Want += term
		v.Scale += math.Abs(term) * doubt
		spread += w * doubt
	}
	v.Scale += math.Abs(v.Want) * spread
	return v
}

// weigh returns the weights of the keys that a query sees, then what magnifies the rounding errors of each. The query's first
// element is q of args[0], the first key's k of args[1].
func weigh(c shaders.Call, args []shaders.View, q, k, query int) []float64 {
	dim, seen := int(params(c).Dim), visible(c, query)
	weights := make([]float64, 2*seen)
	row, key := make([]float64, dim), make([]float64, dim)
	args[0].Floats(row, q)
	largest := math.Inf(-1)
	for j := range seen {
		args[1].Floats(key, k+j*dim)
		s := score(c, row, key, args[3], query, j)
		weights[j], weights[seen+j] = s.Want, s.Scale
		largest = math.Max(largest, s.Want)
	}
	sum := 0.0
	for j := range seen {
		below := largest - weights[j]
		weights[j] = math.Exp(-below)
		weights[seen+j] += 1 + below
		if weights[j] == 0 { // hidden by −∞, which has no rounding error
			weights[seen+j] = 0
		}
		sum += weights[j]
	}
	for j := range seen {
		weights[j] /= sum
	}
	return weights
}

// attentionCases have tiles that cross the last query, key and column, shared keys, and scores whose powers exceed the range of
// floats.
func attentionCases() []shaders.Case {
	masked := shaders.Constants{HasMask: 1}
	return []shaders.Case{
		{Params: AttentionParams{2, 1, 0, 3, 8}},
		{Params: AttentionParams{1, 1, 1, 1, 1}},
		{Params: AttentionParams{1, 1, 9, 33, 5}, Magnitude: 20},
		{Params: AttentionParams{4, 2, 1, 70, 64}},
		{Params: AttentionParams{2, 1, 3, 40, 128}, Constants: masked},
		{Params: AttentionParams{1, 1, 4, 70, 8}, Constants: masked, Edit: hide},
		{Params: AttentionParams{1, 1, 33, 65, 80}, Constants: shaders.Constants{HasMask: 1, Causal: 1}},
		{Params: AttentionParams{1, 1, 2, 40, 80}, Constants: shaders.Constants{HeadDim: 80, Causal: 1}},
	}
}

// hide makes a mask hide keys as programs do: with the lowest float, all keys of the first query and some of the second; with −∞,
// the first keys of the third and the last keys of the fourth.
func hide(arg int, mask shaders.View) {
	const maskArg, keys = 3, 70
	if arg != maskArg {
		return
	}
	for key := range keys {
		mask.Set(key, lowest(mask.Type))
		if key%3 != 0 {
			mask.Set(keys+key, lowest(mask.Type))
		}
		if key < 65 {
			mask.Set(2*keys+key, math.Inf(-1))
		} else {
			mask.Set(3*keys+key, math.Inf(-1))
		}
	}
}

// lowest is about the lowest finite number of a type: in base 2 its score is infinite.
func lowest(t shaders.Type) float64 {
	if t == shaders.F16 {
		return -65504
	}
	return -3.38e38
}
