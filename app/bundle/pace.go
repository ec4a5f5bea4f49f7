package bundle

import (
	"slices"
	"time"

	"assay/monitor"
)

// pace keeps fewer snapshots the longer a run lasts, so that its record stays small: all of those in the first minutes, later one
// per paceShare-th of the time since the first, and at least one per minute. A change of a state, or of what can be read, is kept
// at once.
type pace struct {
	began, last time.Time
	kept        []monitor.Reading
	changes     int               // kept at once
	next        *monitor.Snapshot // the newest, if it was not kept
}

const (
	paceShare = 150
	maxPace   = time.Minute
	// Changes are kept at once, up to one per changePace on average plus a few: a flickering state must not fill the disk.
	changePace, fewChanges = 30 * time.Second, 16
)

// keeps reports whether to keep a snapshot, which is then the last one.
func (p *pace) keeps(s *monitor.Snapshot) bool {
	if p.last.IsZero() {
		p.began = s.Time
	}
	elapsed := s.Time.Sub(p.began)
	if s.Time.Sub(p.last) < min(elapsed/paceShare, maxPace) {
		if sameStates(p.kept, s.Readings) || p.changes > fewChanges+int(elapsed/changePace) {
			newest := *s
			p.next = &newest
			return false
		}
		p.changes++
	}
	p.last, p.kept, p.next = s.Time, s.Readings, nil
	return true
}

// sameStates reports whether the same metrics can be read and their states are equal.
func sameStates(a, b []monitor.Reading) bool {
	return slices.EqualFunc(a, b, func(a, b monitor.Reading) bool {
		return a.Metric == b.Metric && a.Text == b.Text && a.Status == b.Status
	})
}
