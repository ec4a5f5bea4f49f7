// Package chain builds kernels for chains of elementwise operations that no kernel in the catalog covers: any number of steps on
// inputs that are broadcast or transposed, and an optional final reduction along the last dimension. For a GPU, MSL is generated
// for the chain; the CPU engine interprets its steps, one block of elements at a time.
package chain

import (
	"fmt"
	"math"
	"slices"
)

// Limits of a chain, also in params/chain.h.
const (
	MaxInputs    = 8
	MaxConstants = 8
	MaxRegisters = 24
	MaxSteps     = 32
)

// Reduction is how results along the last dimension are combined.
type Reduction uint32

// Reductions.
const (
	Each Reduction = iota // none
	Sum
	Mean
	Largest
)

// Step is an operation on earlier values. Values are numbered: first the inputs, then the constants, then the steps.
type Step struct {
	Op   Code
	X, Y int // Y is not used by operations of one operand
}

// Program is a chain: the last step is its result, or the first input if there is none.
type Program struct {
	Inputs    int
	Constants []float32
	Steps     []Step
	Reduce    Reduction
}

// Params is the parameter struct ChainParams of params/chain.h.
type Params struct {
	D0, D1, D2, D3, Inputs, Constants, Steps, Result, Reduce uint32

	Strides        [4 * MaxInputs]uint32
	Step           [MaxSteps]uint32
	ConstantValues [MaxConstants]float32
}

// Check refuses chains for which no kernel can be generated.
func (p *Program) Check() error {
	_, _, err := p.encode()
	return err
}

// encode assigns every value a register, which is reused once the value has been read for the last time.
func (p *Program) encode() (words []uint32, result int, err error) {
	switch {
	case p.Inputs < 1 || p.Inputs > MaxInputs:
		return nil, 0, fmt.Errorf("%d inputs, want 1 to %d", p.Inputs, MaxInputs)
	case len(p.Constants) > MaxConstants:
		return nil, 0, fmt.Errorf("%d constants, want at most %d", len(p.Constants), MaxConstants)
	case len(p.Steps) > MaxSteps:
		return nil, 0, fmt.Errorf("%d steps, want at most %d", len(p.Steps), MaxSteps)
	}
	first := p.Inputs + len(p.Constants)
	last := p.lastReads()
	registers := make([]int, first+len(p.Steps))
	var free []int
	for r := range MaxRegisters {
		if r < first {
			registers[r] = r
		} else {
			free = append(free, r)
		}
	}
	for i, s := range p.Steps {
		value := first + i
		if s.X >= value || s.Y >= value || s.X < 0 || s.Y < 0 {
			return nil, 0, fmt.Errorf("step %d reads a value that is not there yet", i)
		}
		if len(free) == 0 {
			return nil, 0, fmt.Errorf("step %d: more than %d values are needed at once", i, MaxRegisters)
		}
		registers[value], free = free[0], free[1:]
		words = append(words, uint32(s.Op)|uint32(registers[value])<<8|uint32(registers[s.X])<<16|uint32(registers[s.Y])<<24)
		for _, v := range slices.Compact([]int{s.X, s.Y}) {
			if v >= first && last[v] == i {
				free = append(free, registers[v])
			}
		}
	}
	if len(p.Steps) == 0 {
		return nil, 0, nil
	}
	return words, registers[len(registers)-1], nil
}

// lastReads returns the last step that reads each value.
func (p *Program) lastReads() map[int]int {
	last := map[int]int{}
	for i, s := range p.Steps {
		last[s.X], last[s.Y] = i, i
	}
	return last
}

// Shape is the iteration space of a chain: dimensions, the last one innermost, and for each input the distance of its elements
// along each, 0 along those that it does not have.
type Shape struct {
	Dims    [4]int
	Strides [][4]int
}

// joined merges neighboring dimensions that every input traverses like a single one, so that rows are long. The last dimension
// stays separate if rows are reduced.
func (s Shape) joined(reduced bool) Shape {
	to := Shape{Dims: [4]int{1, 1, 1, 1}, Strides: make([][4]int, len(s.Strides))}
	at := 4
	for d := 3; d >= 0; d-- {
		fixed := reduced && d == 3
		if s.Dims[d] == 1 && !fixed {
			continue
		}
		if at < 4 && (!reduced || at < 3) && s.runsOn(d, &to, at) {
			to.Dims[at] *= s.Dims[d]
			continue
		}
		at--
		to.Dims[at] = s.Dims[d]
		for i := range s.Strides {
			to.Strides[i][at] = s.Strides[i][d]
		}
	}
	return to
}

// runsOn reports whether every input continues along dimension d where dimension `at` of to ends.
func (s Shape) runsOn(d int, to *Shape, at int) bool {
	for i := range s.Strides {
		if s.Strides[i][d] != to.Strides[i][at]*to.Dims[at] {
			return false
		}
	}
	return true
}

// params lays out the chain over a shape.
func (p *Program) params(s Shape) (Params, error) {
	words, result, err := p.encode()
	if err != nil {
		return Params{}, err
	}
	if len(s.Strides) != p.Inputs {
		return Params{}, fmt.Errorf("strides of %d inputs, want %d", len(s.Strides), p.Inputs)
	}
	s = s.joined(p.Reduce != Each)
	out := Params{
		D0: uint32(s.Dims[0]), D1: uint32(s.Dims[1]), D2: uint32(s.Dims[2]), D3: uint32(s.Dims[3]), Inputs: uint32(p.Inputs),
		Constants: uint32(len(p.Constants)), Steps: uint32(len(words)), Result: uint32(result), Reduce: uint32(p.Reduce),
	}
	copy(out.Step[:], words)
	copy(out.ConstantValues[:], p.Constants)
	for i := range s.Strides {
		for d, stride := range s.Strides[i] {
			if stride < 0 || stride > math.MaxInt32 {
				return out, fmt.Errorf("stride %d of input %d, want 0 to %d", stride, i, math.MaxInt32)
			}
			out.Strides[4*i+d] = uint32(stride)
		}
	}
	return out, nil
}
