package graph

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// pb is an ONNX message written by a test.
type pb []byte

func (m pb) bytes(field protowire.Number, b []byte) pb {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), b)
}

func (m pb) text(field protowire.Number, s string) pb { return m.bytes(field, []byte(s)) }

func (m pb) int(field protowire.Number, v int) pb {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(int64(v)))
}

func (m pb) float(field protowire.Number, v float32) pb {
	return protowire.AppendFixed32(protowire.AppendTag(m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// valueInfo is an input or output; a dimension is a number or a name.
func valueInfo(name string, dims ...any) pb {
	var shape pb
	for _, d := range dims {
		switch d := d.(type) {
		case int:
			shape = shape.bytes(1, pb{}.int(1, d))
		case string:
			shape = shape.bytes(1, pb{}.text(2, d))
		}
	}
	return pb{}.text(1, name).bytes(2, pb{}.bytes(1, pb{}.int(1, onnxFloat).bytes(2, shape)))
}

// weights is a float initializer without values; ints has whole numbers; scalar is a number.
func weights(name string, dims ...int) pb {
	t := pb{}.text(8, name).int(2, onnxFloat)
	for _, d := range dims {
		t = t.int(1, d)
	}
	return t
}

func ints(name string, list ...int) pb {
	t := pb{}.text(8, name).int(2, onnxInt64).int(1, len(list))
	var raw []byte
	for _, x := range list {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(int64(x)))
	}
	return t.bytes(9, raw)
}

func scalar(name string, x float32) pb { return pb{}.text(8, name).int(2, onnxFloat).float(4, x) }

// op is a node, written as "out = Op a b", with attributes.
func op(text string, attrs ...pb) pb {
	left, right, _ := strings.Cut(text, " = ")
	words := strings.Fields(right)
	n := pb{}.text(4, words[0]).text(3, "n/"+left).text(2, left)
	for _, in := range words[1:] {
		n = n.text(1, strings.TrimPrefix(in, "_"))
	}
	for _, a := range attrs {
		n = n.bytes(5, a)
	}
	return n
}

func intAttr(name string, v int) pb       { return pb{}.text(1, name).int(3, v) }
func floatAttr(name string, v float32) pb { return pb{}.text(1, name).float(2, v) }
func intsAttr(name string, list ...int) pb {
	a := pb{}.text(1, name)
	for _, x := range list {
		a = a.int(8, x)
	}
	return a
}

// model is a complete model: parts are fields of the graph by number.
func model(nodes []pb, weights []pb, inputs []pb, outputs []pb) []byte {
	var g pb
	for field, list := range map[protowire.Number][]pb{1: nodes, 5: weights, 11: inputs, 12: outputs} {
		for _, part := range list {
			g = g.bytes(field, part)
		}
	}
	return pb{}.int(1, 8).bytes(7, g)
}

// layer is a transformer's MLP with normalization, as exporters write it.
func layer() []byte {
	return model([]pb{
		op("/ln/out = LayerNormalization x ln.weight ln.bias", intAttr("axis", -1), floatAttr("epsilon", 1e-6)),
		op("/fc1/m = MatMul /ln/out fc1.weight"), op("/fc1/out = Add /fc1/m fc1.bias"), op("/act/out = Gelu /fc1/out"),
		op("/fc2/out = Gemm /flat fc2.weight fc2.bias", intAttr("transB", 1)), op("y = Relu /fc2/out"),
	}[:4], []pb{weights("ln.weight", 16), weights("ln.bias", 16), weights("fc1.weight", 16, 32), weights("fc1.bias", 32)},
		[]pb{valueInfo("x", "batch", 8, 16)}, []pb{valueInfo("/act/out")})
}

func TestImportONNX(t *testing.T) {
	text, err := ImportONNX(layer(), map[string]int{"batch": 3})
	if err != nil {
		t.Fatal(err)
	}
	want := `size batch = 3
x = input f32 [batch, 8, 16]
ln_weight = input f32 [16]
ln_bias = input f32 [16]
ln_out = layernorm(x, ln_weight, ln_bias, eps=1e-06)
fc1_weight = input f32 [16, 32]
fc1_m = matmul(ln_out, fc1_weight)
fc1_bias = input f32 [32]
fc1_out = fc1_m + fc1_bias
act_out = gelu_erf(fc1_out)
output act_out
`
	if text != want {
		t.Errorf("got\n%s", text)
	}
	same(t, text, rand.New(rand.NewPCG(1, 2)), "none", "all")
	if got := kinds(made(t, parse(t, text, nil), "all")); got != "layernorm, matmul+bias, gelu_erf" {
		t.Errorf("fused into %s", got)
	}
}

// Each operation becomes its form in the text, and shapes follow.
func TestImportedOperations(t *testing.T) {
	inputs := []pb{valueInfo("x", 2, 6), valueInfo("i", 1, 2, 5, 5), valueInfo("b", 2, 3, 4)}
	consts := []pb{weights("w", 4, 6), weights("bias", 4), weights("f", 3, 2, 3, 3), weights("fb", 3), ints("shape", 0, -1, 2), ints("axes", -1), ints("front", 0), scalar("half", 0.5), scalar("three", 3), scalar("two", 2), weights("g", 6)}
	for text, c := range map[string]struct {
		node pb
		more []pb
	}{
		"y = matmul(x, transpose(w)) * 2 + bias":                     {op("y = Gemm x w bias", intAttr("transB", 1), floatAttr("alpha", 2)), nil},
		"y = conv2d(i, f, stride=2, pad=1) + reshape(fb, [3, 1, 1])": {op("y = Conv i f fb", intsAttr("strides", 2, 2), intsAttr("pads", 1, 1, 1, 1)), nil},
		"y = reshape(x, [2, 3, 2])\nz = relu(y)":                     {op("y = Reshape x shape"), []pb{op("z = Relu y")}},
		"y = reshape(b, [2, 12])\nz = relu(y)":                       {op("y = Flatten b"), []pb{op("z = Relu y")}},
		"y = reshape(x, [1, 2, 6])\nz = relu(y)":                     {op("y = Unsqueeze x front"), []pb{op("z = Relu y")}},
		"y = mean(x)":                                                {op("y = ReduceMean x axes"), nil},
		"y_kept = sum(x)\ny = reshape(y_kept, [2])\nz = relu(y)":     {op("y = ReduceSum x axes", intAttr("keepdims", 0)), []pb{op("z = Relu y")}},
		"y = transpose(b)":                                           {op("y = Transpose b", intsAttr("perm", 0, 2, 1)), nil},
		"y = x * 0.5":                                                {op("y = Mul x half"), nil},
		"y = square(x)":                                              {op("y = Pow x two"), nil},
		"y = square(x) * x":                                          {op("y = Pow x three"), nil},
		"y = 1 / x":                                                  {op("y = Reciprocal x"), nil},
		"y = rmsnorm(x, g, eps=1e-05)":                               {op("y = RMSNormalization x g"), nil},
		"y = max(max(x, x), 2)":                                      {op("y = Max x x two"), nil},
		"y = softmax(b)":                                             {op("y = Softmax b", intAttr("axis", 2)), nil},
		"y = gelu(x)":                                                {op("y = Gelu x", pb{}.text(1, "approximate").text(4, "tanh")), nil},
		"z = relu(x)":                                                {op("y = Identity x"), []pb{op("z = Relu y")}},
		"z = x * 3\n":                                                {op("y = Constant", pb{}.text(1, "value").bytes(5, scalar("", 3))), []pb{op("z = Mul x y")}},
	} {
		got, err := ImportONNX(model(append([]pb{c.node}, c.more...), consts, inputs, []pb{valueInfo("y"), valueInfo("z")}), nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var lines []string
		for line := range strings.Lines(got) {
			if !strings.Contains(line, "input") && !strings.HasPrefix(line, "output") {
				lines = append(lines, line)
			}
		}
		if strings.TrimSpace(strings.Join(lines, "")) != strings.TrimSpace(text) {
			t.Errorf("want %q in\n%s", text, got)
		}
		if _, err := Parse(got, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestImportSaysWhatIsNotCovered(t *testing.T) {
	inputs := []pb{valueInfo("x", 2, 6), valueInfo("i", 1, 2, 5, 5)}
	consts := []pb{weights("f", 2, 1, 3, 3), ints("axes", 0), scalar("five", 5)}
	for want, node := range map[string]pb{
		"node n/y: LSTM is not covered":                                        op("y = LSTM x"),
		"node n/y: Conv: 2 groups, want 1":                                     op("y = Conv i f", intAttr("group", 2)),
		"node n/y: Transpose: the order [0 2 2 1] of 4 dimensions":             op("y = Transpose i", intsAttr("perm", 0, 2, 2, 1)),
		"node n/y: Erf is not covered":                                         op("y = Erf x"),
		"node n/y: Concat is not covered":                                      op("y = Concat x x", intAttr("axis", 1)),
		"node n/y: Gather is not covered":                                      op("y = Gather f axes"),
		"node n/y: Pow: an exponent of 5, want 3, 2, 0.5 or -1":                op("y = Pow x five"),
		"node n/y: Div: by 0":                                                  op("y = Div axes axes"),
		"node n/y: ReduceMean: along dimension 0 of [2, 6], want the last one": op("y = ReduceMean x axes"),
		"node n/y: Relu: there is no value \"nowhere\"":                        op("y = Relu nowhere"),
		"node n/y: Reshape: shape is computed, want a constant":                op("y = Reshape x i"),
	} {
		_, err := ImportONNX(model([]pb{node}, consts, inputs, []pb{valueInfo("y")}), nil)
		var covered *NotCovered
		if !errors.As(err, &covered) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, data := range [][]byte{nil, []byte("GGUF"), bytes.Repeat([]byte{0xff}, 100), model(nil, nil, nil, nil)} {
		if text, err := ImportONNX(data, nil); err == nil {
			t.Errorf("%q was imported as\n%s", data, text)
		}
	}
}

// FuzzImportONNX checks that bytes are either rejected or imported as a graph that parses.
func FuzzImportONNX(f *testing.F) {
	f.Add(layer())
	f.Add(model([]pb{op("y = Gemm x w", intAttr("transB", 1))}, []pb{weights("w", 4, 6), ints("shape", 0, -1)}, []pb{valueInfo("x", 2, 6)}, []pb{valueInfo("y")}))
	f.Add(model([]pb{op("s = Shape x"), op("a = Slice s front front"), op("p = Mul a s"), op("t = Transpose x", intsAttr("perm", 1, 0)), op("y = Reshape t s")},
		[]pb{ints("front", 0), scalar("half", 0.5)}, []pb{valueInfo("x", 2, 6)}, []pb{valueInfo("y")}))
	f.Add(model([]pb{op("d = Div x root"), op("e = Erf d"), op("a = Add e one"), op("m = Mul x a"), op("y = Mul m half")},
		[]pb{scalar("root", 1.41421356), scalar("one", 1), scalar("half", 0.5)}, []pb{valueInfo("x", 2, 6)}, []pb{valueInfo("y")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := ImportONNX(data, nil)
		if err != nil {
			return
		}
		if _, err := Parse(text, nil); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	})
}
