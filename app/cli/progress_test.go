package cli

import (
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/monitor"
)

// An alert whose text changes is printed once, and a leak without its rate, which the end of the run reports.
func TestProgressPrintsAnAlertOnce(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out)
	raised := time.Unix(1000, 0)
	for _, a := range []monitor.Alert{
		{ID: "leak.slope", Title: "Live memory grows", Cause: "by 9 MB/s", Raised: raised},
		{ID: "leak.slope", Title: "Live memory grows", Cause: "by 10 MB/s", Raised: raised},
		{ID: "heat", Title: "Hot", Cause: "95 °C", Raised: raised},
		{ID: "heat", Title: "Hot", Cause: "95 °C", Raised: raised, Cleared: raised.Add(time.Second)},
		{ID: "heat", Title: "Hot", Cause: "96 °C", Raised: raised.Add(time.Minute)},
	} {
		p.update(app.AlertUpdate{Alert: a})
	}
	if want := "! Live memory grows; see the end of the run\n! Hot: 95 °C\n! Hot: 96 °C\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
