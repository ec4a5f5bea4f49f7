package drill

import (
	"context"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/monitor"
	"assay/workloads"
)

// The effect of a set wall clock on a bundle that takes its times as they come fails the drill.
func TestTimesOutOfOrder(t *testing.T) {
	at := func(seconds float64) time.Time { return time.Unix(1e9, int64(seconds*1e9)) }
	whole := func() *bundle.Run {
		return &bundle.Run{
			Meta:      bundle.Meta{Started: at(0), Finished: at(10)},
			Results:   []workloads.Result{{ID: "1", Started: at(1)}, {ID: "2", Started: at(5)}},
			Snapshots: []monitor.Snapshot{{Time: at(1)}, {Time: at(2)}},
			Events:    []bundle.Event{{Title: "Phases", From: at(1), Time: at(4)}},
		}
	}
	if err := inOrder(whole(), 10*time.Second); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		spoil func(*bundle.Run)
		want  string
	}{
		{func(r *bundle.Run) { r.Meta.Finished = at(10 - 3600) }, "the bundle says -3590.0 s"},
		{func(r *bundle.Run) { r.Results[1].Started = at(5 - 3600) }, "result 2 is at"},
		{func(r *bundle.Run) { r.Snapshots[1].Time = at(2 - 3600) }, "a reading of the monitor is at"},
		{func(r *bundle.Run) { r.Events[0].Time = at(4 - 3600) }, "event “Phases” is at"},
		{func(r *bundle.Run) { r.Events[0].From = at(1 + 3600) }, "event “Phases” is at"},
	} {
		run := whole()
		c.spoil(run)
		if err := inOrder(run, 10*time.Second); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// A clock that is not set during the run shows nothing.
func TestClockThatIsNotSet(t *testing.T) {
	s := setup()
	s.Config.RunsDir = t.TempDir()
	s.Config.Workloads[0].Run = func(context.Context, *workloads.Env, workloads.Values) error { return nil }
	if _, err := clockStep(t.Context(), &stage{s, s.Config.RunsDir}); err == nil || !strings.Contains(err.Error(), "before the clock was set") {
		t.Error(err)
	}
}
