// Package precision has the workloads about the gains and losses of smaller number formats.
package precision

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// Quantization compares number formats of one layer's weights: out[batch, rows] = x[batch, cols] · Wᵀ. It reports the errors of the
// weights that the engine dequantizes, against the originals, separately from those of the layer's output, against float64 sums with
// the original weights and activations.
func Quantization() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "quantization", Title: "Quantization", Group: "Accuracy",
		About:    "What do smaller weight formats gain in time and bytes, and lose in accuracy?",
		Question: "Is int4 or int8 worth it for my weights?",
		Params:   quantizationParams(), Metrics: slices.Concat(workloads.WeightMetrics(), workloads.OutputMetrics(), workloads.HalfSumsMetrics(), workloads.PublishedMetrics()),
		Axes: []workloads.Axis{
			{Name: "weights", Title: "Weights", Unit: ""},
			{Name: "tensor", Title: "Tensor", Unit: ""},
			{Name: "rows", Title: "Output features", Unit: "rows"},
			{Name: "cols", Title: "Input features", Unit: "columns"},
			{Name: "format", Title: "Number format", Unit: ""},
			{Name: "block", Title: "Weights per scale", Unit: "weights"},
			{Name: "scale_type", Title: "Scale type", Unit: ""},
			{Name: "activations", Title: "Activations", Unit: ""},
			{Name: "dequantized", Title: "Dequantized", Unit: ""},
			{Name: "rounded", Title: "Activations rounded to", Unit: ""},
			bench.OperandsAxis(),
			bench.FoundKernel(),
		},
		Quick:   quantizationQuick(),
		Presets: quantizationPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "block", From: "min_block", To: "max_block", Steps: workloads.Doubling, Title: "Block", Variants: true,
			About: "Adjacent weights of a row that share one scale, in powers of two.",
		}},
		Valid: validQuantization,
		Ready: filesReadable,
		Variants: func(v workloads.Values) int {
			formats := chosenFormats(v)
			n, quantized := len(formats), len(slices.DeleteFunc(formats, func(f quant.Format) bool { return !f.Kind.Quantized() }))
			if choosesBitLinear(v) {
				n, quantized = n+1, quantized+1
			}
			if v.Bool("dequantize_first") {
				n += quantized
			}
			return n + len(roundedFormats(formats, v))
		},
		Run:   bench.Run(runQuantization),
		Judge: judgeQuantization,
		Views: []chart.View{{
			Facet: "weights",
			X:     chart.Enc{Of: string(workloads.SNR)},
			Xs:    []chart.Enc{{Of: string(workloads.OutputSNR), Title: "Output SNR"}, {Of: string(workloads.Footprint)}, {Of: string(workloads.Time)}, {Of: string(workloads.Energy)}},
			Y:     chart.Enc{Of: string(workloads.Speedup), Title: "Speedup over f32"},
			Ys:    []chart.Enc{{Of: string(workloads.Time)}, {Of: string(workloads.Footprint)}, {Of: string(workloads.Energy)}, {Of: string(workloads.OutputSNR), Title: "Output SNR"}},
			Color: "format", Places: places(),
			Layers: []chart.Layer{chart.Points{Note: "with enough SNR"}, chart.Front{}, chart.Rule{Y: 1, Label: "no difference"}},
		}, {
			Title: "Error by block", Facet: "weights", X: chart.Enc{Of: "block", Scale: chart.Log2},
			Y: chart.Enc{Of: string(workloads.WeightErrorRel), Scale: chart.Log10}, Color: "format", Places: places(),
			Layers: []chart.Layer{chart.Lines{}},
		}, besidePublished()},
	}, "tile=32", "matmul", "matmul_quant", "matmul_quant_int8", "matmul_blocks", "matmul_blocks_int8", "matmul_bitlinear")
}

// places are the series of charts in the order of their colors and markers.
func places() []string {
	all := []string{"f16", "int8", "int4", "bf16", "e4m3", "e5m2", "ternary", bitLinear}
	for _, k := range []quant.Kind{quant.Int8, quant.Int4, quant.E4M3, quant.E5M2, quant.Ternary} {
		all = append(all, series(quant.Format{Kind: k, Half: true}))
	}
	return all
}

func quantizationParams() []workloads.Param {
	return []workloads.Param{
		{
			Name: "weights", Title: "Weights", Type: workloads.Choice, Role: workloads.RoleCase, All: "all", Default: "all",
			Choices: []workloads.Option{
				{Value: "all"},
				{Value: "normal", Typical: true},
				{Value: "outliers"},
				{Value: "file", Typical: true, Applies: func(v workloads.Values) bool { return v.String("file") != "" }},
			},
			About: "Normal weights, normal weights with a few columns 20 times as large, weights from a file, or all of these.",
		},
		{
			Name: "file", Title: "File", Type: workloads.File, Default: "", Role: workloads.RoleCase, Axis: "tensor",
			Applies: usesFile,
			About:   "A .safetensors or .gguf file with weights; without one, only generated weights are measured.",
		},
		{
			Name: "tensor", Title: "Tensor", Type: workloads.Text, In: "file", Default: "", Role: workloads.RoleCase, Applies: usesFile,
			About: "Tensor in the file; empty: the largest with two dimensions.",
		},
		{
			Name: "rows", Title: "Output features", Type: workloads.Int, Unit: "rows", Min: 1, Max: 16384, Log2: true, Default: 4096,
			Role: workloads.RoleCase, Applies: usesGenerated,
			About: "Rows of the generated weight matrix, one per output.",
		},
		{
			Name: "cols", Title: "Input features", Type: workloads.Int, Unit: "columns", Min: 1, Max: 16384, Log2: true, Default: 4096,
			Role: workloads.RoleCase, Applies: usesGenerated,
			About: "Columns of the generated weight matrix, one per input.",
		},
		{
			Name: "batch", Title: "Batch", Type: workloads.Int, Unit: "items", Min: 1, Max: 4096, Log2: true, Default: 1,
			Role:  workloads.RoleCase,
			About: "Inputs per product; 1 is text generation token by token.",
		},
		{
			Name: "formats", Title: "Formats", Type: workloads.Choice, Role: workloads.RoleVariant, Axis: "format", All: "all", Default: "all",
			Choices: []workloads.Option{
				{Value: "all"},
				{Value: "f16"},
				{Value: "bf16"},
				{Value: "e4m3", Axis: "block"},
				{Value: "e5m2", Axis: "block"},
				{Value: "int8", Axis: "block"},
				{Value: "int4", Axis: "block", Typical: true},
				{Value: "ternary", Axis: "block"},
				{Value: bitLinear},
				{Value: "q8_0"},
				{Value: "q6_K"},
				{Value: "q4_1"},
				{Value: "q4_K"},
				{Value: "q4_0"},
			},
			About: "Formats to compare with f32: e4m3 and e5m2 are 8-bit floats, ternary is -1, 0 or 1 times a scale (bitlinear adds int8 activations), and names with q are blocks of .gguf files.",
		},
		{
			Name: "scales", Title: "Scales", Type: workloads.Choice, Role: workloads.RoleVariant, All: "all", Default: "all",
			Choices: []workloads.Option{{Value: "all"}, {Value: "blocks", Axis: "block"}, {Value: "rows"}, {Value: "tensor"}},
			Applies: usesScales,
			About:   "What shares a scale: blocks of adjacent weights, each row or the whole tensor; all is blocks and the tensor in turn.",
		},
		{
			Name: "scale_type", Title: "Scale type", Type: workloads.Choice, Role: workloads.RoleVariant, All: "all", Default: "f32",
			Choices: []workloads.Option{{Value: "all"}, {Value: "f32", Typical: true}, {Value: "f16"}}, Applies: usesScales,
			About: "Whether scales and zero points of codes are stored in f32, or in f16 at half the size; all is both in turn.",
		},
		{
			Name: "min_block", Title: "Smallest block", Type: workloads.Int, Unit: "weights", Min: quant.MinBlock,
			Max: quant.MaxBlock, Log2: true, Role: workloads.RoleSweep, Applies: usesScales,
			Default: quant.MinBlock,
			About:   "Minimum number of adjacent weights that share one scale; a power of two.",
		},
		{
			Name: "max_block", Title: "Largest block", Type: workloads.Int, Unit: "weights", Min: quant.MinBlock,
			Max: quant.MaxBlock, Log2: true, Role: workloads.RoleSweep, Applies: usesScales,
			Default: usualMaxBlock,
			About:   "Maximum number of adjacent weights that share one scale; a power of two.",
		},
		{
			Name: "scheme", Title: "Scheme", Type: workloads.Choice, Role: workloads.RoleCase,
			Choices: workloads.Options("affine", "symmetric"), Default: "affine", Applies: usesScales,
			About: "Affine int8 and int4 codes span the minimum to the maximum; symmetric ones keep zero in the middle.",
		},
		{
			Name: "dequantize_first", Title: "Dequantize first", Type: workloads.Bool, Role: workloads.RoleVariant, Default: false, Applies: usesCodes,
			About: "Also measures each format with its weights dequantized to f32 by a separate kernel before the product.",
		},
		{
			Name: "int8_activations", Title: "Int8 activations", Type: workloads.Bool, Role: workloads.RoleVariant, Default: false, Applies: usesIntegers,
			About: "Also measures int8, int4 and .gguf blocks with activations rounded to int8 by a separate kernel, whose time counts; output errors include the rounding.",
		},
		{
			Name: "activations", Title: "Activations", Type: workloads.Choice, Role: workloads.RoleCase, Default: uniform,
			Choices: []workloads.Option{
				{Value: uniform},
				{Value: "outliers"},
				{Value: "file", Applies: func(v workloads.Values) bool { return v.String("activations_file") != "" }},
			},
			About: "Uniform activations, normal ones with a few features 20 times as large, as in trained models, or activations from a file.",
		},
		{
			Name: "activations_file", Title: "Activations file", Type: workloads.File, Default: "", Role: workloads.RoleCase, Applies: usesActivationsFile,
			About: "A .safetensors or .gguf file with a tensor that has as many columns as the weights; its first rows are the batch.",
		},
		bench.OperandsParam(bench.FromMemory), // a token reads each weight once
		{
			Name: "target_snr", Title: "Wanted SNR", Type: workloads.Float, Unit: "dB", Min: 0, Max: 120, Step: 1, Default: 20.0,
			Role:  workloads.RoleFinding,
			About: "Findings name the smallest and the fastest format that keeps this signal-to-noise ratio.",
		},
		limitParam("target_output_snr", "Output SNR", "dB", 120, 1, "Findings also require this signal-to-noise ratio of the layer’s output; 0: no limit."),
		limitParam("max_bits", "Size limit", "bits", 32, 0.5, "Findings require a format of at most this many bits per weight, scales and zero points included; 0: no limit."),
		limitParam("max_time", "Time limit", "% of f32", 200, 1, "Findings require a format shown to take at most this share of f32’s time; 0: no limit."),
		limitParam("max_energy", "Energy limit", "% of f32", 200, 1, "Findings require a format shown to need at most this share of f32’s energy, where energy is measured; 0: no limit."),
	}
}

// limitParam is a limit within which findings choose; 0: none.
func limitParam(name, title, unit string, limit, step float64, about string) workloads.Param {
	return workloads.Param{
		Name: name, Title: title, Type: workloads.Float, Unit: unit, Min: 0, Max: limit, Step: step, Zero: "no limit", Default: 0.0,
		Role: workloads.RoleFinding, About: about,
	}
}

// bounds are the limits that v sets.
func bounds(v workloads.Values) []workloads.Bound {
	var out []workloads.Bound
	for _, l := range []struct {
		name string
		of   metric.Name
		per  float64
	}{
		{"target_output_snr", workloads.OutputSNR, 1},
		{"max_bits", workloads.Footprint, 1},
		{"max_time", workloads.Time, 0.01},
		{"max_energy", workloads.Energy, 0.01},
	} {
		if at := v.Float(l.name); at > 0 {
			out = append(out, workloads.Bound{Of: l.of, At: l.per * at})
		}
	}
	return out
}

func validQuantization(v workloads.Values) error {
	if v.String("weights") == "file" && v.String("file") == "" {
		return &workloads.ParamError{Params: []string{"file"}, Text: "{weights} is file, but no {file} is given"}
	}
	if w := v.String("weights"); v.String("file") != "" && w != "file" && w != "all" {
		return &workloads.ParamError{Params: []string{"weights"}, Text: fmt.Sprintf("{file} is given, but {weights} is %s: set it to file or all", w)}
	}
	if v.String("activations") == "file" && v.String("activations_file") == "" {
		return &workloads.ParamError{Params: []string{"activations_file"}, Text: "{activations} is file, but no {activations_file} is given"}
	}
	for _, name := range []string{"min_block", "max_block"} {
		if err := quant.CheckBlock(v.Int(name)); err != nil {
			return &workloads.ParamError{Params: []string{name}, Text: fmt.Sprintf("{%s}: %v", name, err)}
		}
	}
	return nil
}

// usesFile rejects file parameters if no weights come from a file.
func usesFile(v workloads.Values) error {
	if v.String("file") == "" {
		return errors.New("no file is chosen")
	}
	if v.String("weights") != "file" && v.String("weights") != "all" {
		return errors.New("weights do not come from a file: choose file or all")
	}
	return nil
}

// usesGenerated rejects the size of generated weights if a single point would measure a file's.
func usesGenerated(v workloads.Values) error {
	if usesFile(v) == nil {
		return errors.New("the file’s tensor has a fixed size: choose generated weights")
	}
	return nil
}

// usesScales rejects scale parameters if no format has scales.
func usesScales(v workloads.Values) error {
	if v.String("formats") == bitLinear {
		return errors.New("the weights of bitlinear have one scale: choose ternary")
	}
	if k, known := quant.ParseKind(v.String("formats")); known && !k.Scaled() {
		return fmt.Errorf("%v has no scales to choose: choose another format, such as int4", k)
	}
	return nil
}

func runQuantization(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	sources, done, err := weightSources(v, b.Seed)
	if err != nil {
		return err
	}
	defer done()
	var cases []bench.Case
	for i := range sources {
		cases = append(cases, quantizationCase(&sources[i], v))
	}
	if err := b.MeasureAll(ctx, cases); err != nil {
		return err
	}
	b.Find(judgeQuantization(b.Results(), v)...)
	return nil
}

// judgeQuantization chooses among the formats of each case.
func judgeQuantization(results []workloads.Result, v workloads.Values) []workloads.Finding {
	var found []workloads.Finding
	var names []string
	for i := range results {
		if name := results[i].Case; !slices.Contains(names, name) {
			names = append(names, name)
			formats := candidates(results, &results[i], v)
			found = slices.Concat(found, formats.Advice(), formats.Smallest(), formats.Fastest(), formats.Thriftiest(), formats.Exactest(), inOneKernel(results, name), inInt8(results, name), inHalfSums(results, name), leftOut(&results[i], v))
		}
	}
	return found
}

// inHalfSums reports what sums in f16 would lose in a case.
func inHalfSums(results []workloads.Result, name string) []workloads.Finding {
	i := slices.IndexFunc(results, func(r workloads.Result) bool { return r.Case == name && r.Variant == quant.F16.String() })
	if i < 0 {
		return nil
	}
	return workloads.HalfSums(&results[i], workloads.Subject{Name: "Weights " + name + " in f16"})
}

func quantizationCase(src *weightSource, v workloads.Values) bench.Case {
	c := bench.Case{
		Name: fmt.Sprintf("%s %d×%d", src.title, src.rows, src.cols) + activationsSuffix(v) + bench.OperandsSuffix(v.String("operands"), bench.FromMemory),
		Settings: workloads.Point{
			{Name: "weights", Value: src.kind},
			{Name: "operands", Value: v.String("operands")},
			{Name: "rows", Value: src.rows},
			{Name: "cols", Value: src.cols},
		},
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			l, err := newLayer(s, src, v)
			if err != nil {
				return nil, err
			}
			return l.variants(v)
		},
	}
	if a := v.String("activations"); a != uniform {
		c.Settings = append(c.Settings, workloads.Setting{Name: "activations", Value: a})
	}
	if src.kind == "file" {
		c.Settings = append(c.Settings, workloads.Setting{Name: "tensor", Value: src.title})
	}
	return c
}

// candidates are the formats of a result's case that have a time.
func candidates(all []workloads.Result, of *workloads.Result, v workloads.Values) *workloads.Candidates {
	from := "weights from memory"
	if v.String("operands") == bench.FromCache {
		from = "weights in cache"
	}
	out := &workloads.Candidates{
		Subject: workloads.Subject{
			Name: "Weights " + of.Case, Baseline: quant.F32.String(), Where: fmt.Sprintf("at batch %d, %s", v.Int("batch"), from),
		},
		Quality: func(r *workloads.Result) float64 { return r.Number(workloads.SNR) }, Wanted: v.Float("target_snr"), Bounds: bounds(v),
		Bytes:    func(r *workloads.Result) float64 { return r.Number(workloads.Footprint) },
		Speedup:  func(r *workloads.Result) stats.Interval { return r.Speedup() },
		Group:    func(r *workloads.Result) string { s, _ := r.Setting("format").(string); return s },
		Elements: of.Number("rows") * of.Number("cols"),
	}
	for _, r := range all {
		if r.Case == of.Case && r.Status == workloads.OK && r.Setting("dequantized") == nil && r.Setting("rounded") == nil {
			out.Results = append(out.Results, r)
		}
	}
	return out
}

func quantizationQuick() map[string]any { return map[string]any{"rows": 1024, "cols": 1024} }

func quantizationPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All formats on a 1024 × 1024 matrix; takes seconds.", quantizationQuick()),
		{
			Name: "token-by-token", Title: "Token by token",
			About:  "int4 in blocks on normal weights at batch 1, as in text generation.",
			Values: workloads.Values{"weights": "normal", "formats": "int4", "scales": "blocks"},
		},
		{
			Name: "bitlinear", Title: "BitLinear",
			About:  "Ternary weights and int8 activations in one kernel, against dequantizing the weights first.",
			Values: workloads.Values{"weights": "normal", "formats": bitLinear, "dequantize_first": true, "target_snr": 5.0},
		},
		{
			Name: "int8-activations", Title: "Int8 activations",
			About:  "int4 weights in blocks at batch 128, with activations in f32 and rounded to int8: what does the rounding gain and lose?",
			Values: workloads.Values{"weights": "normal", "formats": "int4", "scales": "blocks", "int8_activations": true, "batch": 128, "rows": 2048, "cols": 2048},
		},
		{
			Name: "prompt", Title: "Reading a prompt",
			About:  "The same layer at batch 128, where arithmetic costs more than reading the weights.",
			Values: workloads.Values{"weights": "normal", "batch": 128, "rows": 2048, "cols": 2048},
		},
		{
			Name: "outliers", Title: "Outliers",
			About:  "Weights with a few columns 20 times as large: how small must a block be to keep 30 dB?",
			Values: workloads.Values{"weights": "outliers", "target_snr": 30.0},
		},
	}
}
