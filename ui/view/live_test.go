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

func TestLivePanelSaysWhy(t *testing.T) {
	test.NewTempApp(t)
	r := &Record{}
	p := NewLivePanel(r)
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	r.Add(monitor.Snapshot{Time: began, Readings: []monitor.Reading{
		{Metric: monitor.HostMemoryFull, Value: 0.5, Unit: "ratio", Status: monitor.OK, Source: "/proc/meminfo"},
		{Metric: monitor.Temperature, Status: monitor.Unavailable, Reason: "no sensor"},
		{Metric: monitor.Throttling, Status: monitor.Unavailable, Reason: "no counter"},
	}})
	p.Update()
	memory, heat := p.views[2], p.views[3]
	if got := heat.words.Content; !strings.HasPrefix(got, "Not available: hottest: no sensor") || !strings.Contains(got, "throttled: no counter") {
		t.Errorf("heat says %q", got)
	}
	if heat.plot != nil || memory.plot == nil {
		t.Fatal("a card without readings shows a chart, or one with a reading does not")
	}
	if got := memory.plot.(*liveChart).live.Last(0); got != 0.5 || memory.words.Content != "/proc/meminfo" {
		t.Errorf("memory is drawn as %v, below it is %q", got, memory.words.Content)
	}
	for i := range 5 {
		r.Add(monitor.Snapshot{Time: began.Add(time.Duration(i+1) * time.Second), Readings: []monitor.Reading{{
			Metric: monitor.EngineFlops, Value: 1e9, Unit: "FLOP/s", Status: monitor.OK, Source: "completed dispatches × operations",
		}}})
		p.Update()
	}
	if !strings.Contains(p.views[0].words.Content, "completed dispatches") {
		t.Errorf("throughput says %q", p.views[0].words.Content)
	}
	if got := memory.plot.(*liveChart).live.Last(0); !math.IsNaN(got) {
		t.Errorf("memory is not read any more, and drawn as %v", got)
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
