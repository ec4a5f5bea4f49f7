package view

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"assay/monitor"
)

func TestLiveCardsSayWhy(t *testing.T) {
	test.NewTempApp(t)
	p := NewLivePanel(nil)
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := monitor.Snapshot{Time: began, Readings: []monitor.Reading{
		{Metric: monitor.ProcessRSS, Value: 1e8, Unit: "B", Status: monitor.OK, Source: "/proc/self/statm"},
		{Metric: monitor.Temperature, Status: monitor.Unavailable, Reason: "no sensor"},
	}}
	p.Add([]monitor.Snapshot{s})
	if got := p.views[3].source.Content; got != "Not available: no sensor" {
		t.Errorf("heat says %q", got)
	}
	if p.views[3].plots.Visible() || !p.views[2].plots.Visible() {
		t.Error("a card without readings shows its chart, or one with a reading does not")
	}
	if got := p.views[2].charts[0].Last(1); got != 1e8 {
		t.Errorf("Assay's memory is drawn as %v, want 1e8", got)
	}
	if got := p.views[2].charts[0].Last(0); !math.IsNaN(got) {
		t.Errorf("the engine's memory is unknown and drawn as %v", got)
	}
	for i := range 5 {
		p.Add([]monitor.Snapshot{{Time: began.Add(time.Duration(i+1) * time.Second), Readings: []monitor.Reading{{
			Metric: monitor.EngineFlops, Value: 1e9, Unit: "FLOP/s", Status: monitor.OK, Source: "completed dispatches × operations",
		}}}})
	}
	if !strings.Contains(p.views[0].source.Content, "completed dispatches") {
		t.Errorf("throughput says %q", p.views[0].source.Content)
	}
}

func TestAbbreviate(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"a × b", "a × c"}, []string{"a × b", "c"}},
		{[]string{"engine", "engine"}, []string{"engine"}},
		{[]string{"/proc/stat", "/proc/meminfo"}, []string{"/proc/stat", "/proc/meminfo"}},
		{nil, nil},
	} {
		if got := abbreviate(c.in); !slices.Equal(got, c.want) {
			t.Errorf("abbreviate(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
