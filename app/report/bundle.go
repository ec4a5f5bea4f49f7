package report

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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

// The name of a bundle's folder ends in Extension, so that a desktop knows whose it is. Load takes a folder of any name.
const (
	Type      = "assayrun"
	Extension = "." + Type
)

// Bundle writes a run down while it goes on. run.json and results.csv are replaced whole, the other files grow by
// whole lines, so that a kill at any moment loses at most the case in flight. What a full disk refuses is kept in
// memory and written with the next call that succeeds. It is safe for concurrent use.
type Bundle struct {
	mu   sync.Mutex
	run  Run
	cols []column
	// thinner has the snapshots that the run keeps in memory.
	thinner series.Thinner[monitor.Snapshot]
	err     error // why there is no folder
	over    bool  // Finish was called: what comes later is not part of the run

	samples, monitor, events *log
	flusher                  *flusher // of monitor and events, which grow while something is timed
}

// NewID names a run by its start and its workloads: 20261120-214501-batching-3f2a. The end is random.
func NewID(started time.Time, jobs []Job) string {
	name := "run"
	switch {
	case len(jobs) == 1:
		name = jobs[0].Workload
	case len(jobs) > 1:
		name = "suite"
	}
	return fmt.Sprintf("%s-%s-%s", started.Format("20060102-150405"), name, random())
}

func random() string {
	var b [2]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Create makes the folder root/<run id>.assayrun and its files. If another run has that name the ID gets a new end. The
// bundle is never nil: where the folder cannot be written it keeps the run in memory, and its methods return the same
// error.
func Create(root string, meta Meta, all []workloads.Workload) (*Bundle, error) {
	meta.Schema, meta.State = Schema, Running
	if meta.Go == "" {
		meta.Go = runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	}
	if meta.ID == "" {
		meta.ID = NewID(meta.Started, meta.Jobs)
	}
	meta.Axes = axes(meta.Jobs, all)
	b := &Bundle{run: Run{Meta: meta}}
	b.samples, b.monitor, b.events = &log{}, &log{}, &log{}
	b.err = b.open(root)
	b.cols = columns(&b.run.Meta)
	if b.err == nil {
		b.err = b.start()
	}
	b.flusher = newFlusher(b.monitor, b.events)
	return b, b.err
}

func axes(jobs []Job, all []workloads.Workload) map[string][]string {
	out := map[string][]string{}
	for _, job := range jobs {
		w, err := workloads.Find(all, job.Workload)
		if err != nil {
			continue // its results then have no settings to write
		}
		var names []string
		for _, a := range w.Axes {
			names = append(names, a.Name)
		}
		out[job.Workload] = names
	}
	return out
}

// open makes the run's own folder.
func (b *Bundle) open(root string) error {
	if id := b.run.Meta.ID; !plainName(id) {
		return fmt.Errorf("run ID %q is no name for a folder", id)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return &FolderError{root, err}
	}
	id := b.run.Meta.ID
	for range 100 {
		dir := filepath.Join(root, b.run.Meta.ID+Extension)
		err = os.Mkdir(dir, 0o755)
		if err == nil {
			b.run.Dir = dir
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		b.run.Meta.ID = id + "-" + random()
	}
	return &FolderError{root, err}
}

// plainName reports whether an ID can be a folder's name, and nothing else.
func plainName(id string) bool {
	return id == filepath.Base(id) && !strings.HasPrefix(id, ".") && !strings.Contains(id, `\`) && id == Plain(id)
}

// start writes the files' first state, run.json first: a folder that has it can be loaded.
func (b *Bundle) start() error {
	err := b.writeMeta()
	create := func(l **log, name string, header []byte) {
		if err == nil {
			*l, err = createLog(filepath.Join(b.run.Dir, name), header)
		}
	}
	create(&b.samples, samplesFile, csvLine(cells(sampleColumns())...))
	create(&b.monitor, monitorFile, csvLine(cells(monitorColumns())...))
	create(&b.events, eventsFile, nil)
	if err != nil {
		return err
	}
	hold(b.events.file)
	return b.writeResults()
}

func sampleColumns() []string {
	return []string{"run_id", "workload", "case", "variant", "index", "time_s"}
}

func cells(names []string) []cell {
	out := make([]cell, len(names))
	for i, n := range names {
		out[i] = n
	}
	return out
}

// Dir is the bundle's folder; empty if it could not be made.
func (b *Bundle) Dir() string { return b.run.Dir }

// Run is a copy of what has been written, or would have been.
func (b *Bundle) Run() *Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.run
	r.Results, r.Findings = slices.Clone(r.Results), slices.Clone(r.Findings)
	r.Events, r.Snapshots = slices.Clone(r.Events), slices.Clone(r.Snapshots)
	return &r
}

// Timed notes that a timed region begins or has ended: until then nothing is written through to the disk. Results end one.
func (b *Bundle) Timed(on bool) { b.flusher.setTimed(on) }

// Results adds the results of a case: all its variants in one call, so that none is ever on disk without the others.
func (b *Bundle) Results(rs ...workloads.Result) error { return b.ResultsAt(time.Now(), rs...) }

// ResultsAt is Results of a case that was over at that time.
func (b *Bundle) ResultsAt(over time.Time, rs ...workloads.Result) error {
	b.Timed(false)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run.Results = append(b.run.Results, rs...)
	undeclared := b.undeclared(rs)
	noted := b.noteCase(over, rs)
	if b.err != nil {
		return b.err
	}
	var lines []byte
	for _, r := range rs {
		for i, s := range r.Samples {
			lines = append(lines, flatLine(b.run.Meta.ID, r.Workload, r.Case, r.Variant, i, s)...)
		}
	}
	return errors.Join(undeclared, noted, b.samples.append(lines, true), b.writeResults())
}

// caseKind is the event of a case that is over; a result tells when its case began.
const caseKind = "case"

// noteCase notes when the case of these results was over.
func (b *Bundle) noteCase(over time.Time, rs []workloads.Result) error {
	if len(rs) == 0 {
		return nil
	}
	return b.event(Event{
		Time: over, Kind: caseKind, Title: "Case measured", Workload: rs[0].Workload, Case: rs[0].Case,
	})
}

// undeclared names a setting that results.csv has no column for.
func (b *Bundle) undeclared(rs []workloads.Result) error {
	for _, r := range rs {
		for _, s := range r.Settings {
			if !slices.Contains(b.run.Meta.Axes[r.Workload], s.Name) {
				return fmt.Errorf("%s has no column for setting %q: workload %s does not list it as an axis",
					resultsFile, s.Name, r.Workload)
			}
		}
	}
	return nil
}

// Finding writes a finding down and marks the result that it points at.
func (b *Bundle) Finding(f workloads.Finding) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run.Findings = append(b.run.Findings, f)
	marked := f.Mark(b.run.Results)
	err := b.event(Event{
		Time: time.Now(), Kind: findingKind, Title: f.Kind, Text: f.Text, Workload: f.Workload, Case: f.Case,
		Variant: f.Variant,
	})
	if marked && b.err == nil {
		err = errors.Join(err, b.writeResults())
	}
	return err
}

const findingKind = "finding"

// Snapshot adds a row per reading to monitor.csv.
func (b *Bundle) Snapshot(s monitor.Snapshot) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return nil
	}
	b.thinner.Add(s, maxSnapshots)
	b.run.Snapshots = b.thinner.Kept
	if b.err != nil {
		return b.err
	}
	return errors.Join(b.monitor.append(snapshotLines(&s), false), b.flusher.request(syncEvery))
}

// maxSnapshots bounds what a long run keeps in memory: about two hours at one a second, then every second one.
// monitor.csv has all.
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
	b.run.Events = append(b.run.Events, e)
	if b.err != nil {
		return b.err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("%s: %w", eventsFile, err)
	}
	within := time.Duration(0)
	if e.Kind == caseKind { // which the results that follow tell as well
		within = syncEvery
	}
	return errors.Join(b.events.append(append(line, '\n'), false), b.flusher.request(within))
}

// Finish writes how the run ended and everything that is still to be written, and closes the files.
func (b *Bundle) Finish(state State, cause error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	b.run.Meta.State, b.run.Meta.Finished = state, time.Now()
	if cause != nil {
		b.run.Meta.Error = cause.Error()
	}
	if b.err != nil {
		return b.err
	}
	logs := errors.Join(b.flusher.close(), b.samples.close(), b.monitor.close(), b.events.close())
	b.run.Meta.Written = &Written{len(b.run.Results), map[string]int64{
		samplesFile: b.samples.size, monitorFile: b.monitor.size, eventsFile: b.events.size,
	}}
	return errors.Join(logs, b.writeResults(), b.writeMeta())
}

func (b *Bundle) writeMeta() error {
	data, err := json.MarshalIndent(&b.run.Meta, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", runFile, err)
	}
	return replaceFile(filepath.Join(b.run.Dir, runFile), append(data, '\n'))
}

func (b *Bundle) writeResults() error {
	var buf bytes.Buffer
	writeRows(&buf, &b.run.Meta, b.cols, b.run.Results)
	return replaceFile(filepath.Join(b.run.Dir, resultsFile), buf.Bytes())
}

func writeRows(buf *bytes.Buffer, meta *Meta, cols []column, results []workloads.Result) {
	line := make([]cell, len(cols))
	for i, c := range cols {
		line[i] = c.name
	}
	buf.Write(csvLine(line...))
	for i := range results {
		x := row{&results[i], meta}
		for j, c := range cols {
			line[j] = c.get(&x)
		}
		buf.Write(csvLine(line...))
	}
}
