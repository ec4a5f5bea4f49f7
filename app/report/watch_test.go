package report

import (
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/monitor"
)

// The report of a watch without an end has the readings in its folder, and their verdict.
func TestReportOfUnendedWatch(t *testing.T) {
	for _, c := range []struct {
		perSecond float64
		class     string
		wants     []string
	}{
		{0, "warn", []string{"for 1:39, 100 readings of 2.00 ms each", "the watch has not ended", "No leak found"}},
		{1e6, "bad", []string{"for 1:39, 100 readings", "Leak found: host memory"}},
	} {
		b, err := bundle.Create(t.TempDir(), bundle.Meta{
			ID: bundle.NewWatchID(runstest.Began()), Started: runstest.Began(), State: bundle.Running,
			Watch: &bundle.Watch{Name: "train", Interval: 1, Tolerance: 5e5},
		}, nil)
		runstest.Check(t, err)
		for i := range 100 {
			memory, cost := monitor.Template(monitor.WatchedFootprint, "test"), monitor.Template(monitor.WatchedCost, "test")
			memory.Status, memory.Value, cost.Status, cost.Value = monitor.OK, 1e8+c.perSecond*float64(i), monitor.OK, 2e-3
			runstest.Check(t, b.Snapshot(monitor.Snapshot{Time: runstest.Began().Add(time.Duration(i) * time.Second), Readings: []monitor.Reading{
				memory, cost, {Metric: monitor.HostCPU, Value: 0.5, Status: monitor.OK},
			}}))
		}
		r, err := bundle.Load(b.Dir())
		runstest.Check(t, err)
		v := watchVerdict(r)
		text := WatchSummary(&r.Meta) + v.Text
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in %q", want, text)
			}
		}
		if v.Class != c.class {
			t.Errorf("%+v, want %s", v, c.class)
		}
		var page strings.Builder
		runstest.Check(t, WriteHTML(&page, r, nil))
		if !strings.Contains(page.String(), "<h2>While it ran</h2>\n<p class=\"about\">Readings of the whole machine and of Assay itself.") {
			t.Error("the page does not say whose readings its timelines show")
		}
		runstest.Check(t, b.Finish(bundle.Stopped, nil))
	}
}
