package runpage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/stats"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// settled applies pending updates until the given number of settings was requested.
func settled(t *testing.T, p *stand, want int) []app.TuneRequest {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		p.desk.Settle()
		if list := p.session.Tunes(); len(list) >= want {
			return list
		}
	}
	t.Fatalf("asked for %d settings, want %d", len(p.session.Tunes()), want)
	return nil
}

// answer is the TuneUpdate for a request.
func answer(p *stand, r app.TuneRequest, gflops float64) {
	point := uitest.Tuned(r.Workload, r.Moved, r.Params, uitest.SweepResult("matmul", "size", r.Params.Int("max_size"), gflops))
	p.session.Keep(point)
	p.desk.Take(app.TuneUpdate{Request: r, Point: point})
}

func TestAMovedSliderIsMeasured(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	span := rowNamed(t, p, "max_size").Range
	for at := 10.0; at >= 5; at-- { // a drag
		span.OnChanged(6, max(6, at))
	}
	list := settled(t, p, 1)
	r := list[0]
	if len(list) != 1 || r.Workload != "batching" || r.Moved != "max_size" || r.Params.Int("max_size") != 64 || r.Engine != "auto" {
		t.Fatalf("asked for %+v, want the last setting of the drag only", list)
	}
	if got := p.tuning.status.Content; got != "Measuring 64 rows (Largest matrix)…" || !p.tuning.object.Visible() {
		t.Errorf("told %q", got)
	}
	answer(p, r, 21)
	if got := p.tuning.status.Content; !strings.Contains(got, "matmul 64, f32: 21.0 (20.9 to 21.1) GFLOP/s") || !strings.Contains(got, "short measurement") {
		t.Errorf("told %q", got)
	}
	if len(p.chart.plots) != 1 || len(p.chart.plots[0].Model.Series) != 1 || !p.chart.plots[0].Model.Series[0].Hollow || !p.chart.plot.Visible() {
		t.Errorf("drawn %+v", p.chart.plots)
	}
	if !p.tuning.save.Visible() || p.tuning.save.Disabled() || !p.tuning.clear.Visible() {
		t.Error("the point cannot be saved or cleared")
	}
}

func TestClearedPointsComeBack(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	test.Tap(p.tuning.clear)
	if len(p.chart.plots) != 0 || p.tuning.status.Content != "1 point cleared." || len(p.session.Tuned("batching")) != 0 {
		t.Errorf("after Clear Points: %d charts, told %q", len(p.chart.plots), p.tuning.status.Content)
	}
	test.Tap(p.tuning.undo)
	if len(p.chart.plots) != 1 || len(p.session.Tuned("batching")) != 1 || p.tuning.undo.Visible() {
		t.Errorf("after Undo: %d charts, told %q", len(p.chart.plots), p.tuning.status.Content)
	}
}

// TestSavedPointsStaySaved saves points, clears and restores them: they cannot be saved again.
func TestSavedPointsStaySaved(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	test.Tap(p.tuning.save)
	p.desk.Settle()
	rowNamed(t, p, "max_size").Range.OnChanged(6, 8)
	answer(p, settled(t, p, 2)[1], 120)
	test.Tap(p.tuning.clear)
	test.Tap(p.tuning.undo)
	if tu := p.desk.Model.Tuning(); len(tu.Points) != 2 || tu.Unsaved != 1 || len(p.session.Tuned("batching")) != 1 {
		t.Errorf("%d points came back, %d of them to be saved, want 2 and the 1 that was not saved before", len(tu.Points), tu.Unsaved)
	}
}

// TestClearedPointsOutliveTheNextOne clears points, moves a slider, and restores the first ones.
func TestClearedPointsOutliveTheNextOne(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	uitest.Ticks(p.desk, 3)
	span := rowNamed(t, p, "max_size").Range
	span.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	test.Tap(p.tuning.clear)
	span.OnChanged(6, 8)
	answer(p, settled(t, p, 2)[1], 120)
	if got := p.tuning.status.Content; !strings.Contains(got, "matmul 256") || p.tuning.undo.Text != "Undo Clear" {
		t.Errorf("told %q beside %q", got, p.tuning.undo.Text)
	}
	for _, size := range []fyne.Size{uitest.Usual, uitest.Smallest} {
		p.desk.Window.Resize(size)
		uitest.CheckClipping(t, p.object, size)
	}
	test.Tap(p.tuning.undo)
	if tu := p.desk.Model.Tuning(); len(tu.Points) != 2 || tu.Unsaved != 2 || tu.Newest.Case["max_size"] != 256 || p.tuning.undo.Visible() {
		t.Errorf("%d points, %d to be saved, the newest %v", len(tu.Points), tu.Unsaved, tu.Newest)
	}
	span.OnChanged(6, 9) // again the case of the first one, which it replaces
	answer(p, settled(t, p, 3)[2], 170)
	test.Tap(p.tuning.clear)
	span.OnChanged(6, 8)
	answer(p, settled(t, p, 4)[3], 121)
	test.Tap(p.tuning.undo)
	if tu := p.desk.Model.Tuning(); len(tu.Points) != 2 {
		t.Errorf("%d points of two cases", len(tu.Points))
	}
}

func TestPointsAreSavedAsARun(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	test.Tap(p.tuning.save)
	p.desk.Settle()
	if got := p.tuning.status.Content; !strings.HasPrefix(got, "1 point saved as run 2026") || !p.tuning.save.Disabled() {
		t.Errorf("told %q", got)
	}
	if len(p.chart.plots) != 1 {
		t.Error("the point is gone from the chart")
	}
}

func TestNoTuningDuringARun(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	uitest.Play(p.desk, "running")
	if !p.live.onoff.Disabled() || !strings.Contains(p.live.note.Content, "Tuning would disturb") {
		t.Errorf("the switch says %q", p.live.note.Content)
	}
	p.desk.Moved("max_size", false)
	time.Sleep(100 * time.Millisecond)
	p.desk.Settle()
	if n := len(p.session.Tunes()); n != 0 {
		t.Errorf("%d settings were measured during a run", n)
	}
}

func TestNothingIsMeasuredWithLiveTuningOff(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	test.Tap(p.live.onoff)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	time.Sleep(100 * time.Millisecond)
	p.desk.Settle()
	if n := len(p.session.Tunes()); n != 0 || p.desk.Settings.Store.Bool("tuning.live") {
		t.Errorf("%d settings were measured, remembered %v", n, p.desk.Settings.Store.Bool("tuning.live"))
	}
}

func TestWhyThereIsNoPointStandsAtTheParameter(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	p.session.RefuseTune = &workloads.WorkloadError{
		Workload: p.desk.Model.Workload(), Param: "knee", Err: errors.New("a knee is a matter of a whole sweep, not of one point: run it"),
	}
	f := fieldNamed(t, p, "knee")
	f.Slider.SetValue(0.8)
	settled(t, p, 1)
	p.desk.Settle()
	if got := rowNamed(t, p, "knee").Note.Content; got != "Not measured: Knee: a knee is a matter of a whole sweep, not of one point: run it" {
		t.Errorf("beside the parameter: %q", got)
	}
	p.session.RefuseTune = nil
	f.Slider.SetValue(0.7)
	if got := rowNamed(t, p, "knee").Note.Content; got != f.About {
		t.Errorf("after the next move: %q", got)
	}
}

func TestAStoppedTuningIsNoFailure(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	r := settled(t, p, 1)[0]
	p.desk.Take(app.TuneUpdate{Request: r, Err: context.Canceled})
	if tuning := p.desk.Model.Tuning(); tuning.Asked != nil || tuning.Failure != "" || p.tuning.object.Visible() {
		t.Errorf("told %q", p.tuning.status.Content)
	}
}

func TestARunReplacesThePoints(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	test.Tap(p.head.start)
	p.desk.Settle()
	if len(p.desk.Model.Tuning().Points) != 0 || len(p.session.Tuned("batching")) != 0 {
		t.Error("points of before are left in the chart of a run")
	}
	test.Tap(p.tuning.undo)
	if len(p.desk.Model.Tuning().Points) != 1 || len(p.session.Tuned("batching")) != 1 {
		t.Error("the points that a run replaced do not come back")
	}
}

func TestASavedTuningIsNoEndOfARun(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	uitest.Play(p.desk, "finished")
	p.desk.Take(app.EndUpdate{Run: &bundle.Run{Meta: uitest.SweepMeta()}})
	if o := p.desk.Model.Outcome(); len(o.Results) != 14 || o.Phase != desk.Finished {
		t.Errorf("%d results, phase %v", len(o.Results), o.Phase)
	}
}

func TestPresets(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	p.presets.menu.SetSelected("Large products")
	v, err := p.form().values()
	if err != nil || v.Int("min_size") != 512 || v.Int("max_size") != 4096 || v.String("sweep") != "matmul" {
		t.Fatalf("values %v, %v", v, err)
	}
	if !strings.HasPrefix(p.presets.about.Content, "Square matmuls from 512") || p.presets.menu.Selected != "Large products" {
		t.Errorf("told %q of %q", p.presets.about.Content, p.presets.menu.Selected)
	}
	enter(fieldNamed(t, p, "min_size"), "256")
	if p.presets.menu.PlaceHolder != "Large products, changed" || !strings.HasPrefix(p.presets.about.Content, "1 setting changed.") {
		t.Errorf("told %q, %q", p.presets.menu.PlaceHolder, p.presets.about.Content)
	}
	test.Tap(p.presets.reset)
	if p.presets.menu.Selected != "Defaults" || !p.presets.reset.Disabled() {
		t.Errorf("after Reset: %q", p.presets.menu.Selected)
	}
	for i := range p.desk.Model.Workloads {
		if w := &p.desk.Model.Workloads[i]; w.Name == "batching" {
			if got, _ := p.form().values(); len(got) != len(workloads.Values(w.Defaults(false))) {
				t.Error("values are missing")
			}
		}
	}
}

// No update reports a tuning in flight when another workload was tuned.
func TestTuningAnotherWorkloadEndsTheFirst(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	settled(t, p, 1)
	chooseNamed(t, p, "fusion")
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	settled(t, p, 2)
	chooseNamed(t, p, "batching")
	if p.desk.Model.Tuning().Asked != nil || p.tuning.object.Visible() {
		t.Errorf("told %q", p.tuning.status.Content)
	}
}

func TestLeavingThePageEndsTuning(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	rowNamed(t, p, "max_size").Range.OnChanged(6, 9)
	p.view().Left()
	time.Sleep(100 * time.Millisecond)
	p.desk.Settle()
	if n := len(p.session.Tunes()); n != 0 || !slices.Contains(p.session.Log(), "stop tuning") {
		t.Errorf("%d settings were measured after the page was left; the session was told %v", n, p.session.Log())
	}
}

// A run stopped before the session knew of it does not continue.
func TestStopBeforeTheStart(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	test.Tap(p.head.start)
	test.Tap(p.head.stop)
	p.desk.Take(app.StartUpdate{Meta: uitest.SweepMeta()})
	stops := 0
	for _, what := range p.session.Log() {
		if what == "stop" {
			stops++
		}
	}
	if o := p.desk.Model.Outcome(); o.Phase != desk.Stopping || stops != 2 {
		t.Errorf("phase %v, the session was told to stop %d times", o.Phase, stops)
	}
}

// Choosing what a run sweeps is not a setting to measure, and not a mistake.
func TestChoosingTheSweepIsNoWarning(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	fieldNamed(t, p, "sweep").Select.SetSelected("mlp")
	time.Sleep(150 * time.Millisecond)
	p.desk.Settle()
	if n := len(p.session.Tunes()); n != 0 || p.desk.Model.Tuning().Failure != "" || p.tuning.object.Visible() {
		t.Errorf("%d settings requested, told %q", n, p.tuning.status.Content)
	}
}

// Choosing a sweep disables the parameters of the others, and says so.
func TestParametersThatTheSweepDoesNotUseAreDisabled(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	sweep := fieldNamed(t, p, "sweep").Select
	for _, c := range []struct {
		choice       string
		matrix, wide bool
	}{{"mlp", false, true}, {"matmul", true, false}, {"both", true, true}} {
		sweep.SetSelected(c.choice)
		size, width := rowNamed(t, p, "max_size"), rowNamed(t, p, "width")
		if size.Range.Disabled() == c.matrix || width.Inputs[0].Slider.Disabled() == c.wide {
			t.Errorf("%s: matrix disabled %v, width disabled %v", c.choice, size.Range.Disabled(), width.Inputs[0].Slider.Disabled())
		}
		if want := "Not used while Sweep is mlp."; (size.Note.Content == want) == c.matrix {
			t.Errorf("%s: beside the matrix %q", c.choice, size.Note.Content)
		}
	}
	uitest.Play(p.desk, "running")
	uitest.Play(p.desk, "finished")
	sweep.SetSelected("mlp")
	if !rowNamed(t, p, "max_size").Range.Disabled() {
		t.Error("after a run the matrix is enabled")
	}
}

// While a slider moves, the line says where it is, and what was measured last.
func TestTheMovingSettingIsReadOut(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	span := rowNamed(t, p, "max_size").Range
	span.OnChanged(6, 9)
	if got := p.tuning.status.Content; got != "Next: 512 rows (Largest matrix)…" || !p.tuning.object.Visible() {
		t.Errorf("told %q", got)
	}
	answer(p, settled(t, p, 1)[0], 160)
	span.OnChanged(6, 8)
	if got := p.tuning.status.Content; got != "Next: 256 rows (Largest matrix)… Last: matmul 512, f32: 160 GFLOP/s." {
		t.Errorf("told %q", got)
	}
	fieldNamed(t, p, "width").Slider.SetValue(7)
	if got := p.tuning.status.Content; !strings.HasPrefix(got, "Next: 1,024 units (MLP width) at 128 items (Largest batch)…") {
		t.Errorf("told %q", got)
	}
}

// The next points are compared with a kept point, until it is dropped.
func TestAPointIsKeptAsTheBaseline(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	span := rowNamed(t, p, "max_size").Range
	span.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	test.Tap(p.tuning.keep)
	if got := p.tuning.status.Content; !strings.HasSuffix(got, "This is the baseline.") || p.tuning.keep.Text != dropName {
		t.Errorf("told %q beside %q", got, p.tuning.keep.Text)
	}
	span.OnChanged(6, 8)
	answer(p, settled(t, p, 2)[1], 80)
	if got := p.tuning.status.Content; !strings.Contains(got, "0.500× the throughput of the baseline, matmul 512, f32 (") || p.tuning.keep.Text != keepName {
		t.Errorf("told %q beside %q", got, p.tuning.keep.Text)
	}
	test.Tap(p.tuning.keep)
	test.Tap(p.tuning.keep)
	if p.desk.Model.Tuning().Kept != nil {
		t.Error("the baseline was not dropped")
	}
}

// Two points are measured alternately; moving a slider ends that.
func TestTwoSettingsAreComparedInTurns(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	span := rowNamed(t, p, "max_size").Range
	span.OnChanged(6, 9)
	answer(p, settled(t, p, 1)[0], 160)
	if p.tuning.ab.Visible() {
		t.Error("one point can be compared with none")
	}
	test.Tap(p.tuning.keep)
	span.OnChanged(6, 8)
	answer(p, settled(t, p, 2)[1], 80)
	p.desk.Model.Tuning().Newest.At = uitest.Epoch.Add(time.Second) // in the fixture, both have the same time
	p.desk.Redraw(desk.ChangedTuning)
	test.Tap(p.tuning.ab)
	ab := p.desk.Model.Tuning().AB
	if ab == nil || !p.tuning.ab.Disabled() || !slices.Contains(p.session.Log(), "compare") ||
		!strings.HasPrefix(p.tuning.status.Content, "Measuring both alternately: A, matmul 512, f32, and B, matmul 256, f32") {
		t.Fatalf("told %q", p.tuning.status.Content)
	}
	u := app.ABUpdate{Request: ab.Request, Rounds: 10, Of: 10, Done: true, Speedup: stats.Estimate{Interval: stats.Interval{Median: 0.5, Lo: 0.48, Hi: 0.52}}}
	p.desk.Take(u)
	want := "B, matmul 256, f32, is 2.00× slower than A, matmul 512, f32 (1.92–2.08), 10 rounds of A B B A."
	if got := p.tuning.status.Content; got != want || p.tuning.ab.Disabled() {
		t.Errorf("told %q, want %q", got, want)
	}
	u.Speedup.Hi = 1.1
	p.desk.Take(u)
	if got := p.tuning.status.Content; !strings.HasPrefix(got, "No measurable difference: B, ") {
		t.Errorf("told %q", got)
	}
	span.OnChanged(6, 7)
	p.desk.Take(u)
	if p.desk.Model.Tuning().AB != nil {
		t.Error("a comparison that was replaced is told")
	}
}
