package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"assay/workloads"
)

// Kind says what an event is. It is stable: bundles contain it.
type Kind string

// Kinds of events.
const (
	RunStarted    Kind = "started"
	LiveTuning    Kind = "tuning" // the bundle is of live tuning
	CaseOver      Kind = "case"   // a span: the whole case
	Found         Kind = "finding"
	AlertRaised   Kind = "alert"
	AlertCleared  Kind = "cleared" // in schema 1 also what LeakWithdrawn is
	LeakFound     Kind = "leak"
	LeakWithdrawn Kind = "withdrawn" // of the leak of the same ID: the memory came back
	Noted         Kind = "note"
	ErrorSeen     Kind = "error"
	RunEnded      Kind = "ended"
)

// Event is one line of events.jsonl.
type Event struct {
	Time     time.Time `json:"time"`          // of a span: its end
	From     time.Time `json:"from,omitzero"` // of a span: its begin; of older versions not known
	Kind     Kind      `json:"kind"`          //
	ID       string    `json:"id,omitempty"`  // of a leak, unique in the run
	Severity string    `json:"severity,omitempty"`
	Title    string    `json:"title"` // of a finding: its kind
	Text     string    `json:"text,omitempty"`
	// Result is the ID of the result that a finding points at.
	Result string `json:"result_id,omitempty"`
	// Of a span and of a finding: what it is about.
	Workload string `json:"workload,omitempty"`
	Case     string `json:"case,omitempty"`
	Variant  string `json:"variant,omitempty"`
}

// IsSpan reports whether the event says what was done when, rather than what happened.
func (e *Event) IsSpan() bool { return e.Kind == CaseOver }

// happened reports whether an event tells of something that happened to the run: not its begin, its end, or what it did.
func (e *Event) happened() bool { return !e.IsSpan() && e.Kind != RunStarted && e.Kind != RunEnded }

// Happenings are the events of a run that people must know of: alerts, leaks, findings, notes and errors.
func (r *Run) Happenings() []Event {
	var out []Event
	for i := range r.Events {
		if r.Events[i].happened() {
			out = append(out, r.Events[i])
		}
	}
	return out
}

func findingEvent(f workloads.Finding) Event {
	return Event{
		Time: time.Now(), Kind: Found, Title: f.Kind, Text: f.Text, Result: f.Result, Workload: f.Workload, Case: f.Case,
		Variant: f.Variant,
	}
}

// findings are those that events tell of.
func findings(events []Event) []workloads.Finding {
	var out []workloads.Finding
	for _, e := range events {
		if e.Kind == Found {
			out = append(out, workloads.Finding{
				Workload: e.Workload, Kind: e.Title, Result: e.Result, Case: e.Case, Variant: e.Variant, Text: e.Text,
			})
		}
	}
	return out
}

// parseEvents reads events.jsonl.
func parseEvents(in io.Reader) (out []Event, err error) {
	err = eachEvent(in, func(e Event) { out = append(out, e) })
	return out, err
}

func eachEvent(in io.Reader, each func(Event)) error {
	d := json.NewDecoder(in)
	for line := 1; ; line++ {
		var e Event
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s line %d: %w", eventsFile, line, err)
		}
		each(e)
	}
}
