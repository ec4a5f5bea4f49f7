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

// On a common clock, the parts of a command buffer follow each other from its submission to the end of the wait.
func TestTimelineOnOneClock(t *testing.T) {
	e, err := cpu.OpenWith(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	b := benchtest.On(t, e)
	launched(t, b, workloads.Values{"part": partTimeline, "min_drawn": 3, "max_drawn": 3})
	parts := map[string]*workloads.Result{}
	for i := range b.Measured {
		parts[b.Measured[i].Variant] = &b.Measured[i]
	}
	for _, buffer := range []string{"buffer 1: ", "buffer 2: ", "buffer 3: "} {
		submit, queued, device, completed := parts[buffer+"submit"], parts[buffer+"queued"], parts[buffer+onTheDevice], parts[buffer+"completed"]
		if submit == nil || device == nil || completed == nil {
			t.Fatalf("%sparts are missing of %d results", buffer, len(b.Measured))
		}
		if queued != nil && queued.Number(toTime) != device.Number(fromTime) || device.Number(toTime) != completed.Number(fromTime) {
			t.Errorf("%sthe device takes from %g to %g s, which does not follow what was before", buffer, device.Number(fromTime), device.Number(toTime))
		}
		if from := submit.Number(fromTime); !(from >= 0 && device.Number(fromTime) >= from) {
			t.Errorf("%ssubmitted at %g s, on the device from %g s", buffer, from, device.Number(fromTime))
		}
	}
	c := timeline(t, b)
	if len(c.Boxes) != len(b.Measured)-1 || len(c.Notes) != 0 || !slices.Equal(c.Model.Y.Categories, []string{"1", "2", "3"}) {
		t.Errorf("%d stretches in the lanes %q, notes %q; want %d in 3", len(c.Boxes), c.Model.Y.Categories, c.Notes, len(b.Measured)-1)
	}
}

// If the device's clock is not the host's, the host's part is drawn, and a note says what is missing and why.
func TestTimelineOfTwoClocks(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Launch(), workloads.Values{"part": partTimeline, "min_drawn": 2, "max_drawn": 2}); err != nil {
		t.Fatal(err)
	}
	c := timeline(t, b)
	if len(c.Boxes) != 4 {
		t.Errorf("%d stretches, want 2 of each command buffer", len(c.Boxes))
	}
	if notes := strings.Join(c.Notes, "\n"); len(c.Notes) != 1 || !strings.Contains(notes, "the start on the device is not available: scripted times have no host clock") {
		t.Errorf("notes %q", notes)
	}
}
