package elementwise

import (
	"assay/shaders"
)

// Indexed names the implementations in which each thread computes its element's position by division.
const Indexed = "indexed"

// BroadcastParams is the parameter struct of add_broadcast and mul_broadcast: a [D0, D1, D2, D3] result. Bit i of A and B means
// that dimension i of that operand is 1, so that its elements are repeated along that dimension.
type BroadcastParams struct{ D0, D1, D2, D3, A, B uint32 }

// Dims returns the dimensions of the result.
func (p BroadcastParams) Dims() [4]int { return [4]int{int(p.D0), int(p.D1), int(p.D2), int(p.D3)} }

// Size returns the number of elements of an operand with these dimensions of 1.
func (p BroadcastParams) Size(ones uint32) int {
	n := 1
	for i, d := range p.Dims() {
		if ones>>i&1 == 0 {
			n = shaders.Product(n, d)
		}
	}
	return n
}

// place returns the index in such an operand for element i of the result.
func (p BroadcastParams) place(ones uint32, i int) int {
	at, stride := 0, 1
	dims := p.Dims()
	for d := 3; d >= 0; d-- {
		if ones>>d&1 == 0 {
			at += i % dims[d] * stride
			stride *= dims[d]
		}
		i /= dims[d]
	}
	return at
}

func broadcast(c shaders.Call) BroadcastParams { return c.Params.(BroadcastParams) }

func broadcasts() []*shaders.Impl {
	var all []*shaders.Impl
	for _, op := range []*shaders.Op{broadcastOp("add_broadcast", "a + b", add), broadcastOp("mul_broadcast", "a · b", mul)} {
		all = append(all, broadcastRows(op), broadcastIndexed(op))
	}
	return all
}

func broadcastOp(name, about string, eval func([3]float64) shaders.Value) *shaders.Op {
	return &shaders.Op{
		Name: name, About: "out = " + about + " of four dimensions, where those of a and b may be 1", Params: BroadcastParams{},
		Args: []shaders.Arg{
			{Name: "a", Type: shaders.Var, Len: func(c shaders.Call) int { return broadcast(c).Size(broadcast(c).A) }},
			{Name: "b", Type: shaders.Var, Len: func(c shaders.Call) int { return broadcast(c).Size(broadcast(c).B) }},
			{Name: "out", Type: shaders.Var, Access: shaders.Out, Len: func(c shaders.Call) int { return broadcast(c).Size(0) }},
		},
		Valid: func(c shaders.Call) error {
			return shaders.Indexable("elements of the result", broadcast(c).Size(0))
		},
		Cost: func(c shaders.Call) shaders.Cost {
			p := broadcast(c)
			return shaders.Cost{
				Ops:   float64(p.Size(0)),
				Bytes: float64(c.Type.Bytes(p.Size(0)) + c.Type.Bytes(p.Size(p.A)) + c.Type.Bytes(p.Size(p.B))),
			}
		},
		Reference: func(c shaders.Call, args []shaders.View, _, i int) shaders.Value {
			p := broadcast(c)
			return eval([3]float64{args[0].At(p.place(p.A, i)), args[1].At(p.place(p.B, i))})
		},
		Tolerance: func(c shaders.Call) shaders.Tolerance { return shaders.Rounding(c.Type) },
		Cases:     broadcastCases(name),
	}
}

// broadcastCases are few for the second operation, which uses the same code.
func broadcastCases(name string) []shaders.Case {
	if name != "add_broadcast" {
		return []shaders.Case{{Params: BroadcastParams{0, 1, 1, 1, 0, 0}}, {Params: BroadcastParams{3, 5, 7, 33, 0b1010, 0b0101}}}
	}
	return []shaders.Case{
		{Params: BroadcastParams{2, 0, 3, 5, 0, 0}},
		{Params: BroadcastParams{1, 1, 1, 1, 15, 15}},
		{Params: BroadcastParams{3, 5, 7, 33, 0, 0}},
		{Params: BroadcastParams{3, 5, 7, 33, 0, 0b0111}},
		{Params: BroadcastParams{3, 5, 7, 33, 0b0001, 0b1101}},
		{Params: BroadcastParams{3, 5, 7, 33, 0b1010, 0b0101}},
		{Params: BroadcastParams{2, 3, 1, 130, 0b1111, 0b1000}},
		{Params: BroadcastParams{1, 9, 300, 2, 0b0100, 0}},
		{Params: BroadcastParams{2, 1, 3, 2500, 0b0110, 0b1001}}, // a row spans several threadgroups; in f32 it consists of whole vectors
		{Params: BroadcastParams{3, 5, 2, 264, 0b0001, 0b1101}},
		{Params: BroadcastParams{2, 1, 1, 4104, 0, 0b0001}},
	}
}

// broadcastRows has threads for each part of a row of the result, which compute their place once for all of it. A threadgroup
// takes several rows if they are short.
func broadcastRows(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: shaders.Plain, Types: floats(), Source: shaders.Embedded(files, "broadcast.metal"),
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			p := broadcast(c)
			rows, each := p.D0*p.D1*p.D2, uint32(shaders.Sixteen(c.Type))
			threads := l.Fit(256)
			across := min(threads, max(32, (p.D3+32*each-1)/(32*each)*32))
			down := max(1, min(rows, threads/across))
			return shaders.Launch{
				Groups:  [3]uint32{(p.D3 + each*across - 1) / (each * across) * ((rows + down - 1) / down), 1, 1},
				Threads: [3]uint32{across, down, 1},
			}
		},
	}
}

// broadcastIndexed has a thread for each element.
func broadcastIndexed(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Indexed, About: op.About + "; each thread computes its element's position by division", Types: floats(),
		Source: shaders.Embedded(files, "broadcast.metal"),
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			threads := l.Fit(256)
			return shaders.Launch{
				Groups:  [3]uint32{(uint32(broadcast(c).Size(0)) + threads - 1) / threads, 1, 1},
				Threads: [3]uint32{threads, 1, 1},
			}
		},
	}
}
