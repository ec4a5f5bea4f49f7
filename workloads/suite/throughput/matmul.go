package throughput

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"assay/internal/chart"
	"assay/internal/metric"
	"assay/shaders"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// bestShare is a metric of this workload.
const bestShare metric.Name = "share_of_best"

// Matmul measures ways to multiply matrices, by their size.
func Matmul() workloads.Workload {
	return bench.WithTunables(workloads.Workload{
		Name: "matmul", Title: "Matrix product", Group: "Throughput",
		About:    "Ways to multiply matrices, by size: naive, tiled, register-blocked, simdgroup_matrix, GEMV, and the platform’s library.",
		Question: "Which matmul kernel is fastest for which shape?",
		Params:   slices.Concat(shapeParams(), productParams()),
		Axes: []workloads.Axis{
			{
				Name: "size", Title: "Size", Phrase: "size %s",
				About: "M, N and K where they are not set; if all are, the side of a square product with as many operations.",
			},
			bench.FoundOperands(), bench.FoundKernel(),
		},
		Metrics: metric.List{{
			Name: bestShare, Title: "Share of the best", Unit: "ratio", Shape: metric.Scalar, Better: metric.More,
			About: "Speed as a share of the fastest variant’s in the same case.",
		}},
		Quick:   matmulQuick(),
		Presets: matmulPresets(),
		Sweeps: []workloads.Sweep{{
			Axis: "size", From: "min_size", To: "max_size", Steps: workloads.Doubled, Title: "Size",
			About: "M, N and K where they are not set; doubled from the minimum to the maximum.",
			Idle:  isWhole, Whole: sizeOf,
		}},
		Valid:    matmulValid,
		Variants: func(v workloads.Values) int { return len(multipliersOf(v)) },
		Run:      bench.Run(runMatmul),
		Views:    views(bySize(), slices.Concat(multipliers(), []multiplier{inLarger()}, int8Multipliers()), workloads.Throughput, workloads.Speedup, bestShare),
	}, "tile_depth=32", "matmul")
}

// isWhole reports whether no side of the GEMM is left to the sweep.
func isWhole(v workloads.Values) bool { return len(sidesSet(v)) == len(productSides()) }

// hasSweep returns why the limits of the sweep have no effect.
func hasSweep(v workloads.Values) error {
	if isWhole(v) {
		return errors.New("m, n and k are set")
	}
	return nil
}

func productSides() []string { return []string{"m", "n", "k"} }

// sidesSet lists the sides that are set: "M = 1".
func sidesSet(v workloads.Values) []string {
	var out []string
	for _, side := range productSides() {
		if n := v.Int(side); n > 0 {
			out = append(out, fmt.Sprintf("%s = %d", strings.ToUpper(side), n))
		}
	}
	return out
}

// Values of the parameter align.
const (
	exactSizes   = "exact"
	roundedSizes = "rounded"
)

// shapeParams are the parameters for what is multiplied.
func shapeParams() []workloads.Param {
	side := func(name, title string) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "elements", Min: 0, Max: 16384, Zero: "the size", Default: 0, Role: workloads.RoleCase,
			About: fmt.Sprintf("%s of the product M × N × K; 0: the size of the sweep.", title),
		}
	}
	format := dtypeParam("Format of the matrices; sums of floats are always in f32.", bench.AllOf("matmul"), "bf16")
	format.Choices = append(format.Choices, workloads.Option{
		Value: inInt8, Title: "int8 × int8", About: "int8 products with int32 sums, against those of floats; b is stored transposed.",
		Needs: bench.AllOf("matmul_int8")(shaders.I8),
	})
	return []workloads.Param{
		format,
		{
			Name: "min_size", Title: "Smallest size", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
			Default: 64, About: "M, N and K of the smallest product where they are not set; the sweep doubles it.", Applies: hasSweep,
		},
		{
			Name: "max_size", Title: "Largest size", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleSweep,
			Default: 2048, About: "M, N and K of the largest product where they are not set.", Applies: hasSweep,
		},
		side("m", "M"), side("n", "N"), side("k", "K"),
		{
			Name: "batch", Title: "Batch", Type: workloads.Int, Unit: "products", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleCase,
			Default: 1, About: "Products of the same shape in one dispatch, each with its own matrices.", Applies: ofFloats("have no batch"),
		},
		{
			Name: "transpose", Title: "Transposed", Type: workloads.Choice, Role: workloads.RoleCase, Default: "none",
			Choices: workloads.Options("none", "a", "b", "both"), About: "Which matrices are stored transposed; weights are usually b.",
			Applies: ofFloats("have b transposed"),
		},
	}
}

func productParams() []workloads.Param {
	return []workloads.Param{
		{
			Name: "align", Title: "Alignment", Type: workloads.Choice, Role: workloads.RoleVariant, Default: exactSizes,
			Choices: []workloads.Option{
				{Value: exactSizes, Title: "Exact sizes", Typical: true},
				{Value: roundedSizes, Title: "Also rounded up", About: "64×64 tiles with exact sizes, and with M, N and K rounded up to multiples of 64."},
			},
			About: "Exact sizes only, or also the same product in matrices padded to multiples of 64.", Applies: ofFloats("have exact sizes"),
		},
		{
			Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
			Choices: []workloads.Option{
				{Value: all},
				{Value: shgemm.Naive, Title: "Naive", About: "One thread per element; on the CPU engine, row by row without reuse.", Typical: true, Needs: needsImpl("matmul", shgemm.Naive)},
				{Value: byTile, Title: "Tiles", About: "Tiles of 16 and 32 in threadgroup memory."},
				{Value: shgemm.Blocked, Title: "Register-blocked", About: "8×8 elements in the registers of a thread.", Needs: needsImpl("matmul", shgemm.Blocked)},
				{Value: shgemm.SIMD, Title: "simdgroup_matrix", About: "Tiles of 32 and 64, staged or straight from memory.", Needs: needsImpl("matmul", shgemm.SIMD)},
				{Value: shgemm.GEMV, Title: "GEMV", About: fmt.Sprintf("For up to %d rows of a.", shgemm.GEMVRows), Needs: needsImpl("matmul", shgemm.GEMV)},
				{Value: byLibrary, Title: "Library", About: "The matmul of the platform’s library."},
			},
			About: "What to compare with 64×64 tiles, or all.", Applies: ofFloats("are compared with those of floats"),
		},
	}
}

// byTile is what multipliers differ in besides their implementations: a value of the parameter compare.
const byTile = "tiles"

// byTiles is the baseline of the others.
const byTiles = "tiled 64"

// naiveOps keeps dispatches of the naive GEMM below a fraction of a second on a CPU with two cores.
const naiveOps = 3e8

func bySize() versus { return versus{axis: "size", scale: chart.Log2} }

// shapeOf is the GEMM at one size: sides that are not set equal the size.
func shapeOf(v workloads.Values, size int) shgemm.MatmulParams {
	side := func(name string) uint32 {
		n := v.Int(name)
		if n == 0 {
			n = size
		}
		return uint32(n)
	}
	p := shgemm.MatmulParams{M: side("m"), N: side("n"), K: side("k"), Batch: uint32(v.Int("batch"))}
	if v.String("dtype") == inInt8 {
		p.Batch = 1
	}
	return p
}

// roundedUp is the GEMM with sides rounded up to multiples of 64.
func roundedUp(p shgemm.MatmulParams) shgemm.MatmulParams {
	for _, side := range []*uint32{&p.M, &p.N, &p.K} {
		*side = (*side + 63) / 64 * 64
	}
	return p
}

func opsOf(p shgemm.MatmulParams) float64 {
	return 2 * float64(p.Batch) * float64(p.M) * float64(p.N) * float64(p.K)
}

// sizedBy are the parameters that determine the largest GEMM.
func sizedBy(v workloads.Values) []string {
	set := slices.DeleteFunc(append(productSides(), "batch"), func(name string) bool {
		return v.Int(name) == 0 || name == "batch" && (v.Int(name) == 1 || v.String("dtype") == inInt8)
	})
	if isWhole(v) {
		return set
	}
	return append([]string{"max_size"}, set...)
}

func matmulValid(v workloads.Values) error {
	p := shapeOf(v, v.Int("max_size"))
	if v.String("align") == roundedSizes {
		p = roundedUp(p)
	}
	batch, m, n, k := float64(p.Batch), float64(p.M), float64(p.N), float64(p.K)
	in, out := batch*(m*k+k*n), batch*m*n
	if v.String("dtype") == inInt8 {
		const widest, inputs, outputs = 4, 4 + 2 + 2 + 1, 4 + 2 + 2 + 4 // bytes per element: the largest format, all formats
		return load{opsOf(p), widest * (in + out), inputs*in + outputs*out}.within(fastOps, sizedBy(v)...)
	}
	each := float64(bench.Types(v.String("dtype"))[0].Bytes(1))
	ways := float64(len(multipliersOf(v)))
	return load{opsOf(p), each * (in + out), each * (in + ways*out)}.within(fastOps, sizedBy(v)...)
}

func transposed(choice string) shaders.Constants {
	c := shaders.Constants{}
	if choice == "a" || choice == "both" {
		c[shgemm.TransposeA] = 1
	}
	if choice == "b" || choice == "both" {
		c[shgemm.TransposeB] = 1
	}
	return c
}

func runMatmul(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	ways := mayRun(b, multipliersOf(v), v.String("compare") == byLibrary)
	missing := lacking(v.String("compare") == all || v.String("dtype") == inInt8)
	build := func(at workloads.Point) bench.Case { return productCase(v, ways, missing, at) }
	if err := b.MeasurePoints(ctx, v, build); err != nil {
		return err
	}
	c := bySize()
	if isWhole(v) {
		c.phrase = "this size"
	}
	subject := subjectOf(v)
	b.Find(workloads.Leaders(c.along(b.Workload), workloads.Throughput, "FLOP/s", subject, b.Results())...)
	if v.String("dtype") == inInt8 {
		subject.Way, subject.Baseline = "int8 × int8", inFloat
		b.Find(c.best(b, "", subject, isInt8).Crossover()...)
	}
	if larger := inLarger(); v.String("align") == roundedSizes {
		subject.Way, subject.Baseline = larger.words, "exact sizes"
		b.Find(c.gain(b, "", larger.name, subject).Crossover()...)
	}
	return nil
}

func subjectOf(v workloads.Values) workloads.Subject {
	format := "in " + v.String("dtype")
	if v.String("dtype") == inInt8 {
		format = "of int8 and of floats"
	}
	name := "Matrix products " + format
	if n := v.Int("batch"); n > 1 && v.String("dtype") != inInt8 {
		name = fmt.Sprintf("Batches of %d matrix products %s", n, format)
	}
	switch set := sidesSet(v); {
	case isWhole(v):
		name += fmt.Sprintf(", %d × %d × %d", v.Int("m"), v.Int("n"), v.Int("k"))
	case len(set) > 0:
		name += " with " + strings.Join(set, " and ")
	}
	return workloads.Subject{Name: name, Plural: true}
}

func productCase(v workloads.Values, ways []multiplier, missing *lacks, at workloads.Point) bench.Case {
	p, c := shapeOf(v, at.Int("size")), transposed(v.String("transpose"))
	t := shaders.F32
	if types := bench.Types(v.String("dtype")); len(types) > 0 {
		t = types[0]
	}
	name := fmt.Sprintf("matmul %d × %d × %d", p.M, p.N, p.K)
	if p.Batch > 1 {
		name += fmt.Sprintf(", %d of them", p.Batch)
	}
	return bench.Case{
		Name: name, Settings: at, Adjust: shareOfBest,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			inputs := bench.Buffers{}
			var variants []bench.Variant
			for _, m := range ways {
				if m.rounded && roundedUp(p) == p {
					continue
				}
				variants = missing.add(s, variants, m.variant(s, t, c, p, inputs))
			}
			return variants, nil
		},
	}
}

// sizeOf returns the size of a case, as its axis describes it.
func sizeOf(v workloads.Values, _ workloads.Point, n int) int {
	if !isWhole(v) {
		return n
	}
	p := shapeOf(v, n)
	return int(math.Round(math.Cbrt(float64(p.M) * float64(p.N) * float64(p.K))))
}

// with merges two sets of constants.
func with(a, b shaders.Constants) shaders.Constants {
	all := shaders.Constants{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// shareOfBest sets the speed of each result of a case relative to the fastest, unless one was disturbed.
func shareOfBest(results []workloads.Result) {
	best := 0.0
	for i := range results {
		if _, disturbed := results[i].Disturbed(); disturbed {
			return
		}
		if t := results[i].Time().Median; t > 0 { // NaN if there is none
			best = max(best, 1/t)
		}
	}
	for i := range results {
		if t := results[i].Time().Median; t > 0 {
			results[i].Values.SetNumber(bestShare, 1/t/best)
		}
	}
}
