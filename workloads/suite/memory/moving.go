package memory

import (
	"fmt"
	"math/bits"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/reduce"
	"assay/shaders/stream"
	"assay/workloads/bench"
)

// variant traverses a working set of the given number of bytes.
func (w *access1) variant(m *moving, bytes int) bench.Variant {
	v := bench.Variant{Name: w.name}
	if v.Err = m.SupportsWith(w.pick, w.constants); v.Err != nil {
		return v
	}
	n := bytes / (4 * w.arrays)
	params, args, err := w.make(m, n)
	if err != nil {
		v.Err = err
		return v
	}
	d, err := m.Dispatch(w.pick, w.constants, params, args...)
	v.Items, v.Work, v.Err = float64(n), m.Launches([]gpu.Launch{d}), err
	return v
}

// moving is what the ways of a case share: its inputs.
type moving struct {
	*bench.Scope
	stride, chunk int
	inputs        []gpu.Buffer
}

// input returns array i with at least n elements, which all ways of a case read.
//
//go:noinline
func (m *moving) input(i, n int) (gpu.Buffer, error) {
	for len(m.inputs) <= i {
		m.inputs = append(m.inputs, nil)
	}
	if b := m.inputs[i]; b != nil && b.Size() >= 4*n {
		return b, nil
	}
	b, err := m.Random(shaders.F32, n, fmt.Sprintf("input %d", i))
	m.inputs[i] = b
	return b, err
}

// between returns `count` inputs of n elements, and an output.
//
//go:noinline
func (m *moving) between(count, n int) ([]gpu.Buffer, error) {
	var list []gpu.Buffer
	for i := range count {
		b, err := m.input(i, n)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	out, err := m.Buffer(shaders.F32, n, "out")
	return append(list, out), err
}

// copyArgs reads from an offset; the input has one more element for that.
func copyArgs(first int) func(m *moving, n int) (any, []gpu.Buffer, error) {
	return func(m *moving, n int) (any, []gpu.Buffer, error) {
		x, err := m.input(0, n+1)
		if err != nil {
			return nil, nil, err
		}
		out, err := m.Buffer(shaders.F32, n, "out")
		return stream.CopyParams{N: uint32(n), First: uint32(first)}, []gpu.Buffer{x, out}, err
	}
}

func scaleArgs(m *moving, n int) (any, []gpu.Buffer, error) {
	args, err := m.between(1, n)
	return stream.ScaleParams{N: uint32(n), S: 3}, args, err
}

func triadArgs(m *moving, n int) (any, []gpu.Buffer, error) {
	args, err := m.between(2, n)
	return stream.TriadParams{N: uint32(n), S: 3}, args, err
}

// sumArgs reduces to as many elements as it takes to keep every core of a GPU busy.
func sumArgs(m *moving, n int) (any, []gpu.Buffer, error) {
	const parts, each = 1024, 256
	p := reduce.ReduceParams{N: uint32(n), Parts: uint32(max(1, min(parts, n/each)))}
	x, err := m.input(0, n)
	if err != nil {
		return nil, nil, err
	}
	out, err := m.Buffer(shaders.F32, int(p.Parts), "out")
	return p, []gpu.Buffer{x, out}, err
}

// stridedArgs reads column after column of a matrix whose row length is the stride.
func stridedArgs(m *moving, n int) (any, []gpu.Buffer, error) {
	cols := min(m.stride, n)
	args, err := m.between(1, n/cols*cols)
	return stream.MatrixParams{Rows: uint32(n / cols), Cols: uint32(cols)}, args, err
}

// matrixArgs is a matrix whose sides are powers of two, as close to a square as its number of elements allows.
func matrixArgs(m *moving, n int) (any, []gpu.Buffer, error) {
	rows := 1 << (bits.Len(uint(n)) / 2)
	cols := n / rows
	args, err := m.between(1, rows*cols)
	return stream.MatrixParams{Rows: uint32(rows), Cols: uint32(cols)}, args, err
}

// gatherArgs reads chunks in random order.
func gatherArgs(size func(m *moving) int) func(m *moving, n int) (any, []gpu.Buffer, error) {
	return func(m *moving, n int) (any, []gpu.Buffer, error) {
		chunk := min(size(m), 1<<(bits.Len(uint(n))-1))
		chunks := n / chunk
		args, err := m.between(1, chunks*chunk)
		if err != nil {
			return nil, nil, err
		}
		index, err := m.Shuffled(chunks, "index")
		p := stream.GatherParams{N: uint32(chunks * chunk), Shift: uint32(bits.Len(uint(chunk)) - 1)}
		return p, []gpu.Buffer{args[0], index, args[1]}, err
	}
}
