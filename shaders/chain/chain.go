package chain

import (
	"fmt"
	"math"

	"assay/shaders"
)

// Name returns the name of the operation of chains with that many inputs.
func Name(inputs int) string { return fmt.Sprintf("chain%d", inputs) }

// Generated names the implementation.
const Generated = "generated"

// New returns the kernel of a chain over a shape, and its parameters. about describes the chain.
func New(p Program, s Shape, t shaders.Type, about string) (shaders.Kernel, Params, error) {
	params, err := p.params(s)
	if err != nil {
		return shaders.Kernel{}, params, fmt.Errorf("chain %s: %w", about, err)
	}
	if t != shaders.F32 && t != shaders.F16 {
		return shaders.Kernel{}, params, fmt.Errorf("chain %s: no kernel in %v", about, t)
	}
	text, entry := source(&p, &params, t, about)
	file, err := shaders.GeneratedSource(entry+".metal", text)
	if err != nil {
		return shaders.Kernel{}, params, err
	}
	m := &shaders.Impl{
		Op: operation(&p, about), Name: Generated, Types: []shaders.Type{t}, Source: file, Entry: entry, Launch: launch,
	}
	return m.Kernel(t), params, nil
}

func params(c shaders.Call) *Params {
	p := c.Params.(Params)
	return &p
}

func (p *Params) rows() int { return shaders.Product(int(p.D0), int(p.D1), int(p.D2)) }

func (p *Params) elements() int { return shaders.Product(p.rows(), int(p.D3)) }

// outputs returns the number of elements of the result.
func (p *Params) outputs() int {
	if Reduction(p.Reduce) != Each {
		return p.rows()
	}
	return p.elements()
}

// place returns where input i has its value for an element.
func (p *Params) place(i, element int) int {
	at := 0
	for d := 3; d >= 0; d-- {
		n := int([4]uint32{p.D0, p.D1, p.D2, p.D3}[d])
		at += element % n * int(p.Strides[4*i+d])
		element /= n
	}
	return at
}

// length returns how many elements of input i the chain spans.
func (p *Params) length(i int) int {
	if p.elements() == 0 {
		return 0
	}
	return p.place(i, p.elements()-1) + 1
}

// distinct returns how many elements of input i the chain reads: a stride may skip others.
func (p *Params) distinct(i int) int {
	n := 1
	for d, size := range [4]uint32{p.D0, p.D1, p.D2, p.D3} {
		if p.Strides[4*i+d] != 0 {
			n *= int(size)
		}
	}
	return n
}

func operation(program *Program, about string) *shaders.Op {
	op := &shaders.Op{
		Name: Name(program.Inputs), About: about, Params: Params{},
		Valid: func(c shaders.Call) error { return shaders.Indexable("elements", params(c).elements()) },
		Cost:  cost, Reference: reference, Tolerance: tolerance,
	}
	for i := range program.Inputs {
		op.Args = append(op.Args, shaders.Arg{
			Name: fmt.Sprintf("x%d", i), Type: shaders.Var, Len: func(c shaders.Call) int { return params(c).length(i) },
		})
	}
	op.Args = append(op.Args, shaders.Arg{
		Name: "out", Type: shaders.Var, Access: shaders.Out, Len: func(c shaders.Call) int { return params(c).outputs() },
	})
	return op
}

func cost(c shaders.Call) shaders.Cost {
	p := params(c)
	each, moved := 0.0, p.outputs()
	for _, word := range p.Step[:p.Steps] {
		each += operations[word&255].Ops
	}
	if Reduction(p.Reduce) != Each {
		each++
	}
	for i := range int(p.Inputs) {
		moved += p.distinct(i)
	}
	return shaders.Cost{Ops: each * float64(p.elements()), Bytes: float64(c.Type.Bytes(moved))}
}

// at computes an element of the chain before it is reduced.
func (p *Params) at(args []shaders.View, element int) shaders.Value {
	var registers [MaxRegisters]shaders.Value
	for i := range int(p.Inputs) {
		registers[i].Want = args[i].At(p.place(i, element))
	}
	for i, x := range p.ConstantValues[:p.Constants] {
		registers[int(p.Inputs)+i].Want = float64(x)
	}
	for _, word := range p.Step[:p.Steps] {
		x, y := registers[word>>16&255], registers[word>>24]
		registers[word>>8&255] = Code(word&255).Apply(x, y)
	}
	v := registers[p.Result]
	if v.Scale == 0 {
		v.Scale = math.Abs(v.Want)
	}
	return v
}

func reference(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
	p := params(c)
	if Reduction(p.Reduce) == Each {
		return p.at(args, i)
	}
	n := int(p.D3)
	all := make([]shaders.Value, n)
	for col := range n {
		all[col] = p.at(args, i*n+col)
	}
	return Reduction(p.Reduce).Of(all)
}

// Of reduces the values of a row.
func (r Reduction) Of(row []shaders.Value) shaders.Value {
	v := shaders.Value{}
	if r == Largest {
		v.Want = math.Inf(-1)
	}
	for _, x := range row {
		v.Scale += x.Scale
		if r == Largest {
			v.Want = math.Max(v.Want, x.Want)
		} else {
			v.Want += x.Want
		}
	}
	switch r {
	case Mean:
		v.Want, v.Scale = v.Want/float64(len(row)), v.Scale/float64(len(row))
	case Largest:
		v.Scale = math.Abs(v.Want)
		for _, x := range row {
			v.Scale = math.Max(v.Scale, x.Scale)
		}
	}
	return v
}

func tolerance(c shaders.Call) shaders.Tolerance {
	p := params(c)
	if Reduction(p.Reduce) != Each {
		return shaders.SumTolerance(int(p.D3), c.Type)
	}
	t := shaders.Rounding(c.Type)
	t.Rel += rounding
	t.Why = "a few float roundings of each step, carried through those after it"
	return t
}

// Threads per threadgroup, and elements per thread if it takes several.
const (
	threads = 256
	four    = 4
)

// launch has a thread for every element, or four of them, or a threadgroup for each row that is reduced.
func launch(c shaders.Call, l shaders.Limits) shaders.Launch {
	p := params(c)
	size := l.Fit(threads)
	if Reduction(p.Reduce) != Each {
		return shaders.Launch{Groups: [3]uint32{uint32(p.rows()), 1, 1}, Threads: [3]uint32{size, 1, 1}}
	}
	n := uint32(p.elements())
	if p.wide() {
		n /= four
	}
	return shaders.Launch{Groups: [3]uint32{(n + size - 1) / size, 1, 1}, Threads: [3]uint32{size, 1, 1}}
}

// wide reports whether a thread can take four neighbors, in whole vectors of every input.
func (p *Params) wide() bool {
	if p.D3%four != 0 {
		return false
	}
	for i := range int(p.Inputs) {
		strides := p.Strides[4*i : 4*i+4]
		switch {
		case strides[3] > 1:
			return false
		case strides[3] == 1 && (strides[0]%four != 0 || strides[1]%four != 0 || strides[2]%four != 0):
			return false
		}
	}
	return true
}
