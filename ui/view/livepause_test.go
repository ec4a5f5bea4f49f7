package view

import (
	"strings"
	"testing"

	"assay/ui/chart"
)

// summaryOf is what the chart of a card shows, in words.
func summaryOf(v *liveView) string { return v.plot.object().(*chart.Live).Summary() }

// While paused, every window ends at the moment of the pause, however long that was ago and whatever began since.
func TestPausedWindowsEndAtThePause(t *testing.T) {
	newApp(t)
	r := &Record{}
	for i := range 101 {
		r.Add(everything(float64(i)))
	}
	g := NewLiveGrid(r)
	g.Pause(true)
	figure := g.views[0].figure.Content
	for i := range 480 {
		if i == 50 {
			r.BeginRun(at(150), "Batching")
		}
		r.Add(everything(float64(101 + i)))
	}
	for _, c := range []struct {
		window     Window
		from, till string
	}{{TenMinutes, "min 1 ", "max 101 "}, {OneMinute, "min 41 ", "max 101 "}, {WholeRun, "min 1 ", "max 101 "}} {
		g.Show(c.window)
		if got := summaryOf(g.views[0]); !strings.Contains(got, c.from) || !strings.Contains(got, c.till) || !strings.Contains(got, "Paused") {
			t.Errorf("window %v shows %q, want %sto %s", c.window, got, c.from, c.till)
		}
	}
	if got := g.views[0].figure.Content; got != figure {
		t.Errorf("the figure went from %q to %q", figure, got)
	}
}
