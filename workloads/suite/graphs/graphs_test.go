package graphs

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/graph"
)

// tiny sizes take the fake engine, which computes with the references, only a moment.
const tiny = "width=4, channels=2, heads=2, hidden=5, columns=12"

func result(t *testing.T, b *benchtest.Rig, name, variant string) *workloads.Result {
	t.Helper()
	for i := range b.Measured {
		if r := &b.Measured[i]; r.Case == name && r.Variant == variant {
			return r
		}
	}
	t.Fatalf("no result %s, %s", name, variant)
	return nil
}

// Every built-in graph runs fused and unfused with equal results, and reports the prediction next to the measurement.
func TestGraphsAreMeasured(t *testing.T) {
	for _, dtype := range []string{"f32", "f16"} {
		b := benchtest.New(t, gputest.Script{})
		if err := b.Run(t.Context(), t, Graphs(), workloads.Values{"sizes": tiny, "min_size": 4, "max_size": 8, "dtype": dtype}); err != nil {
			t.Fatal(err)
		}
		b.NoLive(t)
		if want := 2 * 3 * len(graph.Examples()); len(b.Measured) != want {
			t.Errorf("%d results, want %d", len(b.Measured), want)
		}
		for _, e := range graph.Examples() {
			base, way := result(t, b, e.Name+" 8", unfused), result(t, b, e.Name+" 8", fused)
			if base.Status != workloads.OK || way.Status != workloads.OK {
				t.Errorf("%s: %s %q, %s %q", e.Name, base.Status, base.Failure.Text, way.Status, way.Failure.Text)
				continue
			}
			if !(way.Number(workloads.DispatchesSaved) > 0) || !(way.Number(predicted) > 0) || math.IsNaN(way.Number(saving)) || !(way.Number(difference) < 0.01) {
				t.Errorf("%s: %g dispatches less, saving %g predicted, %g measured, difference %g", e.Name, way.Number(workloads.DispatchesSaved), way.Number(predicted), way.Number(saving), way.Number(difference))
			}
			if p, h := way.Number(planned), way.Number(workloads.HeldBytes); !(p > 0) || math.Abs(h-p) > 20*graph.Align {
				t.Errorf("%s: %g B planned, %g B held", e.Name, p, h)
			}
			if !(way.Number(workloads.HeldBytes) <= base.Number(workloads.HeldBytes)) {
				t.Errorf("%s: the fused graph holds %g B, the unfused %g B", e.Name, way.Number(workloads.HeldBytes), base.Number(workloads.HeldBytes))
			}
		}
		if len(b.Findings) != 2*len(graph.Examples()) || !strings.Contains(b.Findings[0].Text, "Predicted: ") || !strings.Contains(b.Findings[0].Text, "Results take ") {
			t.Errorf("%d findings, the first %q", len(b.Findings), b.Findings[0].Text)
		}
		if axis := b.Findings[1].Facts.Axis; axis.Phrase != "rows = %s" {
			t.Errorf("along the axis %+v: %q", axis, b.Findings[1].Text)
		}
	}
}

// Far below 0, GELU is a product with a sum that cancels: whatever a kernel leaves of it counts as correct.
func TestCancellationIsAllowed(t *testing.T) {
	g, err := graph.Parse("x = input f32 [1]\ny = gelu(x) * 0.5", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := graph.Make(g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{graph: g, unfused: [][]float64{{-2.6e-22}}, want: reference(t, g, -10)}
	if c := j.judged(p, 0, []float64{-2.6e-22}, unfused); !c.OK {
		t.Errorf("%+v", c)
	}
	if c := j.judged(p, 0, []float64{-0.001}, unfused); c.OK {
		t.Error("a wrong result is taken for right")
	}
}

// The error of a mean is the mean of its elements' errors, not divided twice: in f16 it is what the mean is off by.
func TestMeansCarryErrors(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Graphs(), workloads.Values{"graph": "loss", "sizes": "rows=64, columns=256", "dtype": "f16"}); err != nil {
		t.Fatal(err)
	}
	if len(b.Findings) != 1 {
		t.Errorf("%d findings of one size of one graph", len(b.Findings))
	}
	if r := result(t, b, "loss 64", unfused); r.Status != workloads.OK {
		t.Errorf("%s: %s", r.Status, r.Failure.Text)
	}
}

// The conclusion about the prediction agrees with the conclusion about the measurement.
func TestPredictionsAreJudged(t *testing.T) {
	exactly := func(v float64) stats.Interval { return stats.Interval{Median: v, Lo: v - 0.001, Hi: v + 0.001} }
	for want, measured := range map[string]float64{
		"It saves more than predicted.": 0.3, "It saves less than predicted.": 0.01, "The measurement agrees with that.": 0.12,
		"It takes more time instead.": -1.137,
	} {
		var base, way workloads.Result
		way.Values.Set(predicted, exactly(0.123))
		way.Values.Set(saving, exactly(measured))
		if got := verdict(&base, &way); !strings.Contains(got, " less. "+want+" Results take ") {
			t.Errorf("saving %g: %q, want %q", measured, got, want)
		}
	}
}

// A wrong kernel fails the case, and the failure names the element.
func TestWrongOutputsFail(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Graphs(), workloads.Values{"graph": "norm", "sizes": "rows=3, columns=8"}); err != nil {
		t.Fatal(err)
	}
	r := result(t, b, "norm 3", fused)
	if c := r.Number(workloads.Compared); !(c >= 3*8) {
		t.Errorf("%g elements compared, want all outputs", c)
	}
	j := &judge{differs: map[string]float64{}, unfused: [][]float64{{1, 2, 4}}}
	g, err := graph.Parse("x = input f32 [3]\ny = exp(x)", nil)
	if err != nil {
		t.Fatal(err)
	}
	j.graph = g
	p, err := graph.Make(g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := j.judged(p, 0, []float64{1, 2.5, 4}, fused); c.OK || c.Failure != "y[1] is 2.5, unfused 2" || j.differs[fused] != 0.125 {
		t.Errorf("%+v, difference %g", c, j.differs[fused])
	}
	j.want = reference(t, g, 0, 1, 2)
	if c := j.judged(p, 0, []float64{1, math.E, 7.5}, fused); c.OK || !strings.Contains(c.Failure, "y[2] is 7.5, the graph says 7.389") {
		t.Errorf("%+v", c)
	}
	if c := j.judged(p, 0, []float64{1, math.E, math.Exp(2)}, fused); !c.OK {
		t.Errorf("%+v", c)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("my.graph", "x = input f32 [4, 6]\ny = tanh(x * 2) + x\nz = exp(reshape(y, [6, 4]))\noutput y, z\n")
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Graphs(), workloads.Values{"graph": "file", "file": good, "min_size": 4, "max_size": 8, "sizes": ""}); err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 3 || !strings.HasPrefix(b.Measured[0].Case, "my.graph (") || b.Measured[1].Status != workloads.OK || b.Measured[1].Setting("size") != nil {
		t.Errorf("%d results, the first %+v", len(b.Measured), b.Measured[0])
	}
	w := Graphs()
	for _, c := range []struct {
		set  workloads.Values
		want string
	}{
		{workloads.Values{"graph": "file"}, "graph is file, but no file is given"},
		{workloads.Values{"graph": "file", "file": write("bad.graph", "x = input f32 [4]\ny = gelo(x)\n")}, "bad.graph:2:5: no operation \"gelo\""},
		{workloads.Values{"graph": "file", "file": filepath.Join(dir, "none.graph")}, "none.graph"},
		{workloads.Values{"sizes": "rows"}, "sizes: \"rows\", want NAME=NUMBER"},
		{workloads.Values{"sizes": "rovs=3"}, "no graph has a size \"rovs\" (did you mean \"rows\"?)"},
		{workloads.Values{"passes": "mathmul"}, "did you mean \"matmul\""},
		{workloads.Values{"max_size": 8}, "min_size is 0, as written: want max_size 0, too, not 8"},
		{workloads.Values{"graph": "attention", "min_size": 65536, "max_size": 65536}, "graph attention, 9:10: matmul: "},
	} {
		err := w.CheckAll(w.Defaults(false).With(c.set))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.set, err, c.want)
		}
	}
}

// Sizes that belong only to graphs other than the chosen one have no effect, and a run reports that.
func TestSizesOfOtherGraphs(t *testing.T) {
	w := Graphs()
	p := &w.Params[slices.IndexFunc(w.Params, func(p workloads.Param) bool { return p.Name == "sizes" })]
	for _, c := range []struct{ graph, sizes, want string }{
		{"swiglu", "rows=5", "swiglu has none of these sizes; it has tokens, width"},
		{"swiglu", "rows=5, tokens=3", ""},
		{"all", "rows=5", ""},
		{"file", "rows=5", ""},
		{"swiglu", "", ""},
	} {
		why := w.Unused(p, w.Defaults(false).With(workloads.Values{"graph": c.graph, "sizes": c.sizes}))
		if !strings.HasPrefix(why, c.want) || (why == "") != (c.want == "") {
			t.Errorf("%s with %q: %q, want %q", c.graph, c.sizes, why, c.want)
		}
	}
}

// An engine that cannot run generated kernels runs the other passes.
func TestWithoutGeneratedKernels(t *testing.T) {
	b := benchtest.New(t, gputest.Script{Unsupported: map[string]string{"chain4": "no compiler"}})
	if err := b.Run(t.Context(), t, Graphs(), workloads.Values{"graph": "chain", "sizes": "rows=2, columns=8"}); err != nil {
		t.Fatal(err)
	}
	r := result(t, b, "chain 2", fused)
	if r.Status != workloads.OK || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, "without the pass chain: ") {
		t.Errorf("%s %q, %+v", r.Status, r.Failure.Text, r.Warnings)
	}
}

// reference computes a graph's reference with the same values for each input.
func reference(t *testing.T, g *graph.Graph, input ...float64) [][]shaders.Value {
	t.Helper()
	want, err := g.Reference(t.Context(), func(int) []float64 { return input })
	if err != nil {
		t.Fatal(err)
	}
	return want
}
