package bundle

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"assay/internal/series"
	"assay/monitor"
	"assay/workloads"
)

// Names of the files of a bundle.
const (
	runFile     = "run.json"
	resultsFile = "results.csv"
	samplesFile = "samples.csv"
	monitorFile = "monitor.csv"
	eventsFile  = "events.jsonl"
)

// The name of a bundle's folder ends in Extension, so that a desktop knows which app opens it. Load accepts a folder of
// any name.
const (
	Type      = "assayrun"
	Extension = "." + Type
)

// Bundle records a run in progress. run.json is replaced as a whole and the other files grow by whole records, so that a
// kill at any moment loses at most the case in flight. Records that a full disk rejects stay in memory and are written
// with the next call that succeeds. It is safe for concurrent use.
type Bundle struct {
	mu       sync.Mutex
	run      Run
	cols     []Column
	kept     workloads.Packed // the run's results in memory
	happened packedEvents     // its events in memory
	// The run's snapshots in memory: of a watch as they came, of a run packed, at its pace.
	thinner series.Thinner[monitor.Snapshot]
	packed  []monitor.Packed
	pace    pace
	lasting lasting          // in monitor.csv
	err     error            // why there is no folder
	over    bool             // Finish was called: later records are not part of the run
	clock   func() time.Time // nil: time.Now

	results, samples, monitor, events *log
	pool                              *log     // nil: its first row has not come yet
	flusher                           *flusher // of monitor and events, which grow during timed regions
}

func sampleColumns() []string {
	return []string{"run_id", "result_id", "workload", "case", "variant", "index", "time_s", "set_aside"}
}

// sampleLines are the samples of a result: first those that count, then those set aside, with the reason and the index
// of the next sample that counts.
func sampleLines(runID string, r *workloads.Result) (lines []byte) {
	for k, s := range r.Samples {
		lines = append(lines, flatLine(runID, r.ID, r.Workload, r.Case, r.Variant, k, s, "")...)
	}
	for _, a := range r.SetAside {
		for _, s := range a.Samples {
			lines = append(lines, flatLine(runID, r.ID, r.Workload, r.Case, r.Variant, a.At, s, a.Why)...)
		}
	}
	return lines
}

func cells(names []string) []Cell {
	out := make([]Cell, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}

// Dir is the bundle's folder; empty if it could not be made.
func (b *Bundle) Dir() string { return b.run.Dir }

// ID is the run's ID.
func (b *Bundle) ID() string { return b.run.Meta.ID }

// Run returns a copy of the run as written, or as it would have been.
func (b *Bundle) Run() *Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.run
	r.Results, r.Findings = b.kept.All(), slices.Clone(r.Findings)
	r.Events, r.Snapshots = b.happened.all(), slices.Clone(r.Snapshots)
	if r.Meta.Watch == nil {
		r.Snapshots = monitor.UnpackAll(b.packed)
	}
	return &r
}

// Timed marks the beginning or end of a timed region, during which nothing is synced to disk. Results ends one.
func (b *Bundle) Timed(on bool) { b.flusher.setTimed(on) }

// Results adds the results of a case: all its variants in one call, so that they reach the disk together.
func (b *Bundle) Results(rs ...workloads.Result) error {
	b.mu.Lock()
	over := b.now()
	b.mu.Unlock()
	return b.ResultsAt(over, rs...)
}

// written returns how many results are on disk: all but those of rows that could not be written.
func (b *Bundle) written() int {
	if b.results.size == 0 {
		return 0
	}
	rows, err := csv.NewReader(bytes.NewReader(b.results.pending)).ReadAll()
	if err != nil { // rows of our own
		return b.kept.Len()
	}
	return b.kept.Len() - len(rows)
}

// ErrOver is the error for results and findings that come after Finish: they are not part of the run.
var ErrOver = errors.New("the run is over")

// ResultsAt is Results for a case that ended at that time.
func (b *Bundle) ResultsAt(over time.Time, rs ...workloads.Result) error {
	b.Timed(false)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return ErrOver
	}
	if len(rs) == 0 {
		return b.err
	}
	rs = b.identified(slices.Clone(rs))
	for i := range rs {
		rs[i].Started = b.steady(rs[i].Started)
		b.kept.Add(&rs[i])
	}
	undeclared := b.undeclared(rs)
	noted := b.event(Event{
		Time: over, From: rs[0].Started, Kind: CaseOver, Title: "Case measured", Workload: rs[0].Workload, Case: rs[0].Case,
	})
	if b.err != nil {
		return b.err
	}
	var rows, samples []byte
	for i := range rs {
		r := &rs[i]
		rows = append(rows, rowLine(b.cols, r)...)
		samples = append(samples, sampleLines(b.run.Meta.ID, r)...)
	}
	return errors.Join(undeclared, noted, b.samples.append(samples, true), b.results.append(rows, true),
		b.results.inPlace())
}

// identified returns results that each have an ID.
func (b *Bundle) identified(rs []workloads.Result) []workloads.Result {
	if !slices.ContainsFunc(rs, func(r workloads.Result) bool { return r.ID == "" }) {
		return rs
	}
	before := b.kept.All()
	all := append(before, rs...)
	identify(all)
	return all[len(before):]
}

// undeclared names a setting or a metric that results.csv has no column for.
func (b *Bundle) undeclared(rs []workloads.Result) error {
	for _, r := range rs {
		for _, v := range r.Values {
			if _, ok := b.run.Meta.Metrics.Find(v.Name); !ok {
				return fmt.Errorf("%s has no column for metric %q: workload %s does not declare it", resultsFile, v.Name, r.Workload)
			}
		}
		for _, s := range r.Settings {
			if !slices.Contains(b.run.Meta.Axes[r.Workload], s.Name) {
				return fmt.Errorf("%s has no column for setting %q: workload %s does not list it as an axis",
					resultsFile, s.Name, r.Workload)
			}
		}
	}
	return nil
}

// Finding records a finding and marks the result that it points to.
func (b *Bundle) Finding(f workloads.Finding) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return ErrOver
	}
	b.run.Findings = append(b.run.Findings, f)
	b.kept.Mark(f)
	return b.event(findingEvent(b.now(), f))
}

// Snapshot adds new readings to monitor.csv: for a watch at each call, for a run at its pace.
func (b *Bundle) Snapshot(s monitor.Snapshot) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over || b.run.Meta.Watch == nil && !b.pace.keeps(&s) {
		return nil
	}
	return b.snapshot(&s)
}

func (b *Bundle) snapshot(s *monitor.Snapshot) error {
	s.Time = b.steady(s.Time)
	if b.run.Meta.Watch == nil {
		b.packed = append(b.packed, monitor.Pack(s, b.packed))
	} else {
		b.thinner.Add(*s, maxSnapshots)
		b.run.Snapshots = b.thinner.Kept
	}
	if b.err != nil {
		return b.err
	}
	news := b.lasting.news(s)
	return errors.Join(b.monitor.append(snapshotLines(&news), false), b.flusher.request(syncEvery))
}

// maxSnapshots bounds a watch's snapshots in memory: about two hours at one per second, then every second one. monitor.csv
// has all.
const maxSnapshots = 8192

// Event adds a line to events.jsonl.
func (b *Bundle) Event(e Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.event(e)
}

func (b *Bundle) event(e Event) error {
	if b.over {
		return nil
	}
	e.Time, e.From = b.steady(e.Time), b.steady(e.From)
	b.happened.add(&e)
	if b.err != nil {
		return b.err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("%s: %w", eventsFile, err)
	}
	within := time.Duration(0)
	if e.IsSpan() { // a power failure may lose the last one
		within = syncEvery
	}
	return errors.Join(b.events.append(append(line, '\n'), false), b.flusher.request(within))
}

// Amend changes what run.json says; it is written when the run ends.
func (b *Bundle) Amend(change func(*Meta)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.run.Meta)
}

// Finish writes how the run ended and all pending records, and closes the files.
func (b *Bundle) Finish(state State, cause error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var last error
	if b.pace.next != nil && !b.over {
		last = b.snapshot(b.pace.next)
	}
	b.over = true
	b.run.Meta.State, b.run.Meta.Finished = state, b.steady(b.now())
	if cause != nil {
		f := workloads.FailureOf(cause)
		b.run.Meta.Error, b.run.Meta.Failure = f.Text, f.Kind
	}
	if b.err != nil {
		return b.err
	}
	files := map[string]*log{resultsFile: b.results, samplesFile: b.samples, monitorFile: b.monitor, eventsFile: b.events}
	if b.pool != nil {
		files[poolFile] = b.pool
	}
	logs := errors.Join(last, b.flusher.close())
	for _, l := range files {
		logs = errors.Join(logs, l.close())
	}
	w := &Written{b.written(), map[string]int64{}, map[string]uint32{}}
	for name, l := range files {
		w.Bytes[name], w.Sums[name] = l.size, l.sum
	}
	b.run.Meta.Written = w
	return errors.Join(logs, b.writeMeta())
}

func (b *Bundle) writeMeta() error {
	data, err := json.MarshalIndent(&b.run.Meta, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", runFile, err)
	}
	return ReplaceFile(filepath.Join(b.run.Dir, runFile), append(data, '\n'))
}
