// Package throughput has the workloads for compute speed.
package throughput

import (
	"context"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/internal/chart"
	"assay/shaders"
	"assay/shaders/catalog"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// Batching measures how throughput grows with the size of the work: a sweep of square GEMMs, and a sweep of the batch of a small MLP.
func Batching() workloads.Workload {
	return workloads.Workload{
		Name: "batching", Title: "Batching", Group: "Throughput",
		About:    "Sweeps matrix sizes and batch sizes to find how much work per dispatch keeps the device busy.",
		Question: "Which batch size or matrix size should I use?",
		Params:   batchingParams(),
		Axes: []workloads.Axis{
			{Name: "sweep", Title: "Sweep", Unit: ""},
			{Name: "size", Title: "Matrix side", Unit: "rows"},
			{Name: "batch", Title: "Batch", Unit: "items", Phrase: "a batch of %s"},
			bench.FoundOperands(), bench.FoundKernel(),
		},
		Quick:   batchingQuick(),
		Presets: batchingPresets(),
		Sweeps: []workloads.Sweep{
			{
				Axis: "size", From: "min_size", To: "max_size", Steps: workloads.Doubling, Title: "Matrix",
				About: "Sides of the square matrices, doubled from the minimum to the maximum.",
			},
			{
				Axis: "batch", From: "min_batch", To: "max_batch", Steps: workloads.Doubling, Title: "Batch",
				About: "Batch sizes of the MLP, doubled up to the maximum; 1 is one request at a time.",
			},
		},
		Run:   bench.Run(runBatching),
		Views: []chart.View{batchingView("size"), batchingView("batch")},
	}
}

func batchingView(along string) chart.View {
	return chart.View{
		Facet: "sweep", X: chart.Enc{Of: along, Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Throughput), Scale: chart.Log10},
		Ys:     []chart.Enc{{Of: string(workloads.ItemRate), Scale: chart.Log10}, {Of: string(workloads.Time), Scale: chart.Log10}, {Of: string(workloads.EnergyPerItem), Scale: chart.Log10}},
		Layers: []chart.Layer{chart.Lines{}},
	}
}

func batchingParams() []workloads.Param {
	return []workloads.Param{
		{
			Name: "sweep", Title: "Sweep", Type: workloads.Choice, Role: workloads.RolePlan, All: "both", Default: "both",
			Choices: []workloads.Option{{Value: "both"}, {Value: "matmul", Axis: "size"}, {Value: "mlp", Axis: "batch"}},
			About:   "Sweep to run: square matmuls, a small MLP at growing batch, or both.",
		},
		{
			Name: "dtype", Title: "Number format", Type: workloads.Choice, Role: workloads.RoleVariant,
			Choices: bench.Formats(bench.AllOf("matmul"), "f32", "f16", "both"), Default: "f32",
			About: "Format of the operands; sums are always in f32.",
		},
		{
			Name: "library", Title: "Library", Type: workloads.Bool, Default: true, Role: workloads.RoleVariant,
			Sweeps: []string{"size"},
			About:  "Also measures the platform’s library, such as MPS on Apple GPUs.",
		},
		{
			Name: "min_size", Title: "Smallest matrix", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
			Default: 64,
			About:   "Side of the smallest square matrix; the sweep doubles it up to the largest.",
		},
		{
			Name: "max_size", Title: "Largest matrix", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
			Default: 2048,
			About:   "Side of the largest square matrix.",
		},
		{
			Name: "min_batch", Title: "Smallest batch", Type: workloads.Int, Unit: "items", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
			Default: 1,
			About:   "Smallest batch of the MLP; 1 is one request at a time.",
		},
		{
			Name: "max_batch", Title: "Largest batch", Type: workloads.Int, Unit: "items", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
			Default: 128,
			About:   "Largest batch of the MLP; the sweep doubles up to it.",
		},
		{
			Name: "width", Title: "MLP width", Type: workloads.Int, Unit: "units", Min: 8, Max: 4096, Log2: true, Default: 512,
			Role: workloads.RoleCase, Sweeps: []string{"batch"},
			About: "Inputs and outputs of each of the MLP’s layers.",
		},
		{
			Name: "layers", Title: "MLP layers", Type: workloads.Int, Unit: "layers", Min: 1, Max: 16, Default: 3,
			Role: workloads.RoleCase, Sweeps: []string{"batch"},
			About: "Layers of the MLP, each a matrix product with bias and ReLU.",
		},
		{
			Name: "knee", Title: "Knee", Type: workloads.Float, Unit: "of best", Min: 0.5, Max: 0.99, Default: 0.9,
			Role:  workloads.RoleFinding,
			About: "Share of the best throughput that the knee and every larger size reach.",
		},
		{
			Name: "max_latency", Title: "Latency limit", Type: workloads.Float, Unit: "ms", Min: 0, Max: 60_000, Zero: "no limit", Default: 0.0,
			Role:  workloads.RoleFinding,
			Line:  workloads.Line{Of: workloads.Time, Per: 1e-3},
			About: "Findings also name the largest batch within this time; 0: no limit.",
		},
	}
}

func runBatching(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	types := bench.Types(v.String("dtype"))
	missing := lacking(true)
	build := func(at workloads.Point) bench.Case {
		if at.String("sweep") == "mlp" {
			return mlpCase(at, v.Int("width"), v.Int("layers"), types)
		}
		return matmulCase(at, types, v.Bool("library"), missing)
	}
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	for _, t := range types {
		variants := []string{t.String()}
		for _, k := range libraryMatmuls(t) {
			variants = append(variants, libraryName(&k))
		}
		for _, variant := range variants {
			b.Find(products(b.Workload, b.Results(), variant).Knee(v.Float("knee"))...)
			b.Find(batches(b.Workload, b.Results(), variant).Knee(v.Float("knee"))...)
			if limit := v.Float("max_latency"); limit > 0 {
				b.Find(latencies(b.Workload, b.Results(), variant).Within(limit / 1e3)...)
			}
		}
	}
	return nil
}

// libraryMatmuls returns the matmuls of platform libraries.
func libraryMatmuls(t shaders.Type) []shaders.Kernel {
	return slices.DeleteFunc(catalog.Default().Op("matmul"), func(k shaders.Kernel) bool {
		return k.Impl.Library == shaders.Own || k.Type != t
	})
}

// products is the throughput of square GEMMs by their side.
func products(w *workloads.Workload, results []workloads.Result, variant string) *workloads.Curve {
	c := throughputCurve(w, results, "matmul", "size", variant)
	c.Subject = workloads.Subject{Name: "Square products in " + variant, Plural: true}
	return c
}

// batches is the throughput of the MLP by its batch.
func batches(w *workloads.Workload, results []workloads.Result, variant string) *workloads.Curve {
	c := throughputCurve(w, results, "mlp", "batch", variant)
	c.Subject = workloads.Subject{Name: "The MLP in " + variant}
	c.Readings = func(r *workloads.Result) []workloads.Reading {
		return []workloads.Reading{
			{Value: r.Get(workloads.ItemRate), Unit: "items/s"}, {Value: r.Time(), Unit: "s", Per: "per batch"},
		}
	}
	return c
}

// latencies is the time of the MLP by its batch.
func latencies(w *workloads.Workload, results []workloads.Result, variant string) *workloads.Curve {
	c := batches(w, results, variant)
	c.Unit, c.Of = "s", workloads.Time
	return c
}

// throughputCurve is the throughput of a variant along the axis of its sweep, in FLOP/s.
func throughputCurve(w *workloads.Workload, results []workloads.Result, sweep, axis, variant string) *workloads.Curve {
	c := &workloads.Curve{Axis: w.Axis(axis), Unit: "FLOP/s", Of: workloads.Throughput}
	for _, r := range results {
		if r.Setting("sweep") == sweep && r.Variant == variant && r.Status == workloads.OK {
			c.Results = append(c.Results, r)
		}
	}
	return c
}

// libraryName is the name of the variant that runs a library's kernel.
func libraryName(k *shaders.Kernel) string { return k.Type.String() + " " + k.Impl.Library.Short() }

// matmulCase is one n×n×n GEMM in each format, and the same with the engine's platform libraries. A library that the engine could have
// but lacks is reported once per run.
func matmulCase(at workloads.Point, types []shaders.Type, library bool, missing *lacks) bench.Case {
	n := at.Int("size")
	return bench.Case{
		Name:     fmt.Sprintf("matmul %d", n),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var variants []bench.Variant
			for _, t := range types {
				var libraries []shaders.Kernel
				if library {
					libraries = libraryMatmuls(t)
				}
				for _, v := range squareGEMMs(s, t, n, libraries) {
					variants = missing.add(s, variants, v)
				}
			}
			return variants, nil
		},
	}
}

// squareGEMMs returns our n×n×n GEMM on new random operands, and the engine's library GEMMs on the same operands.
func squareGEMMs(s *bench.Scope, t shaders.Type, n int, libraries []shaders.Kernel) []bench.Variant {
	ours := bench.Variant{Name: t.String(), Items: 1}
	in, err := randoms(s, t, []int{n * n, n * n}, "a", "b")
	if err != nil {
		ours.Err = err
		return []bench.Variant{ours}
	}
	p := shgemm.MatmulParams{M: uint32(n), N: uint32(n), K: uint32(n), Batch: 1}
	ours = gemm(s, ours, shaders.Pick{Op: "matmul", Type: t}, p, in[0], in[1], nil)
	all := []bench.Variant{ours}
	for _, k := range libraries {
		pick := shaders.Pick{Op: "matmul", Impl: k.Impl.Name, Type: t}
		v := bench.Variant{Name: libraryName(&k), Items: 1, Baseline: ours.Name}
		switch v.Err = s.Supports(pick); {
		case ours.Err != nil:
		case v.Err == nil:
			all = append(all, gemm(s, v, pick, p, in[0], in[1], nil))
		case s.MayHave(k.Impl.Library):
			all = append(all, v)
		}
	}
	return all
}

// randoms creates one random buffer per size, with the labels in order.
func randoms(s *bench.Scope, t shaders.Type, sizes []int, labels ...string) ([]gpu.Buffer, error) {
	var out []gpu.Buffer
	for i, n := range sizes {
		b, err := s.Random(t, n, labels[i])
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// gemm sets v's work: a dispatch of kernel on the inputs, with the output shared by all.
func gemm(s *bench.Scope, v bench.Variant, kernel shaders.Pick, p shgemm.MatmulParams, inputs ...gpu.Buffer) bench.Variant {
	s.For(v.Name)
	out, err := s.Output(kernel.Type, int(p.M)*int(p.N), "out")
	if err != nil {
		v.Err = err
		return v
	}
	d, err := s.Dispatch(kernel, nil, p, append(inputs, out)...)
	v.Work, v.Err = s.Launches([]gpu.Launch{d}), err
	return v
}

// mlpCase is the forward pass of `layers` layers of width×width for a batch, in each format.
func mlpCase(at workloads.Point, width, layers int, types []shaders.Type) bench.Case {
	batch := at.Int("batch")
	return bench.Case{
		Name:     fmt.Sprintf("mlp batch %d", batch),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var variants []bench.Variant
			for _, t := range types {
				ds, err := mlp(s, t, batch, width, layers)
				variants = append(variants, bench.Variant{Name: t.String(), Work: s.Launches(ds), Items: float64(batch), Err: err})
			}
			return variants, nil
		},
	}
}

// mlp is one dispatch per layer: x ← relu(x·W + b).
func mlp(s *bench.Scope, t shaders.Type, batch, width, layers int) ([]gpu.Launch, error) {
	x, err := s.Random(t, batch*width, "input")
	if err != nil {
		return nil, err
	}
	var ds []gpu.Launch
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
		p := shgemm.MatmulParams{M: uint32(batch), N: uint32(width), K: uint32(width), Batch: 1}
		c := shaders.Constants{shgemm.HasBias: 1, shgemm.Activation: shaders.ActRelu}
		d, err := s.Dispatch(shaders.Pick{Op: "matmul", Type: t}, c, p, x, w, bias, out)
		if err != nil {
			return nil, err
		}
		ds, x = append(ds, d), out
	}
	return ds, nil
}

func batchingQuick() map[string]any {
	return map[string]any{"max_size": 1024, "max_batch": 64, "width": 256}
}

func batchingPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("Both sweeps at small sizes; takes seconds.", batchingQuick()),
		{
			Name: "small-models", Title: "Small models",
			About:  "At what batch does a narrow two-layer MLP keep the device busy?",
			Values: workloads.Values{"sweep": "mlp", "width": 128, "layers": 2, "max_batch": 4096},
		},
		{
			Name: "large-products", Title: "Large products",
			About:  "Square matmuls from 512 to 4096 rows, where throughput peaks.",
			Values: workloads.Values{"sweep": "matmul", "min_size": 512, "max_size": 4096},
		},
		{
			Name: "f16-against-f32", Title: "f16 against f32",
			About:  "Every size in both number formats, to see where half the bytes pay off.",
			Values: workloads.Values{"dtype": "both", "library": false},
		},
	}
}
