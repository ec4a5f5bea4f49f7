package throughput

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/chart"
	"assay/shaders"
	shgemm "assay/shaders/gemm"
	"assay/workloads"
	"assay/workloads/bench"
)

// Tiles measures a GEMM in square tiles of several sizes. The device decides which of them it allows.
func Tiles() workloads.Workload {
	return workloads.Workload{
		Name: "tiles", Title: "Tile sizes", Group: "Throughput",
		About:    "A matrix product with each tile size that its kernels support; sizes beyond the device’s limits are refused, with the limit.",
		Question: "Which matmul tile size suits this device?",
		Params:   tilesParams(),
		Axes: []workloads.Axis{
			{Name: "size", Title: "Size", Unit: "rows"},
			{Name: "method", Title: "Method"},
			{Name: "tile", Title: "Tile", Unit: "rows"},
			bench.FoundOperands(), bench.FoundKernel(),
		},
		Quick: tilesQuick(),
		Needs: []workloads.Need{otherTiles()},
		Presets: []workloads.Preset{
			workloads.QuickLook("A product of 512 × 512; takes seconds.", tilesQuick()),
			{
				Name: "large-tiles", Title: "Large tiles", About: "Register-blocked tiles from 64 to 256, deeper than usual: where does the device refuse?",
				Values: workloads.Values{"compare": shgemm.Blocked, "min_tile": 64, "depth": 32},
			},
		},
		Sweeps: []workloads.Sweep{{
			Axis: "tile", From: "min_tile", To: "max_tile", Steps: workloads.Doubling, Title: "Tile", Variants: true,
			About: "Rows and columns of the output tile that a threadgroup computes; the sweep doubles them.",
		}},
		Valid:    tilesValid,
		Variants: func(v workloads.Values) int { return len(tilings(v)) },
		Run:      bench.Run(runTiles),
		Views: []chart.View{{
			Facet: "size", X: chart.Enc{Of: "tile", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Throughput)}, Color: "method",
			Layers: []chart.Layer{chart.Lines{}},
		}},
	}
}

func tilesParams() []workloads.Param {
	end := func(name, title, about string, value int) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: "rows", Min: 8, Max: 1024, Log2: true, Role: workloads.RoleSweep,
			Default: value, About: about,
		}
	}
	return []workloads.Param{
		dtypeParam("Format of the matrices; sums are always in f32.", bench.AllOf("matmul"), "bf16"),
		{
			Name: "size", Title: "Size", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Log2: true, Role: workloads.RoleCase,
			Default: 2048, About: "M, N and K of the product.",
		},
		{
			Name: "compare", Title: "Compare", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all,
			Choices: tiledKernels(), About: "Which kernel’s tiles to compare with 64×64 tiles in threadgroup memory, or all kernels’.",
		},
		end("min_tile", "Smallest tile", "Rows and columns of the smallest tile; the sweep doubles them.", 16),
		end("max_tile", "Largest tile", "Rows and columns of the largest tile.", 256),
		{
			Name: "depth", Title: "Depth", Type: workloads.Int, Unit: "elements", Min: 0, Max: float64(slices.Max(depths())), Zero: "the kernel’s default", Role: workloads.RoleVariant,
			Default: 0, About: "Elements along K staged at a time, where a kernel offers a choice: " + shaders.Choices(depths()) + ".",
		},
	}
}

// depths are the depths that kernels offer.
func depths() []int32 {
	var list []int32
	for _, m := range tiledImpls() {
		for _, t := range m.Tunables {
			if t.Name == shgemm.Depth {
				list = append(list, t.Values...)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// tilesOf returns the tiles that the compared kernels have.
func tilesOf(compare string) []int32 {
	var list []int32
	for _, m := range tiledImpls() {
		if compare == all || compare == m.Name {
			list = append(list, sides(m)[0].Values...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// tilesValid rejects a depth, and a range of tiles, that no kernel has.
func tilesValid(v workloads.Values) error {
	if d := v.Int("depth"); d != 0 && !slices.Contains(depths(), int32(d)) {
		return workloads.NewParamError([]string{"depth"}, "{depth} is %v, want %s, or 0 for the kernel’s default", d, shaders.Choices(depths()))
	}
	have, lo, hi := tilesOf(v.String("compare")), v.Int("min_tile"), v.Int("max_tile")
	if !slices.ContainsFunc(have, func(n int32) bool { return int(n) >= lo && int(n) <= hi }) {
		return workloads.NewParamError([]string{"min_tile", "max_tile"}, "{min_tile} is %v and {max_tile} %v, but none of the compared kernels has such tiles: they have tiles of %s", lo, hi, shaders.Choices(have))
	}
	return nil
}

func tilesQuick() map[string]any { return map[string]any{"size": 512} }

// sides returns the tunables of an implementation that set the sides of its tiles; without any, it has no choice of tiles.
func sides(m *shaders.Impl) []shaders.Tunable {
	return slices.DeleteFunc(slices.Clone(m.Tunables), func(t shaders.Tunable) bool {
		return t.Name != shgemm.Tile && t.Name != shgemm.TileRows && t.Name != shgemm.TileCols
	})
}

// tiledImpls returns the GEMM implementations with tiles of several sizes.
func tiledImpls() []*shaders.Impl {
	return slices.DeleteFunc(implementations("matmul"), func(m *shaders.Impl) bool { return len(sides(m)) == 0 })
}

func tiledKernels() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	for _, m := range tiledImpls() {
		o := option(m)
		o.Typical = m.Name == shgemm.Blocked
		list = append(list, o)
	}
	return list
}

// tiling is the GEMM by an implementation in tiles of one size.
type tiling struct {
	*shaders.Impl
	tile, depth int
}

func (t *tiling) name() string { return fmt.Sprintf("%s %d", t.Shown(), t.tile) }

// constants returns the tunables that produce these tiles.
func (t *tiling) constants() shaders.Constants {
	c := shaders.Constants{}
	for _, side := range sides(t.Impl) {
		c[side.Name] = int32(t.tile)
	}
	if slices.ContainsFunc(t.Tunables, func(u shaders.Tunable) bool { return u.Name == shgemm.Depth }) && t.depth > 0 {
		c[shgemm.Depth] = int32(t.depth)
	}
	return c
}

// usual is the baseline of the other tilings.
func usual() tiling {
	return tiling{Impl: tiledImpls()[0], tile: int(sides(tiledImpls()[0])[0].Default)}
}

// otherTiles is the need for tiles besides the default ones: without them, there is nothing to compare.
func otherTiles() workloads.Need {
	var need workloads.Need
	for _, m := range tiledImpls() {
		for _, n := range sides(m)[0].Values {
			t := tiling{Impl: m, tile: int(n)}
			if first := usual(); t.name() != first.name() {
				need.Kernels = append(need.Kernels, m.Kernel(shaders.F32).With(t.constants()))
			}
		}
	}
	return need
}

// tilings returns what the values compare. For all kernels, the tiles that they have; for a single one, each tile requested.
func tilings(v workloads.Values) []tiling {
	first := usual()
	list := []tiling{first}
	w := workloads.Workload{Sweeps: Tiles().Sweeps}
	compare := v.String("compare")
	for _, m := range tiledImpls() {
		for _, n := range w.Sweep("tile").Values(v) {
			t := tiling{m, n, v.Int("depth")}
			known := slices.Contains(sides(m)[0].Values, int32(n))
			if t.name() != first.name() && (compare == m.Name || compare == all && known) {
				list = append(list, t)
			}
		}
	}
	return list
}

func runTiles(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	t, n := bench.Types(v.String("dtype"))[0], v.Int("size")
	c := bench.Case{
		Name: fmt.Sprintf("matmul %d", n), Settings: workloads.Point{{Name: "size", Value: n}},
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			inputs := bench.Buffers{}
			var variants []bench.Variant
			for _, way := range tilings(v) {
				variants = append(variants, way.variant(s, t, n, inputs))
			}
			return variants, nil
		},
	}
	if err := b.MeasureAll(ctx, []bench.Case{c}); err != nil {
		return err
	}
	subject := workloads.Subject{Name: fmt.Sprintf("Tiles of matrix products in %v", t)}
	b.Find(workloads.Leaders(b.Workload.Axis("size"), workloads.Throughput, "FLOP/s", subject, b.Results())...)
	return nil
}

// variant is the GEMM of n×n matrices in these tiles, or the reason why it cannot run. If the device rejects it, that shows when it is
// measured.
func (t *tiling) variant(s *bench.Scope, of shaders.Type, n int, inputs bench.Buffers) bench.Variant {
	v := bench.Variant{
		Name: t.name(), Items: 1, Settings: []workloads.Setting{{Name: "method", Value: t.Shown()}, {Name: "tile", Value: t.tile}},
	}
	if first := usual(); t.name() != first.name() {
		v.Baseline = first.name()
	}
	step := matmul(of, n, n, n, t.constants(), "a", "b", bench.None, result)
	step.Impl = t.Name
	if v.Err = s.SupportsCall(step.Pick, step.Constants, step.Params); v.Err != nil {
		return v
	}
	s.For(t.name())
	launches, err := s.Chain([]bench.Step{step}, inputs)
	v.Work, v.Err = s.Launches(launches), err
	return v
}
