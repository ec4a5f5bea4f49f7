package app

import (
	"fmt"
	"time"

	"assay/app/bundle"
	"assay/internal/plain"
)

// WatchKinds are the titles of what is judged, in the order of the report.
func WatchKinds() []string {
	var titles []string
	for _, k := range bundle.WatchKinds() {
		titles = append(titles, k.Title)
	}
	return titles
}

// When a leak is reported while a program is watched. At the end everything is judged once more.
const (
	watchConfirm = 5 * time.Minute // of readings after the warm-up, or half of the requested time if that is less
	watchTail    = 10 * time.Second
	tailShare    = 20 // of the time: what a program releases as it ends is left out
)

// judged is a kind with its readings so far, and what was reported about it.
type judged struct {
	bundle.WatchJudge
	leakID string // of the leak's event; empty: none was reported
	stated time.Duration
}

// kindsToJudge returns all kinds, without readings.
func kindsToJudge() []*judged {
	var all []*judged
	for _, k := range bundle.WatchKinds() {
		all = append(all, &judged{WatchJudge: bundle.WatchJudge{WatchKind: k}})
	}
	return all
}

// sentence states the verdict on a leak for an alert: "Host memory of python3: grows by …".
func (j *judged) sentence(program string, started time.Time) string {
	return fmt.Sprintf("%s of %s: %s", j.Title, plain.Text(program), j.Words(started))
}
