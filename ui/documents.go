package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/app"
	"assay/workloads"
)

// Types of the documents that Assay opens, as names end.
const (
	weightsType = "safetensors"
	runType     = app.BundleType
)

// runFile tells a run bundle from other folders, and stands for it where folders cannot be chosen.
const runFile = "run.json"

// Workload and parameters that a file of weights is for.
const (
	weightsWorkload = "quantization"
	weightsSource   = "weights" // its value "file" measures the file's only
	weightsFile     = "file"
)

// IsDocument reports whether a name is one of the documents that the window opens: weights or a run.
func IsDocument(path string) bool { return hasType(filepath.Clean(path), weightsType, runType) }

// inbox keeps the documents that the system asks the app to open until there is a window for them.
type inbox struct {
	mu      sync.Mutex
	waiting []string
	open    func([]string)
}

// put takes documents.
func (i *inbox) put(paths []string) {
	i.mu.Lock()
	open := i.open
	if open == nil {
		i.waiting = append(i.waiting, paths...)
	}
	i.mu.Unlock()
	if open != nil {
		open(paths)
	}
}

// connect has what waits, and what comes from now on, opened.
func (i *inbox) connect(open func([]string)) {
	i.mu.Lock()
	waiting := i.waiting
	i.open, i.waiting = open, nil
	i.mu.Unlock()
	if len(waiting) > 0 {
		open(waiting)
	}
}

// chooseDocument asks for a document and opens it.
func (d *desk) chooseDocument() {
	if d.modal() {
		return
	}
	q := question{title: "Open weights or a run", folder: d.session.RunsDir(), types: []string{weightsType, runType}}
	d.files.open(q, func(path string, err error) {
		if err != nil {
			d.fail("Open", err)
			return
		}
		d.openDocuments([]string{path})
	})
}

// openDocuments opens one document after another, and says what is wrong with those that cannot be opened.
func (d *desk) openDocuments(paths []string) {
	for _, path := range paths {
		if err := d.openDocument(path); err != nil {
			d.fail("Open", err)
		}
	}
}

func (d *desk) openDocument(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	path = documentOf(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case d.model.busy() != nil:
		return fmt.Errorf("%s: %w", filepath.Base(path), app.ErrBusy)
	case info.IsDir():
		return d.openRun(path)
	case hasType(path, weightsType):
		return d.openWeights(path)
	}
	return fmt.Errorf("%s is neither weights (.%s) nor a run (.%s)", path, weightsType, runType)
}

// documentOf is what a file stands for: a run's own file for the run.
func documentOf(path string) string {
	if filepath.Base(path) == runFile {
		return filepath.Dir(path)
	}
	return path
}

// openWeights makes a file the weights that the quantization workload measures.
func (d *desk) openWeights(path string) error {
	at := slices.IndexFunc(d.model.workloads, func(w workloads.Workload) bool { return w.Name == weightsWorkload })
	if at < 0 {
		return fmt.Errorf("%s: this version has no %s workload to measure weights with", path, weightsWorkload)
	}
	d.showPage(0)
	d.choose(at)
	d.run.showSegment(0)
	f := d.run.form()
	v := f.raw()
	v[weightsFile], v[weightsSource] = path, "file"
	f.set(v, d.settings.quick())
	return nil
}

// openRun shows the results of a run that was kept, as if it had just ended.
func (d *desk) openRun(dir string) error {
	run, err := app.Load(dir)
	if err != nil {
		return err
	}
	at, err := d.model.open(run)
	if err != nil {
		return err
	}
	d.showPage(0)
	d.choose(at)
	d.run.showSegment(1)
	d.update(changedAll)
	if len(run.Notes) > 0 {
		d.run.head.say(fmt.Sprintf("Opened %s, which is not whole: %s.", homely(dir), strings.Join(run.Notes, ", ")))
	}
	return nil
}

// open takes in a run that was kept: each of its workloads gets its own results. It returns the first workload's place.
func (m *model) open(run *app.Run) (first int, err error) {
	first = -1
	for _, job := range run.Meta.Jobs {
		at := slices.IndexFunc(m.workloads, func(w workloads.Workload) bool { return w.Name == job.Workload })
		if at < 0 {
			continue
		}
		if first < 0 {
			first = at
		}
		m.outcomes[job.Workload] = kept(run, job.Workload)
		delete(m.refused, job.Workload)
	}
	if first < 0 {
		return 0, fmt.Errorf("the run %s is of no workload that this version has", run.Meta.ID)
	}
	return first, nil
}

// kept is the outcome of one workload of a run from the disk.
func kept(run *app.Run, workload string) *outcome {
	part := *run
	part.Results = slices.DeleteFunc(slices.Clone(run.Results), func(r workloads.Result) bool { return r.Workload != workload })
	part.Findings = slices.DeleteFunc(slices.Clone(run.Findings), func(f workloads.Finding) bool { return f.Workload != workload })
	o := &outcome{}
	o.end(app.EndUpdate{Run: &part})
	o.progress.Fraction = 1
	if run.Meta.Finished.IsZero() {
		o.phase, o.failure, o.ended = failed, "it was cut off, or goes on in another process", time.Time{}
	}
	return o
}
