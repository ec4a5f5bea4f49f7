package runpage

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	"assay/workloads/measure"
)

// Progress is shown in distinct words and readable numbers.
func TestProgressIsReadable(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	p.desk.Take(app.StartUpdate{Meta: uitest.SweepMeta()})
	chooseNamed(t, p, "fusion")
	if got := p.head.status.Content; got != "Batching is running · Preparing…" {
		t.Errorf("told %q", got)
	}
	tell := func(width, left float64) string {
		p.desk.Take(app.ProgressUpdate{Progress: workloads.Progress{
			Workload: "batching", Case: "matmul 64", Total: 14,
			Measure: measure.Progress{Phase: measure.Sampling, Variant: "f32", Samples: 3, Width: width},
		}, Left: left})
		return p.head.status.Content
	}
	if got := tell(2.06, 0.4); !strings.Contains(got, "± 103 %") || !strings.HasSuffix(got, "· less than 1 s left") {
		t.Errorf("told %q", got)
	}
	if got := tell(math.Inf(1), 12.4); !strings.Contains(got, "(3 samples, no interval yet)") {
		t.Errorf("told %q", got)
	}
	if got := tell(0.034, 12.4); !strings.Contains(got, "± 1.7 %") || !strings.HasSuffix(got, "· about 12 s left") {
		t.Errorf("told %q", got)
	}
}

// A trashed run has no saved path until it is restored.
func TestTrashedRunIsNotSaved(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	run := uitest.KeptRun(t)
	for i := range p.desk.Model.Workloads {
		if p.desk.Model.Workloads[i].Name == "batching" {
			p.desk.Choose(i)
		}
	}
	if _, err := p.desk.Model.Open(run); err != nil {
		t.Fatal(err)
	}
	p.update(desk.ChangedAll)
	if got := p.head.status.Content; !strings.Contains(got, "Saved in") {
		t.Fatalf("told %q", got)
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	p.desk.Library = app.NewLibrary(filepath.Dir(run.Dir))
	p.desk.DeleteRun(&bundle.Summary{ID: run.Meta.ID, Dir: run.Dir})
	p.desk.Settle()
	p.desk.Settle() // the list is read, too
	p.update(desk.ChangedAll)
	if got := p.head.status.Content; strings.Contains(got, "Saved in") || !strings.Contains(got, "Moved to the trash") {
		t.Errorf("told %q", got)
	}
	p.desk.UndoLast()
	p.desk.Settle()
	p.update(desk.ChangedAll)
	if got := p.head.status.Content; !strings.Contains(got, "Saved in") {
		t.Errorf("after it came back: told %q", got)
	}
}

// The chart with the newest point is shown until the user chooses one, which stays.
func TestPickedChartStays(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	tuned := func(r workloads.Result, moved string) {
		v := p.desk.Model.Workload().Defaults(false)
		v[moved] = 100
		point := uitest.Tuned("batching", moved, v, r)
		p.desk.Take(app.TuneUpdate{Request: app.TuneRequest{Workload: "batching", Moved: moved, Params: v}, Point: point})
	}
	tuned(uitest.SweepResult("matmul", "size", 100, 44), "max_size")
	tuned(uitest.SweepResult("mlp", "batch", 100, 30), "max_batch")
	if p.chart.names[p.chart.at] != "mlp" {
		t.Fatalf("shows %s, want the newest point's", p.chart.names[p.chart.at])
	}
	test.Tap(p.chart.tabs.Options[0])
	shown := func() string { return p.chart.names[p.chart.at] }
	p.desk.SetQuick(true)
	p.desk.SetEngine("cpu")
	if shown() != "matmul" {
		t.Errorf("after other choices it shows %s", shown())
	}
	test.Tap(p.chart.tabs.Options[1])
	p.desk.Take(app.StartUpdate{Meta: uitest.SweepMeta()})
	p.desk.Take(app.EndUpdate{Run: uitest.FinishedRun(uitest.Sweep())})
	if shown() != "mlp" {
		t.Errorf("after a run it shows %s", shown())
	}
}

// A run of several workloads is exported whole, like its name.
func TestExportIsOfTheWholeRun(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	chooseNamed(t, p, "batching")
	run := uitest.KeptRun(t)
	if _, err := p.desk.Model.Open(run); err != nil {
		t.Fatal(err)
	}
	p.update(desk.ChangedAll)
	p.chooser.Path = filepath.Join(t.TempDir(), "whole.csv")
	test.Tap(p.chart.export)
	p.desk.Settle()
	data, err := os.ReadFile(p.chooser.Path)
	if err != nil || !strings.Contains(string(data), "quantization") || !strings.Contains(string(data), "batching") {
		t.Errorf("exported %q, %v", data, err)
	}
}

// openWithTwoCharts opens the page with a workload that draws each point in two charts.
func openWithTwoCharts(t *testing.T) *stand {
	t.Helper()
	s := &stand{session: uitest.NewSession()}
	s.session.Offers = uitest.Workloads()
	w := &s.session.Offers[0]
	times := w.Views[0]
	times.Title, times.Y = "Time", chart.Enc{Of: string(workloads.Time)}
	w.Views = []chart.View{w.Views[0], times}
	page := desk.Page{Build: func(d *desk.Desk) desk.View {
		s.runPage = newRunPage(d)
		return s.view()
	}}
	uitest.OpenOn(t, s.session, page, kit.AlwaysDark, uitest.Usual)
	return s
}

// Both charts have the newest point: the one that the user chose stays, even if it is the second.
func TestPickedChartStaysWhileTuning(t *testing.T) {
	p := openWithTwoCharts(t)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	if len(p.chart.plots) != 2 || !p.chart.plots[0].Newest || !p.chart.plots[1].Newest {
		t.Fatalf("the newest point is not in both of %q", p.chart.names)
	}
	test.Tap(p.chart.tabs.Options[1])
	rowNamed(t, p, "max_size").Range.OnChanged(6, 8)
	answer(p, settled(t, p, 2)[1], 120)
	if p.chart.at != 1 {
		t.Errorf("after another point it shows %q, want %q", p.chart.names[p.chart.at], p.chart.names[1])
	}
}

// A chart chosen in one workload is not chosen in another that has a chart with the same name.
func TestPickedChartIsOfItsWorkload(t *testing.T) {
	p := openWithTwoCharts(t)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	test.Tap(p.chart.tabs.Options[1])
	chooseNamed(t, p, "fusion")
	if p.chart.picked != "" || p.chart.newest != "" {
		t.Errorf("in another workload %q stays chosen, and %q the newest", p.chart.picked, p.chart.newest)
	}
	chooseNamed(t, p, "batching")
	if p.chart.at != 0 {
		t.Errorf("back in the first it shows %q", p.chart.names[p.chart.at])
	}
}
