package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

func TestGraph(t *testing.T) {
	c := config(t, gputest.Script{})
	file := filepath.Join(t.TempDir(), "own.graph")
	if err := os.WriteFile(file, []byte("size n = 8\nx = input f32 [4, n]\nw = input f32 [n, n]\ny = relu(matmul(x, w))\nz = y + nope\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// A model with a relu of x, which is [2, 3].
	model := filepath.Join(t.TempDir(), "relu.onnx")
	x := "\x0a\x01x\x12\x0e\x0a\x0c\x08\x01\x12\x08\x0a\x02\x08\x02\x0a\x02\x08\x03"
	inner := "\x0a\x0c\x0a\x01x\x12\x01y\x22\x04Relu" + "\x5a\x13" + x + "\x62\x03\x0a\x01y"
	if err := os.WriteFile(model, []byte("\x08\x08\x3a"+string(rune(len(inner)))+inner), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"graph", "list"}, 0, "matmul(a, b)"},
		{[]string{"graph", "plan", "mlp"}, 0, "Dispatches  5 → 2"},
		{[]string{"graph", "plan", "mlp", "--size", "rows=64", "--passes", "-memory"}, 0, "matmul+bias+gelu"},
		{[]string{"graph", "show", "chain", "--passes", "all", "--dot"}, 0, "digraph plan"},
		{[]string{"graph", "show", "attention"}, 0, "softmax((3))"},
		{[]string{"graph", "plan", file}, 1, "own.graph:5:9: there is no \"nope\""},
		{[]string{"graph", "plan", "mlp", "--passes", "mathmul"}, 2, "did you mean \"matmul\""},
		{[]string{"graph", "plan", "mlp", "--size", "depth=3"}, 1, "mlp: the graph has no size \"depth\""},
		{[]string{"graph", "plan", "nowhere.graph"}, 1, "nowhere.graph"},
		{[]string{"graph", "run", "nowhere.graph"}, 1, "examples are listed by: assay graph list"},
		{[]string{"graph", "run"}, 2, "graph run takes one graph"},
		{[]string{"graph", "plan"}, 2, "graph plan: want one graph: an example, a file"},
		{[]string{"graph", "import", file, file}, 2, "graph import: want one ONNX model"},
		{[]string{"graph", "draw", "block"}, 0, "<svg xmlns"},
		{[]string{"graph", "draw", "mlp", "--passes", "none", "--size", "rows=0"}, 2, "--size: \"rows=0\", want NAME=NUMBER"},
		{[]string{"graph", "import", model}, 0, "y = relu(x)\noutput y\n"},
		{[]string{"graph", "import", file}, 1, "own.graph: not an ONNX model"},
		{[]string{"graph", "import", "nowhere.onnx"}, 1, "nowhere.onnx"},
	} {
		code, out, errOut := assay(t, c, test.args...)
		if code != test.code || !strings.Contains(out+errOut, test.want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", test.args, code, test.code, test.want, out, errOut)
		}
	}
}
