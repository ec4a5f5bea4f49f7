package graph

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// imported returns the text of a model with these nodes, without the declarations of inputs and outputs.
func imported(t *testing.T, nodes, consts []pb) string {
	t.Helper()
	text, err := ImportONNX(model(nodes, consts, []pb{valueInfo("x", 2, 3, 4)}, []pb{valueInfo("y")}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(text, nil); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "input") && !strings.HasPrefix(line, "output") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "; ")
}

// GELU as written by exporters becomes one operation, whatever the order of the multiplications.
func TestGeluIsFound(t *testing.T) {
	consts := []pb{scalar("root", 1.41421356), scalar("unit", 0.70710678), scalar("one", 1), scalar("half", 0.5), scalar("two", 2)}
	erf := []pb{op("d = Div x root"), op("e = Erf d"), op("a = Add e one")}
	for name, nodes := range map[string][]pb{
		"x times sum, halved":   append(slices.Clone(erf), op("m = Mul x a"), op("y = Mul m half")),
		"half x times sum":      append(slices.Clone(erf), op("m = Mul x half"), op("y = Mul m a")),
		"x times half the sum":  append(slices.Clone(erf), op("m = Mul half a"), op("y = Mul x m")),
		"one over the root":     {op("d = Mul unit x"), op("e = Erf d"), op("a = Add one e"), op("m = Mul a x"), op("y = Mul half m")},
		"the number a Constant": {op("c = Constant", pb{}.text(1, "value").bytes(5, scalar("", 0.5))), erf[0], erf[1], erf[2], op("m = Mul x c"), op("y = Mul m a")},
	} {
		if got := imported(t, nodes, consts); got != "y = gelu_erf(x)" {
			t.Errorf("%s: %s", name, got)
		}
	}
	product := append([]pb{op("p = Mul x two")}, op("d = Div p root"), op("e = Erf d"), op("a = Add e one"), op("m = Mul p a"), op("y = Mul m half"))
	if got := imported(t, product, consts); got != "p = x * 2; y = gelu_erf(p)" {
		t.Errorf("of a product: %s", got)
	}
	other := append(slices.Clone(erf), op("m = Mul x a"), op("y = Mul m two"))
	if text, err := ImportONNX(model(other, consts, []pb{valueInfo("x", 2, 3, 4)}, []pb{valueInfo("y")}), nil); err == nil || !strings.Contains(err.Error(), "Erf is not covered") {
		t.Errorf("twice too large: %v\n%s", err, text)
	}
}

// Shapes that a model computes are known at import.
func TestShapesAreFolded(t *testing.T) {
	consts := []pb{ints("zero", 0), ints("two", 2), ints("last", -1), ints("from", 1), ints("to", 100), scalar("unit", 1)}
	nodes := []pb{
		op("s = Shape x"), op("b = Gather s first"), op("bl = Unsqueeze b zero"), op("rest = Slice s from to"), op("r = Gather rest zero"),
		op("n = Mul r two"), op("all = Concat bl n last", intAttr("axis", 0)), op("y = Reshape x all"), op("z = Relu y"),
	}
	number := pb{}.text(8, "first").int(2, onnxInt64).bytes(9, make([]byte, 8)) // 0, without a shape
	text, err := ImportONNX(model(nodes, append(consts, number), []pb{valueInfo("x", 2, 3, 4)}, []pb{valueInfo("z")}), nil)
	if err != nil || !strings.Contains(text, "y = reshape(x, [2, 6, 2])\n") {
		t.Errorf("%v\n%s", err, text)
	}
	scale := []pb{op("s = Shape x"), op("d = Gather s end"), op("f = Cast d", intAttr("to", onnxFloat)), op("root = Sqrt f"), op("by = Div unit root"), op("y = Mul x by")}
	end := ints("end", -1)
	if got := imported(t, scale, append(consts, end)); got != "y = x * 0.5" {
		t.Error(got)
	}
}

// Multi-head attention as written by exporters becomes one kernel between its transposes.
func TestImportedAttentionIsFused(t *testing.T) {
	heads := intsAttr("perm", 0, 2, 1, 3)
	nodes := []pb{
		op("qh = Transpose q", heads), op("kh = Transpose k", heads), op("vh = Transpose v", heads), op("kt = Transpose kh", intsAttr("perm", 0, 1, 3, 2)),
		op("s = MatMul qh kt"), op("scaled = Div s root"), op("p = Softmax scaled"), op("o = MatMul p vh"), op("t = Transpose o", heads), op("y = Neg t"),
	}
	inputs := []pb{valueInfo("q", 2, 5, 3, 16), valueInfo("k", 2, 7, 3, 16), valueInfo("v", 2, 7, 3, 16)}
	text, err := ImportONNX(model(nodes, []pb{scalar("root", 4)}, inputs, []pb{valueInfo("y")}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := kinds(made(t, parse(t, text, nil), "all")); strings.Count(got, "attention") != 1 || strings.Contains(got, "softmax") {
		t.Errorf("fused into %s of\n%s", got, text)
	}
	same(t, text, rand.New(rand.NewPCG(5, 6)), "none", "all")
}

// Any permutation of dimensions is built from swaps of the last two.
func TestTransposesInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 2 + r.IntN(3)
		shape, perm := make([]int, n), r.Perm(n)
		for d := range shape {
			shape[d] = 1 + r.IntN(4)
		}
		dims := make([]any, n)
		for d := range dims {
			dims[d] = shape[d]
		}
		text, err := ImportONNX(model([]pb{op("t = Transpose x", intsAttr("perm", perm...)), op("y = Neg t")}, nil, []pb{valueInfo("x", dims...)}, []pb{valueInfo("y")}), nil)
		if err != nil {
			t.Fatalf("%v of %v: %v", perm, shape, err)
		}
		checkTransposed(t, text, shape, perm)
	}
}

// checkTransposed compares a permuted −x with what a text computes.
func checkTransposed(t *testing.T, text string, shape, perm []int) {
	t.Helper()
	g := parse(t, text, nil)
	x := make([]float64, Elements(shape))
	for i := range x {
		x[i] = float64(i)
	}
	got := reference(t, g, func(int) []float64 { return x })[0]
	index := make([]int, len(shape)) // into the result
	for i := range got {
		at := 0
		for d := range shape {
			at = at*shape[d] + index[slices.Index(perm, d)]
		}
		if got[i].Want != -x[at] {
			t.Fatalf("%v of %v: element %d is %g, want %g, by\n%s", perm, shape, i, got[i].Want, -x[at], text)
		}
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < shape[perm[d]] {
				break
			}
			index[d] = 0
		}
	}
}
