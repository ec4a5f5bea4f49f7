package runpage

import (
	"strings"
	"testing"

	"assay/app"
	"assay/ui/kit"
	"assay/ui/uitest"
)

func TestWrongResultIsTold(t *testing.T) {
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
	p := open(t, kit.AlwaysDark)
	meta := uitest.SweepMeta()
	p.desk.Take(app.StartUpdate{Meta: meta})
	meta.Finished = meta.Started
	p.desk.Take(app.EndUpdate{Run: &app.Run{Meta: meta, Events: []app.Event{
		{Kind: "leak", Title: "Buffers left behind", Text: "120 buffers, 60.9 MB"},
	}}})
	if lines := p.findings.lines; len(lines) != 1 || !strings.Contains(lines[0], "120 buffers, 60.9 MB") {
		t.Errorf("told %q", lines)
	}
	if !strings.Contains(p.head.status.Content, "1 leak found") || p.list.states[0].Content != "problems" {
		t.Errorf("status %q, list %q", p.head.status.Content, p.list.states[0].Content)
	}
}
