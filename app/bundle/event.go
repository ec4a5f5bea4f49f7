package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"assay/internal/metric"
	"assay/internal/severity"
	"assay/internal/stats"
	"assay/workloads"
)

// Kind says what an event is. It is stable: bundles contain it.
type Kind string

// Kinds of events.
const (
	RunStarted    Kind = "started"
	LiveTuning    Kind = "tuning" // the bundle is of live tuning
	CaseOver      Kind = "case"   // a span: the whole case
	PhasesDone    Kind = "phases" // a span: what was done within or for a case; see Event.Phases
	Found         Kind = "finding"
	AlertRaised   Kind = "alert"
	AlertCleared  Kind = "cleared" // in schema 1 also for LeakWithdrawn
	LeakFound     Kind = "leak"
	LeakWithdrawn Kind = "withdrawn" // of the leak of the same ID: the memory came back
	Noted         Kind = "note"
	Marked        Kind = "mark" // output of a watched program that matched a pattern
	ErrorSeen     Kind = "error"
	PoolActed     Kind = "pool" // what the buffer pool did, or what was done to it; see Event.Pool
	RunEnded      Kind = "ended"
)

// Event is one line of events.jsonl.
type Event struct {
	Time     time.Time      `json:"time"`          // end of a span
	From     time.Time      `json:"from,omitzero"` // start of a span; unknown in bundles of older versions
	Kind     Kind           `json:"kind"`          //
	ID       string         `json:"id,omitempty"`  // of a leak, unique in the run
	Severity severity.Level `json:"severity,omitempty"`
	Title    string         `json:"title"` // of a finding: its kind
	Text     string         `json:"text,omitempty"`
	// Result is the ID of the result that a finding points to.
	Result string `json:"result_id,omitempty"`
	// For a span or a finding: its subject. For a leak: the workload, unless the leak belongs to the whole run.
	Workload string `json:"workload,omitempty"`
	Case     string `json:"case,omitempty"`
	Variant  string `json:"variant,omitempty"`
	// For a finding: the axis of its place; the place, approximate and its bounds; the value there with its interval, in
	// Unit; the IDs of its results; how to extend a sweep. Numbers are null if unknown or unbounded. For a leak that grows:
	// its rate in B/s.
	Axis     string     `json:"axis,omitempty"`
	Place    []*float64 `json:"place,omitempty"`
	Value    []*float64 `json:"value,omitempty"`
	Unit     string     `json:"unit,omitempty"`
	Evidence []string   `json:"evidence,omitempty"`

	Extend workloads.Extension `json:"extend,omitzero"`
	Facts  *Facts              `json:"facts,omitempty"`
	// Pool is the sum of a PoolActed event, over the time between From and Time.
	Pool *PoolSum `json:"pool,omitempty"`
	// Phases are the phases of a PhasesDone event, one after another, without overlap.
	Phases []Phase `json:"phases,omitempty"`
}

// PoolSum is how many buffers a pool evicted, freed or refused, and why. The sums of all events of a run are complete.
type PoolSum struct {
	Act   string `json:"act"`   // "evicted", "refused", "shrunk", "cleared", "paused"
	Cause string `json:"cause"` // "capacity", "budget", "device", "request", "pressure"
	Count int64  `json:"count"` // buffers, or requests refused
	Bytes int64  `json:"bytes"` // of them
}

// Facts are the other numbers of a finding; a later measurement can contradict it by them.
type Facts struct {
	Subject  string      `json:"subject"`
	Baseline string      `json:"baseline,omitempty"` // what it is compared with
	Metric   metric.Name `json:"metric"`
	Best     []*float64  `json:"best,omitempty"`  // where, and the value there with its interval
	Limit    float64     `json:"limit,omitempty"` // share of the best, or time
	Holds    []*float64  `json:"holds,omitempty"` // from, to, how many, out of how many
}

// factsOf returns the facts of a finding about a metric; nil if it is about none.
func factsOf(f *workloads.Facts) *Facts {
	if f.Metric == "" {
		return nil
	}
	best, holds := f.Best, f.Holds
	return &Facts{
		Subject: f.Subject.Name, Baseline: f.Subject.Baseline, Metric: f.Metric, Limit: f.Limit,
		Best:  figures(best.At, best.Value.Median, best.Value.Lo, best.Value.Hi),
		Holds: figures(holds.From, holds.To, float64(holds.Count), float64(holds.Of)),
	}
}

// addTo adds the facts to those of a finding; nil adds nothing.
func (f *Facts) addTo(to *workloads.Facts) {
	if f == nil {
		return
	}
	nan, inf := math.NaN(), math.Inf(1)
	to.Subject, to.Metric, to.Limit = workloads.Subject{Name: f.Subject, Baseline: f.Baseline}, f.Metric, f.Limit
	to.Best = workloads.Extreme{At: figure(f.Best, 0, nan), Value: stats.Interval{
		Median: figure(f.Best, 1, nan), Lo: figure(f.Best, 2, -inf), Hi: figure(f.Best, 3, inf),
	}}
	to.Holds = workloads.Span{
		From: figure(f.Holds, 0, nan), To: figure(f.Holds, 1, nan), Count: int(figure(f.Holds, 2, 0)), Of: int(figure(f.Holds, 3, 0)),
	}
}

// IsSpan reports whether the event covers a span of work instead of a moment.
func (e *Event) IsSpan() bool { return e.Kind == CaseOver || e.Kind == PhasesDone }

// happened reports whether an event is an incident of the run, as opposed to its start, its end or its work.
func (e *Event) happened() bool { return !e.IsSpan() && e.Kind != RunStarted && e.Kind != RunEnded }

// Happenings returns the events of a run that people must know about: alerts, leaks, findings, notes, errors and what the pool did.
func (r *Run) Happenings() []Event {
	var out []Event
	for i := range r.Events {
		if r.Events[i].happened() {
			out = append(out, r.Events[i])
		}
	}
	return out
}

func findingEvent(now time.Time, f workloads.Finding) Event {
	at, value := f.Facts.Place, f.Facts.Value
	return Event{
		Time: now, Kind: Found, Title: f.Kind, Text: f.Text, Result: f.Result, Workload: f.Workload, Case: f.Case,
		Variant: f.Variant, Axis: f.Facts.Axis.Name, Place: figures(at.At, at.Lo, at.Hi),
		Value: figures(value.Median, value.Lo, value.Hi), Unit: f.Facts.Unit, Evidence: f.Facts.Evidence, Extend: f.Facts.Extend, Facts: factsOf(&f.Facts),
	}
}

// figures returns numbers for JSON, which has neither NaN nor infinity; nil if all are NaN, infinite or 0.
func figures(numbers ...float64) []*float64 {
	out, some := make([]*float64, len(numbers)), false
	for i, v := range numbers {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[i], some = &v, some || v != 0
		}
	}
	if !some {
		return nil
	}
	return out
}

// figure returns number i of figures, or otherwise if it is missing.
func figure(list []*float64, i int, otherwise float64) float64 {
	if i < len(list) && list[i] != nil {
		return *list[i]
	}
	return otherwise
}

// facts are the numbers in a finding's event.
func (e *Event) facts() workloads.Facts {
	inf, nan := math.Inf(1), math.NaN()
	out := workloads.Facts{
		Axis:  workloads.Axis{Name: e.Axis},
		Place: workloads.Place{At: figure(e.Place, 0, nan), Lo: figure(e.Place, 1, nan), Hi: figure(e.Place, 2, nan)},
		Value: stats.Interval{Median: figure(e.Value, 0, nan), Lo: figure(e.Value, 1, -inf), Hi: figure(e.Value, 2, inf)},
		Unit:  e.Unit, Evidence: e.Evidence, Extend: e.Extend,
	}
	e.Facts.addTo(&out)
	return out
}

// findings rebuilds the findings from events.
func findings(events []Event) []workloads.Finding {
	var out []workloads.Finding
	for _, e := range events {
		if e.Kind == Found {
			out = append(out, workloads.Finding{
				Workload: e.Workload, Kind: e.Title, Result: e.Result, Case: e.Case, Variant: e.Variant, Text: e.Text,
				Facts: e.facts(),
			})
		}
	}
	return out
}

// parseEvents reads events.jsonl.
func parseEvents(in io.Reader) (out []Event, err error) {
	err = eachEvent(in, func(e Event) { out = record(out, e) })
	return out, err
}

// record adds an event. A leak whose ID is known is not a new one: its text and figures are updated.
func record(events []Event, e Event) []Event {
	for i := range events {
		if known := &events[i]; known.sameLeak(&e) {
			known.renew(&e)
			return events
		}
	}
	return append(events, e)
}

// sameLeak reports whether both events are of one leak.
func (e *Event) sameLeak(other *Event) bool {
	return e.Kind == LeakFound && other.Kind == LeakFound && e.ID != "" && e.ID == other.ID
}

// renew updates a leak's text and figures.
func (e *Event) renew(newer *Event) { e.Text, e.Value, e.Unit = newer.Text, newer.Value, newer.Unit }

// LeakEvent returns the event of a leak with an ID; rate is how fast it grows in B/s; all 0: unknown.
func LeakEvent(id, title, text string, rate stats.Interval) Event {
	e := Event{Kind: LeakFound, ID: id, Severity: severity.Critical, Title: title, Text: text}
	if e.Value = figures(rate.Median, rate.Lo, rate.Hi); e.Value != nil {
		e.Unit = "B/s"
	}
	return e
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
