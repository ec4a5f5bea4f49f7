// Package peak is the family of kernels that only multiply and add, to measure a device's peak arithmetic rate.
package peak

import (
	"embed"
	"fmt"
	"math"

	"assay/shaders"
)

//go:embed *.metal
var files embed.FS

// factor is the multiplier of multiply_add: less than 1, so that roundings do not accumulate indefinitely.
const factor = 0.9921875

// stepTiles is the number of tiles of each operand in multiply_add_tiles, tile the elements of one.
const stepTiles, tile = 4, 8 * 8

// MaxSteps limits the steps that a verification recomputes.
const MaxSteps = 1 << 14

// StepsParams is the parameter struct of multiply_add and dot_add.
type StepsParams struct{ N, Steps uint32 }

// TileStepsParams is the parameter struct of multiply_add_tiles.
type TileStepsParams struct{ SIMDs, Steps uint32 }

// Family lists the implementations.
func Family() []*shaders.Impl {
	return []*shaders.Impl{
		steps(multiplyAdd(), 4, shaders.F32, shaders.F16),
		steps(dotAdd(), 1, shaders.I8),
		tiles(),
	}
}

// steps is the implementation whose threads have chains of that many elements.
func steps(op *shaders.Op, wide int, types ...shaders.Type) *shaders.Impl {
	const chains = 8
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: types, Source: shaders.Embedded(files, "peak.metal"),
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch { return shaders.Linear(elements(c), chains*wide) },
	}
}

func elements(c shaders.Call) int { return int(c.Params.(StepsParams).N) }

func validSteps(each int) func(c shaders.Call) error {
	return func(c shaders.Call) error {
		p := c.Params.(StepsParams)
		if p.Steps > MaxSteps {
			return fmt.Errorf("%d steps, want at most %d", p.Steps, MaxSteps)
		}
		if int(p.N)%each != 0 {
			return fmt.Errorf("%d elements, want a multiple of %d", p.N, each)
		}
		return shaders.Indexable("elements", int(p.N))
	}
}

func multiplyAdd() *shaders.Op {
	const most = 3 // maximum of an element, for inputs within ± 1
	return &shaders.Op{
		Name: "multiply_add", About: "x = 1 - f · x, over and over, to see the peak of arithmetic", Params: StepsParams{}, Finite: true,
		Valid: validSteps(4),
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: elements},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: elements},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			n := float64(elements(c))
			return shaders.Cost{Ops: 2 * n * float64(c.Params.(StepsParams).Steps), Bytes: 2 * n * float64(c.Type.Bytes(1))}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			x := args[0].At(i)
			for range c.Params.(StepsParams).Steps {
				x = 1 - factor*x
			}
			return shaders.Value{Want: x, Scale: most}
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			tol := shaders.Rounding(c.Type)
			unit := max(tol.Store, 0x1p-23) / 2
			tol.Rel += min(float64(c.Params.(StepsParams).Steps), 1/(1-factor)) * unit
			tol.Why = "a rounding in each step, of which later steps forget those of long ago"
			return tol
		},
		Cases: []shaders.Case{
			{Params: StepsParams{0, 3}},
			{Params: StepsParams{4, 0}},
			{Params: StepsParams{4, 1}},
			{Params: StepsParams{1036, 7}},
			{Params: StepsParams{16640, 32}},
		},
	}
}

// dotAdd multiplies the unsigned bytes of a sum, like VNNI's instructions.
func dotAdd() *shaders.Op {
	return &shaders.Op{
		Name: "dot_add", About: "y += bytes of y · four bytes of x, over and over, to see the peak of int8 arithmetic", Params: StepsParams{},
		Valid: validSteps(1),
		Args: []shaders.Arg{
			{Name: "x", Type: shaders.Var, Len: func(c shaders.Call) int { return 4 * elements(c) }},
			{Name: "out", Type: shaders.U32, Access: shaders.Out, Len: elements},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			n := float64(elements(c))
			return shaders.Cost{Ops: 8 * n * float64(c.Params.(StepsParams).Steps), Bytes: 8 * n}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			var w [4]int32
			var y uint32
			for k := range w {
				w[k] = int32(args[0].At(4*i + k))
				y |= uint32(uint8(w[k])) << (8 * k)
			}
			for range c.Params.(StepsParams).Steps {
				var sum int32
				for k := range w {
					sum += int32(uint8(y>>(8*k))) * w[k]
				}
				y += uint32(sum)
			}
			return shaders.Value{Want: float64(y), Scale: math.MaxUint32}
		},
		Tolerance: func(shaders.Call) shaders.Tolerance { return shaders.Tolerance{Why: "sums of integers are exact"} },
		Cases: []shaders.Case{
			{Params: StepsParams{0, 3}}, {Params: StepsParams{1, 0}}, {Params: StepsParams{5, 1}}, {Params: StepsParams{2051, 33}},
		},
	}
}

// tiles is the implementation with simdgroup_matrix, the only one of its operation.
func tiles() *shaders.Impl {
	sums := func(c shaders.Call) int {
		return shaders.Product(int(c.Params.(TileStepsParams).SIMDs), stepTiles*stepTiles*tile)
	}
	operand := func(shaders.Call) int { return stepTiles * tile }
	op := &shaders.Op{
		Name: "multiply_add_tiles", About: "sums of products of 8 × 8 tiles, over and over, to see the peak of matrix units", Params: TileStepsParams{},
		Finite: true,
		Valid: func(c shaders.Call) error {
			if p := c.Params.(TileStepsParams); p.Steps > MaxSteps {
				return fmt.Errorf("%d steps, want at most %d", p.Steps, MaxSteps)
			}
			return shaders.Indexable("sums", sums(c))
		},
		Args: []shaders.Arg{
			{Name: "a", Type: shaders.Var, Len: operand},
			{Name: "b", Type: shaders.Var, Len: operand},
			{Name: "out", Type: shaders.F32, Access: shaders.Out, Len: sums},
		},
		Cost: func(c shaders.Call) shaders.Cost {
			p := c.Params.(TileStepsParams)
			return shaders.Cost{
				Ops:   2 * 8 * float64(p.Steps) * float64(sums(c)),
				Bytes: float64(c.Type.Bytes(2*stepTiles*tile) + 4*sums(c)),
			}
		},
		Reference: tileSum,
		Tolerance: func(c shaders.Call) shaders.Tolerance {
			tol := shaders.Rounding(shaders.F32)
			tol.Rel += 8 * float64(c.Params.(TileStepsParams).Steps) * 0x1p-24
			tol.Why = "a sum of floats in any order, each addition rounded in either way"
			return tol
		},
		Cases: []shaders.Case{
			{Params: TileStepsParams{0, 1}}, {Params: TileStepsParams{1, 1}}, {Params: TileStepsParams{5, 3}}, {Params: TileStepsParams{8, 0}},
		},
	}
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: []shaders.Type{shaders.F32, shaders.F16, shaders.BF16},
		Source: shaders.Embedded(files, "tiles.metal"), Needs: shaders.SIMDGroupMatrix,
		Launch: func(c shaders.Call, _ shaders.Limits) shaders.Launch {
			const simds = 4
			return shaders.Launch{Groups: [3]uint32{(c.Params.(TileStepsParams).SIMDs + simds - 1) / simds, 1, 1}, Threads: [3]uint32{simds * 32, 1, 1}}
		},
	}
}

// tileSum is element i of the sums: of tile i/16 of a and tile i%16 of b, the same in each SIMD group.
func tileSum(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	const side = 8
	at := i / tile % (stepTiles * stepTiles)
	a, b := at/stepTiles*tile, at%stepTiles*tile
	row, col := i%tile/side, i%tile%side
	var v shaders.Value
	for k := range side {
		x := args[0].At(a+row*side+k) * args[1].At(b+k*side+col)
		v.Want, v.Scale = v.Want+x, v.Scale+math.Abs(x)
	}
	n := float64(c.Params.(TileStepsParams).Steps)
	return shaders.Value{Want: n * v.Want, Scale: n * v.Scale}
}
