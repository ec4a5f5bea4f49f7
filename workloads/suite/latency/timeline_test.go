package latency

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu/cpu"
	"assay/gpu/gputest"
	"assay/internal/chart"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// timeline is the chart of a measured timeline.
func timeline(t *testing.T, b *benchtest.Rig) chart.Chart {
	t.Helper()
	w := Launch()
	charts := slices.DeleteFunc(w.Charts(b.Measured), func(c chart.Chart) bool { return c.View.Facet != "drawn" })
	if len(charts) != 1 {
		t.Fatalf("%d timelines are drawn, want 1", len(charts))
	}
	return charts[0]
}

// On one clock, the parts of a command buffer follow each other from its submission to the end of the wait.
func TestTimelineOnOneClock(t *testing.T) {
	e, err := cpu.OpenWith(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	b := benchtest.On(t, e)
	launched(t, b, workloads.Values{"part": partTimeline, "min_drawn": 3, "max_drawn": 3})
	if len(b.Measured) != 1+3*4 {
		t.Fatalf("%d results, want all and 4 parts of 3 command buffers", len(b.Measured))
	}
	for i := range 3 {
		submit, queued, device, completed := &b.Measured[1+4*i], &b.Measured[2+4*i], &b.Measured[3+4*i], &b.Measured[4+4*i]
		for _, next := range [][2]*workloads.Result{{queued, device}, {device, completed}} {
			if next[0].Number(toTime) != next[1].Number(fromTime) {
				t.Errorf("command buffer %d: %s ends at %g s, %s begins at %g s", i+1, next[0].Variant, next[0].Number(toTime), next[1].Variant, next[1].Number(fromTime))
			}
		}
		if from, to := submit.Number(fromTime), submit.Number(toTime); !(from >= 0 && to > from && queued.Number(fromTime) >= from) {
			t.Errorf("command buffer %d is submitted from %g to %g s, and queued from %g s", i+1, from, to, queued.Number(fromTime))
		}
		if !(device.Time().Median > 0) {
			t.Errorf("command buffer %d has no time on the device", i+1)
		}
	}
	c := timeline(t, b)
	if len(c.Boxes) != 12 || len(c.Notes) != 0 || !slices.Equal(c.Model.Y.Categories, []string{"1", "2", "3"}) {
		t.Errorf("%d stretches in the lanes %q, notes %q; want 12 in 3", len(c.Boxes), c.Model.Y.Categories, c.Notes)
	}
}

// Where the device's clock is not the host's, the host's part is drawn and a note says what is missing, and why.
func TestTimelineOfTwoClocks(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Launch(), workloads.Values{"part": partTimeline, "min_drawn": 2, "max_drawn": 2}); err != nil {
		t.Fatal(err)
	}
	c := timeline(t, b)
	if len(c.Boxes) != 4 {
		t.Errorf("%d stretches, want 2 of each command buffer", len(c.Boxes))
	}
	if notes := strings.Join(c.Notes, "\n"); len(c.Notes) != 1 || !strings.Contains(notes, "when the device begins is not available: scripted times have no host clock") {
		t.Errorf("notes %q", notes)
	}
}
