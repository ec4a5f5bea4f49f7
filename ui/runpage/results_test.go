package runpage

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

func TestWrongResultIsTold(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	uitest.Play(p.desk, "failed")
	if got := p.chart.latest.Content; !strings.Contains(got, "wrong result") || !strings.Contains(got, "element 17 is 3.5") {
		t.Errorf("the newest result says %q", got)
	}
	got := p.head.status.Content
	for _, want := range []string{"device lost", "10 results kept", "Saved in", "Run again"} {
		if !strings.Contains(got, want) {
			t.Errorf("the status says %q, without %q", got, want)
		}
	}
}

func TestLeaksAreTold(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	meta := uitest.SweepMeta()
	p.desk.Take(app.StartUpdate{Meta: meta})
	meta.Finished = meta.Started
	p.desk.Take(app.EndUpdate{Run: &bundle.Run{Meta: meta, Events: []bundle.Event{
		{Kind: "leak", Title: "Buffers not released", Text: "120 buffers, 60.9 MB"},
	}}})
	if lines := p.findings.lines; len(lines) != 1 || !strings.Contains(lines[0].words, "120 buffers, 60.9 MB") {
		t.Errorf("told %q", lines)
	}
	if !strings.Contains(p.head.status.Content, "1 leak found") || p.list.states[0].Content != "problems" {
		t.Errorf("status %q, list %q", p.head.status.Content, p.list.states[0].Content)
	}
}

// The control leaks deliberately: finding the leak is success, missing it is failure.
func TestControlTellsWhetherTheDetectorsWork(t *testing.T) {
	uitest.Alone(t)
	s := show(t, "leak", "finished", kit.AlwaysDark, uitest.Usual)
	told := func() string { return strings.Join(uitest.Texts(s.View.Object), "\n") }
	for _, want := range []string{"The detectors work: they found the deliberate leak.", "Buffers not released: 160 buffers, 80 MB", "done"} {
		if !strings.Contains(told(), want) {
			t.Errorf("%q is not told in %q", want, told())
		}
	}
	if strings.Contains(told(), "0 results") || strings.Contains(told(), "problems") {
		t.Errorf("success is told as %q", told())
	}
	if _, ok := uitest.Find(s.View.Object, func(b *kit.Button) bool { return b.Text == "Export CSV…" || b.Text == "All Results" }); ok {
		t.Error("there are buttons for results, and never a result")
	}
	test.Tap(uitest.Button(t, s.View.Object, "Leak Lab"))
	if len(s.Shown) != 1 || s.Shown[0] != desk.PageMemory {
		t.Errorf("shown %v", s.Shown)
	}
	run := *s.Desk.Model.Outcome().Run
	run.Events = nil
	s.Desk.Take(app.StartUpdate{Meta: run.Meta})
	s.Desk.Take(app.EndUpdate{Run: &run})
	if !strings.Contains(told(), "The detectors failed") || !strings.Contains(told(), "problems") {
		t.Errorf("failure is told as %q", told())
	}
}

// A control's leak is drawn while it runs, and for a saved run from the monitor's readings.
func TestControlDrawsLiveBytes(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	chooseNamed(t, p, "leak")
	if p.chart.plot.Visible() || !strings.Contains(p.chart.empty.Content, "Press Run") {
		t.Errorf("before a run it says %q", p.chart.empty.Content)
	}
	uitest.PlayWorkload(p.desk, p.session, "leak", "running")
	drawn := func() []float64 { return p.chart.liveBytes().Series[0].Y }
	if !p.chart.plot.Visible() || len(drawn()) != 50 || drawn()[49] != 25e6 {
		t.Errorf("drawn %v", drawn())
	}
	p.session.Curve = nil
	meta := uitest.SweepMeta()
	meta.Jobs[0].Workload = "leak"
	run := &bundle.Run{Meta: meta, Snapshots: []monitor.Snapshot{uitest.Snapshot(1), uitest.Snapshot(2)}}
	run.Meta.Finished = uitest.Epoch.Add(3 * time.Second)
	if _, err := p.desk.Model.Open(run); err != nil {
		t.Fatal(err)
	}
	p.update(desk.ChangedAll)
	if got := drawn(); len(got) != 2 || got[0] < 5e7 {
		t.Errorf("of a run from the disk %v is drawn", got)
	}
}

// There is no throughput when nothing is measured.
func TestThroughputIsIdleBetweenRuns(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	uitest.Ticks(p.desk, 5)
	throughput := func() string { return p.strip.cells[0].value.Content }
	if throughput() != "Idle" {
		t.Errorf("before a run it says %q", throughput())
	}
	p.desk.Take(app.StartUpdate{Meta: uitest.SweepMeta()})
	if !strings.Contains(throughput(), "FLOP/s") {
		t.Errorf("in a run it says %q", throughput())
	}
	p.desk.Take(app.EndUpdate{Run: uitest.FinishedRun(uitest.Sweep())})
	if throughput() != "Idle" {
		t.Errorf("after a run it says %q", throughput())
	}
}

// The list shows the question that each workload answers.
func TestListAsksQuestions(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	for i := range p.desk.Model.Workloads {
		w := &p.desk.Model.Workloads[i]
		if w.Question == "" || p.list.abouts[i].Content != w.Question {
			t.Errorf("%s: %q, want %q", w.Name, p.list.abouts[i].Content, w.Question)
		}
	}
}
