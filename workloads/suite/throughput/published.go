package throughput

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/conv"
	"assay/workloads"
	"assay/workloads/bench"
)

// Published measures the shapes of two published tables, and shows their figures beside its own.
func Published() workloads.Workload {
	return workloads.Workload{
		Name: "published", Title: "Published figures", Group: "Throughput",
		About:    "The shapes of two published tables for Apple GPUs, measured here; what the tables leave out is stated.",
		Question: "How do published figures compare with this machine?",
		Params: []workloads.Param{
			{
				Name: "shape", Title: "Shape", Type: workloads.Choice, Role: workloads.RoleCase, All: all, Default: all,
				Choices: publishedOptions(), About: "Which row of the tables to measure, or all in turn.",
			},
			dtypeParam("Format of the operands, which the tables do not state; arithmetic is always in f32."),
		},
		Axes: []workloads.Axis{{Name: "shape", Title: "Shape"}},
		Metrics: metric.List{
			{
				Name: publishedFigures, Title: "Published", Shape: metric.Text,
				About: "Published times of the shape. They were measured by others, on other machines, and nothing here is computed from them.",
			},
			{Name: publishedSource, Title: "Published by", Shape: metric.Text, About: "Where the published times are from."},
			{Name: publishedGaps, Title: "Not stated there", Shape: metric.Text, About: "What the source leaves out, and what was measured here."},
		},
		Quick: map[string]any{"shape": "matmul 1024"},
		Presets: []workloads.Preset{
			workloads.QuickLook("One product; takes seconds.", map[string]any{"shape": "matmul 1024"}),
			{Name: "half", Title: "Half precision", About: "All shapes in f16.", Values: workloads.Values{"dtype": "f16"}},
		},
		Variants: func(workloads.Values) int { return 1 },
		Run:      bench.Run(runPublished),
		Views:    []chart.View{publishedView()},
	}
}

// Metrics of this workload.
const (
	publishedFigures metric.Name = "published"
	publishedSource  metric.Name = "published_source"
	publishedGaps    metric.Name = "published_gaps"
)

// publishedShape is a row of a published table.
type publishedShape struct {
	name   string
	steps  func(t shaders.Type) []bench.Step
	times  []publishedTime
	source string
	gaps   string // what the source leaves out, and what is measured instead; empty: nothing
}

// publishedTime is a time that others measured.
type publishedTime struct {
	on      string
	seconds float64
}

// Sources of the figures.
const (
	optimizerSource  = "the documentation of a graph optimizer for M3"
	tensorLogicGuide = "a guide to GPU programming with TensorLogic"
)

func publishedShapes() []publishedShape {
	square := func(n int) func(t shaders.Type) []bench.Step {
		return func(t shaders.Type) []bench.Step {
			return []bench.Step{matmul(t, n, n, n, nil, "a", "b", bench.None, result)}
		}
	}
	table := func(generic, m3, optimized float64) []publishedTime {
		return []publishedTime{{"M1 or M2", generic}, {"M3", m3}, {"M3, optimized", optimized}}
	}
	const noFormat = "the number format"
	return []publishedShape{
		{
			name: "matmul 64", steps: square(64), source: tensorLogicGuide,
			times: []publishedTime{{"M4 Pro", 0.43e-3}}, gaps: noFormat,
		},
		{
			name: "matmul 256", steps: square(256), source: tensorLogicGuide,
			times: []publishedTime{{"M4 Pro", 0.56e-3}}, gaps: noFormat,
		},
		{
			name: "matmul 1024", steps: square(1024), source: optimizerSource + ", and " + tensorLogicGuide,
			times: append(table(8.2e-3, 5.1e-3, 2.8e-3), publishedTime{"M4 Pro", 4.37e-3}), gaps: noFormat,
		},
		{
			name: "convolution 3x3, 64x224x224", steps: publishedConvolution, source: optimizerSource,
			times: table(12.4e-3, 7.3e-3, 4.1e-3),
			gaps:  noFormat + ", output channels, batch and padding; here 64 channels, one image, padded to the same size",
		},
		{
			name: "attention 16x512", steps: publishedAttention, source: optimizerSource,
			times: table(18.7e-3, 10.5e-3, 5.8e-3),
			gaps:  noFormat + ", head dimension, batch and mask; here a dimension of 64, one sequence, no mask",
		},
		{
			name: "swiglu 1024x4096", source: optimizerSource,
			steps: func(t shaders.Type) []bench.Step {
				return []bench.Step{each("silu_mul", t, 1024*4096, "gate", "up", result)}
			},
			times: table(6.3e-3, 3.9e-3, 2.1e-3),
			gaps:  noFormat + ", and whether the products before it count; here they do not",
		},
	}
}

func publishedConvolution(t shaders.Type) []bench.Step {
	p := conv.ConvParams{N: 1, C: 64, H: 224, W: 224, O: 64, Side: 3, Stride: 1, Pad: 1}
	return []bench.Step{{Pick: shaders.Pick{Op: "conv2d", Type: t}, Params: p, Args: []string{"x", "filters", bench.None, result}}}
}

func publishedAttention(t shaders.Type) []bench.Step {
	p := attention.AttentionParams{Heads: 16, KVHeads: 16, Queries: 512, Keys: 512, Dim: 64}
	return []bench.Step{{
		Pick: shaders.Pick{Op: "attention", Impl: attention.Flash, Type: t}, Constants: shaders.Constants{attention.HeadDim: 64},
		Params: p, Args: []string{"q", "k", "v", bench.None, result},
	}}
}

func publishedOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, s := range publishedShapes() {
		list = append(list, workloads.Option{Value: s.name, Typical: s.name == "matmul 1024"})
	}
	return list
}

// publishedView draws the time of each shape with the published ones as lines.
func publishedView() chart.View {
	lines := chart.Rules{}
	for _, s := range publishedShapes() {
		for _, p := range s.times {
			lines[s.name] = append(lines[s.name], chart.Rule{Y: p.seconds, Label: "published, " + p.on})
		}
	}
	return chart.View{
		Facet: "shape", X: chart.Enc{Of: "shape", Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.Time)},
		Layers: []chart.Layer{chart.Bars{}, lines},
	}
}

func runPublished(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	shapes := publishedShapes()
	find := func(name any) *publishedShape {
		return &shapes[slices.IndexFunc(shapes, func(s publishedShape) bool { return s.name == name })]
	}
	if err := b.MeasurePoints(ctx, v, func(at workloads.Point) bench.Case { return find(at.String("shape")).measured(t, at) }); err != nil {
		return err
	}
	results := b.Results()
	for i := range results {
		s := find(results[i].Setting("shape"))
		b.Find(workloads.Beside(&results[i], fmt.Sprintf("%s in %v", s.name, t), s.figures(), s.source)...)
	}
	return nil
}

// figures are the published times: "8.20 ms (M1 or M2), 5.10 ms (M3)".
func (s *publishedShape) figures() string {
	var parts []string
	for _, p := range s.times {
		parts = append(parts, fmt.Sprintf("%s (%s)", si.Time(p.seconds), p.on))
	}
	return strings.Join(parts, ", ")
}

func (s *publishedShape) measured(t shaders.Type, at workloads.Point) bench.Case {
	return bench.Case{
		Name: s.name, Settings: at,
		Build: func(scope *bench.Scope) ([]bench.Variant, error) {
			v := bench.Variant{Name: "Assay", Items: 1, Adjust: func(r *workloads.Result) {
				r.Values.SetText(publishedFigures, s.figures())
				r.Values.SetText(publishedSource, s.source)
				r.Values.SetText(publishedGaps, s.gaps)
			}}
			launches, err := scope.Chain(s.steps(t), bench.Buffers{})
			v.Work, v.Err = scope.Launches(launches), err
			return []bench.Variant{v}, nil
		},
	}
}
