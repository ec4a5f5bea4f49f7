package runpage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// capturable makes the first engine one whose command buffers can be captured, unless there is a reason not to.
func (p *stand) capturable(why string) {
	states := p.session.States
	states[0] = app.EngineState{Name: "metal", Title: "Metal", Available: true, Captures: true, NoCapture: why}
	p.desk.TakeEngines(states)
}

// A capture runs the chosen workload into a new file, and shows the outcome.
func TestCaptureRun(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	if p.head.record.Visible() {
		t.Error("an engine that cannot be captured has a button for it")
	}
	p.capturable("captures are not enabled for this process")
	if !p.head.record.Visible() || !p.head.record.Disabled() {
		t.Error("captures that are not enabled can be started")
	}
	p.capturable("")
	uitest.CheckScene(t, p.desk.Window.Canvas())
	p.chooser.Path = filepath.Join(t.TempDir(), "batching.gputrace")
	test.Tap(p.head.record)
	p.desk.Settle()
	if q := p.chooser.Last(); q.Name != "batching.gputrace" || len(q.Types) != 1 {
		t.Errorf("asked for %+v", q)
	}
	if r := p.session.Requests(); len(r) != 1 || r[0].Capture != p.chooser.Path || r[0].Jobs[0].Workload != "batching" {
		t.Fatalf("requests %+v", r)
	}
	meta := uitest.SweepMeta()
	meta.Capture = p.chooser.Path
	p.desk.Take(app.StartUpdate{Meta: meta})
	run := uitest.FinishedRun(uitest.Sweep())
	run.Meta.Capture = p.chooser.Path
	if p.desk.Take(app.EndUpdate{Run: run}); p.head.shown.Visible() {
		t.Error("a capture that was not written is shown")
	}
	p.desk.Take(app.StartUpdate{Meta: meta})
	run.Events = append(run.Events, bundle.Event{Kind: bundle.Noted, Title: app.CaptureTitle, Text: p.chooser.Path + " holds the command buffers of this run"})
	if p.desk.Take(app.EndUpdate{Run: run}); !p.head.shown.Visible() || !strings.Contains(p.head.status.Content, "captured in ") {
		t.Errorf("after a capture: %q", p.head.status.Content)
	}
	uitest.CheckScene(t, p.desk.Window.Canvas())
}

// Existing files are not overwritten: a capture needs a new file.
func TestCaptureNeedsANewFile(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	p.capturable("")
	p.chooser.Path = filepath.Join(t.TempDir(), "there.gputrace")
	if err := os.Mkdir(p.chooser.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	test.Tap(p.head.record)
	p.desk.Settle()
	if len(p.session.Requests()) != 0 || !strings.Contains(p.desk.Model.Notice, "already exists") {
		t.Errorf("%d requests, told %q", len(p.session.Requests()), p.desk.Model.Notice)
	}
}
