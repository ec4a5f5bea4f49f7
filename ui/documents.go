package ui

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/native"
	"assay/ui/view"
	"assay/workloads"
)

// chooseDocument asks for a document and opens it.
func (d *window) chooseDocument() {
	if d.Modal() {
		return
	}
	q := native.Question{Title: "Open weights or a run", Folder: d.Session.RunsDir(), Types: []string{desk.WeightsType, desk.RunType}, Inside: desk.RunFile}
	d.Files.Open(q, func(path string, err error) {
		if err != nil {
			d.Fail("Cannot open", err)
			return
		}
		d.openDocuments([]string{path})
	})
}

// dropped opens the files that were dragged onto the window.
func (d *window) dropped(files []fyne.URI) {
	var paths []string
	for _, f := range files {
		if f.Scheme() == "file" {
			paths = append(paths, f.Path())
		}
	}
	if !d.Modal() && !d.quitting {
		d.openDocuments(paths)
	}
}

// openDocuments opens one document after another, and says what is wrong with those that cannot be opened.
func (d *window) openDocuments(paths []string) {
	for _, path := range paths {
		if err := d.openDocument(path); err != nil {
			d.Fail("Cannot open", err)
		}
	}
}

func (d *window) openDocument(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	path = documentOf(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case d.Model.Busy() != nil:
		return fmt.Errorf("%s: %w", filepath.Base(path), app.ErrBusy)
	case info.IsDir():
		return d.openRun(path)
	case native.HasType(path, desk.WeightsType):
		return d.openWeights(path)
	}
	return fmt.Errorf("%s is neither weights (.%s) nor a run (.%s)", path, desk.WeightsType, desk.RunType)
}

// documentOf is what a file stands for: a run's own file for the run.
func documentOf(path string) string {
	if filepath.Base(path) == desk.RunFile {
		return filepath.Dir(path)
	}
	return path
}

// openWeights makes a file the weights that the quantization workload measures.
func (d *window) openWeights(path string) error {
	at := slices.IndexFunc(d.Model.Workloads, func(w workloads.Workload) bool { return w.Name == desk.WeightsWorkload })
	if at < 0 {
		return fmt.Errorf("%s: this version has no %s workload to measure weights with", path, desk.WeightsWorkload)
	}
	v := maps.Clone(d.Model.Drafts[desk.WeightsWorkload].Values)
	if v == nil {
		v = d.Model.Workloads[at].Defaults(d.Model.Quick)
	}
	v[desk.WeightsFile], v[desk.WeightsSource] = path, "file"
	d.Model.Proposed = &desk.Proposal{Workload: desk.WeightsWorkload, Values: v}
	d.showNamed(desk.PageRun)
	d.Choose(at)
	return nil
}

// openRun shows the results of a run that was kept, as if it had just ended.
func (d *window) openRun(dir string) error {
	run, err := app.Load(dir)
	if err != nil {
		return err
	}
	at, err := d.Model.Open(run)
	if err != nil {
		return err
	}
	d.ShowRun(run)
	d.showNamed(desk.PageResults)
	d.Choose(at)
	d.update(desk.ChangedAll)
	if len(run.Notes) > 0 {
		d.Say(fmt.Sprintf("Opened %s, which is not whole: %s.", view.Homely(dir), strings.Join(run.Notes, ", ")))
	}
	return nil
}

// IsDocument reports whether a name is one of the documents that the window opens: weights or a run.
func IsDocument(path string) bool { return desk.IsDocument(path) }
