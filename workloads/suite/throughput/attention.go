package throughput

import (
	"context"
	"fmt"

	"assay/internal/chart"
	"assay/shaders"
	"assay/shaders/attention"
	"assay/workloads"
	"assay/workloads/bench"
)

// Attention compares attention in one dispatch with attention in three, by sequence length.
func Attention() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "attention", Title: "Attention", Group: "Throughput",
		About:    "Attention in one dispatch, with scores that never reach memory, against three separate dispatches, by sequence length.",
		Question: "At what sequence length does flash attention pay off?",
		Params:   attentionParams(),
		Axes: []workloads.Axis{
			{Name: "queries", Title: "Queries"},
			bench.OperandsAxis(),
			{Name: "length", Title: "Sequence length", Unit: "tokens"},
			bench.FoundKernel(),
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
	}, "threads=128", attentionOps()...)
}

// The queries of a sequence: values of the parameter queries.
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
	all, shared := heads("heads", "Heads", "Query heads.", 1, ""), heads("kv_heads", "KV heads",
		"Heads of keys and values, each shared by the same number of query heads.", 0, "one for each head")
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
			Choices: bench.Formats(bench.AllOf("attention"), "f32", "f16", "bf16"), Default: "f32", About: "Format of the operands; arithmetic is always in f32.",
		},
		{
			Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: "all", Default: "all",
			Choices: attentionKernels(),
			About:   "Which kernel in one dispatch to compare with three dispatches, or all.",
		},
		bench.OperandsParam(bench.FromCache), // queries, keys and values have just been written
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
			About: "The mask that hides tokens from queries.",
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

// sharedEvenly rejects a number of key heads that the query heads cannot share evenly.
func sharedEvenly(v workloads.Values) error {
	if heads, shared := v.Int("heads"), v.Int("kv_heads"); shared > 0 && heads%shared != 0 {
		return workloads.NewParamError([]string{"kv_heads", "heads"}, "{kv_heads} is %v, want a number that divides {heads}, which is %v", shared, heads)
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

// attentionWay is a way to compute attention: in one dispatch, by an implementation, or in three if it has none.
type attentionWay struct {
	way
	*shaders.Impl
}

// inThree is the baseline of the others.
const inThree = "three dispatches"

func attentionWays() []attentionWay {
	list := []attentionWay{{way: way{name: inThree}}}
	for _, m := range implementations("attention") {
		list = append(list, attentionWay{by(m), m})
	}
	return list
}

// attentionKernels are the values of the parameter compare.
func attentionKernels() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for i, m := range implementations("attention") {
		o := option(m)
		o.Typical = i == 0
		list = append(list, o)
	}
	return list
}

func bySequence() versus { return versus{axis: "length", scale: chart.Log2, facet: "queries"} }

func runAttention(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	missing := lacking(v.String("compare") == all)
	if err := b.MeasurePoints(ctx, v, func(at workloads.Point) bench.Case { return attentionCase(v, t, missing, at) }); err != nil {
		return err
	}
	c := bySequence()
	for _, queries := range c.values(b.Results()) {
		s := workloads.Subject{Name: attended(v, t, queries), Way: "the fastest single dispatch", Baseline: inThree}
		if ways := compared(attentionWays(), v.String("compare")); len(ways) == 2 {
			s.Way = "one dispatch (" + ways[1].words + ")"
		}
		b.Find(c.best(b, queries, s, nil).Crossover()...)
		b.Find(workloads.Leaders(b.Workload.Axis(c.axis), workloads.ItemRate, "queries/s", workloads.Subject{Name: s.Name}, c.of(b.Results(), queries))...)
	}
	return nil
}

// masking describes the mask in a sentence.
func masking(mask string) string {
	switch mask {
	case causalMask:
		return ", causal"
	case matrixMask:
		return ", with a mask"
	}
	return ""
}

// attended describes in a sentence what was measured.
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
			for _, w := range compared(attentionWays(), v.String("compare")) {
				if missing.everything && a.suits(&w) != nil {
					continue // all means those made for it
				}
				variants = missing.add(s, variants, a.variant(s, &w, at.String("operands")))
			}
			return variants, nil
		},
	}
}
