package view

import (
	"strings"
	"testing"

	uichart "assay/ui/chart"
)

// summaryOf is the summary of a card's chart.
func summaryOf(v *liveView) string { return v.plot.object().(*uichart.Live).Summary() }

// While paused, every window ends at the moment of the pause, however long ago that was and whatever has begun since.
func TestPausedWindowsEndAtThePause(t *testing.T) {
	newApp(t)
	r := &Record{}
	for i := range 101 {
		r.Add(everything(float64(i)))
	}
	g := NewLiveGrid(r)
	g.Pause(true)
	figure := g.views[0].figure.Content
	second := 101
	for _, later := range []int{480, 1000} { // samples kept individually, and samples merged since
		for ; second < later; second++ {
			if second == 150 {
				r.BeginRun(at(150), "Batching")
			}
			r.Add(everything(float64(second)))
		}
		for _, c := range []struct {
			window Window
			from   string
		}{{TenMinutes, "min 1 "}, {OneMinute, "min 4"}, {WholeRun, "min 1 "}} {
			g.Show(c.window)
			if got := summaryOf(g.views[0]); !strings.Contains(got, c.from) || !strings.Contains(got, "max 10") || !strings.Contains(got, "Paused") {
				t.Errorf("at %d s, window %v shows %q, want %sand on", later, c.window, got, c.from)
			}
		}
	}
	if got := g.views[0].figure.Content; got != figure {
		t.Errorf("the figure went from %q to %q", figure, got)
	}
}
