package throughput

import (
	"context"
	"fmt"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/si"
	"assay/shaders"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// GEMV measures GEMMs of few rows with a matrix of weights, by the number of rows.
func GEMV() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "gemv", Title: "GEMV", Group: "Throughput",
		About:    "A few rows of activations times a weight matrix: a GEMV, which reads the weights once, against a tiled GEMM.",
		Question: "At what batch size does a GEMM beat a GEMV?",
		Params:   gemvParams(),
		Axes: []workloads.Axis{
			bench.OperandsAxis(),
			{Name: "rows", Title: "Rows", Unit: "rows"},
			bench.FoundKernel(),
		},
		Quick:   gemvQuick(),
		Presets: gemvPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "rows", From: "min_rows", To: "max_rows", Steps: workloads.Listed, List: []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48},
			Title: "Rows", About: "Rows of activations, such as requests in a batch.",
		}},
		Variants: counted(gemvs),
		Run:      bench.Run(runGEMV),
		Views:    views(byRowCount(), gemvs(), workloads.Bandwidth, workloads.Time, workloads.Speedup),
	}, "lanes=16", "matmul")
}

func gemvParams() []workloads.Param {
	rows := func(name, title, about string, value int) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "rows", Min: 1, Max: 64, Log2: true, Role: workloads.RoleSweep,
			Default: value, About: about,
		}
	}
	side := func(name, title, about string) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "elements", Min: 1, Max: 16384, Log2: true, Role: workloads.RoleCase,
			Default: 4096, About: about,
		}
	}
	return []workloads.Param{
		dtypeParam("Format of activations and weights; sums are always in f32.", bench.AllOf("matmul"), "bf16"),
		{
			Name: "layout", Title: "Weights", Type: workloads.Choice, Role: workloads.RoleCase, Default: byOutput,
			Choices: []workloads.Option{
				{Value: byOutput, Title: "Rows per output", About: "[outputs, inputs], as models store them."},
				{Value: byInput, Title: "Rows per input", About: "[inputs, outputs]."},
			},
			About: "How the weight matrix is stored.",
		},
		{
			Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
			Choices: []workloads.Option{
				{Value: all},
				{Value: shgemm.GEMV, Title: "GEMV", About: "Reads the weights once for all rows.", Typical: true, Needs: needsImpl("matmul", shgemm.GEMV)},
				{Value: shgemm.SIMD, Title: "simdgroup_matrix", About: "A GEMM by simdgroup_matrix.", Needs: needsImpl("matmul", shgemm.SIMD)},
				{Value: byLibrary, Title: "Library", About: "The matmul of the platform’s library."},
			},
			About: "What to compare with the tiles of a GEMM, or all.",
		},
		bench.OperandsParam(bench.FromMemory), // each token reads all weights of a model
		rows("min_rows", "Minimum rows", "Rows of the smallest case; 1 is one request at a time.", 1),
		rows("max_rows", "Maximum rows", "Rows of the largest case.", 16),
		side("outputs", "Outputs", "Outputs of the layer."),
		side("inputs", "Inputs", "Inputs of the layer: the elements of a row."),
	}
}

// Values of the parameter layout.
const (
	byOutput = "outputs-inputs"
	byInput  = "inputs-outputs"
)

// inGEMM is the baseline of the others.
const inGEMM = "GEMM tiles"

func gemvs() []multiplier {
	list := []multiplier{
		{way: way{name: inGEMM}, impl: shgemm.Tiled},
		{way: way{"GEMV", shgemm.GEMV, "the GEMV"}, impl: shgemm.GEMV},
		{way: way{"GEMM by simdgroup_matrix", shgemm.SIMD, "simdgroup_matrix"}, impl: shgemm.SIMD, constants: shaders.Constants{shgemm.Tile: 32}},
	}
	return append(list, libraries()...)
}

// libraries are the GEMMs of the platforms' libraries.
func libraries() []multiplier {
	var list []multiplier
	for _, m := range libraryImpls("matmul") {
		list = append(list, multiplier{way: inLibrary(m.Library), impl: m.Name, library: m.Library})
	}
	return list
}

func byRowCount() versus { return versus{axis: "rows", scale: chart.Log2} }

func runGEMV(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	ways := mayRun(b, compared(gemvs(), v.String("compare")), v.String("compare") == byLibrary)
	build := func(at workloads.Point) bench.Case { return layerCase(v, ways, at) }
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	find(b, byRowCount(), ways, func(string) workloads.Subject {
		return workloads.Subject{
			Name: fmt.Sprintf("%d × %d weights in %s", v.Int("outputs"), v.Int("inputs"), v.String("dtype")), Baseline: "GEMM tiles",
		}
	})
	return nil
}

func layerCase(v workloads.Values, ways []multiplier, at workloads.Point) bench.Case {
	t, operands := bench.Types(v.String("dtype"))[0], at.String("operands")
	p := shgemm.MatmulParams{M: uint32(at.Int("rows")), N: uint32(v.Int("outputs")), K: uint32(v.Int("inputs")), Batch: 1}
	c := shaders.Constants{}
	if v.String("layout") == byOutput {
		c[shgemm.TransposeB] = 1
	}
	return bench.Case{
		Name:     fmt.Sprintf("gemv %s × %d × %d", si.Counted(int(p.M), "row"), p.N, p.K) + bench.OperandsSuffix(operands, bench.FromMemory),
		Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			in, err := randoms(s, t, []int{int(p.M * p.K), int(p.N * p.K)}, "activations", "weights")
			if err != nil {
				return nil, err
			}
			bytes := t.Bytes(int(p.N * p.K))
			rotation := s.Rotation(operands, int64(bytes), maxSets)
			weights, err := s.Copies(in[1], bytes, rotation.Sets, "weights to go around")
			if err != nil {
				return nil, err
			}
			tell := v.String("compare") != all || at.Int("rows") == v.Int("min_rows")
			var variants []bench.Variant
			for _, m := range ways {
				one := m.layer(s, t, c, p, in[0], weights)
				one.Notes = rotation.Notes()
				// With everything compared, what the engine lacks is reported once; what an implementation rejects, at each size.
				if tell || s.SupportsWith(shaders.Pick{Op: "matmul", Impl: m.impl, Type: t}, m.constants) == nil {
					variants = append(variants, one)
				}
			}
			return variants, nil
		},
	}
}

// layer is one way to multiply the activations by each copy of the weights in turn, or the reason why it cannot run.
func (m *multiplier) layer(s *bench.Scope, t shaders.Type, c shaders.Constants, p shgemm.MatmulParams, x gpu.Buffer, weights bench.Ring) bench.Variant {
	v := bench.Variant{Name: m.name, Items: float64(p.M), Baseline: m.baseline(inGEMM)}
	pick, constants := shaders.Pick{Op: "matmul", Impl: m.impl, Type: t}, with(c, m.constants)
	if v.Err = s.SupportsCall(pick, constants, p); v.Err != nil {
		return v
	}
	s.For(m.name)
	out, err := s.Output(t, int(p.M*p.N), "out")
	if err != nil {
		v.Err = err
		return v
	}
	l, err := s.Dispatch(pick, constants, p, x, weights.Buffer, nil, out)
	if err != nil {
		v.Err = err
		return v
	}
	v.Work = s.Launches(bench.Rotate(l, weights)...)
	return v
}

func gemvQuick() map[string]any {
	return map[string]any{"max_rows": 8, "outputs": 2048, "inputs": 2048}
}

func gemvPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("A small layer, up to 8 rows; takes seconds.", gemvQuick()),
		{
			Name: "decode-7b", Title: "Decoding, 7B", About: "A projection of a 7B model in f16, by the number of concurrent requests.",
			Values: workloads.Values{"dtype": "f16", "outputs": 4096, "inputs": 4096},
		},
		{
			Name: "decode-ffn", Title: "Decoding, feed-forward", About: "The widest layer of a 7B model in f16.",
			Values: workloads.Values{"dtype": "f16", "outputs": 11008, "inputs": 4096},
		},
		{
			Name: "speculative", Title: "Speculative decoding", About: "Up to 48 draft tokens at once, to be accepted or rejected.",
			Values: workloads.Values{"dtype": "f16", "max_rows": 48},
		},
	}
}
