package app

import (
	"slices"

	"assay/app/bundle"
	"assay/internal/severity"
	"assay/monitor"
)

// IDs of the alerts that the session raises itself.
const (
	bundleAlert    = "bundle"
	slopeAlert     = "leak.slope"
	endAlert       = "leak.end"
	engineAlert    = "leak.engine"
	footprintAlert = "leak.footprint"
	selfTestAlert  = "selftest"   // until a self-test of the device passes
	checkAlert     = "leak.check" // until a check finds nothing or the baseline is replaced
)

// alertKind is an alert that no rule of the monitor raises. All of them are critical.
type alertKind struct {
	id, title string
	advice    string // what to do, in a plain sentence
	ofRun     bool   // active until the next run starts or its cause is gone
}

// alertKinds lists them.
func alertKinds() []alertKind {
	const release = "See the Memory page for where the live buffers were allocated; release them when a case ends."
	const find = "Compare the marks with the curve to see which phase grows; then look for allocations that it never releases, with a heap profiler."
	return []alertKind{
		{
			bundleAlert, "The run bundle cannot be written",
			"Free disk space or choose another folder for runs, and export this run's results before the next run.", true,
		},
		{slopeAlert, "Live memory grows", release, true},
		{endAlert, "Buffers not released", release, true},
		{engineAlert, "Buffers leaked in the engine", release, true},
		{footprintAlert, "Process memory grew", "Run the workload again: a leak grows again, a cache does not.", true},
		{checkAlert, "Memory grew", release, false},
		{selfTestAlert, "The device computes wrongly", "Do not rely on its results: update the system or the driver, and compare with the CPU engine.", false},
		{bundle.WatchMemoryAlert, "A program leaks memory", find, false},
		{bundle.WatchGPUAlert, "A program leaks GPU memory", find, false},
		{bundle.WatchHandlesAlert, "A program leaks handles", "Find what it opens and does not close: lsof -p lists open files and sockets.", false},
		{bundle.WatchThreadsAlert, "A program leaks threads", "Find which threads it starts and does not end.", false},
	}
}

// alertKindOf returns the kind with that ID; ok is false if the session raises no such alert.
func alertKindOf(id string) (kind alertKind, ok bool) {
	kinds := alertKinds()
	i := slices.IndexFunc(kinds, func(k alertKind) bool { return k.id == id })
	if i < 0 {
		return alertKind{}, false
	}
	return kinds[i], true
}

// alertTitle returns the title of an alert that the session raises.
func alertTitle(id string) string {
	k, _ := alertKindOf(id)
	return k.title
}

// IsLeak reports whether an alert is about a leak that a run found. The run lists it too.
func IsLeak(alertID string) bool {
	k, ok := alertKindOf(alertID)
	return ok && k.ofRun && k.id != bundleAlert
}

// Advice says what to do about an alert, in a plain sentence; empty if no remedy is known.
func Advice(alertID string) string {
	if k, ok := alertKindOf(alertID); ok {
		return k.advice
	}
	return monitor.Advice(alertID)
}

// raise raises one of the session's alerts.
func (s *Session) raise(id, cause string) {
	if a, changed := s.alerts.Raise(id, severity.Critical, alertTitle(id), cause); changed {
		s.publish(AlertUpdate{a})
	}
}

// clear clears an alert raised by raise.
func (s *Session) clear(id string) {
	if a, changed := s.alerts.Clear(id); changed {
		s.publish(AlertUpdate{a})
	}
}

// clearOfRuns clears the alerts of earlier runs.
func (s *Session) clearOfRuns() {
	for _, k := range alertKinds() {
		if k.ofRun {
			s.clear(k.id)
		}
	}
}
