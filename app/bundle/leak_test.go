package bundle

import (
	"strings"
	"testing"

	"assay/internal/stats"
)

// A leak that is reported again is still one leak: with its first time, and the latest text and rate.
func TestLeakIsStatedAgain(t *testing.T) {
	again := `{"time":"2026-11-20T21:45:00Z","kind":"leak","id":"leak-1","title":"Live memory grows","text":"by 9 MB/s","value":[9e6,7e6,11e6],"unit":"B/s"}
{"time":"2026-11-20T21:45:01Z","kind":"leak","id":"leak-2","title":"Buffers not released","text":"3 buffers"}
{"time":"2026-11-20T21:45:09Z","kind":"leak","id":"leak-1","title":"Live memory grows","text":"by 10 MB/s","value":[10e6,9.8e6,10.2e6],"unit":"B/s"}
`
	events, err := parseEvents(strings.NewReader(again))
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, %v; want 2", len(events), err)
	}
	if e := events[0]; e.Text != "by 10 MB/s" || len(e.Value) != 3 || *e.Value[1] != 9.8e6 || e.Unit != "B/s" || e.Time.Second() != 0 {
		t.Errorf("%+v", e)
	}
	var s Summary
	if err := s.countLeaks(&Meta{Schema: Schema}, strings.NewReader(again)); err != nil || s.Leaks != 2 {
		t.Errorf("%d leaks counted, %v; want 2", s.Leaks, err)
	}
	withdrawn := record(events, Event{Kind: LeakWithdrawn, ID: "leak-1"})
	if left := leaks(withdrawn); len(left) != 1 || left[0].ID != "leak-2" {
		t.Errorf("left %+v", left)
	}
	if e := LeakEvent("leak-3", "x", "y", stats.Interval{}); e.Value != nil || e.Unit != "" {
		t.Errorf("a leak without a rate: %+v", e)
	}
}
