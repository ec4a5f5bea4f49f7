// Package report owns how a run is written down: the schema of the run bundle, and its forms as CSV, JSON and HTML.
// Everything is in SI units; what is not known is empty in CSV and null in JSON, never 0. An infinite number
// is inf or -inf in CSV; JSON has no such number and holds it as a text.
package report

import (
	"slices"
	"time"

	"assay/gpu"
	"assay/monitor"
	"assay/workloads"
)

// Schema is the version of the bundle's layout. It grows when a column or field changes its meaning.
const Schema = 1

// State is where a run stands.
type State string

// States of a run. A bundle that says Running and has no process was killed.
const (
	Running  State = "running"
	Finished State = "finished"
	Stopped  State = "stopped" // by the user
	Broken   State = "failed"  // by an error
)

// Meta is run.json: what a reader must know to judge the figures.
type Meta struct {
	Schema   int       `json:"schema"`
	ID       string    `json:"run_id"`
	Version  string    `json:"assay_version"`
	Go       string    `json:"go_version"` // Create fills it in
	Started  time.Time `json:"started_at"`
	Finished time.Time `json:"finished_at,omitzero"`
	State    State     `json:"state"`
	Error    string    `json:"error,omitempty"`

	Host         monitor.HostInfo `json:"host"`
	Engine       gpu.Info         `json:"engine"`
	EngineReason string           `json:"engine_reason"` // why this engine: "asked for", "no Metal device: …"

	Quick     bool    `json:"quick"`
	Tuning    bool    `json:"live_tuning,omitempty"` // no run: settings measured briefly, each as it was moved
	Seed      uint64  `json:"seed"`
	Precision float64 `json:"precision"`   // wanted width of the 95 % interval, end to end, relative to the median
	Budget    float64 `json:"budget_s"`    // per case
	MinSample int     `json:"min_samples"` // per variant
	Jobs      []Job   `json:"jobs"`
	// Axes are the names of what each workload's cases vary; Create fills them in.
	Axes map[string][]string `json:"axes"`
	// Written is what the bundle held when the run ended; nil where it did not, or an older version wrote it.
	Written *Written `json:"written,omitempty"`
}

// Written tells a bundle that is whole from one whose files were cut off after the run.
type Written struct {
	Results int              `json:"results"`
	Bytes   map[string]int64 `json:"bytes"` // of the files that grew with the run
}

// Job is one workload of a run with the values of its parameters.
type Job struct {
	Workload string           `json:"workload"`
	Params   workloads.Values `json:"params"`
}

// Event is one line of events.jsonl.
type Event struct {
	Time time.Time `json:"time"`
	// Kind is "started", "tuning", "case", "finding", "alert", "cleared", "leak", "note", "error" or "ended".
	Kind     string `json:"kind"`
	Severity string `json:"severity,omitempty"`
	Title    string `json:"title"`
	Text     string `json:"text,omitempty"`
	// Of a case that is over: which. Of a finding: its workload and the result that it points at; Title is its kind.
	Workload string `json:"workload,omitempty"`
	Case     string `json:"case,omitempty"`
	Variant  string `json:"variant,omitempty"`
}

// Run is everything a bundle holds.
type Run struct {
	Meta      Meta
	Results   []workloads.Result
	Findings  []workloads.Finding
	Events    []Event
	Snapshots []monitor.Snapshot // of a run of hours that was not loaded from its bundle, every second or fourth one
	Dir       string             // the bundle's folder
	Notes     []string           // what Load found missing, empty or cut off, for people
}

// OK reports whether every result was verified and no leak was found. A finding of growth that was withdrawn, because
// the memory came back, does not count.
func (r *Run) OK() bool {
	for _, res := range r.Results {
		if res.Status == workloads.Failed || res.Status == workloads.Errored {
			return false
		}
	}
	return len(r.Leaks()) == 0
}

// Leaks lists the leaks that were found and not withdrawn.
func (r *Run) Leaks() []Event {
	var leaks []Event
	for _, e := range r.Events {
		switch e.Kind {
		case "leak":
			leaks = append(leaks, e)
		case "cleared":
			leaks = slices.DeleteFunc(leaks, func(l Event) bool { return l.Title == e.Title })
		}
	}
	return leaks
}

// tuningText says of points of live tuning that they are such; empty for a run.
func (m *Meta) tuningText() string {
	if !m.Tuning {
		return ""
	}
	return "live tuning: settings measured briefly, each as it was moved"
}
