package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

func TestPressureIsTheLevelWhereThereIsOne(t *testing.T) {
	ratio := monitor.Reading{Metric: monitor.MemoryPressure, Value: 0.5, Unit: "ratio", Status: monitor.OK}
	level := monitor.Reading{Metric: monitor.MemoryPressureLevel, Text: "warning", Status: monitor.OK}
	none := monitor.Reading{Metric: monitor.MemoryPressure, Status: monitor.Unavailable, Reason: "states a level instead"}
	for _, c := range []struct {
		readings []monitor.Reading
		want     string
	}{
		{[]monitor.Reading{ratio}, ratio.String()},
		{[]monitor.Reading{none, level}, "warning"},
		{[]monitor.Reading{none}, "not available"},
	} {
		if got := pressure(&monitor.Snapshot{Readings: c.readings}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.readings, got, c.want)
		}
	}
}

func TestStatusBarSaysSimulated(t *testing.T) {
	simulated := app.EngineState{Title: "Metal", Available: true, Info: gpu.Info{Device: "Simulated Metal", Simulated: true}}
	present := app.EngineState{Title: "CPU", Available: true, Info: gpu.Info{Device: "A processor"}}
	for _, c := range []struct {
		engines []app.EngineState
		want    bool
	}{
		{[]app.EngineState{simulated}, true},
		{[]app.EngineState{simulated, present}, false}, // the one that Automatic chooses
		{[]app.EngineState{present}, false},
	} {
		text := engineText(&desk.Model{Engines: c.engines})
		if strings.Contains(text, "simulated: times are not from real hardware") != c.want {
			t.Errorf("engines %+v: %q", c.engines, text)
		}
	}
	ran := &desk.Model{Current: "x", Outcomes: map[string]*desk.Outcome{"x": {}}}
	ran.Outcomes["x"].Meta.Engine = simulated.Info
	ran.Outcomes["x"].Meta.Engine.Engine = "metal"
	if text := engineText(ran); !strings.Contains(text, "simulated") {
		t.Errorf("after a run: %q", text)
	}
}

// TestStatusBarNamesTheEngineOfTheNextRun checks that this is the chosen one, and not the first that opens.
func TestStatusBarNamesTheEngineOfTheNextRun(t *testing.T) {
	metal := app.EngineState{Name: "metal", Title: "Metal", Available: true, Info: gpu.Info{Device: "Test GPU"}}
	cpu := app.EngineState{Name: "cpu", Title: "CPU", Available: true, Info: gpu.Info{Device: "Test CPU"}}
	missing := app.EngineState{Name: "cuda", Title: "CUDA", Reason: "no driver"}
	m := &desk.Model{Engines: []app.EngineState{metal, cpu, missing}, Outcomes: map[string]*desk.Outcome{"x": {}}, Current: "x"}
	m.Outcomes["x"].Meta.Engine = gpu.Info{Engine: "metal", Device: "Test GPU"}
	for _, c := range []struct {
		chosen string
		phase  desk.Phase
		want   string
	}{
		{"auto", desk.Idle, "Engine: Metal · Test GPU"},
		{"cpu", desk.Idle, "Engine: CPU · Test CPU"},
		{"cpu", desk.Running, "Engine: Metal · Test GPU"}, // of the run in progress
		{"cpu", desk.Finished, "Engine: CPU · Test CPU"},
		{"cuda", desk.Idle, "Engine: CUDA not available: no driver"},
	} {
		m.Engine, m.Outcomes["x"].Phase = c.chosen, c.phase
		if got := engineText(m); got != c.want {
			t.Errorf("%s chosen, phase %d: %q, want %q", c.chosen, c.phase, got, c.want)
		}
	}
}

// A run in progress on a processor that nobody chose is a fallback, as the next one would be.
func TestStatusBarSaysFallbackDuringARun(t *testing.T) {
	o := &desk.Outcome{Phase: desk.Running}
	o.Meta.Engine = gpu.Info{Engine: "cpu", Device: "Test CPU"}
	m := &desk.Model{Outcomes: map[string]*desk.Outcome{"x": o}, Current: "x"}
	for reason, want := range map[string]bool{"no Metal: needs macOS": true, bundle.EngineAsked: false, "": false} {
		o.Meta.EngineReason = reason
		if got := engineText(m); strings.HasSuffix(got, " · fallback") != want {
			t.Errorf("chosen for %q: %q", reason, got)
		}
	}
}

// TestTermsAreExplained hovers over and tabs to each part of the status bar: a bubble within the window explains it.
func TestTermsAreExplained(t *testing.T) {
	uitest.Alone(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1100, 700)
	uitest.Play(d.Desk, "empty")
	d.Settle()
	terms, size := 0, d.Window.Canvas().Size()
	bubble := d.Hints.Object.Objects[0]
	uitest.Walk(d.status.object, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		term, ok := o.(*kit.Term)
		if !ok {
			return
		}
		terms++
		for _, c := range []struct {
			how      string
			on, away func()
		}{
			{"pointed at", func() { term.MouseIn(nil) }, term.MouseOut},
			{"with the focus", func() { d.Window.Canvas().Focus(term) }, d.Window.Canvas().Unfocus},
		} {
			c.on()
			end := bubble.Position().AddXY(bubble.Size().Width, bubble.Size().Height)
			if !bubble.Visible() || !uitest.Says(d.Hints.Object, term.About()) {
				t.Errorf("%v %s: %q is not explained", uitest.Texts(term), c.how, term.About())
			}
			if at := bubble.Position(); at.X < 0 || at.Y < 0 || end.X > size.Width || end.Y > size.Height {
				t.Errorf("%v: the bubble lies at %v to %v in a window of %v", uitest.Texts(term), at, end, size)
			}
			if c.away(); bubble.Visible() {
				t.Errorf("%v no longer %s is still explained", uitest.Texts(term), c.how)
			}
		}
	})
	if terms != 5 {
		t.Errorf("%d terms, want 5", terms)
	}
}
