package throughput

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/internal/chart"
	"assay/shaders"
	"assay/shaders/attention"
	shgemm "assay/shaders/gemm"
	"assay/shaders/norm"
	"assay/workloads"
	"assay/workloads/bench"
)

// Attention measures attention in one dispatch against three, along the length of the sequence.
func Attention() workloads.Workload {
	return workloads.Workload{
		Name: "attention", Title: "Attention", Group: "Throughput",
		About:    "Attention in one dispatch, whose scores never reach memory, against three separate dispatches, by sequence length.",
		Question: "At what sequence length does flash attention pay off?",
		Params:   attentionParams(),
		Axes: []workloads.Axis{
			{Name: "queries", Title: "Queries"},
			bench.OperandsAxis(),
			{Name: "length", Title: "Sequence length", Unit: "tokens"},
		},
		Quick:   attentionQuick(),
		Presets: attentionPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "length", From: "min_length", To: "max_length", Steps: workloads.Doubling, Title: "Sequence",
			About: "Tokens that are attended to; the sweep doubles them.",
		}},
		Valid:    attentionValid,
		Variants: counted(attentionWays),
		Run:      bench.Run(runAttention),
		Views:    views(bySequence(), attentionWays(), workloads.Time, workloads.Speedup, workloads.BytesSaved),
	}
}

// What is asked of a sequence: the values of the parameter queries.
const (
	wholeSequence = "whole"
	oneQuery      = "one"
)

// Masks: the values of the parameter mask.
const (
	noMask     = "none"
	causalMask = "causal"
	matrixMask = "matrix"
)

func attentionParams() []workloads.Param {
	heads := func(name, title, about string, least int, zero string) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "heads", Min: float64(least), Max: 128, Zero: zero,
			Role: workloads.RoleCase, About: about,
		}
	}
	all, shared := heads("heads", "Heads", "Heads of queries.", 1, ""), heads("kv_heads", "KV heads",
		"Heads of keys and values, which as many heads of queries share evenly.", 0, "one for each head")
	all.Default, shared.Default = 16, 0
	return []workloads.Param{
		{
			Name: "queries", Title: "Queries", Type: workloads.Choice, Role: workloads.RoleCase, All: "both", Default: "both",
			Choices: []workloads.Option{
				{Value: "both"},
				{Value: wholeSequence, Title: "Whole sequence", About: "A query for each token, as when a prompt is read.", Typical: true},
				{Value: oneQuery, Title: "One query", About: "One query for each head, as when a token is generated."},
			},
			About: "How many queries attend to the sequence, or both in turn.",
		},
		{
			Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase,
			Choices: workloads.Options("f32", "f16", "bf16"), Default: "f32", About: "Format of the operands; arithmetic is always in f32.",
		},
		{
			Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: "all", Default: "all",
			Choices: []workloads.Option{
				{Value: "all"},
				{Value: byFlash, Title: "Flash", About: "One dispatch with an online softmax.", Typical: true},
				{Value: byMatrix, Title: "Flash, simdgroup_matrix", About: "The same with the products of SIMD groups."},
				{Value: byDecode, Title: "Split keys", About: "One dispatch that divides the keys of each query; for one query only."},
			},
			About: "What to compare with three dispatches, or all.",
		},
		bench.OperandsParam(bench.FromCache), // queries, keys and values were just written
		{
			Name: "min_length", Title: "Shortest sequence", Type: workloads.Int, Unit: "tokens", Min: 1, Max: 1 << 16, Log2: true,
			Role: workloads.RoleSweep, Default: 64, About: "Tokens of the shortest sequence; the sweep doubles them up to the longest.",
		},
		{
			Name: "max_length", Title: "Longest sequence", Type: workloads.Int, Unit: "tokens", Min: 1, Max: 1 << 16, Log2: true,
			Role: workloads.RoleSweep, Default: 2048, About: "Tokens of the longest sequence.",
		},
		all, shared,
		{
			Name: "dim", Title: "Head dimension", Type: workloads.Int, Unit: "columns", Min: 1, Max: attention.MaxDim, Role: workloads.RoleCase,
			Default: 64, About: "Columns of each head; models have 64, 80 or 128.",
		},
		{
			Name: "mask", Title: "Mask", Type: workloads.Choice, Role: workloads.RoleCase, Default: noMask,
			Choices: []workloads.Option{
				{Value: noMask, Title: "None"},
				{Value: causalMask, Title: "Causal", About: "No query sees later tokens."},
				{Value: matrixMask, Title: "Matrix", About: "A matrix is added to the scores."},
			},
			About: "What hides tokens from queries.",
		},
	}
}

func attentionQuick() map[string]any {
	return map[string]any{"min_length": 128, "max_length": 512, "heads": 8}
}

func attentionPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Eight heads at a few lengths; takes seconds.", attentionQuick()),
		{
			Name: "prefill", Title: "Prompt of a language model",
			About: "32 heads of 128 columns that share 8 heads of keys, causal, in f16: prompts of 128 to 1024 tokens.",
			Values: workloads.Values{
				"queries": wholeSequence, "dtype": "f16", "heads": 32, "kv_heads": 8, "dim": 128, "mask": causalMask, "min_length": 128, "max_length": 1024,
			},
		},
		{
			Name: "decode", Title: "Next token", About: "One query per head over 512 to 16384 cached tokens, from memory: 32 heads of 128 columns that share 8 heads of keys, in f16.",
			Values: workloads.Values{
				"queries": oneQuery, "dtype": "f16", "operands": bench.FromMemory, "heads": 32, "kv_heads": 8, "dim": 128, "min_length": 512, "max_length": 16384,
			},
		},
		{
			Name: "vision", Title: "Vision transformer", About: "16 heads of 80 columns without a mask, for 64 to 1024 patches.",
			Values: workloads.Values{"queries": wholeSequence, "dim": 80, "min_length": 64, "max_length": 1024},
		},
		{
			Name: "sixteen-heads", Title: "16 heads × 512", About: "16 heads of 64 columns over 512 tokens.",
			Values: workloads.Values{"queries": wholeSequence, "min_length": 512, "max_length": 512},
		},
	}
}

// sharedEvenly refuses heads of keys that the heads of queries cannot share.
func sharedEvenly(v workloads.Values) error {
	if heads, shared := v.Int("heads"), v.Int("kv_heads"); shared > 0 && heads%shared != 0 {
		return &workloads.ParamError{
			Params: []string{"kv_heads", "heads"},
			Text:   fmt.Sprintf("{kv_heads} is %d, want a number that divides {heads}, which is %d", shared, heads),
		}
	}
	return nil
}

func attentionValid(v workloads.Values) error {
	if err := sharedEvenly(v); err != nil {
		return err
	}
	a := attentionOf(v, bench.Types(v.String("dtype"))[0], v.Int("max_length"), v.String("queries") == oneQuery)
	ways := len(compared(attentionWays(), v.String("compare")))
	return load{a.ops(), float64(max(a.bytes(0), a.stored())), float64(ways*a.bytes(0) + a.stored())}.within(maxOps, "max_length", "heads", "dim")
}

// Ways in one dispatch: the values of the parameter compare.
const (
	byFlash  = "flash"
	byMatrix = "flash_simd"
	byDecode = "decode"
)

// attentionWay is a way to compute attention: in one dispatch, by an implementation, or in three.
type attentionWay struct {
	way
	impl string
}

// inThree is the way that the others are compared with.
const inThree = "three dispatches"

func attentionWays() []attentionWay {
	return []attentionWay{
		{way: way{name: inThree}},
		{way{"flash", byFlash, "one dispatch"}, attention.Flash},
		{way{"flash, simdgroup_matrix", byMatrix, "one dispatch by simdgroup_matrix"}, attention.FlashSIMD},
		{way{"split keys", byDecode, "one dispatch with the keys divided"}, attention.Decode},
	}
}

func bySequence() versus { return versus{axis: "length", scale: chart.Log2, facet: "queries"} }

func runAttention(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	missing := lacking(v.String("compare") == all)
	if err := b.MeasurePoints(ctx, v, func(at workloads.Point) bench.Case { return attentionCase(v, t, missing, at) }); err != nil {
		return err
	}
	find(b, bySequence(), attentionWays(), func(queries string) workloads.Subject {
		return workloads.Subject{Name: attended(v, t, queries), Baseline: inThree}
	})
	return nil
}

// masking is the mask in a sentence.
func masking(mask string) string {
	switch mask {
	case causalMask:
		return ", causal"
	case matrixMask:
		return ", with a mask"
	}
	return ""
}

// attended is what was measured, in a sentence.
func attended(v workloads.Values, t shaders.Type, queries string) string {
	what := "Attention of whole sequences"
	if queries == oneQuery {
		what = "Attention of one query"
	}
	return fmt.Sprintf("%s, %s of %d in %v%s", what, workloads.WithUnit(fmt.Sprint(v.Int("heads")), "heads"), v.Int("dim"), t, masking(v.String("mask")))
}

func attentionCase(v workloads.Values, t shaders.Type, missing *lacks, at workloads.Point) bench.Case {
	a := attentionOf(v, t, at.Int("length"), at.String("queries") == oneQuery)
	return bench.Case{
		Name:     fmt.Sprintf("%s %d", at.String("queries"), a.p.Keys) + bench.OperandsSuffix(at.String("operands"), bench.FromCache),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var variants []bench.Variant
			compare := v.String("compare")
			for _, w := range compared(attentionWays(), compare) {
				if w.differs == byDecode && compare == all && a.p.Queries > 1 {
					continue // it is for one query
				}
				variants = missing.add(variants, a.variant(s, &w, at.String("operands")))
			}
			return variants, nil
		},
	}
}

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
	if one {
		p.Queries = 1
	}
	constants := map[string]shaders.Constants{
		noMask: nil, causalMask: {attention.Causal: 1}, matrixMask: {attention.HasMask: 1},
	}
	return attentionShape{t, p, constants[v.String("mask")]}
}

func (a *attentionShape) queryElements() int { return a.rows() * int(a.p.Dim) }
func (a *attentionShape) keyElements() int   { return int(a.p.KVHeads) * int(a.p.Keys) * int(a.p.Dim) }
func (a *attentionShape) rows() int          { return int(a.p.Heads) * int(a.p.Queries) }

// ops counts those of the two products.
func (a *attentionShape) ops() float64 {
	return 4 * float64(a.rows()) * float64(a.p.Keys) * float64(a.p.Dim)
}

// bytes are those of a set of operands, and of `more` elements.
func (a *attentionShape) bytes(more int) int {
	return a.t.Bytes(2*a.queryElements() + 2*a.keyElements() + more)
}

// stored are the bytes that three dispatches pass through memory: the scores, as often as they have them.
func (a *attentionShape) stored() int { return a.t.Bytes(2 * a.rows() * int(a.p.Keys)) }

// variant is one way, on operands of its own, so that all find theirs in the same place.
func (a *attentionShape) variant(s *bench.Scope, w *attentionWay, operands string) bench.Variant {
	more := 0
	if w.impl == "" {
		more = 2 * a.rows() * int(a.p.Keys)
	}
	rotation := s.Rotation(operands, int64(a.bytes(more)), maxSets)
	v := bench.Variant{Name: w.name, Items: float64(a.p.Queries), Baseline: w.baseline(inThree)}
	if w.impl == attention.Decode && a.p.Queries > 1 {
		v.Err = gpu.Errorf(gpu.ErrUnsupported, "attention", "", "it takes one query, not %d", a.p.Queries)
		return v
	}
	return rotated(s, v, rotation, func(int) ([]gpu.Launch, error) { return a.launches(s, w) })
}

// launches are those of one way, on new operands.
func (a *attentionShape) launches(s *bench.Scope, w *attentionWay) ([]gpu.Launch, error) {
	if w.impl != "" {
		if err := s.Supports(shaders.Pick{Op: "attention", Impl: w.impl, Type: a.t}); err != nil {
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
	out, err := s.Buffer(a.t, a.queryElements(), "out")
	if err != nil {
		return nil, err
	}
	if w.impl == "" {
		return a.naive(s, in, out)
	}
	constants := shaders.Constants{attention.HeadDim: int32(a.p.Dim)}
	for name, value := range a.constants {
		constants[name] = value
	}
	one, err := s.Dispatch(shaders.Pick{Op: "attention", Impl: w.impl, Type: a.t}, constants, a.p, append(in, out)...)
	return []gpu.Launch{one}, err
}

// naive stores all scores, then their softmax.
func (a *attentionShape) naive(s *bench.Scope, in []gpu.Buffer, out gpu.Buffer) ([]gpu.Launch, error) {
	var stored [2]gpu.Buffer
	for i, label := range []string{"scores", "probabilities"} {
		b, err := s.Buffer(a.t, a.rows()*int(a.p.Keys), label)
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

// fewRows reports whether there is one query for each head and no mask to add: a causal one hides nothing from the last token.
// Tiles of a product of whole sequences would be nearly empty.
func (a *attentionShape) fewRows() bool {
	return a.p.Queries == 1 && a.constants[attention.HasMask] == 0
}

// product is one of few rows: those of the heads that share keys. Queries count as scaled, as models do it in the layer before.
func (a *attentionShape) product(n, k uint32) shgemm.MatmulParams {
	return shgemm.MatmulParams{M: a.p.Heads / a.p.KVHeads, N: n, K: k, Batch: a.p.KVHeads}
}
