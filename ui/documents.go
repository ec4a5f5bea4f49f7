package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/app/bundle"
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
	q := native.Question{Title: "Open weights or a run", Folder: d.Library.Dir(), Types: append(desk.WeightsTypes(), desk.RunType), Inside: desk.RunFile}
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
	d.handed(paths)
}

// handed opens documents that came from outside the window, at any time.
func (d *window) handed(paths []string) {
	switch {
	case d.quitting || len(paths) == 0:
	case d.Modal():
		d.Fail("Not opened", fmt.Errorf("%s: close the open dialog first, then try again", baseNames(paths)))
	default:
		d.openDocuments(paths)
	}
}

// document is a document that was read.
type document struct {
	path string
	run  *bundle.Run // nil: not a run
	err  error       // why it cannot be opened
}

// openDocuments reads documents in the background, opens them one after another, and says what is wrong with those that cannot be
// opened.
func (d *window) openDocuments(paths []string) {
	if len(paths) == 0 {
		return
	}
	if d.Model.Busy() != nil { // reading would disturb the measurement
		d.Fail("Cannot open "+baseNames(paths), app.ErrBusy)
		return
	}
	done := d.Await("Reading " + baseNames(paths) + ".")
	d.Background(func() func() {
		read := make([]document, len(paths))
		for i, path := range paths {
			read[i] = readDocument(path)
		}
		return func() {
			done()
			d.showDocuments(read)
		}
	})
}

// baseNames names documents without their folders.
func baseNames(paths []string) string {
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, ", ")
}

// readDocument reads a document, or says why it cannot be opened.
func readDocument(path string) document {
	path, err := filepath.Abs(path)
	if err != nil {
		return document{path: path, err: err}
	}
	path = documentOf(path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		err = fmt.Errorf("%s: %w", view.Homely(path), errors.Unwrap(err)) // without the name of the system call
		return document{path: path, err: err}
	case info.IsDir() && !holdsWeights(path):
		run, err := bundle.Load(path)
		return document{path, run, err}
	case !info.IsDir() && !native.HasType(path, desk.WeightsTypes()...):
		err = fmt.Errorf("%s is neither weights (.%s) nor a run (.%s)", path, strings.Join(desk.WeightsTypes(), ", ."), desk.RunType)
	default:
		if err = workloads.CheckWeights(path); err != nil {
			err = fmt.Errorf("%w. The file is damaged or not a file of weights: open another, or download or export it again", err)
		}
	}
	return document{path: path, err: err}
}

// holdsWeights reports whether a folder that is not a run contains weight files.
func holdsWeights(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && !bundle.IsBundle(folder) &&
		slices.ContainsFunc(entries, func(e os.DirEntry) bool { return native.HasType(e.Name(), desk.WeightsTypes()...) })
}

// showDocuments shows the documents, and reports all errors and incomplete ones in one notice.
func (d *window) showDocuments(read []document) {
	var wrong, notes, weights []string
	for _, r := range read {
		note, err := d.showDocument(r)
		if err == nil && r.run == nil {
			weights = append(weights, r.path)
		}
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	if len(weights) > 0 { // together they are one model
		d.OpenWeights(weights...)
		d.showNamed(desk.PageWeights)
	}
	switch {
	case len(wrong) > 0:
		d.Fail("Cannot open", errors.New(strings.Join(append(wrong, notes...), "; ")))
	case len(notes) > 0:
		d.Say(strings.Join(notes, "; ") + ".")
	}
}

// showDocument shows one document, unless it is weights, and says what is missing from it.
func (d *window) showDocument(r document) (note string, err error) {
	switch {
	case r.err != nil:
		return "", r.err
	case d.Model.Busy() != nil: // a run began in the meantime
		return "", fmt.Errorf("%s: %w", filepath.Base(r.path), app.ErrBusy)
	case r.run != nil:
		return d.showRun(r.run)
	}
	return "", nil
}

// documentOf returns the document of a file: for a file in a run's folder, the run.
func documentOf(path string) string {
	if filepath.Base(path) == desk.RunFile {
		return filepath.Dir(path)
	}
	return path
}

// showRun shows the results of a saved run as if it had just ended, and says what is missing from it.
func (d *window) showRun(run *bundle.Run) (note string, err error) {
	if run.Meta.Watch != nil {
		d.ListOpened(run.Dir)
		d.OpenRun(run)
	} else {
		at, err := d.Model.Open(run)
		if err != nil {
			return "", err
		}
		d.ListOpened(run.Dir)
		d.ShowRun(run)
		d.showNamed(desk.PageResults)
		d.Choose(at)
	}
	d.update(desk.ChangedAll)
	if len(run.Notes) > 0 {
		note = fmt.Sprintf("Opened %s, which is incomplete: %s", view.Homely(run.Dir), strings.Join(run.Notes, ", "))
	}
	return note, nil
}
