package kernelspage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/internal/stats"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// withGraphs opens the page at the graphs, with a workload that runs them.
func withGraphs(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := openEarly(t, look, size)
	params := []workloads.Param{
		{Name: "graph", Type: workloads.Choice, Choices: workloads.Options("all", "mlp", "chain", "file"), Default: "all"},
		{Name: "file", Type: workloads.File, Default: ""},
		{Name: "sizes", Type: workloads.Text, Default: "rows=3"},
	}
	s.Desk.Model.Workloads = append(s.Desk.Model.Workloads, workloads.Workload{Name: app.GraphWorkload, Title: "Op graphs", Params: params})
	s.Desk.TakeEngines(s.Session.States)
	s.choosePart(partGraphs)
	s.Desk.Settle()
	return s
}

// measuredGraph is the outcome of a run of graphs.
func measuredGraph() *desk.Outcome {
	one := func(variant string, seconds, saved float64) workloads.Result {
		r := workloads.Result{Workload: app.GraphWorkload, Case: "mlp 256", Variant: variant, Status: workloads.OK}
		r.Values.Set(workloads.Time, stats.Exact(seconds))
		r.Values.SetNumber(workloads.HeldBytes, 3.67e6)
		if saved != 0 {
			r.Values.Set("saving", stats.Exact(saved))
			r.Values.Set("predicted_saving", stats.Exact(saved/2))
		}
		return r
	}
	wrong := workloads.Result{Workload: app.GraphWorkload, Case: "mlp 256", Variant: "removed dispatch", Status: workloads.Failed}
	wrong.Failure.Text = "wrong result: y[3] is 1, the graph says 2"
	return &desk.Outcome{
		Phase: desk.Finished, Results: []workloads.Result{one("unfused", 3.1e-3, 0), one("fused", 2.9e-3, 0.064), wrong},
		Findings: []workloads.Finding{{Text: "MLP with rows = 256: the fused graph saves 6.4 % (6.2–6.6 %) of the time of the unfused graph."}},
	}
}

// A graph is planned and drawn as it is typed, and errors are marked at their lines.
func TestGraphsArePlanned(t *testing.T) {
	s := withGraphs(t, kit.AlwaysDark, uitest.Usual)
	g := s.graphs
	if g.sketch == nil || !strings.Contains(g.state.Content, "5 to 2 dispatches") || !strings.Contains(g.plan.Text(), "matmul+bias+gelu") || len(g.drawing.all.Objects) < 20 {
		t.Fatalf("told %q, the plan is\n%s", g.state.Content, g.plan.Text())
	}
	g.text.Change("x = input f32 [4]\ny = gelo(x)\n")
	s.Desk.Settle()
	if !strings.Contains(g.state.Content, `Line 2: no operation "gelo" (did you mean "gelu"?).`) || !g.run.Disabled() {
		t.Errorf("told %q", g.state.Content)
	}
	g.text.Change("x = input f32 [4]\ny = tanh(x) * 2\n")
	s.Desk.Settle()
	if g.problem != nil || g.run.Disabled() || !strings.Contains(g.name.Content, "edited") || !strings.Contains(g.plan.Text(), "tanh+mul") {
		t.Errorf("problem %v, name %q, plan\n%s", g.problem, g.name.Content, g.plan.Text())
	}
}

// Run starts the workload: an example by its name, an edited text from a file that is kept.
func TestGraphsAreRun(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	s := withGraphs(t, kit.AlwaysDark, uitest.Usual)
	s.graphs.start()
	s.Desk.Settle()
	if r := s.Session.Requests(); len(r) != 1 || r[0].Jobs[0].Workload != app.GraphWorkload || r[0].Jobs[0].Params["graph"] != "mlp" || r[0].Jobs[0].Params["sizes"] != "" {
		t.Fatalf("requests %+v", r)
	}
	path, err := app.KeepGraph("mlp", "x = input f32 [4]\ny = tanh(x)\n")
	if err != nil || filepath.Dir(path) != filepath.Join(data, "assay", "graphs") {
		t.Fatalf("%s, %v", path, err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "x = input") {
		t.Errorf("%q, %v", text, err)
	}
}

// The results of the last run are shown, with the reason if one is wrong.
func TestGraphResults(t *testing.T) {
	s := withGraphs(t, kit.AlwaysDark, uitest.Usual)
	s.graphs.results.show(measuredGraph())
	s.graphs.showSide(sideResults)
	text := strings.Join(uitest.Texts(s.graphs.results.object), "\n")
	for _, want := range []string{"The last run:", "the fused graph saves 6.4 %", "6.4 % saved, 3.2 % predicted", "y[3] is 1, the graph says 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
