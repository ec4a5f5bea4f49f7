package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// MaxONNX is the maximum size of a model, in bytes; weights in a separate file do not count.
const MaxONNX = 512 << 20

// maxSmall is the maximum number of elements kept of a tensor: numbers and shapes. Larger tensors are weights, of which only the shape
// matters.
const maxSmall = 64

// onnxModel holds the parts of a model that an import needs.
type onnxModel struct {
	nodes   []onnxNode
	tensors []onnxTensor // weights and constants
	inputs  []onnxInput
	outputs []string
	ir      bool // it has the field that every model has
	graphs  int
}

type onnxNode struct {
	op, name, domain string
	in, out          []string
	attrs            map[string]onnxAttr
}

// onnxAttr is an attribute: a number, a text, numbers or a tensor.
type onnxAttr struct {
	f    float64
	i    int
	s    string
	ints []int
	t    *onnxTensor
}

type onnxTensor struct {
	name string
	dims []int
	kind int // element type
	// values holds the elements of a small tensor; nil: they are not known.
	values []float64
}

// onnxInput is an input of the model; dimensions that are not fixed have names.
type onnxInput struct {
	name  string
	kind  int
	dims  []int
	names []string
}

// Element types of ONNX.
const (
	onnxFloat  = 1
	onnxInt32  = 6
	onnxInt64  = 7
	onnxHalf   = 10
	onnxDouble = 11
)

// errNotONNX is the error of bytes that are not a model.
var errNotONNX = errors.New("not an ONNX model")

// fields calls f with each field of a message: its number, and its value for integers and fixed-width numbers, or else its bytes.
func fields(data []byte, f func(n protowire.Number, v uint64, b []byte) error) error {
	for len(data) > 0 {
		n, t, size := protowire.ConsumeTag(data)
		if size < 0 {
			return errNotONNX
		}
		data = data[size:]
		var v uint64
		var b []byte
		switch t {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(data)
		case protowire.Fixed32Type:
			var x uint32
			x, size = protowire.ConsumeFixed32(data)
			v = uint64(x)
		case protowire.Fixed64Type:
			v, size = protowire.ConsumeFixed64(data)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(data)
		default:
			size = protowire.ConsumeFieldValue(n, t, data)
		}
		if size < 0 {
			return errNotONNX
		}
		if err := f(n, v, b); err != nil {
			return err
		}
		data = data[size:]
	}
	return nil
}

// readONNX reads a ModelProto.
func readONNX(data []byte) (*onnxModel, error) {
	m := &onnxModel{}
	err := fields(data, func(n protowire.Number, _ uint64, b []byte) error {
		switch n {
		case 1:
			m.ir = true
		case 7:
			m.graphs++
			return m.graph(b)
		}
		return nil
	})
	if err == nil && (!m.ir || m.graphs != 1) {
		err = errNotONNX
	}
	return m, err
}

func (m *onnxModel) graph(data []byte) error {
	return fields(data, func(n protowire.Number, _ uint64, b []byte) error {
		switch n {
		case 1:
			if len(m.nodes) >= MaxValues {
				return fmt.Errorf("more than %d nodes", MaxValues)
			}
			node, err := readNode(b)
			m.nodes = append(m.nodes, node)
			return err
		case 5:
			t, err := readTensor(b)
			m.tensors = append(m.tensors, *t)
			return err
		case 11:
			in, err := readInput(b)
			m.inputs = append(m.inputs, in)
			return err
		case 12:
			out, err := readInput(b)
			m.outputs = append(m.outputs, out.name)
			return err
		}
		return nil
	})
}

func readNode(data []byte) (onnxNode, error) {
	node := onnxNode{attrs: map[string]onnxAttr{}}
	err := fields(data, func(n protowire.Number, _ uint64, b []byte) error {
		switch n {
		case 1:
			node.in = append(node.in, string(b))
		case 2:
			node.out = append(node.out, string(b))
		case 3:
			node.name = string(b)
		case 4:
			node.op = string(b)
		case 5:
			name, a, err := readAttr(b)
			node.attrs[name] = a
			return err
		case 7:
			node.domain = string(b)
		}
		return nil
	})
	return node, err
}

func readAttr(data []byte) (name string, a onnxAttr, err error) {
	err = fields(data, func(n protowire.Number, v uint64, b []byte) error {
		var err error
		switch n {
		case 1:
			name = string(b)
		case 2:
			a.f = float64(math.Float32frombits(uint32(v)))
		case 3:
			a.i = int(int64(v))
		case 4:
			a.s = string(b)
		case 5:
			a.t, err = readTensor(b)
		case 8:
			a.ints, err = integers(a.ints, v, b)
		}
		return err
	})
	return name, a, err
}

// integers appends a single number, or the numbers of a packed field.
func integers(list []int, v uint64, packed []byte) ([]int, error) {
	if packed == nil {
		return append(list, int(int64(v))), limited(len(list) + 1)
	}
	for len(packed) > 0 {
		v, size := protowire.ConsumeVarint(packed)
		if size < 0 {
			return nil, errNotONNX
		}
		list, packed = append(list, int(int64(v))), packed[size:]
		if err := limited(len(list)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func limited(n int) error {
	if n > maxSmall {
		return fmt.Errorf("a list of more than %d numbers", maxSmall)
	}
	return nil
}

func readTensor(data []byte) (*onnxTensor, error) {
	t := &onnxTensor{}
	var raw []byte
	var packed [3][]byte // floats, int32, int64
	err := fields(data, func(n protowire.Number, v uint64, b []byte) error {
		var err error
		switch n {
		case 1:
			t.dims, err = integers(t.dims, v, b)
		case 2:
			t.kind = int(v)
		case 4, 5, 7:
			at := map[protowire.Number]int{4: 0, 5: 1, 7: 2}[n]
			if b == nil { // not packed
				b = protowire.AppendVarint(nil, v)
				if n == 4 {
					b = protowire.AppendFixed32(nil, uint32(v))
				}
			}
			if len(packed[at])+len(b) <= 16*maxSmall { // larger tensors are weights
				packed[at] = append(packed[at], b...)
			}
		case 8:
			t.name = string(b)
		case 9:
			raw = b
		}
		return err
	})
	if err != nil {
		return t, err
	}
	n := 1
	for _, d := range t.dims {
		if d < 0 || d > MaxElements || n > MaxElements {
			return t, fmt.Errorf("a tensor %q of the shape %s", t.name, shapeText(t.dims))
		}
		n *= d
	}
	if n <= maxSmall {
		t.values = smallValues(t.kind, n, raw, packed)
	}
	return t, nil
}

// smallValues returns the elements of a small tensor; nil if they are stored elsewhere or have another type.
func smallValues(kind, n int, raw []byte, packed [3][]byte) []float64 {
	var all []float64
	size := map[int]int{onnxFloat: 4, onnxInt32: 4, onnxInt64: 8, onnxDouble: 8}[kind]
	if size == 0 {
		return nil
	}
	if len(raw) == n*size {
		for at := 0; at < len(raw); at += size {
			all = append(all, rawValue(kind, raw[at:]))
		}
		return all
	}
	if kind == onnxFloat {
		for at := 0; at+4 <= len(packed[0]); at += 4 {
			all = append(all, rawValue(kind, packed[0][at:]))
		}
	} else {
		list, err := integers(nil, 0, append(append([]byte{}, packed[1]...), packed[2]...))
		if err != nil {
			return nil
		}
		for _, x := range list {
			all = append(all, float64(x))
		}
	}
	if len(all) != n {
		return nil
	}
	return all
}

func rawValue(kind int, b []byte) float64 {
	switch kind {
	case onnxFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case onnxInt32:
		return float64(int32(binary.LittleEndian.Uint32(b)))
	case onnxInt64:
		return float64(int64(binary.LittleEndian.Uint64(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// readInput reads a ValueInfoProto.
func readInput(data []byte) (onnxInput, error) {
	in := onnxInput{}
	dim := func(_ protowire.Number, _ uint64, b []byte) error {
		n, name := 0, ""
		err := fields(b, func(f protowire.Number, v uint64, b []byte) error {
			switch f {
			case 1:
				n = int(int64(v))
			case 2:
				name = string(b)
			}
			return nil
		})
		in.dims, in.names = append(in.dims, n), append(in.names, name)
		return errors.Join(err, limited(len(in.dims)))
	}
	shape := func(f protowire.Number, v uint64, b []byte) error {
		if f == 1 {
			return dim(f, v, b)
		}
		return nil
	}
	tensor := func(f protowire.Number, v uint64, b []byte) error {
		switch f {
		case 1:
			in.kind = int(v)
		case 2:
			return fields(b, shape)
		}
		return nil
	}
	kind := func(f protowire.Number, _ uint64, b []byte) error {
		if f == 1 {
			return fields(b, tensor)
		}
		return nil
	}
	err := fields(data, func(f protowire.Number, _ uint64, b []byte) error {
		switch f {
		case 1:
			in.name = string(b)
		case 2:
			return fields(b, kind)
		}
		return nil
	})
	return in, err
}
