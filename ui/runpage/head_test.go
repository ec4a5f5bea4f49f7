package runpage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/app/bundle"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	"assay/workloads/measure"
)

func TestRunAsksTheSession(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	enter(fieldNamed(t, p, "max_size"), "256")
	test.Tap(p.head.quick)
	test.Tap(p.head.start)
	p.desk.Wait()
	if len(p.session.Requests()) != 1 {
		t.Fatalf("%d requests, want 1", len(p.session.Requests()))
	}
	r := p.session.Requests()[0]
	if r.Engine != "auto" || !r.Quick || len(r.Jobs) != 1 || r.Jobs[0].Workload != "batching" || r.Jobs[0].Params.Int("max_size") != 256 {
		t.Errorf("asked for %+v", r)
	}
	if p.head.start.Visible() || !p.head.stop.Visible() {
		t.Error("a run that starts must show Stop")
	}
	p.desk.StartRun()
	p.desk.Wait()
	if len(p.session.Requests()) != 1 {
		t.Error("a second run was asked for while one is starting")
	}
}

// A run that waits for memory says so, and the user can continue it.
func TestPausedRunCanGoOn(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	uitest.Play(p.desk, "running")
	if p.head.goOn.Visible() {
		t.Error("a run that measures has nothing to go on with")
	}
	progress := p.desk.Model.Busy().Progress
	progress.Measure = measure.Progress{Phase: measure.Paused}
	p.desk.Take(progress)
	if !p.head.goOn.Visible() || !strings.Contains(p.head.status.Content, "memory pressure is critical") {
		t.Fatalf("the head says %q", p.head.status.Content)
	}
	test.Tap(p.head.goOn)
	if !slices.Contains(p.session.Log(), "go on") {
		t.Errorf("the session was asked for %q", p.session.Log())
	}
}

func TestRefusedStartIsTold(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	uitest.Play(p.desk, "finished")
	p.session.Refuse = errors.New("create the bundle: /full: no space left on device")
	test.Tap(p.head.start)
	p.desk.Settle()
	if got := p.head.status.Content; !strings.Contains(got, "no space left on device") {
		t.Errorf("told %q", got)
	}
	if p.head.start.Disabled() || !p.head.start.Visible() {
		t.Error("Run must be there to try again")
	}
	if n := len(p.desk.Model.Outcome().Results); n != 14 {
		t.Errorf("%d results of the run before are left, want 14", n)
	}
}

func TestStopOnce(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	uitest.Play(p.desk, "running")
	test.Tap(p.head.stop)
	p.desk.StopRun()
	if !slices.Equal(p.session.Log(), []string{"stop"}) {
		t.Errorf("session heard %v, want one stop", p.session.Log())
	}
	if p.head.status.Content != "Stopping…" {
		t.Errorf("told %q", p.head.status.Content)
	}
	meta := uitest.SweepMeta()
	meta.State, meta.Finished = "stopped", uitest.Epoch.Add(3*time.Second)
	p.desk.Take(app.EndUpdate{Run: &bundle.Run{Meta: meta, Results: uitest.Sweep()[:4]}})
	if got := p.head.status.Content; !strings.HasPrefix(got, "Stopped after 3 s: 4 results") {
		t.Errorf("told %q", got)
	}
}

func TestUnavailableEngineDisablesRun(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	p.desk.Model.Engines = p.session.States
	p.desk.Redraw(desk.ChangedEngines)
	p.head.engine.SetSelected("Metal")
	if got := p.head.status.Content; got != "Metal is not available: needs macOS" || !p.head.start.Disabled() {
		t.Errorf("told %q, Run disabled %v", got, p.head.start.Disabled())
	}
	p.head.engine.SetSelected("CPU")
	if p.head.start.Disabled() || p.head.engineName() != "cpu" {
		t.Error("the CPU engine cannot be run")
	}
}

// What the engine cannot measure is gray beforehand, with the reason: a workload in the list, a value in its menu.
func TestWhatTheEngineLacksIsGray(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	found := slices.Clone(p.session.States)
	found[1].Lacks = map[string]workloads.Lacks{
		"fusion":   {{Why: "the processor has no fuse"}},
		"batching": {{Param: "dtype", Value: "f16", Why: "no half precision"}},
	}
	p.desk.TakeEngines(found)
	if got := p.list.titles[1].Color; got != theme.ColorNameDisabled || p.list.states[1].Content != "not available" {
		t.Errorf("fusion is %v: %q", got, p.list.states[1].Content)
	}
	if got := p.list.titles[0].Color; got != theme.ColorNameForeground || p.list.states[0].Content != "" || p.head.start.Disabled() {
		t.Errorf("batching is %v: %q", got, p.list.states[0].Content)
	}
	dtype := fieldNamed(t, p, "dtype")
	test.Tap(dtype.Select)
	menu := map[string]bool{}
	uitest.Walk(fyne.CurrentApp().Driver().CanvasForObject(dtype.Select).Overlays().Top(), func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if t, ok := o.(*canvas.Text); ok {
			menu[t.Text] = t.Color == theme.Color(theme.ColorNameDisabled)
		}
	})
	if gray, listed := menu["f16: no half precision"]; !gray || !listed || menu["f32"] {
		t.Errorf("the menu has, gray or not: %v", menu)
	}
	dtype.Select.SetSelected("f16") // as the arrow keys do
	if got := p.head.status.Content; got != "Number format f16 is not available on CPU: no half precision." || !p.head.start.Disabled() {
		t.Errorf("the head says %q", got)
	}
	if got := rowNamed(t, p, "dtype").Note.Content; !strings.Contains(got, "no half precision") {
		t.Errorf("beside the value: %q", got)
	}
	chooseNamed(t, p, "fusion")
	if got := p.head.status.Content; got != "Not available on CPU: the processor has no fuse." || !p.head.start.Disabled() {
		t.Errorf("the head says %q", got)
	}
	if got := p.chart.empty.Content; got != "No results. Not available on CPU: the processor has no fuse." {
		t.Errorf("in place of the chart: %q", got)
	}
	found[1].Lacks = nil
	p.desk.TakeEngines(found)
	if got := p.chart.empty.Content; !strings.HasPrefix(got, "No results yet. Press Run") {
		t.Errorf("then, in place of the chart: %q", got)
	}
	if p.head.start.Disabled() || p.list.titles[1].Color != theme.ColorNameForeground || p.list.states[1].Content != "" {
		t.Errorf("with another device fusion is still %v: %q", p.list.titles[1].Color, p.list.states[1].Content)
	}
}

func TestDisturbedRunsAreMeasuredAgain(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	results := uitest.Sweep()
	uitest.Finish(p.desk, results, nil)
	if p.head.again.Visible() {
		t.Error("nothing was disturbed")
	}
	for i := range results[:3] {
		results[i].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	}
	files, err := bundle.Create(t.TempDir(), uitest.SweepMeta(), p.desk.Model.Workloads)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(files.Results(results...), files.Finish(bundle.Finished, nil)); err != nil {
		t.Fatal(err)
	}
	p.desk.Take(app.StartUpdate{Meta: files.Run().Meta})
	for _, r := range results {
		p.desk.Take(app.ResultUpdate{Result: r})
	}
	p.desk.Take(app.EndUpdate{Run: files.Run()})
	if !p.head.again.Visible() || !strings.Contains(p.head.status.Content, "3 disturbed") {
		t.Fatalf("the head says %q", p.head.status.Content)
	}
	busy := samplingOf(t, "On a busy machine")
	busy.Choose(p.desk.Settings, slices.Index(busy.Options(), "Refuse"))
	test.Tap(p.head.again)
	p.desk.Wait()
	requests := p.session.Requests()
	if len(requests) != 1 || requests[0].Jobs[0].Workload != "batching" || requests[0].WhenBusy != app.Refuse {
		t.Errorf("requests %+v", requests)
	}
	if p.head.again.Visible() {
		t.Error("the run that starts can be started again")
	}
}

func TestBusyMachineIsToldBeforeARun(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	alert := monitor.Alert{ID: monitor.NotQuiet, Title: "Machine is not quiet", Cause: "63.0 % of all core time", Raised: uitest.Epoch}
	p.desk.Take(app.AlertUpdate{Alert: alert})
	if got := p.head.status.Content; !strings.Contains(got, "No: 63.0 % of all core time") {
		t.Errorf("the head says %q", got)
	}
	alert.Cleared = uitest.Epoch.Add(time.Second)
	p.desk.Take(app.AlertUpdate{Alert: alert})
	if got := p.head.status.Content; got != "Not run yet." {
		t.Errorf("the head says %q", got)
	}
	p.desk.Take(app.TickUpdate{Snapshot: uitest.Snapshot(0)})
	if got := p.head.status.Content; got != "Not run yet. This machine is quiet." {
		t.Errorf("the head says %q", got)
	}
	uitest.Finish(p.desk, uitest.Sweep(), nil)
	alert.Raised, alert.Cleared = uitest.Epoch.Add(time.Minute), time.Time{}
	p.desk.Take(app.AlertUpdate{Alert: alert})
	if got := p.head.status.Content; !strings.Contains(got, "results. This machine is not quiet now.") {
		t.Errorf("after a run the head says %q", got)
	}
}

// The share of other programs is the newest reading, not the one with which the alert was raised.
func TestBusyMachineIsToldAsItIsNow(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	p.desk.Take(app.AlertUpdate{Alert: monitor.Alert{ID: monitor.NotQuiet, Title: "Machine is not quiet", Cause: "61 % of all core time", Raised: uitest.Epoch}})
	tick := func(second int, share float64) string {
		p.desk.Take(app.TickUpdate{Snapshot: monitor.Snapshot{
			Time:     uitest.Epoch.Add(time.Duration(second) * time.Second),
			Readings: []monitor.Reading{{Metric: monitor.HostOthers, Unit: "ratio", Status: monitor.OK, Value: share}},
		}})
		return p.head.status.Content
	}
	if got := tick(1, 0.42); !strings.Contains(got, "No: other programs use 42 %") || strings.Contains(got, "61 %") {
		t.Errorf("the head says %q", got)
	}
	if got := tick(2, 0.03); !strings.Contains(got, "Not for long enough: other programs use 3 % of all core time now") {
		t.Errorf("the head says %q", got)
	}
}

// What is below the head stays where it is when the machine gets busy, and quiet again.
func TestNothingMovesWhenTheMachineGetsBusy(t *testing.T) {
	disturbed := uitest.Sweep()
	for i := range disturbed[:3] {
		disturbed[i].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: other programs used 63 % of the CPU")
	}
	for width := float32(700); width < 1700; width += 50 {
		p := open(t, kit.AlwaysDark)
		p.desk.Window.Resize(fyne.NewSize(width, 800))
		uitest.Ticks(p.desk, 3)
		checkStill(t, p, fmt.Sprintf("before a run, at %g", width))
		uitest.Finish(p.desk, disturbed, nil)
		checkStill(t, p, fmt.Sprintf("after a run, at %g", width))
	}
}

// checkStill checks that the parameters stay where they are while the machine is busy for a while.
func checkStill(t *testing.T, p *stand, when string) {
	t.Helper()
	top := func() float32 { return fyne.CurrentApp().Driver().AbsolutePositionForObject(p.presets.object).Y }
	quiet := top()
	alert := monitor.Alert{ID: monitor.NotQuiet, Title: "Machine is not quiet", Cause: "63.0 % of all core time", Raised: uitest.Epoch.Add(time.Minute)}
	p.desk.Take(app.AlertUpdate{Alert: alert})
	p.desk.Take(app.TickUpdate{Snapshot: monitor.Snapshot{
		Time:     alert.Raised.Add(time.Second),
		Readings: []monitor.Reading{{Metric: monitor.HostOthers, Unit: "ratio", Status: monitor.OK, Value: 0.423}},
	}})
	if top() != quiet {
		t.Errorf("%s: the parameters are at %g, and at %g while the machine is busy", when, quiet, top())
	}
	alert.Cleared = alert.Raised.Add(time.Second)
	p.desk.Take(app.AlertUpdate{Alert: alert})
	if top() != quiet {
		t.Errorf("%s: the parameters are at %g once the machine is quiet again, and were at %g", when, top(), quiet)
	}
}

// samplingOf is a setting of how runs are measured.
func samplingOf(t *testing.T, title string) desk.SamplingChoice {
	t.Helper()
	for _, c := range desk.SamplingChoices() {
		if c.Title == title {
			return c
		}
	}
	t.Fatalf("no setting %q", title)
	return desk.SamplingChoice{}
}

func TestHintOfAWorkloadGoesWhenTheListScrolls(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	bubble := p.desk.Hints.Object.Objects[0]
	p.list.Options[0].MouseIn(nil)
	if !bubble.Visible() {
		t.Fatal("the workload is not explained")
	}
	p.list.scroll.OnScrolled(fyne.NewPos(0, 10))
	if bubble.Visible() {
		t.Error("it is still explained")
	}
}
