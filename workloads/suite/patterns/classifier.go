package patterns

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/chart"
	"assay/internal/si"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// Classifier trains a network in f32, and has it classify unseen examples with its weights in each number format.
func Classifier() workloads.Workload {
	return workloads.Workload{
		Name: "classifier", Title: "Classifier", Group: "Accuracy",
		About:    "Trains a small network in f32 and measures its accuracy with weights rounded to each number format; it still computes in f32, so times do not change.",
		Question: "Does a smaller format change what a network decides?",
		Params:   classifierParams(), Metrics: slices.Concat(workloads.DecisionMetrics(), workloads.WeightMetrics()),
		Axes: []workloads.Axis{
			{Name: "layers", Title: "Layers", Unit: "layers"},
			{Name: "width", Title: "Width", Unit: "columns"},
			{Name: "format", Title: "Number format"},
			{Name: "block", Title: "Weights per scale", Unit: "weights"},
			bench.FoundOperands(),
			bench.FoundKernel(),
		},
		Quick: classifierQuick(),
		Presets: []workloads.Preset{
			workloads.QuickLook("A network of two layers of 256 columns; takes seconds.", classifierQuick()),
			{Name: "deep", Title: "Deep networks", About: "Up to eight layers, through which errors accumulate.", Values: workloads.Values{"max_layers": 8, "steps": 400}},
		},
		Sweeps: []workloads.Sweep{{
			Axis: "layers", From: "min_layers", To: "max_layers", Steps: workloads.Doubling, Title: "Layers", About: "Layers of the network; the sweep doubles them.",
		}},
		Variants: func(v workloads.Values) int { return len(classifierFormats(v)) },
		Valid:    validClassifier,
		Run:      bench.Run(runClassifier),
		Judge:    judgeClassifier,
		Views: []chart.View{{
			Title: "Accuracy", Facet: "layers", X: chart.Enc{Of: string(workloads.Footprint), Scale: chart.Log2}, Xs: []chart.Enc{{Of: string(workloads.SNR)}},
			Y: chart.Enc{Of: string(workloads.Accuracy)}, Ys: []chart.Enc{{Of: string(workloads.Agreement)}, {Of: string(workloads.AccuracyLost)}},
			Color: "format", Layers: []chart.Layer{chart.Points{}, chart.Front{}},
		}},
	}
}

func classifierQuick() map[string]any {
	return map[string]any{"max_layers": 2, "examples": 1024, "unseen": 2048, "steps": 100}
}

func classifierParams() []workloads.Param {
	const role = workloads.RoleCase
	return []workloads.Param{
		{Name: "width", Title: "Width", Type: workloads.Int, Unit: "columns", Min: 32, Max: 1024, Log2: true, Role: role, Default: 256, About: "Columns of the input and of the layers."},
		workloads.SweepEnd("min_layers", "Fewest layers", "layers", 16, 2, "Layers of the shallowest network; the sweep doubles them."),
		workloads.SweepEnd("max_layers", "Most layers", "layers", 16, 4, "Layers of the deepest network."),
		{
			Name: "examples", Title: "Training examples", Type: workloads.Int, Unit: "examples", Min: 64, Max: 16384, Log2: true, Role: role, Default: 4096,
			About: "Examples that the network is trained on, all of them in each step.",
		},
		{Name: "steps", Title: "Training steps", Type: workloads.Int, Unit: "steps", Min: 2, Max: 2000, Role: role, Default: 300, About: "Steps of gradient descent in f32."},
		{
			Name: "unseen", Title: "Unseen examples", Type: workloads.Int, Unit: "examples", Min: 64, Max: 16384, Log2: true, Role: role, Default: 8192,
			About: "Held-out examples to classify; more of them narrow the intervals of accuracy.",
		},
		{
			Name: "formats", Title: "Formats", Type: workloads.Choice, Role: workloads.RoleVariant, Axis: "format", All: all, Default: all,
			Choices: kindOptions(), About: "Which formats to compare with f32.",
		},
		{
			Name: "block", Title: "Block", Type: workloads.Int, Unit: "weights", Min: quant.MinBlock, Max: quant.MaxBlock, Log2: true, Role: workloads.RoleVariant, Default: quant.MinBlock,
			About: "Weights that share one scale, in formats that offer a choice; a power of two.",
		},
		{
			Name: "allowed", Title: "Allowed loss", Type: workloads.Float, Unit: "points", Min: 0, Max: 20, Step: 0.1, Default: 1.0, Role: workloads.RoleFinding,
			About: "The finding names the smallest format shown to lose at most this many percentage points of accuracy.",
		},
	}
}

// kindOptions are the kinds of formats besides f32.
func kindOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, k := range quant.Kinds() {
		if k != quant.F32 {
			list = append(list, workloads.Option{Value: k.String()})
		}
	}
	return list
}

// classifierFormats returns f32 and the chosen formats.
func classifierFormats(v workloads.Values) []quant.Format {
	list := []quant.Format{{Kind: quant.F32}}
	for _, k := range quant.Kinds() {
		if chosen := v.String("formats"); k == quant.F32 || chosen != all && chosen != k.String() {
			continue
		}
		f := quant.Format{Kind: k}
		if k.Scaled() {
			f.Block = v.Int("block")
		}
		list = append(list, f)
	}
	return list
}

func validClassifier(v workloads.Values) error {
	if err := quant.CheckBlock(v.Int("block")); err != nil {
		return &workloads.ParamError{Params: []string{"block"}, Text: fmt.Sprintf("{block}: %v", err)}
	}
	return nil
}

func runClassifier(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	build := func(at workloads.Point) bench.Case {
		size := sizes{n: v.Int("examples"), width: v.Int("width"), layers: at.Int("layers"), steps: v.Int("steps"), t: shaders.F32}
		size.rate = float32(min(0.2, 25/float64(size.width))) // faster than for steady learning: there are few steps
		return bench.Case{
			Name: fmt.Sprintf("%s of %d", si.Counted(size.layers, "layer"), size.width), Settings: append(at, workloads.Setting{Name: "width", Value: size.width}),
			Build: func(s *bench.Scope) ([]bench.Variant, error) {
				n, err := newClassifier(s, size, v.Int("unseen"))
				if err != nil {
					return nil, err
				}
				return n.variants(classifierFormats(v))
			},
		}
	}
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	b.Find(judgeClassifier(b.Results(), v)...)
	return nil
}

// judgeClassifier finds the smallest format that preserves the accuracy of each network.
func judgeClassifier(results []workloads.Result, v workloads.Values) []workloads.Finding {
	var found []workloads.Finding
	for len(results) > 0 {
		of := results[0].Case
		n := slices.IndexFunc(results, func(r workloads.Result) bool { return r.Case != of })
		if n < 0 {
			n = len(results)
		}
		size := sizes{width: int(results[0].Number("width")), layers: int(results[0].Number("layers"))}
		k := workloads.Keeping{
			Subject: workloads.Subject{Name: "A network of " + of, Baseline: quant.F32.String()}, Results: results[:n],
			Allowed: v.Float("allowed") / 100, Weights: float64(size.weights()),
		}
		found = append(found, k.Smallest()...)
		results = results[n:]
	}
	return found
}
