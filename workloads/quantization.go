package workloads

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"assay/workloads/quant"
)

// Quantization compares number formats of one layer's weights: out[batch, rows] = x[batch, cols] · Wᵀ. Its errors,
// SNR and cosine are those of the weights that the engine dequantises against the originals, not of the product.
func Quantization() Workload {
	return Workload{
		Name: "quantization", Title: "Quantization", Group: "Accuracy",
		About:  "What do smaller number formats of a layer’s weights gain in time and bytes, and what do they lose in accuracy.",
		Params: quantizationParams(),
		Axes: []Axis{
			{"weights", "Weights", ""},
			{"tensor", "Tensor", ""},
			{"rows", "Output features", "rows"},
			{"cols", "Input features", "columns"},
			{"format", "Number format", ""},
			{"block", "Weights per scale", "weights"},
		},
		Quick:   quantizationQuick(),
		Presets: quantizationPresets(),
		Tuning:  &Tuning{Places: quantizationPlaces, Narrow: narrowQuantization, Hidden: []string{"batch", "scheme"}},
		Valid:   validQuantization,
		Run:     runQuantization,
		View: View{
			Kind: Scatter, X: []Quantity{SNR}, XScale: Linear, Y: Speedup, YScale: Linear, YTitle: "Speed-up over f32",
			Split: "weights", Series: "format", Reference: 1,
		},
	}
}

func quantizationParams() []Param {
	return []Param{
		{
			Name: "weights", Title: "Weights", Type: Choice, Choices: []string{"all", "normal", "outliers", "file"},
			Default: "all",
			About:   "Normal weights, normal ones with a few columns 20 times as large, a file’s, or all that there are.",
		},
		{
			Name: "file", Title: "File", Type: File, Default: "",
			About: "A .safetensors file to take weights from; none: only generated weights are measured.",
		},
		{
			Name: "tensor", Title: "Tensor", Type: Text, Default: "",
			About: "Name of the tensor in the file; empty takes the largest with two dimensions.",
		},
		{
			Name: "rows", Title: "Output features", Type: Int, Unit: "rows", Min: 1, Max: 16384, Log2: true, Default: 4096,
			About: "Rows of the generated weight matrix, one per output.",
		},
		{
			Name: "cols", Title: "Input features", Type: Int, Unit: "columns", Min: 1, Max: 16384, Log2: true, Default: 4096,
			About: "Columns of the generated weight matrix, one per input.",
		},
		{
			Name: "batch", Title: "Batch", Type: Int, Unit: "items", Min: 1, Max: 4096, Log2: true, Default: 1,
			About: "Inputs multiplied at once; 1 is what generating text one token at a time does.",
		},
		{
			Name: "formats", Title: "Formats", Type: Choice, Choices: []string{"all", "f16", "int8", "int4"}, Default: "all",
			About: "Which formats to compare with f32.",
		},
		{
			Name: "scales", Title: "Scales", Type: Choice, Choices: []string{"all", "blocks", "tensor"}, Default: "all",
			About: "What shares a scale: blocks of neighbours, the whole tensor, or each of them in turn.",
		},
		{
			Name: "min_block", Title: "Smallest block", Type: Int, Unit: "weights", Min: quant.MinBlock,
			Max: quant.MaxBlock, Log2: true,
			Default: quant.MinBlock,
			About:   "Fewest neighbours of a row that share one scale; a power of two.",
			Both:    "Neighbours of a row that share one scale, in powers of two.",
		},
		{
			Name: "max_block", Title: "Largest block", Type: Int, Unit: "weights", Min: quant.MinBlock,
			Max: quant.MaxBlock, Log2: true,
			Default: quant.MaxBlock,
			About:   "Most neighbours of a row that share one scale; a power of two.",
		},
		{
			Name: "scheme", Title: "Scheme", Type: Choice, Choices: []string{"affine", "symmetric"}, Default: "affine",
			About: "Affine codes spread from the least value to the greatest, symmetric ones keep zero in the middle.",
		},
		{
			Name: "target_snr", Title: "Wanted SNR", Type: Float, Unit: "dB", Min: 0, Max: 120, Default: 20.0,
			About: "The findings name the smallest and the fastest format whose weights keep this signal-to-noise ratio.",
		},
	}
}

func validQuantization(v Values) error {
	if v.String("weights") == "file" && v.String("file") == "" {
		return &ParamError{[]string{"file"}, errors.New("weights is file, but no file is given")}
	}
	if w := v.String("weights"); v.String("file") != "" && w != "file" && w != "all" {
		return &ParamError{[]string{"weights"}, fmt.Errorf("file is given, but weights is %s: set it to file or all", w)}
	}
	for _, name := range []string{"min_block", "max_block"} {
		if err := quant.CheckBlock(v.Int(name)); err != nil {
			return &ParamError{[]string{name}, fmt.Errorf("%s: %w", name, err)}
		}
	}
	return ordered(v, "min_block", "max_block")
}

func runQuantization(ctx context.Context, env *Env, v Values) error {
	sources, done, err := weightSources(v, env.Seed)
	if err != nil {
		return err
	}
	defer done()
	var cases []Case
	for i := range sources {
		cases = append(cases, quantizationCase(&sources[i], v))
	}
	if err := env.MeasureAll(ctx, cases); err != nil {
		return err
	}
	for i := range cases {
		findSmallest(env, cases[i].Name, v.Float("target_snr"))
		findFastest(env, cases[i].Name, v.Int("batch"), v.Float("target_snr"))
	}
	return nil
}

// chosenFormats are f32, which all are compared with, and what v asks for.
func chosenFormats(v Values) []quant.Format {
	chosen, scales := v.String("formats"), v.String("scales")
	return slices.DeleteFunc(quant.Formats(v.Int("min_block"), v.Int("max_block")), func(f quant.Format) bool {
		if f.Kind.Quantised() && (scales == "blocks" && f.Block == 0 || scales == "tensor" && f.Block != 0) {
			return true
		}
		return f.Kind != quant.F32 && chosen != "all" && chosen != f.Kind.String()
	})
}

func quantizationCase(src *weightSource, v Values) Case {
	c := Case{
		Name:     fmt.Sprintf("%s %d×%d", src.title, src.rows, src.cols),
		Settings: []Setting{{"weights", src.kind}, {"rows", src.rows}, {"cols", src.cols}},
		Build: func(s *Scope) ([]Variant, error) {
			l, err := s.layer(src, v)
			if err != nil {
				return nil, err
			}
			return l.variants(chosenFormats(v))
		},
	}
	if src.kind == "file" {
		c.Settings = append(c.Settings, Setting{"tensor", src.title})
	}
	return c
}

// okOf lists the results of a case that have a time.
func okOf(env *Env, name string) []Result {
	var out []Result
	for _, r := range env.Results() {
		if r.Case == name && r.Status == OK {
			out = append(out, r)
		}
	}
	return out
}

// findSmallest names the format of fewest bytes that keeps the wanted SNR.
func findSmallest(env *Env, name string, snr float64) {
	results := okOf(env, name)
	var best, next, whole *Result // next is the format of most SNR, of those that lose something
	for i := range results {
		r := &results[i]
		if r.SNR >= snr && (best == nil || r.Footprint < best.Footprint) {
			best = r
		}
		if r.Variant == quant.F32.String() {
			whole = r
		} else if next == nil || r.SNR > next.SNR {
			next = r
		}
	}
	if best == nil || next == nil {
		return
	}
	var text string
	if best == whole {
		text = fmt.Sprintf("Weights %s: no format measured that is smaller than f32 keeps %g dB SNR; "+
			"%s comes nearest with %s.", name, snr, next.Variant, decibels(next.SNR))
	} else {
		weights := float64(best.Setting("rows").(int)) * float64(best.Setting("cols").(int))
		text = fmt.Sprintf("Weights %s: %s is the smallest format measured that keeps %g dB SNR, with %s at %.3g bits a weight",
			name, best.Variant, snr, decibels(best.SNR), 8*best.Footprint/weights)
		if whole != nil {
			text += fmt.Sprintf(" (%.3g times smaller than f32)", whole.Footprint/best.Footprint)
		}
		text += "."
	}
	env.Find(Finding{Kind: "smallest", Case: name, Variant: best.Variant, Text: text})
}

// decibels writes an SNR in words; −∞ is that of weights that became infinite.
func decibels(snr float64) string {
	switch {
	case math.IsInf(snr, 1):
		return "exact"
	case math.IsInf(snr, -1):
		return "weights beyond its range"
	}
	return fmt.Sprintf("%.1f dB", snr)
}

// findFastest names the fastest format that keeps the wanted SNR, if its speed-up is more than chance.
func findFastest(env *Env, name string, batch int, snr float64) {
	var best *Result
	compared := false
	results := okOf(env, name)
	for i := range results {
		r := &results[i]
		if !r.Speedup.Bounded() || r.SNR < snr {
			continue
		}
		compared = true
		if r.Speedup.Lo > 1 && (best == nil || r.Speedup.Median > best.Speedup.Median) {
			best = r
		}
	}
	switch {
	case !compared:
	case best == nil:
		text := fmt.Sprintf("Weights %s: no format measured that keeps %g dB SNR is shown to be faster than f32 "+
			"at batch %d.", name, snr, batch)
		env.Find(Finding{Kind: "fastest", Case: name, Variant: quant.F32.String(), Text: text})
	default:
		text := fmt.Sprintf("Weights %s: %s is the fastest format measured that keeps %g dB SNR: %s the speed of f32 "+
			"at batch %d, with %s.",
			name, best.Variant, snr, gain(best.Speedup), batch, decibels(best.SNR))
		env.Find(Finding{Kind: "fastest", Case: name, Variant: best.Variant, Text: text})
	}
}
