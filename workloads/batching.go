package workloads

import (
	"context"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/internal/si"
	"assay/shaders"
	"assay/workloads/measure"
)

// Batching measures how throughput grows with the size of the work: a sweep of square matrix products, and a sweep of
// the batch of a small MLP.
func Batching() Workload {
	return Workload{
		Name: "batching", Title: "Batching", Group: "Throughput",
		About:  "How much work must one dispatch hold before the device is busy: a sweep of matrix sizes and of batch sizes.",
		Params: batchingParams(),
		Axes: []Axis{
			{"sweep", "Sweep", ""},
			{"size", "Matrix side", "rows"},
			{"batch", "Batch", "items"},
		},
		Quick:   batchingQuick(),
		Presets: batchingPresets(),
		Tuning:  &Tuning{Places: batchingPlaces, Narrow: narrowBatching, Hidden: []string{"width", "layers"}},
		Valid: func(v Values) error {
			if err := ordered(v, "min_size", "max_size"); err != nil {
				return err
			}
			return ordered(v, "min_batch", "max_batch")
		},
		Run: runBatching,
		View: View{
			Kind: Lines, X: []Quantity{"size", "batch"}, XScale: Log2, Y: Throughput, YScale: Log10,
			YTitle: "Throughput", Split: "sweep",
		},
	}
}

func batchingParams() []Param {
	return []Param{
		{
			Name: "sweep", Title: "Sweep", Type: Choice, Choices: []string{"both", "matmul", "mlp"}, Default: "both",
			About: "Which sweep to run: square matrix products, a small MLP at growing batch, or both.",
		},
		{
			Name: "dtype", Title: "Number format", Type: Choice, Choices: []string{"f32", "f16", "both"}, Default: "f32",
			About: "Format of the operands; sums are always taken in f32.",
		},
		{
			Name: "library", Title: "Library", Type: Bool, Default: true,
			About: "Also measures the platform’s own product, such as MPS on Apple GPUs.",
		},
		{
			Name: "min_size", Title: "Smallest matrix", Type: Int, Unit: "rows", Min: 1, Max: 4096, Log2: true,
			Default: 64,
			About:   "Side of the smallest square matrix; the sweep doubles it up to the largest.",
			Both:    "Sides of the square matrices; the sweep doubles them from the smallest to the largest.",
		},
		{
			Name: "max_size", Title: "Largest matrix", Type: Int, Unit: "rows", Min: 1, Max: 4096, Log2: true,
			Default: 2048,
			About:   "Side of the largest square matrix.",
		},
		{
			Name: "min_batch", Title: "Smallest batch", Type: Int, Unit: "items", Min: 1, Max: 4096, Log2: true,
			Default: 1,
			About:   "Smallest batch of the MLP; 1 is one request at a time.",
			Both:    "Batches of the MLP; 1 is one request at a time, and the sweep doubles up to the largest.",
		},
		{
			Name: "max_batch", Title: "Largest batch", Type: Int, Unit: "items", Min: 1, Max: 4096, Log2: true,
			Default: 128,
			About:   "Largest batch of the MLP; the sweep doubles up to it.",
		},
		{
			Name: "width", Title: "MLP width", Type: Int, Unit: "units", Min: 8, Max: 4096, Log2: true, Default: 512,
			About: "Inputs and outputs of each of the MLP’s layers.",
		},
		{
			Name: "layers", Title: "MLP layers", Type: Int, Unit: "layers", Min: 1, Max: 16, Default: 3,
			About: "Layers of the MLP, each a matrix product with bias and ReLU.",
		},
		{
			Name: "knee", Title: "Knee", Type: Float, Unit: "of best", Min: 0.5, Max: 0.99, Default: 0.9,
			About: "The knee is the smallest size from which on all reach this part of the best throughput.",
		},
	}
}

func runBatching(ctx context.Context, env *Env, v Values) error {
	var cases []Case
	if sweep := v.String("sweep"); sweep != "mlp" {
		for _, n := range powers(v.Int("min_size"), v.Int("max_size")) {
			cases = append(cases, matmulCase(n, dtypes(v), v.Bool("library")))
		}
	}
	if sweep := v.String("sweep"); sweep != "matmul" {
		for _, b := range powers(v.Int("min_batch"), v.Int("max_batch")) {
			cases = append(cases, mlpCase(b, v.Int("width"), v.Int("layers"), dtypes(v)))
		}
	}
	if err := env.MeasureAll(ctx, cases); err != nil {
		return err
	}
	for _, sweep := range []string{"matmul", "mlp"} {
		for _, t := range dtypes(v) {
			findKnee(env, sweep, t.String(), v.Float("knee"))
			findKnee(env, sweep, libraryName(t), v.Float("knee"))
		}
	}
	return nil
}

func dtypes(v Values) []shaders.Type {
	switch v.String("dtype") {
	case "f32":
		return []shaders.Type{shaders.F32}
	case "f16":
		return []shaders.Type{shaders.F16}
	}
	return []shaders.Type{shaders.F32, shaders.F16}
}

// libraryName is the variant that the platform's library runs.
func libraryName(t shaders.Type) string { return t.String() + " MPS" }

// matmulCase is one n×n×n product in each format, and the same by the platform's library where the engine has it.
func matmulCase(n int, types []shaders.Type, library bool) Case {
	return Case{
		Name:     fmt.Sprintf("matmul %d", n),
		Settings: []Setting{{"sweep", "matmul"}, {"size", n}},
		Build: func(s *Scope) ([]Variant, error) {
			var variants []Variant
			for _, t := range types {
				ours := s.squareProduct(t, n)
				variants = append(variants, ours)
				if library && ours.Err == nil && s.env.Engine.Supports(shaders.MustFind("mps_matmul_"+t.String())) == nil {
					variants = append(variants, s.libraryProduct(t, &ours.Dispatches[0]))
				}
			}
			return variants, nil
		},
	}
}

// squareProduct is our n×n×n product of fresh random operands.
func (s *Scope) squareProduct(t shaders.Type, n int) Variant {
	v := Variant{Name: t.String(), Items: 1}
	a, err := s.Random(t, n*n, "a")
	if err != nil {
		v.Err = err
		return v
	}
	b, err := s.Random(t, n*n, "b")
	if err != nil {
		v.Err = err
		return v
	}
	return s.product(v, "matmul_"+t.String(), t, shaders.MatmulParams{M: uint32(n), N: uint32(n), K: uint32(n)}, a, b, nil)
}

// libraryProduct multiplies the operands of ours by the platform's library.
func (s *Scope) libraryProduct(t shaders.Type, ours *gpu.Dispatch) Variant {
	v := Variant{Name: libraryName(t), Items: 1, Baseline: t.String()}
	a, b := ours.Bindings[0].Buffer, ours.Bindings[1].Buffer
	return s.product(v, "mps_matmul_"+t.String(), t, ours.Params.(shaders.MatmulParams), a, b)
}

// product gives v a fresh output and the dispatch of kernel on the inputs.
func (s *Scope) product(v Variant, kernel string, t shaders.Type, p shaders.MatmulParams, inputs ...gpu.Buffer) Variant {
	out, err := s.Buffer(t, int(p.M)*int(p.N), "out of "+v.Name)
	if err != nil {
		v.Err = err
		return v
	}
	d, err := s.Dispatch(kernel, nil, p, append(inputs, out)...)
	v.Dispatches, v.Err = []gpu.Dispatch{d}, err
	return v
}

// mlpCase is the forward pass of `layers` layers of width×width for a batch, in each format.
func mlpCase(batch, width, layers int, types []shaders.Type) Case {
	return Case{
		Name:     fmt.Sprintf("mlp batch %d", batch),
		Settings: []Setting{{"sweep", "mlp"}, {"batch", batch}},
		Build: func(s *Scope) ([]Variant, error) {
			var variants []Variant
			for _, t := range types {
				ds, err := s.mlp(t, batch, width, layers)
				variants = append(variants, Variant{Name: t.String(), Dispatches: ds, Items: float64(batch), Err: err})
			}
			return variants, nil
		},
	}
}

// mlp is one dispatch per layer: x ← relu(x·W + b).
func (s *Scope) mlp(t shaders.Type, batch, width, layers int) ([]gpu.Dispatch, error) {
	x, err := s.Random(t, batch*width, "input")
	if err != nil {
		return nil, err
	}
	var ds []gpu.Dispatch
	for i := range layers {
		w, err := s.Random(t, width*width, fmt.Sprintf("weights %d", i))
		if err != nil {
			return nil, err
		}
		bias, err := s.Random(t, width, fmt.Sprintf("bias %d", i))
		if err != nil {
			return nil, err
		}
		out, err := s.Buffer(t, batch*width, fmt.Sprintf("layer %d", i))
		if err != nil {
			return nil, err
		}
		p := shaders.MatmulParams{M: uint32(batch), N: uint32(width), K: uint32(width)}
		c := shaders.Constants{shaders.HasBias: 1, shaders.Activation: shaders.ActRelu}
		d, err := s.Dispatch("matmul_"+t.String(), c, p, x, w, bias, out)
		if err != nil {
			return nil, err
		}
		ds, x = append(ds, d), out
	}
	return ds, nil
}

// findKnee says from which case of a sweep on all reach part of the best throughput. Where only the largest does, or
// larger ones fall below again, there is no such knee, and it says where the best is.
func findKnee(env *Env, sweep, variant string, part float64) {
	var curve []Result
	best := 0
	for _, r := range env.Results() {
		if r.Setting("sweep") == sweep && r.Variant == variant && r.Status == OK {
			curve = append(curve, r)
			if r.GFLOPS() > curve[best].GFLOPS() {
				best = len(curve) - 1
			}
		}
	}
	if len(curve) < 2 {
		return
	}
	reach, knee := 0, 0
	for i := range curve {
		if curve[i].GFLOPS() >= part*curve[best].GFLOPS() {
			reach++
		} else {
			knee = i + 1
		}
	}
	top, f := &curve[best], Finding{Kind: "best", Variant: variant}
	if knee < len(curve)-1 {
		f.Kind, f.Case, f.Text = "knee", curve[knee].Case, kneeText(&curve[knee], part, top)
	} else {
		f.Case, f.Text = top.Case, bestText(curve, top, part, reach)
	}
	env.Find(f)
}

// bestText is the finding of a sweep without a knee, of whose sizes reach are near the best, top. That one is below the
// line is said only where its whole interval is.
func bestText(curve []Result, top *Result, part float64, reach int) string {
	what, is, _, their := subjectOf(top)
	text := fmt.Sprintf("%s %s at %s best, %s, at %s: ", what, is, their, throughput(top), place(top))
	line := part * top.GFLOPS()
	if reach == 1 {
		return text + aloneText(curve, line, part)
	}
	text += fmt.Sprintf("%d of %d sizes reach %.0f %% of that, ", reach, len(curve), 100*part)
	first := slices.IndexFunc(curve, func(r Result) bool { return r.GFLOPS() >= line })
	unclear := top
	for i := range curve[first:] { // without a knee, one of these is below by its median
		switch r := &curve[first+i]; {
		case below(r, line):
			return text + "but larger ones fall below it again."
		case r.GFLOPS() < line:
			unclear = r
		}
	}
	return text + fmt.Sprintf("and whether larger ones fall below it again cannot be told: at %s the interval, %s, reaches over it.",
		place(unclear), throughput(unclear))
}

// aloneText says that the best is alone near the line, as far as that can be told.
func aloneText(curve []Result, line, part float64) string {
	for i := range curve {
		if r := &curve[i]; r.GFLOPS() < line && !below(r, line) {
			return fmt.Sprintf("whether another size reaches %.0f %% of that cannot be told: at %s the interval, %s, reaches over it.",
				100*part, place(r), throughput(r))
		}
	}
	return fmt.Sprintf("no other size reaches %.0f %% of that.", 100*part)
}

// below reports whether the whole interval of r's throughput is below the line, in GFLOP/s.
func below(r *Result, line float64) bool {
	return r.Time.Bounded() && r.Quantity(Throughput).Hi < line
}

// kneeText is the finding of a knee at r, in a sweep whose best throughput is that of top.
func kneeText(r *Result, part float64, top *Result) string {
	what, _, reach, their := subjectOf(r)
	text := fmt.Sprintf("%s %s at least %.0f %% of %s best throughput from %s on", what, reach, 100*part, their, place(r))
	if r.Setting("sweep") == "mlp" {
		text += fmt.Sprintf(", there with %s and %s a batch", ranged(r.Quantity(ItemRate), 1, "items/s"),
			ranged(r.Time, 1, "s"))
	}
	return text + fmt.Sprintf("; the best is %s, at %s.", throughput(top), place(top))
}

// subjectOf is what a finding about r is about, and the words that agree with it.
func subjectOf(r *Result) (what, is, reach, their string) {
	if r.Setting("sweep") == "mlp" {
		return "The MLP in " + r.Variant, "is", "reaches", "its"
	}
	return "Square products in " + r.Variant, "are", "reach", "their"
}

// place is where in its sweep r stands.
func place(r *Result) string {
	if r.Setting("sweep") == "mlp" {
		return fmt.Sprintf("a batch of %v", r.Setting("batch"))
	}
	return fmt.Sprintf("%v rows", r.Setting("size"))
}

func throughput(r *Result) string { return ranged(r.Quantity(Throughput), 1e9, "FLOP/s") }

// ranged writes a quantity, times scale, with its interval where it has one: "193 (190 to 195) GFLOP/s".
func ranged(i measure.Interval, scale float64, unit string) string {
	return si.Range(scale*i.Median, scale*i.Lo, scale*i.Hi, unit)
}
