package uitest

import (
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/monitor/leak"
)

// leakedAt is how many bytes the leak control leaves behind in each of its twenty iterations per second.
const leakedAt = 500_000

// leakCurve is the curve of live bytes during that many iterations of the leak control.
func leakCurve(runID string, iterations int) *app.LeakCurve {
	c := &app.LeakCurve{RunID: runID}
	for i := range iterations {
		live := int64(leakedAt * (i + 1))
		c.Points = append(c.Points, leak.Point{Iteration: i, Seconds: float64(i) / 20, Live: live, Peak: live})
	}
	return c
}

// leakEvents are what the detectors report after that many iterations.
func leakEvents(iterations int) []bundle.Event {
	live := make([]leak.Live, iterations)
	for i := range live {
		live[i] = leak.Live{
			Label: "deliberate leak", Site: "workloads/leak.go:94", Bytes: leakedAt, Age: time.Duration(i) * time.Second / 20,
		}
	}
	return []bundle.Event{
		{Kind: bundle.LeakFound, ID: "leak-1", Title: "Live memory grows", Text: "live bytes grow by 10.0 MB/s " +
			"(95 % interval 9.38 to 10.6), 500 kB per iteration, over 6.6 s (leak control)"},
		{Kind: bundle.LeakFound, ID: "leak-2", Title: "Buffers not released", Text: "leak: " + leak.EndOfRun(live).Cause},
	}
}
