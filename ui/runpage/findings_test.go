package runpage

import (
	"errors"
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/app/bundle"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// The findings have the height they need if the chart has enough, else up to six lines, and end after a whole line.
func TestFindingsAreNotCut(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	line := float64(kit.NewBody("", 1).MinSize().Height)
	for _, c := range []struct {
		findings int
		lines    float64
	}{{1, 2}, {2, 4}, {3, 6}, {4, 8}, {12, maxTold}} {
		run := uitest.FinishedRun(uitest.Sweep())
		run.Findings = nil
		for range c.findings {
			run.Findings = append(run.Findings, workloads.Finding{
				Workload: "batching", Kind: "knee", Text: strings.Repeat("more is not faster ", 6),
			})
		}
		p.desk.Take(app.StartUpdate{Meta: run.Meta})
		p.desk.Take(app.EndUpdate{Run: run})
		gaps := toldGap * (math.Ceil(c.lines/2) - 1)
		got := float64(p.findings.object.Size().Height)
		if want := c.lines*line + gaps; got < want || got > want+toldGap {
			t.Errorf("%d findings have %.1f, want the %.1f of %v lines", c.findings, got, want, c.lines)
		}
	}
}

// A sweep whose best is at its end is extended from beside the finding; the form follows.
func TestSweepsAreExtended(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	uitest.Finish(p.desk, uitest.Sweep(), nil)
	if p.findings.extend.Visible() {
		t.Error("no finding is at the end of a sweep")
	}
	meta := uitest.SweepMeta()
	meta.Jobs = []bundle.Job{{Workload: "batching", Params: p.desk.Model.Workload().Defaults(false)}}
	files, err := bundle.Create(t.TempDir(), meta, p.desk.Model.Workloads)
	if err != nil {
		t.Fatal(err)
	}
	was := meta.Jobs[0].Params.Int("max_size")
	rising := workloads.Finding{
		Workload: "batching", Kind: workloads.KindRising, Text: "Products in f32: still rising.",
		Facts: workloads.Facts{Extend: workloads.Extension{Param: "max_size", To: 2 * was}},
	}
	if err := errors.Join(files.Results(uitest.Sweep()...), files.Finding(rising), files.Finish(bundle.Finished, nil)); err != nil {
		t.Fatal(err)
	}
	p.desk.Take(app.StartUpdate{Meta: files.Run().Meta})
	p.desk.Take(app.FindingUpdate{Finding: rising})
	if p.findings.extend.Visible() {
		t.Error("a run in progress cannot be extended")
	}
	p.desk.Take(app.EndUpdate{Run: files.Run()})
	if b := p.findings.extend; !b.Visible() || b.Text != "Extend to 4,096" {
		t.Fatalf("the button says %q", b.Text)
	}
	words, button := p.findings.told, p.findings.extend
	if words.Size().Width+button.Size().Width > p.findings.object.Size().Width {
		t.Error("the button lies on the words")
	}
	test.Tap(button)
	p.desk.Settle()
	requests := p.session.Requests()
	if len(requests) != 1 || requests[0].Jobs[0].Params.Int("max_size") != 2*was {
		t.Fatalf("asked for %+v", requests)
	}
	if got := p.desk.Model.Drafts["batching"].Values.Int("max_size"); got != 2*was {
		t.Errorf("the form has %d", got)
	}
	if button.Visible() {
		t.Error("the run that starts can be extended")
	}
}
