package runpage

import (
	"math"
	"strings"
	"testing"

	"assay/app"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// The findings have the height they need if the chart has enough, else up to six lines, and end after a whole one.
func TestFindingsAreNotCut(t *testing.T) {
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
