// Package bundle owns a run on disk: the schema of the run bundle, how it is written during the run, and how it is read,
// even if the process was killed. Everything is in SI units; unknown values are empty in CSV and null in JSON, never 0. Infinity is
// inf or -inf in CSV and, since JSON has no such number, text in JSON. The package imports no renderer.
package bundle

import (
	"maps"
	"slices"
	"strings"
	"time"

	"assay/gpu"
	"assay/internal/imported"
	"assay/internal/metric"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor"
	"assay/workloads"
)

// Schema is the version of the bundle's layout. It grows when a column or field changes its meaning. docs/runs.md lists
// the versions.
const Schema = 5

// State is the state of a run.
type State string

// States of a run. A bundle that says Running and has no process was killed.
const (
	Running  State = "running"
	Finished State = "finished"
	Stopped  State = "stopped" // by the user
	Failed   State = "failed"  // by an error
)

// Meta is run.json: what a reader must know to interpret the numbers.
type Meta struct {
	Schema   int                   `json:"schema"`
	ID       string                `json:"run_id"`
	Version  string                `json:"assay_version"`
	Go       string                `json:"go_version"` // set by Create
	Started  time.Time             `json:"started_at"`
	Finished time.Time             `json:"finished_at,omitzero"`
	State    State                 `json:"state"`
	Error    string                `json:"error,omitempty"`
	Failure  workloads.FailureKind `json:"failure,omitempty"` // the kind of Error

	Host         monitor.HostInfo `json:"host"`
	Engine       gpu.Info         `json:"engine"`
	EngineReason string           `json:"engine_reason"` // why this engine: EngineAsked, "no Metal device: …"

	Quick   bool   `json:"quick"`
	Tuned   bool   `json:"tuned,omitempty"`       // kernels chosen by tuning replace the defaults
	Energy  string `json:"energy,omitempty"`      // "auto": energy was measured where possible
	Again   string `json:"again,omitempty"`       // ID of the run that results were taken over from; see TakenOver
	Purpose string `json:"purpose,omitempty"`     // why the advisor measured it: "flow memory, step epochs"; empty: the user asked for it
	Tuning  bool   `json:"live_tuning,omitempty"` // not a run: settings measured briefly as the user changed them
	Target  string `json:"target,omitempty"`      // the target among configurations: "per-watt", "within=200"; empty: none
	// Duty is the maximum share of the time that the device was to work, and PowerCap its maximum mean power, in W; 0: any.
	Duty     float64 `json:"duty,omitempty"`
	PowerCap float64 `json:"power_cap_w,omitempty"`
	// Validation is what checked each call of the device, which invalidates all times; empty: nothing did.
	Validation string `json:"validation,omitempty"`
	// Capture is the file in which a debugger recorded the run, which invalidates all times; empty: none did.
	Capture string `json:"capture,omitempty"`

	Seed      uint64  `json:"seed"`
	Precision float64 `json:"precision"`   // wanted width of the 95 % interval, end to end, relative to the median
	Budget    float64 `json:"budget_s"`    // per case
	MinSample int     `json:"min_samples"` // per variant
	// Warmups and WarmupTime are the minimum warm-up of each variant, in samples and in seconds, which also lasted until its times
	// were stable.
	Warmups    int     `json:"min_warmups,omitempty"`
	WarmupTime float64 `json:"min_warmup_s,omitempty"`
	// Schedule is the fixed sequence of steps that was used instead: "wait=1,warmup=1,active=3,repeat=2"; empty: none was.
	Schedule string `json:"schedule,omitempty"`
	// Quiet is true if the monitor read nothing and no window was redrawn while something was timed.
	Quiet bool `json:"quiet_timing,omitempty"`
	// QuietOnHost is true if that was because kernels ran on the processor, which draws the window; then series were left out,
	// whose windows may take minutes.
	QuietOnHost bool `json:"quiet_on_host,omitempty"`

	Jobs  []Job  `json:"jobs"`
	Watch *Watch `json:"watch,omitempty"` // another program was watched, instead of running workloads
	// Commit is the checkout of the folder in which the run was started; nil: not recorded.
	Commit *Commit `json:"commit,omitempty"`
	// SelfTest is the device's self-test, done at its first run; nil: not recorded.
	SelfTest *SelfTest `json:"self_test,omitempty"`
	// Axes are the names of each workload's axes; set by Create.
	Axes map[string][]string `json:"axes"`
	// Measured are the axes whose values the measurement finds; set by Create.
	Measured map[string][]string `json:"measured_axes,omitempty"`
	// Metrics describe the numeric columns of results.csv; set by Create.
	Metrics metric.List `json:"metrics,omitempty"`
	// Kernels are the kernels that results rest on, in the order first used; nil: the run has not ended, or is from an older
	// version.
	Kernels []KernelChoice `json:"kernels,omitempty"`
	// KernelsOmitted is how many more there were.
	KernelsOmitted int `json:"kernels_omitted,omitempty"`
	// Beside is the other engine that the cases were also measured on; nil: none was requested.
	Beside *Beside `json:"beside,omitempty"`
	// RunEnergy is the energy that the device used during the run; nil: the run has not ended, or is from an older version.
	RunEnergy *RunEnergy `json:"run_energy,omitempty"`
	// Written is what the bundle contained when the run ended; nil if it did not end, or if an older version wrote it.
	Written *Written `json:"written,omitempty"`
}

// Written distinguishes a complete bundle from one whose files were truncated or changed after the run.
type Written struct {
	Results int              `json:"results"`
	Bytes   map[string]int64 `json:"bytes"` // of the append-only files
	// Sums are the CRC-32 (IEEE) of these files; nil if an older version wrote them.
	Sums map[string]uint32 `json:"crc32,omitempty"`
}

// Commit is the git commit of a folder.
type Commit struct {
	ID       string `json:"id"`
	Modified bool   `json:"modified"` // tracked files differ from it
}

// String formats the commit for people: "3f2a9c1b7d20, modified"; empty if it is not recorded.
func (c *Commit) String() string {
	if c == nil {
		return ""
	}
	text := plain.Text(c.ID[:min(12, len(c.ID))])
	if c.Modified {
		text += ", modified"
	}
	return text
}

// Job is one workload of a run with the values of its parameters.
type Job struct {
	Workload string           `json:"workload"`
	Params   workloads.Values `json:"params"`
}

// Run is everything a bundle contains.
type Run struct {
	Meta      Meta
	Results   []workloads.Result
	Findings  []workloads.Finding
	Events    []Event
	Snapshots []monitor.Snapshot // thinned in memory for a run of hours
	Dir       string             // the bundle's folder
	Labels    Labels             // the user's, at the time it was loaded
	// References are external figures that the user placed beside the run; the run did not measure them.
	References []imported.File
	Notes      []string // what Load found missing, empty or truncated, for people

	thinned bool // Snapshots are some of those in the bundle
}

// OK reports whether every result was verified, no leak was found and no control failed. Faults provoked by controls count like
// any others. A leak that was withdrawn, because the memory was released, does not count.
func (r *Run) OK() bool {
	for i := range r.Results {
		if s := r.Results[i].Status; s == workloads.Failed || s == workloads.Errored {
			return false
		}
	}
	return len(r.Leaks()) == 0 && !r.Meta.watch().Leaks() && !slices.ContainsFunc(r.Findings, func(f workloads.Finding) bool { return f.Kind == workloads.KindMissed })
}

// TakenOver counts the results that were measured before the run began and taken over from the run Meta.Again.
func (r *Run) TakenOver() int {
	n := 0
	for i := range r.Results {
		if r.Meta.Again != "" && r.Results[i].Started.Before(r.Meta.Started) {
			n++
		}
	}
	return n
}

// Leaks lists the leaks that were found and not withdrawn.
func (r *Run) Leaks() []Event { return leaks(r.Events) }

func leaks(events []Event) []Event {
	var found []Event
	for i := range events {
		switch e := &events[i]; e.Kind {
		case LeakFound:
			found = append(found, *e)
		case LeakWithdrawn:
			found = slices.DeleteFunc(found, func(l Event) bool { return l.ID == e.ID })
		}
	}
	return found
}

// Complete sets the axes and metrics of a Meta that was never in a bundle. It leaves alone whatever is already set.
func (m *Meta) Complete(all []workloads.Workload) {
	if m.Axes == nil {
		m.Axes = axes(m.Jobs, all, func(workloads.Axis) bool { return true })
		m.Measured = axes(m.Jobs, all, func(a workloads.Axis) bool { return a.Measured })
		maps.DeleteFunc(m.Measured, func(_ string, names []string) bool { return len(names) == 0 })
	}
	if m.Metrics == nil {
		m.Metrics = metrics(m.Jobs, all)
	}
}

// axes returns the names of each workload's wanted axes.
func axes(jobs []Job, all []workloads.Workload, wanted func(workloads.Axis) bool) map[string][]string {
	out := map[string][]string{}
	for _, job := range jobs {
		w, err := workloads.Find(all, job.Workload)
		if err != nil {
			continue // its results then have no settings to write
		}
		var names []string
		for _, a := range w.Axes {
			if wanted(a) {
				names = append(names, a.Name)
			}
		}
		out[job.Workload] = names
	}
	return out
}

func metrics(jobs []Job, all []workloads.Workload) metric.List {
	var own []workloads.Workload
	for _, job := range jobs {
		if w, err := workloads.Find(all, job.Workload); err == nil {
			own = append(own, *w)
		}
	}
	return workloads.MetricsOf(own)
}

// Records reports whether the run's results have an axis of a workload; true if their axes are unknown.
func (m *Meta) Records(workload, axis string) bool {
	axes, known := m.Axes[workload]
	return !known || slices.Contains(axes, axis)
}

// Matches reports whether results of the run are matched with another run's by an axis of a workload.
func (m *Meta) Matches(workload, axis string) bool {
	return m.Records(workload, axis) && !slices.Contains(m.Measured[workload], axis)
}

// ParamNames lists the job's axes, then its parameters, each in a stable order.
func (m *Meta) ParamNames(job Job) []string {
	names := slices.Clone(m.Axes[job.Workload])
	rest := make([]string, 0, len(job.Params))
	for name := range job.Params {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

// Failed returns why the run failed; the zero value if it did not.
func (m *Meta) Failed() workloads.Failure { return workloads.Failure{Kind: m.Failure, Text: m.Error} }

// DutyCycle says how much the device was allowed to work: "at most 50 % of the time, at most 80.0 W"; empty: all the time.
func (m *Meta) DutyCycle() string {
	var parts []string
	if m.Duty > 0 && m.Duty < 1 {
		parts = append(parts, "at most "+si.Format(m.Duty, "ratio")+" of the time")
	}
	if m.PowerCap > 0 {
		parts = append(parts, "at most "+si.Format(m.PowerCap, "W")+" on average")
	}
	return strings.Join(parts, ", ")
}

// NotTimingRun marks a run whose times do not count.
const NotTimingRun = "not a timing run"

// Caveat says what the figures are not suitable for: points of live tuning, or a run with validation or capture; empty for any
// other run.
func (m *Meta) Caveat() string {
	switch {
	case m.NotTiming() != "":
		return m.NotTiming()
	case m.Tuning:
		return "live tuning: short measurements of single settings"
	}
	return ""
}

// NotTiming says why no time of the run counts; empty: they do.
func (m *Meta) NotTiming() string {
	switch {
	case m.Validation != "":
		return NotTimingRun + ": " + plain.Text(m.Validation) + " was on"
	case m.Capture != "":
		return NotTimingRun + ": its command buffers were captured for a debugger"
	}
	return ""
}
