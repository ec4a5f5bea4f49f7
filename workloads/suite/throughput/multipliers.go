package throughput

import (
	"assay/gpu"
	"assay/internal/si"
	"assay/shaders"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// multiplier is a way to multiply matrices: an implementation and its tunables.
type multiplier struct {
	way
	impl      string
	constants shaders.Constants
	tuned     bool // with the tunables preferred for the device
	library   shaders.Library
	most      float64 // maximum number of operations to measure it with; 0: any number
	rounded   bool    // with sides rounded up to multiples of 64
	// alone is the GEMM for operands in a separate format; nil: they have the chosen one.
	alone func(p shgemm.MatmulParams) bench.Step
}

func (m multiplier) of() shaders.Library { return m.library }

// inLarger is the GEMM with 64×64 tiles on matrices whose sides are rounded up.
func inLarger() multiplier {
	return multiplier{way: way{"tiled 64, rounded up", roundedSizes, "rounding up to multiples of 64"}, impl: shgemm.Tiled, rounded: true}
}

func multipliers() []multiplier {
	list := []multiplier{
		{way: way{name: byTiles}, impl: shgemm.Tiled},
		{way: way{"naive", shgemm.Naive, "naive"}, impl: shgemm.Naive, most: naiveOps},
		{way: way{"tiled 16", byTile, "in 16×16 tiles"}, impl: shgemm.Tiled, constants: shaders.Constants{shgemm.Tile: 16}, most: maxOps},
		{way: way{"tiled 32", byTile, "in 32×32 tiles"}, impl: shgemm.Tiled, constants: shaders.Constants{shgemm.Tile: 32}, most: maxOps},
		{way: way{"blocked", shgemm.Blocked, "register-blocked"}, impl: shgemm.Blocked, tuned: true},
		{way: way{"simd 64", shgemm.SIMD, "by simdgroup_matrix"}, impl: shgemm.SIMD},
		{way: way{"simd 32", shgemm.SIMD, "by simdgroup_matrix in 32×32 tiles"}, impl: shgemm.SIMD, constants: shaders.Constants{shgemm.Tile: 32}},
		{
			way: way{"simd 64 direct", shgemm.SIMD, "by simdgroup_matrix straight from memory"}, impl: shgemm.SIMD,
			constants: shaders.Constants{shgemm.Staging: 0},
		},
		{
			way: way{"simd 32 direct", shgemm.SIMD, "by simdgroup_matrix straight from memory in 32×32 tiles"}, impl: shgemm.SIMD,
			constants: shaders.Constants{shgemm.Tile: 32, shgemm.Staging: 0},
		},
		{way: way{"gemv", shgemm.GEMV, "the GEMV"}, impl: shgemm.GEMV},
	}
	return append(list, libraries()...)
}

// multipliersOf returns the multipliers that the values compare.
func multipliersOf(v workloads.Values) []multiplier {
	if v.String("dtype") == inInt8 {
		return int8Multipliers()
	}
	list := compared(multipliers(), v.String("compare"))
	if v.String("align") == roundedSizes {
		list = append(list, inLarger())
	}
	return list
}

// step is the GEMM of matrices in format t, or in its own.
func (m *multiplier) step(t shaders.Type, c shaders.Constants, p shgemm.MatmulParams) bench.Step {
	if m.alone != nil {
		return m.alone(p)
	}
	return bench.Step{
		Pick: shaders.Pick{Op: "matmul", Impl: m.impl, Type: t, Tuned: m.tuned}, Constants: with(c, m.constants), Params: p,
		Args: m.operands(),
	}
}

// operands are the names of the matrices; larger ones have other names.
func (m *multiplier) operands() []string {
	if m.rounded {
		return []string{"a, rounded up", "b, rounded up", bench.None, result}
	}
	return []string{"a", "b", bench.None, result}
}

// variant is one way to multiply the inputs, or the reason why it cannot run.
func (m *multiplier) variant(s *bench.Scope, t shaders.Type, c shaders.Constants, p shgemm.MatmulParams, inputs bench.Buffers) bench.Variant {
	v := bench.Variant{Name: m.name, Items: float64(p.Batch), Baseline: m.baseline(byTiles)}
	exact := p
	if m.rounded {
		p = roundedUp(p)
		v.Notes = []workloads.Warning{workloads.Note("multiplies %d × %d × %d; only the requested operations are counted", p.M, p.N, p.K)}
		v.Adjust = func(r *workloads.Result) { r.Values.SetNumber(workloads.Ops, opsOf(exact)) }
	}
	step := m.step(t, c, p)
	if m.alone != nil {
		v.Baseline = m.baseline(inFloat)
	}
	if v.Err = s.SupportsCall(step.Pick, step.Constants, step.Params); v.Err != nil {
		return v
	}
	if ops := opsOf(p); m.most > 0 && ops > m.most {
		v.Err = gpu.Errorf(gpu.ErrUnsupported, "measure", m.name, "%s per dispatch; the maximum for this variant is %s, because more take too long", si.Format(ops, "FLOP"), si.Format(m.most, "FLOP"))
		return v
	}
	s.For(m.name)
	launches, err := s.Chain([]bench.Step{step}, inputs)
	v.Work, v.Err = s.Launches(launches), err
	return v
}
