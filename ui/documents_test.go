package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
)

func TestWeightsAreOpened(t *testing.T) {
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	path := filepath.Join(t.TempDir(), "Model.SafeTensors")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.run.showSegment(1)
	d.showPage(1)
	d.openDocuments([]string{path})
	if d.modal() || d.at != 0 || d.run.showing != "quantization" || d.run.segments.at != 0 {
		t.Fatalf("page %d, workload %s, segment %d, a dialog %v", d.at, d.run.showing, d.run.segments.at, d.modal())
	}
	v, err := d.run.form().values()
	if err != nil || v["file"] != path || v["weights"] != "file" {
		t.Errorf("the form holds %v, %v", v, err)
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
		{plain, "", "is neither weights (.safetensors) nor a run (.assayrun)"},
		{dir, "", "not a run of Assay"},
		{filepath.Join(dir, "gone.assayrun"), "", "no such file"},
		{weights, "running", app.ErrBusy.Error()},
	} {
		d, _ := newTestDesk(t, alwaysDark, 1280, 800)
		if c.state != "" {
			play(d, c.state)
		}
		if err := d.openDocument(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.path, err, c.want)
		}
		d.openDocuments([]string{c.path})
		if !d.modal() {
			t.Errorf("%s: nothing is told", c.path)
		}
	}
}

// keptRun is a run of two workloads on the disk.
func keptRun(t *testing.T) *app.Run {
	t.Helper()
	s, err := app.New(app.Config{
		Version: "test", RunsDir: t.TempDir(), Workloads: workloads.All(),
		Engines: []app.Engine{{
			Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	jobs := []app.Job{
		{Workload: "quantization", Params: map[string]any{"weights": "normal", "rows": 32, "cols": 64, "formats": "f16"}},
		{Workload: "batching", Params: map[string]any{"sweep": "matmul", "min_size": 4, "max_size": 4}},
	}
	for i, j := range jobs {
		w, err := workloads.Find(workloads.All(), j.Workload)
		if err != nil {
			t.Fatal(err)
		}
		v := w.Defaults(true)
		for name, value := range j.Params {
			v[name] = value
		}
		jobs[i].Params = v
	}
	run, err := s.Run(t.Context(), app.Request{Jobs: jobs, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestRunIsOpened(t *testing.T) {
	run := keptRun(t)
	if !IsDocument(run.Dir) {
		t.Errorf("the run's folder %s is no document", run.Dir)
	}
	for _, path := range []string{run.Dir, filepath.Join(run.Dir, "run.json")} {
		d, _ := newTestDesk(t, alwaysDark, 1280, 800)
		if err := d.openDocument(path); err != nil {
			t.Fatal(err)
		}
		if d.run.showing != "quantization" || d.run.segments.at != 1 || d.model.outcome().phase != finished {
			t.Errorf("shows %s, segment %d, phase %d", d.run.showing, d.run.segments.at, d.model.outcome().phase)
		}
		shown := 0
		for _, name := range []string{"quantization", "batching"} {
			chooseNamed(t, d, name)
			o := d.model.outcome()
			shown += len(o.results)
			if len(o.results) == 0 || slices.ContainsFunc(o.results, func(r workloads.Result) bool { return r.Workload != name }) {
				t.Errorf("%s has %d results, not all its own", name, len(o.results))
			}
			if len(d.run.results.table.rows) != len(o.results) {
				t.Errorf("%s: the table has %d rows of %d", name, len(d.run.results.table.rows), len(o.results))
			}
		}
		if shown != len(run.Results) {
			t.Errorf("shows %d results, the run has %d", shown, len(run.Results))
		}
	}
}

func TestOpenAsksForADocument(t *testing.T) {
	run := keptRun(t)
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	c := withChooser(d)
	d.session.(*fakeSession).runs = filepath.Dir(run.Dir)
	open := itemNamed(d.menu, "File", "Open…").Action
	open() // the user cancels
	if len(c.asked) != 1 || !slices.Equal(last(c).types, []string{"safetensors", "assayrun"}) || last(c).folder != filepath.Dir(run.Dir) {
		t.Fatalf("asked %+v, want weights or a run, from the folder of runs on", c.asked)
	}
	if d.run.showing != "batching" || d.settings.openFolder() != "" || d.modal() {
		t.Error("cancelling did something")
	}
	c.path = filepath.Join(run.Dir, "run.json")
	open()
	if d.run.showing != "quantization" || d.settings.openFolder() != filepath.Dir(run.Dir) {
		t.Errorf("shows %s, remembers %s", d.run.showing, d.settings.openFolder())
	}
	c.path, c.err = "", os.ErrPermission
	open()
	if !d.modal() {
		t.Error("an error of the panel is not told")
	}
}

func TestRunThatWasCutOffIsOpened(t *testing.T) {
	run := keptRun(t)
	if err := os.Remove(filepath.Join(run.Dir, "samples.csv")); err != nil {
		t.Fatal(err)
	}
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	if err := d.openDocument(run.Dir); err != nil {
		t.Fatal(err)
	}
	if got := d.run.head.status.content; !strings.Contains(got, "not whole: samples.csv is missing") {
		t.Errorf("told %q", got)
	}
	run.Meta.Finished = time.Time{}
	o := kept(run, "batching")
	if o.phase != failed || !strings.Contains(o.failure, "cut off") {
		t.Errorf("a run without an end: phase %d, %q", o.phase, o.failure)
	}
	run.Meta.Jobs = []app.Job{{Workload: "gone"}}
	if _, err := d.model.open(run); err == nil || !strings.Contains(err.Error(), "no workload that this version has") {
		t.Errorf("a run of unknown workloads: %v", err)
	}
}

func TestInboxKeepsWhatComesEarly(t *testing.T) {
	var opened []string
	i := &inbox{}
	i.put([]string{"a"})
	i.put([]string{"b", "c"})
	i.connect(func(paths []string) { opened = append(opened, paths...) })
	i.put([]string{"d"})
	if !slices.Equal(opened, []string{"a", "b", "c", "d"}) {
		t.Errorf("opened %v", opened)
	}
}

func TestIsDocument(t *testing.T) {
	for name, want := range map[string]bool{
		"a.safetensors": true, "./B.SAFETENSORS": true, "runs/x.assayrun": true, "runs/x.assayrun/": true,
		"run": false, "--help": false, "a.csv": false, "safetensors": false, "": false,
	} {
		if IsDocument(name) != want {
			t.Errorf("IsDocument(%q) is %v", name, !want)
		}
	}
}

// TestDocumentTypes holds the types against what else in the house names them.
func TestDocumentTypes(t *testing.T) {
	if app.BundleExtension != "."+runType {
		t.Errorf("runs end in %s, the window opens .%s", app.BundleExtension, runType)
	}
	w, err := workloads.Find(workloads.All(), weightsWorkload)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{weightsFile: "a.safetensors", weightsSource: "file"} {
		i := slices.IndexFunc(w.Params, func(p workloads.Param) bool { return p.Name == name })
		if i < 0 || w.Params[i].Check(value) != nil {
			t.Errorf("%s does not take %s=%v", w.Name, name, value)
		}
	}
}
