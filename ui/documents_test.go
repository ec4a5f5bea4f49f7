package ui

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// openNow opens documents and waits until done; the error is what the window shows.
func (d *window) openNow(paths ...string) error {
	d.Dismiss()
	d.openDocuments(paths)
	d.Settle()
	if d.Model.Wrong {
		return errors.New(d.Model.Notice)
	}
	return nil
}

func TestWeightsAreOpened(t *testing.T) {
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	path := filepath.Join(t.TempDir(), "Model.SafeTensors")
	header := `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	weights := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+"\x00\x00\x80\x3f"...)
	if err := os.WriteFile(path, weights, 0o600); err != nil {
		t.Fatal(err)
	}
	d.showNamed("alerts")
	err := d.openNow(filepath.Dir(path))
	d.Settle()
	if err != nil || d.Model.Weights.File == nil || d.Model.Weights.File.Name != filepath.Dir(path) {
		t.Fatalf("a folder with a model: %v, %+v", err, d.Model.Weights)
	}
	if err := d.openNow(path); err != nil {
		t.Fatal(err)
	}
	d.Settle()
	if f := d.Model.Weights.File; d.Modal() || d.pages[d.at].Name != desk.PageWeights || f == nil || f.Name != path || len(f.Tensors) != 1 {
		t.Fatalf("page %d, model %+v, a dialog %v", d.at, f, d.Modal())
	}
	d.MeasureTensor(path, "a")
	if w := d.Model.Workload(); d.at != 0 || w.Name != "quantization" {
		t.Fatalf("page %d, workload %s", d.at, w.Name)
	}
	v := d.Model.Drafts["quantization"].Values
	if why := d.Model.Problem(); why != "" || v["file"] != path || v["weights"] != "file" || v["tensor"] != "a" {
		t.Errorf("the form holds %v, %s", v, why)
	}
}

func TestWhatCannotBeOpenedIsTold(t *testing.T) {
	dir := t.TempDir()
	plain, weights := filepath.Join(dir, "notes.txt"), filepath.Join(dir, "a.safetensors")
	for _, path := range []string{plain, weights} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, state, want string }{
		{plain, "", "is neither weights (.safetensors, .gguf) nor a run (.assayrun)"},
		{t.TempDir(), "", "not a run of Assay"},
		{dir, "", "a.safetensors: not a valid .safetensors file"},
		{filepath.Join(dir, "gone.assayrun"), "", "no such file"},
		{weights, "running", app.ErrBusy.Error()},
		{weights, "", "not a file of weights: open another"},
	} {
		d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
		if c.state != "" {
			uitest.Play(d.Desk, c.state)
		}
		_ = d.openNow(c.path) // is what the notice says
		if d.Modal() || !d.Model.Wrong || !strings.Contains(d.Model.Notice, c.want) || !uitest.Says(d.content(), d.Model.Notice) {
			t.Errorf("%s: told %q", c.path, d.Model.Notice)
		}
		if file := d.Model.Drafts["quantization"].Values["file"]; file != "" {
			t.Errorf("%s: the form has it anyway", file)
		}
	}
}

func TestRunIsOpened(t *testing.T) {
	run := uitest.KeptRun(t)
	if !app.IsDocument(run.Dir) {
		t.Errorf("the run's folder %s is not a document", run.Dir)
	}
	for _, path := range []string{run.Dir, filepath.Join(run.Dir, "run.json")} {
		d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
		if err := d.openNow(path); err != nil {
			t.Fatal(err)
		}
		if w, o := d.Model.Workload(), d.Model.Outcome(); w.Name != "quantization" || o.Phase != desk.Finished {
			t.Errorf("shows %s, phase %d", w.Name, o.Phase)
		}
		if n := fmt.Sprintf("%d rows", len(run.Results)); !uitest.Says(d.content(), n) {
			t.Errorf("the Results page does not say %q", n)
		}
		d.showNamed(desk.PageRun)
		shown := 0
		for _, name := range []string{"quantization", "batching"} {
			chooseNamed(t, d, name)
			o := d.Model.Outcome()
			shown += len(o.Results)
			if len(o.Results) == 0 || slices.ContainsFunc(o.Results, func(r workloads.Result) bool { return r.Workload != name }) {
				t.Errorf("%s has %d results, not all its own", name, len(o.Results))
			}
			if !uitest.Says(d.content(), "Finished after") || uitest.Button(t, d.content(), fmt.Sprintf("All Results (%d)", len(o.Results))).Disabled() {
				t.Errorf("%s: its results are not on show", name)
			}
		}
		if shown != len(run.Results) {
			t.Errorf("shows %d results, the run has %d", shown, len(run.Results))
		}
	}
}

func TestOpenAsksForADocument(t *testing.T) {
	run := uitest.KeptRun(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	c := &uitest.Chooser{}
	d.AskBy(c)
	d.Library = app.NewLibrary(filepath.Dir(run.Dir))
	open := itemNamed(d.menu, "File", "Open…").Action
	open() // the user cancels
	if len(c.Asked) != 1 || !slices.Equal(c.Last().Types, []string{"safetensors", "gguf", "assayrun"}) || c.Last().Folder != filepath.Dir(run.Dir) {
		t.Fatalf("asked %+v, want weights or a run, from the folder of runs on", c.Asked)
	}
	if d.Model.Workload().Name != "batching" || d.Settings.Store.String("open.folder") != "" || d.Modal() {
		t.Error("canceling did something")
	}
	c.Path = filepath.Join(run.Dir, "run.json")
	open()
	d.Settle()
	if d.Model.Workload().Name != "quantization" || d.Settings.Store.String("open.folder") != filepath.Dir(run.Dir) {
		t.Errorf("shows %s, remembers %s", d.Model.Workload().Name, d.Settings.Store.String("open.folder"))
	}
	c.Path, c.Err = "", os.ErrPermission
	open()
	if !d.Model.Wrong || !uitest.Says(d.content(), "Cannot open: permission denied") {
		t.Errorf("of an error of the panel it tells %q", d.Model.Notice)
	}
}

func TestRunThatWasCutOffIsOpened(t *testing.T) {
	run := uitest.KeptRun(t)
	if err := os.Remove(filepath.Join(run.Dir, "samples.csv")); err != nil {
		t.Fatal(err)
	}
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	if err := d.openNow(run.Dir); err != nil {
		t.Fatal(err)
	}
	if !uitest.Says(d.content(), "incomplete: samples.csv is missing") {
		t.Errorf("told %q", d.Model.Notice)
	}
}

func TestFilesAreDropped(t *testing.T) {
	run := uitest.KeptRun(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	for _, path := range []string{run.Dir, filepath.Join(run.Dir, "run.json")} {
		d.Choose(0)
		d.dropped([]fyne.URI{storage.NewFileURI(path)})
		d.Settle()
		if w := d.Model.Workload(); w.Name != "quantization" || len(d.Model.Outcome().Results) == 0 {
			t.Errorf("%s: shows %s: %s", path, w.Name, d.Model.Notice)
		}
	}
	d.dropped([]fyne.URI{storage.NewFileURI(filepath.Join(t.TempDir(), "gone.safetensors"))})
	d.Settle()
	if !d.Model.Wrong || !strings.Contains(d.Model.Notice, "gone.safetensors") {
		t.Errorf("of a file that is gone it tells %q", d.Model.Notice)
	}
}

// TestOfSeveralDocumentsAllErrorsAreTold opens two that cannot be opened around one that can.
func TestOfSeveralDocumentsAllErrorsAreTold(t *testing.T) {
	run := uitest.KeptRun(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	gone := filepath.Join(t.TempDir(), "gone.safetensors")
	plain := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := d.openNow(gone, plain, run.Dir)
	if err == nil || !strings.Contains(err.Error(), "gone.safetensors") || !strings.Contains(err.Error(), "notes.txt is neither") {
		t.Errorf("told %v", err)
	}
	if w := d.Model.Workload(); w.Name != "quantization" || d.pages[d.at].Name != desk.PageResults {
		t.Errorf("the document that can be opened is not: %s on %s", w.Name, d.pages[d.at].Name)
	}
}

// TestDocumentsComeAtTheWrongMoment hands documents to the window while a question is open, and while it closes.
func TestDocumentsComeAtTheWrongMoment(t *testing.T) {
	uitest.Alone(t)
	run := uitest.KeptRun(t)
	d, _ := newTestWindow(t, kit.AlwaysDark, 1280, 800)
	d.Ask("Really?", "Delete", func() {})
	d.handed([]string{run.Dir})
	d.Settle()
	if !d.Model.Wrong || !strings.Contains(d.Model.Notice, filepath.Base(run.Dir)) || d.Model.Workload().Name == "quantization" {
		t.Errorf("below a question: shows %s, tells %q", d.Model.Workload().Name, d.Model.Notice)
	}
	d.Window.Canvas().Overlays().Top().Hide()
	d.quitting = true
	d.Model.Notice = ""
	d.handed([]string{run.Dir})
	d.Settle()
	if d.Model.Notice != "" || d.Model.Workload().Name == "quantization" {
		t.Errorf("while it closes: shows %s, tells %q", d.Model.Workload().Name, d.Model.Notice)
	}
}
