package throughput

import (
	"context"
	"fmt"
	"strings"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/plain"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// Fusion compares fused kernels with the same work in separate dispatches.
func Fusion() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "fusion", Title: "Fusion", Group: "Throughput",
		About:    "When is one fused kernel faster than the same work in separate dispatches, and where does it stop paying off?",
		Question: "Is it worth fusing my kernels into one?",
		Params: []workloads.Param{
			{
				Name: "pattern", Title: "Pattern", Type: workloads.Choice, Role: workloads.RoleCase,
				Choices: patternOptions(), All: "all", Default: "all",
				About: "Which operations to fuse, or all of them in turn.",
			},
			{
				Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleCase,
				Choices: workloads.Options("f32", "f16"), Default: "f32",
				About: "Format of the operands; arithmetic is always in f32.",
			},
			bench.OperandsParam(bench.FromCache), // a layer's input has just been written by the previous one
			{
				Name: "min_size", Title: "Smallest matrix", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
				Default: 64,
				About:   "Side of the smallest square matrix in the patterns with a matrix product.",
			},
			{
				Name: "max_size", Title: "Largest matrix", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
				Default: 1024,
				About:   "Side of the largest square matrix; " + sizeElsewhere,
			},
			{
				Name: "min_elements", Title: "Smallest vector", Type: workloads.Int, Unit: "elements", Min: 1, Max: 1 << 26,
				Log2: true, Default: 1000, Role: workloads.RoleSweep,
				About: "Elements in the smallest vector of the elementwise patterns.",
			},
			{
				Name: "max_elements", Title: "Largest vector", Type: workloads.Int, Unit: "elements", Min: 1, Max: 1 << 26, Log2: true, Role: workloads.RoleSweep,
				Default: 10_000_000,
				About:   "Elements in the largest vector; the sweep grows tenfold up to it.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "pattern", Title: "Pattern"},
			bench.OperandsAxis(),
			{
				Name: "size", Title: "Size", Phrase: "size %s",
				About: "Side of the square matrices; " + sizeElsewhere,
			},
			{Name: "elements", Title: "Vector length", Unit: "elements"},
			bench.FoundKernel(),
		},
		Quick:   fusionQuick(),
		Presets: fusionPresets(),
		Sweeps: []workloads.Sweep{
			{
				Axis: "size", From: "min_size", To: "max_size", Steps: workloads.Doubling, Title: "Matrix",
				About: "Sides of the square matrices in the patterns with a matrix product; the sweep doubles them.",
			},
			{
				Axis: "elements", From: "min_elements", To: "max_elements", Steps: workloads.Tenfold, Title: "Vector", Whole: wholeVectors,
				About: "Elements in the vectors of the elementwise patterns; the sweep grows them tenfold.",
			},
		},
		Run:   bench.Run(runFusion),
		Views: []chart.View{fusionView("size"), fusionView("elements"), fusionPairs("size"), fusionPairs("elements")},
	}, "threads=128", patternOps()...)
}

// sizeElsewhere says what the size is in patterns without square matrices.
const sizeElsewhere = "in swiglu and ffn, the width of the model, with a quarter as many tokens; in conv+bias+relu, the side of the image; " +
	"in attention, the length of the sequence."

// wholeVectors returns the number of elements nearest to n that divides evenly among the parts of the point's pattern.
func wholeVectors(_ workloads.Values, at workloads.Point, n int) int {
	for _, p := range patterns() {
		if p.name == at.String("pattern") && p.whole != nil {
			return p.whole(n)
		}
	}
	return n
}

// fusionView shows the gain from fusion at each size.
func fusionView(along string) chart.View {
	v := chart.View{
		X: chart.Enc{Of: along, Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Speedup), Title: "Speedup over separate"}, Color: "pattern",
		Layers: []chart.Layer{chart.Lines{}, chart.Rule{Y: 1, Label: "no difference"}},
	}
	for _, p := range patterns() {
		v.Places = append(v.Places, p.name)
	}
	return v
}

// fusionPairs shows the throughput of both forms of a pattern side by side.
func fusionPairs(along string) chart.View {
	return chart.View{
		Title: "Side by side", Facet: "pattern", X: chart.Enc{Of: along, Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.Throughput)},
		Layers: []chart.Layer{chart.Bars{}},
	}
}

// patternOptions are the patterns as parameter values; the longest chain of each kind is the typical one.
func patternOptions() []workloads.Option {
	options := workloads.Options("all")
	for _, p := range patterns() {
		options = append(options, workloads.Option{Value: p.name, Axis: p.axis, Typical: p.typical})
	}
	return options
}

func runFusion(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t := bench.Types(v.String("dtype"))[0]
	byName := map[string]pattern{}
	for _, p := range patterns() {
		byName[p.name] = p
	}
	build := func(at workloads.Point) bench.Case { return fusionCase(byName[at.String("pattern")], t, at) }
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	for _, p := range patterns() {
		b.Find(speedups(b.Workload, b.Results(), &p, t).Crossover()...)
	}
	return nil
}

func fusionCase(p pattern, t shaders.Type, at workloads.Point) bench.Case {
	n := at.Int(p.axis)
	return bench.Case{
		Name:     fmt.Sprintf("%s %d", p.name, n) + bench.OperandsSuffix(at.String("operands"), bench.FromCache),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			footprint, err := bench.Footprint(p.fused(t, n))
			if err != nil {
				return nil, err
			}
			rotation := s.Rotation(at.String("operands"), footprint, maxSets)
			var separate, fused [][]gpu.Launch
			for range rotation.Sets {
				one, other, err := p.build(s, t, n)
				if err != nil {
					return nil, err
				}
				separate, fused = append(separate, one), append(fused, other)
			}
			return []bench.Variant{
				{Name: "separate", Work: s.Launches(separate...), Items: 1, Notes: rotation.Notes()},
				{Name: "fused", Work: s.Launches(fused...), Items: 1, Notes: rotation.Notes(), Baseline: "separate"},
			}, nil
		},
	}
}

// maxSets limits the sets of operands of a case: small vectors would need too many to fill a cache.
const maxSets = 64

// spelled writes names of activations and layers as they appear in sentences.
var spelled = strings.NewReplacer("gelu", "GELU", "silu", "SiLU", "relu", "ReLU", "swiglu", "SwiGLU", "ffn", "FFN")

// speedups is how much faster a pattern is when fused, by the axis of its sweep.
func speedups(w *workloads.Workload, results []workloads.Result, p *pattern, t shaders.Type) *workloads.Curve {
	c := &workloads.Curve{Axis: w.Axis(p.axis), Of: workloads.Speedup}
	from := "in cache"
	for _, r := range results {
		if r.Setting("pattern") != p.name || r.Variant != "fused" {
			continue
		}
		c.Add(r)
		if r.Setting("operands") == bench.FromMemory {
			from = "from memory"
		}
	}
	c.Subject = workloads.Subject{
		Name: fmt.Sprintf("%s in %v, operands %s", plain.UpperFirst(spelled.Replace(p.name)), t, from),
		Way:  "one fused kernel", Baseline: "separate dispatches",
	}
	return c
}

func fusionQuick() map[string]any {
	return map[string]any{"min_size": 128, "max_size": 512, "min_elements": 10_000, "max_elements": 1_000_000}
}

func fusionPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All patterns at sizes that take seconds.", fusionQuick()),
		{
			Name: "layer-epilogue", Title: "Layer’s epilogue",
			About:  "A matmul with bias and ReLU, as in an MLP layer, up to 2048 rows.",
			Values: workloads.Values{"pattern": "matmul+bias+relu", "min_size": 32, "max_size": 2048},
		},
		{
			Name: "elementwise", Title: "Elementwise chain",
			About:  "Add and ReLU in one pass over memory instead of two, from small vectors to large.",
			Values: workloads.Values{"pattern": "add+relu", "min_elements": 1000, "max_elements": 50_000_000},
		},
		{
			Name: "half-precision", Title: "Half precision",
			About:  "All patterns in f16, with half the memory traffic.",
			Values: workloads.Values{"dtype": "f16"},
		},
	}
}
