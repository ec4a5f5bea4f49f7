package graph

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/shaders"
)

func parse(t *testing.T, text string, sizes map[string]int) *Graph {
	t.Helper()
	g, err := Parse(text, sizes)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return g
}

func made(t *testing.T, g *Graph, passes string) *Plan {
	t.Helper()
	on, err := ParsePasses(passes)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(g, Options{Passes: on})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kinds lists the kinds of a plan's steps.
func kinds(p *Plan) string {
	var all []string
	for _, s := range p.Steps {
		all = append(all, s.Kind)
	}
	return strings.Join(all, ", ")
}

func TestPassesFuse(t *testing.T) {
	const head = "a = input f32 [6, 8]\nb = input f32 [8, 5]\nbias = input f32 [5]\nc = input f32 [6, 5]\nd = input f32 [7, 8]\nw = input f32 [8]\n"
	for _, c := range []struct{ text, passes, want string }{
		{"y = gelu(matmul(a, b) + bias)", "none", "matmul, add, gelu"},
		{"y = gelu(matmul(a, b) + bias)", "all", "matmul+bias+gelu"},
		{"y = gelu(bias + matmul(a, b))", "matmul", "matmul+bias+gelu"},
		{"y = relu(matmul(a, transpose(d)))", "all", "matmul+relu"},
		{"y = relu(matmul(a, transpose(d)))", "-transpose", "transpose, matmul+relu"},
		{"y = gelu(relu(matmul(a, b)))", "matmul", "matmul+relu, gelu"},
		{"y = silu(matmul(a, b)) * c", "all", "matmul, silu_mul"},
		{"y = silu(matmul(a, b)) * c", "-swiglu", "matmul, silu+mul"},
		{"y = layernorm(a + a * 2, w, w)", "all", "mul, add_layernorm"},
		{"y = mean(tanh(c - bias) * c + 1)", "all", "sub+tanh+mul+add+mean"},
		{"y = rmsnorm(a, w)", "all", "copy, rmsnorm"},
		{"t = exp(c)\ny = t * 2\nz = t + 1\noutput y, z", "all", "exp, mul, add"},
		{"y = matmul(softmax(matmul(a, transpose(d)) / 2.828427), d)", "all", "attention"},
		{"y = matmul(softmax(matmul(a, transpose(d)) / 3), d)", "all", "matmul, div, softmax, matmul"},
		{"y = matmul(softmax(matmul(a, transpose(d)) * 0.3535534), d)", "all", "attention"},
		{"y = matmul(softmax(matmul(a, transpose(d)) * 2.828427), d)", "all", "matmul, mul, softmax, matmul"},
		{"y = matmul(softmax(matmul(a, transpose(d)) / 0.3535534), d)", "all", "matmul, div, softmax, matmul"},
	} {
		p := made(t, parse(t, head+c.text, nil), c.passes)
		if got := kinds(p); got != c.want {
			t.Errorf("%s with %s: %s, want %s", c.text, c.passes, got, c.want)
		}
	}
}

// A plan says how each step is cut into threadgroups within the device's limits, or why it cannot be.
func TestTilesFitTheLimits(t *testing.T) {
	g := parse(t, Examples()[0].Text, nil)
	p := made(t, g, "all")
	for _, want := range []string{"threadgroups of at most 1024 threads and 32.0 KiB", "16 × 4 threadgroups of 128 threads, 17.0 KiB of memory each, tile 64"} {
		if text := p.Text(p); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	p, err := Make(g, Options{Passes: AllPasses(), Limits: shaders.Limits{Threads: 64, Shared: 1 << 10}})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Text(p); !strings.Contains(text, "cannot be launched: ") {
		t.Errorf("a product in 64 threads:\n%s", text)
	}
}

func TestWhyNotFused(t *testing.T) {
	const head = "a = input f32 [6, 8]\nb = input f32 [8, 5]\nc = input f32 [6, 5]\nr = input f32 [6, 1]\n"
	for text, want := range map[string]string{
		"t = matmul(a, b)\ny = relu(t)\nz = t * 2\noutput y, z": "t is needed by z, too",
		"y = relu(matmul(a, b) + c)":                            "a bias has one value per column: [5]",
		"t = matmul(a, b)\ny = relu(t)\noutput t, y":            "t is an output",
		"y = exp(r) * c":                                      "[6, 1] is computed once for all of [6, 5]",
		"y = gelu(relu(matmul(a, b)))":                        "the epilogue ends with its activation",
		"y = matmul(softmax(matmul(c, transpose(c)) * 3), c)": "the scale is not 1/√5",
	} {
		p := made(t, parse(t, head+text, nil), "all")
		if !slices.ContainsFunc(p.Missed, func(m Missed) bool { return strings.Contains(m.Why, want) }) {
			t.Errorf("%s: %+v, want %q", text, p.Missed, want)
		}
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	for text, want := range map[string]string{
		"x = input f32 [2, 3]\ny = matmul(x, x)": `2:5: matmul: [2, 3] · [2, 3]: 3 columns and 2 rows`,
		"x = input f32 [2]\ny = gelo(x)":         `2:5: no operation "gelo" (did you mean "gelu"?)`,
		"x = input f33 [2]":                      `1:11: an input of "f33", want f32 or f16`,
		"x = input f32 [2]\ny = x + z":           `2:9: there is no "z"`,
		"x = input f32 [0]":                      `1:16: 0, want 1 to 268435456`,
		"x = input f32 [2]\ny = exp(x":           `2:10: the line ends, want ")"`,
		"x = input f32 [1,2,3]\ny = x\n":         `2:5: y computes nothing`,
		"x = input f32 [4]\ny = exp(x) )":        `2:12: ")" after the end of the statement`,
		"x = input f32 [4]\nx = exp(x)":          `2:1: there is a x already`,
		"x = input f32 [2,3]\ny = input f16 [2]": `2:11: an input in f16, but those before are in f32`,
		"x = input f32 [4]\ny = reshape(x, [3])": `2:5: [4] has 4 elements, [3] has 3`,
		"x = input f32 [99999, 99999]":           `elements, want at most`,
		"x = input f32 [4]\ny = softmax(3)":      `2:5: softmax of a number`,
		"x = input f32 [4]":                      `nothing is computed`,
		"x = input f32 [4]\ny = exp(x, x)":       `2:5: exp of 2 arguments: it is written exp(x)`,
		"x = input f32 [1,1,4,4]\nf = input f32 [1,1,3,3]\ny = conv2d(x, f, stride=9)": `3:25: stride is "9", want a number from 1 to 4`,
	} {
		_, err := Parse(text, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	_, err := Parse("x = input f32 [2]\ny = exp(q)", nil)
	var at *Error
	if !errors.As(err, &at) || at.Line != 2 || at.Column != 9 {
		t.Errorf("%#v, want line 2, column 9", err)
	}
}

// random is a graph of random operations on matrices of one shape and their rows and columns.
func random(r *rand.Rand) string {
	var out strings.Builder
	rows, cols := 1+r.IntN(6), 1+r.IntN(9)
	fmt.Fprintf(&out, "size r = %d\nsize c = %d\n", rows, cols)
	for i, shape := range []string{"r, c", "r, c", "c", "r, 1", "c, c", "c, r"} {
		fmt.Fprintf(&out, "x%d = input f32 [%s]\n", i, shape)
	}
	whole := []string{"x0", "x1"}
	forms := []string{
		"%s + %s", "%s * %s", "%s - x2 * %s", "max(%s, %s)", "gelu(%s) * %[2]s", "silu(%s) * %s", "tanh(%s) + x3 * %[2]s", "relu(matmul(%s, x4) + x2) + %[2]s",
		"matmul(%s, x4) + %s", "matmul(%s, transpose(x4)) + %s", "softmax(%s) - %s", "layernorm(%s + %s, x2, x2)", "rmsnorm(%s, x2) + %s", "mean(%s * x2) + %s",
		"%s * 0.5 + sum(%s)", "largest(%s) - %s", "transpose(x5) * %[1]s - %s", "matmul(softmax(matmul(%s, transpose(%s))), x0)", "sigmoid(%s) + exp(-abs(%s))",
		"reshape(reshape(%s, [c, r]), [r, c]) + %s", "matmul(softmax(matmul(%[1]s, transpose(%[2]s)) * " + fmt.Sprint(1/math.Sqrt(float64(cols))) + "), %[2]s) + x1",
	}
	for i := range 1 + r.IntN(7) {
		a, b := whole[r.IntN(len(whole))], whole[r.IntN(len(whole))]
		fmt.Fprintf(&out, "v%d = "+strings.TrimSuffix(fmt.Sprintf(forms[r.IntN(len(forms))], a, b), "%!(EXTRA string="+b+")")+"\n", i)
		whole = append(whole, fmt.Sprintf("v%d", i))
	}
	return out.String()
}

// reference returns the reference of a graph.
func reference(t *testing.T, g *Graph, input func(i int) []float64) [][]shaders.Value {
	t.Helper()
	want, err := g.Reference(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// onHost runs a plan with the references of its kernels, in one block of memory laid out as in the plan.
func onHost(t *testing.T, p *Plan, inputs map[int][]float64) [][]float64 {
	t.Helper()
	arena := make([]byte, p.Memory.Peak)
	view := func(i int) shaders.View {
		if at := slices.IndexFunc(p.Memory.Intervals, func(one Interval) bool { return one.Value == i }); at >= 0 {
			one := p.Memory.Intervals[at]
			return shaders.View{Type: p.Graph.Type, Data: arena[one.Offset:][:one.Bytes]}
		}
		v := shaders.View{Type: p.Graph.Type, Data: make([]byte, p.Graph.Type.Bytes(len(inputs[i])))}
		for j, x := range inputs[i] {
			v.Set(j, x)
		}
		return v
	}
	for _, s := range p.Steps {
		args := make([]shaders.View, len(s.Args))
		for j, a := range s.Args {
			if a != None {
				args[j] = view(a)
			}
		}
		for _, j := range s.Kernel.Outputs() {
			args[j].Before = slices.Clone(args[j].Data)
		}
		read := slices.Clone(args)
		for _, j := range s.Kernel.Outputs() {
			if s.Kernel.Args[j].Access == shaders.InOut {
				read[j].Data = args[j].Before
			}
		}
		for _, j := range s.Kernel.Outputs() {
			for e := range s.Kernel.Len(j, s.Params) {
				args[j].Set(e, s.Kernel.Reference(s.Params, read, j, e).Want)
			}
		}
	}
	var all [][]float64
	for _, o := range p.Graph.Outputs {
		out := make([]float64, Elements(p.Graph.Values[o].Shape))
		view(o).Floats(out, 0)
		all = append(all, out)
	}
	return all
}

// same checks that plans with all passes and with no passes compute the graph's values.
func same(t *testing.T, text string, r *rand.Rand, passes ...string) {
	t.Helper()
	g := parse(t, text, nil)
	inputs := map[int][]float64{}
	for _, i := range g.Inputs() {
		for range Elements(g.Values[i].Shape) {
			inputs[i] = append(inputs[i], g.Type.Round(2*r.Float64()-1))
		}
	}
	want := reference(t, g, func(i int) []float64 { return inputs[i] })
	for _, pass := range passes {
		p := made(t, g, pass)
		got := onHost(t, p, inputs)
		for o := range want {
			for e, w := range want[o] {
				if off := math.Abs(got[o][e] - w.Want); !(off <= Unit*w.Scale+1e-30) {
					t.Fatalf("%s: output %d[%d] is %g, want %g ± %g\n%s\n%s", pass, o, e, got[o][e], w.Want, Unit*w.Scale, text, kinds(p))
				}
			}
		}
	}
}

func TestRandomGraphsAreTheSameFused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		same(t, random(r), r, "none", "all", "memory", "chain", "-chain", "-memory")
	}
}

func TestExamples(t *testing.T) {
	small := map[string]map[string]int{
		"mlp": {"rows": 3, "width": 5}, "conv": {"channels": 3, "side": 6}, "attention": {"heads": 2, "tokens": 5},
		"swiglu": {"tokens": 4, "width": 6}, "chain": {"rows": 4, "columns": 20}, "block": {"tokens": 5, "hidden": 7}, "norm": {"rows": 3, "columns": 9}, "loss": {"rows": 3, "columns": 9},
	}
	want := map[string]string{
		"mlp": "matmul+bias+gelu, matmul+bias", "conv": "conv2d+bias+relu, conv2d+bias, add+relu", "attention": "attention, add_layernorm",
		"swiglu": "copy, rmsnorm, matmul, matmul, silu_mul, matmul, add", "chain": "mul+add+tanh+sub+gelu+sigmoid+mul+mul+add+abs+mul+mean",
		"block": "matmul, matmul, matmul, attention, matmul, add_layernorm, matmul+bias+gelu, matmul+bias, add_layernorm",
		"norm":  "add_layernorm, relu+add", "loss": "sub+square+mul+mean",
	}
	for _, e := range Examples() {
		r := rand.New(rand.NewPCG(3, 4))
		if got := kinds(made(t, parse(t, e.Text, nil), "all")); got != want[e.Name] {
			t.Errorf("%s: %s, want %s", e.Name, got, want[e.Name])
		}
		text := e.Text
		for name, n := range small[e.Name] {
			lines := strings.Split(text, "\n")
			for i := range lines {
				if strings.HasPrefix(lines[i], "size "+name+" ") {
					lines[i] = fmt.Sprintf("size %s = %d", name, n)
				}
			}
			text = strings.Join(lines, "\n")
		}
		same(t, text, r, "none", "all")
		a, b := made(t, parse(t, e.Text, nil), "none"), made(t, parse(t, e.Text, nil), "all")
		if b.Memory.Peak > a.Memory.Before || len(b.Steps) > len(a.Steps) || b.Cost().Bytes > a.Cost().Bytes {
			t.Errorf("%s: the plan saves nothing:\n%s", e.Name, b.Text(a))
		}
	}
}

func TestMemoryIsNotShared(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		p := made(t, parse(t, random(r), nil), "all")
		for i, a := range p.Memory.Intervals {
			for _, b := range p.Memory.Intervals[:i] {
				inTime := a.First <= b.Last && b.First <= a.Last
				inSpace := a.Offset < b.Offset+b.Bytes && b.Offset < a.Offset+a.Bytes
				if inTime && inSpace {
					t.Fatalf("%+v and %+v share memory", a, b)
				}
			}
			if a.Offset%Align != 0 || a.Offset+a.Bytes > p.Memory.Peak {
				t.Errorf("%+v beyond %d or not aligned", a, p.Memory.Peak)
			}
		}
	}
}

// FuzzParse checks that texts that are not graphs are rejected without crashing, and that graphs are planned.
func FuzzParse(f *testing.F) {
	for _, e := range Examples() {
		f.Add(e.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text, nil)
		if err != nil {
			return
		}
		for _, passes := range [][]string{nil, AllPasses()} {
			if _, err := Make(g, Options{Passes: passes}); err == nil {
				continue
			} else if at := (*Error)(nil); !errors.As(err, &at) || at.Line < 1 {
				t.Errorf("%v", err)
			}
		}
	})
}

func TestDrawings(t *testing.T) {
	p := made(t, parse(t, "x = input f32 [2, 3]\nw = input f32 [3, 4]\ny = relu(matmul(x, w) + 0.5)\noutput y", nil), "all")
	for _, want := range []string{"x [2, 3]", "matmul(x, w) →", "add+relu((1)", "→ y [2, 4]"} {
		if text := p.Drawing(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, want := range []string{`label="x\n[2, 3]", shape=ellipse`, `label="add+relu\ny [2, 4]", shape=box, penwidth=2`, "->"} {
		if text := p.DOT(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Nodes of a picture do not overlap, edges lead down, and values computed by one dispatch have its number.
func TestPictures(t *testing.T) {
	for _, e := range Examples() {
		g := parse(t, e.Text, nil)
		p, err := Draw(g, made(t, g, "all"))
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range p.Nodes {
			if a.X < 0 || a.Y < 0 || a.X+a.W > p.Width || a.Y+a.H > p.Height || (a.Step < 0) != a.Input {
				t.Errorf("%s: %+v in a picture of %g × %g", e.Name, a, p.Width, p.Height)
			}
			for _, b := range p.Nodes[:i] {
				if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
					t.Errorf("%s: %s and %s cover each other", e.Name, a.Title, b.Title)
				}
			}
		}
		for _, edge := range p.Edges {
			for k := 1; k < len(edge.Y); k++ {
				if edge.Y[k] <= edge.Y[k-1] {
					t.Errorf("%s: an edge leads up: %v", e.Name, edge.Y)
				}
			}
		}
		svg := p.SVG()
		if strings.Count(svg, "<text") != 2*len(p.Nodes) || !strings.HasSuffix(svg, "</svg>\n") {
			t.Errorf("%s:\n%s", e.Name, svg)
		}
	}
	g := parse(t, Examples()[0].Text, nil)
	p, err := Draw(g, made(t, g, "all"))
	if err != nil {
		t.Fatal(err)
	}
	steps := map[string]int{}
	for _, n := range p.Nodes {
		steps[n.Title+" "+n.Detail] = n.Step
	}
	if steps["gelu hidden [256, 1024]"] != 0 || steps["matmul [256, 1024]"] != 0 || steps["add y [256, 256]"] != 1 || steps["x [256, 256]"] != -1 {
		t.Errorf("steps %v", steps)
	}
	if f := p.Fused(); len(f) != 2 || !f[0] || !f[1] {
		t.Errorf("fused %v", f)
	}
	long := "x = input f32 [4]\n" + strings.Repeat("", 0)
	for i := range MaxDrawn {
		from := "x"
		if i > 0 {
			from = fmt.Sprintf("v%d", i-1)
		}
		long += fmt.Sprintf("v%d = exp(%s)\n", i, from)
	}
	g = parse(t, long, nil)
	if _, err := Draw(g, made(t, g, "all")); err == nil || !strings.Contains(err.Error(), "at most 300") {
		t.Errorf("%v", err)
	}
}
