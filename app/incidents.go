package app

import (
	"maps"
	"slices"

	"assay/app/bundle"
	"assay/internal/severity"
	"assay/internal/si"
	"assay/workloads"
)

// incidentsTold is how many incidents with the same title are separate events; the others become one event at the end of the run.
const incidentsTold = 20

// incidents counts, by title, what went wrong with results.
type incidents map[string]int

// of returns the events of results: each that failed, and each that was measured again after a failure. What an engine lacks is
// no incident.
func (n incidents) of(rs []workloads.Result) []bundle.Event {
	var out []bundle.Event
	add := func(r *workloads.Result, e bundle.Event) {
		if n[e.Title]++; n[e.Title] > incidentsTold {
			return
		}
		e.Result, e.Workload, e.Case, e.Variant = r.ID, r.Workload, r.Case, r.Variant
		e.Text = r.Case + ", " + r.Variant + ": " + e.Text
		out = append(out, e)
	}
	for i := range rs {
		r := &rs[i]
		if r.Status == workloads.Failed || r.Status == workloads.Errored {
			add(r, bundle.Event{Kind: bundle.ErrorSeen, Severity: severity.Critical, Title: r.Failure.Kind.Title(), Text: r.Failure.Text})
		}
		if r.Number(workloads.Retries) > 0 {
			add(r, bundle.Event{Kind: bundle.Noted, Severity: severity.Warning, Title: "Done again", Text: retryText(r)})
		}
	}
	return out
}

// retryText is the warning about work that was repeated.
func retryText(r *workloads.Result) string {
	for _, w := range r.Warnings {
		if w.Kind == workloads.Retried {
			return w.Text
		}
	}
	return si.Counted(int(r.Number(workloads.Retries)), "failure") + ", repeated"
}

// rest returns events for the incidents that have none of their own.
func (n incidents) rest() []bundle.Event {
	var out []bundle.Event
	for _, title := range slices.Sorted(maps.Keys(n)) {
		if more := n[title] - incidentsTold; more > 0 {
			out = append(out, bundle.Event{
				Kind: bundle.Noted, Severity: severity.Warning, Title: title, Text: si.Count(more) + " more, see the results",
			})
		}
	}
	return out
}

// tell records events of the run and publishes them for the log and the charts of the window.
func (a *activeRun) tell(events ...bundle.Event) {
	for _, e := range events {
		e.Time = a.session.config.Now()
		a.keep(a.bundle.Event(e))
		a.session.publish(NoteUpdate{a.meta.ID, e})
	}
}
