package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/suite"
)

var libraryStart = time.Date(2026, 11, 20, 21, 45, 1, 0, time.UTC)

// written is a run with one result of each status, hours after libraryStart.
func written(t testing.TB, root, name string, hours int, finish bool) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Create(root, bundle.Meta{
		ID: name, Version: "1.2", Started: libraryStart.Add(time.Duration(hours) * time.Hour),
		Engine: gpu.Info{Engine: "cpu", Device: "Test Device"}, Jobs: []bundle.Job{{Workload: "batching", Params: workloads.Values{}}},
	}, suite.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []workloads.Status{workloads.OK, workloads.OK, workloads.Failed, workloads.Errored, workloads.Unsupported} {
		r := workloads.Result{Workload: "batching", Case: "c" + string(status), Variant: "f32", Status: status}
		if err := b.Results(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []bundle.Event{{Kind: bundle.LeakFound, ID: "1", Title: "a"}, {Kind: bundle.LeakFound, ID: "2", Title: "a"}, {Kind: bundle.LeakWithdrawn, ID: "1", Title: "a"}} {
		if err := b.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if finish {
		if err := b.Finish(bundle.Finished, nil); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func list(t *testing.T, l *Library) []bundle.Summary {
	t.Helper()
	runs, err := l.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func TestLibrarySaysWhyARunFailed(t *testing.T) {
	root := t.TempDir()
	why := errors.New("fusion: device lost\nat x.go:1")
	if err := written(t, root, "broken", 0, false).Finish(bundle.Failed, why); err != nil {
		t.Fatal(err)
	}
	if s := list(t, NewLibrary(root))[0]; s.Failure != "fusion: device lost" || s.State != bundle.Failed || s.Problem != "" {
		t.Errorf("state %s, failure %q, problem %q", s.State, s.Failure, s.Problem)
	}
}

func TestLibraryLists(t *testing.T) {
	root := t.TempDir()
	l := NewLibrary(root)
	written(t, root, "old", 0, true)
	going := written(t, root, "going", 2, false)
	written(t, root, "new", 1, true)
	runs := list(t, l)
	if len(runs) != 3 || runs[0].ID != "going" || runs[1].ID != "new" || runs[2].ID != "old" {
		t.Fatalf("runs %+v", runs)
	}
	s := runs[1]
	if s.Results != 5 || s.Verified != 2 || s.Failed != 1 || s.Errors != 1 || s.Unsupported != 1 || s.Leaks != 1 || s.Problem != "" {
		t.Errorf("counts %+v", s)
	}
	if s.State != bundle.Finished || s.Engine != "cpu" || s.Device != "Test Device" || strings.Join(s.Workloads, " ") != "batching" || s.Size == 0 {
		t.Errorf("facts %+v", s)
	}
	if _, ok := s.Duration(); !ok {
		t.Error("a finished run has no duration")
	}
	if _, ok := runs[0].Duration(); ok || runs[0].State != bundle.Running {
		t.Errorf("a run that goes on: %+v", runs[0])
	}
	if err := going.Finish(bundle.Stopped, nil); err != nil {
		t.Fatal(err)
	}
	if runs = list(t, l); runs[0].State != bundle.Stopped {
		t.Errorf("a run that was stopped since: %+v", runs[0])
	}
}

func TestLibraryCutOff(t *testing.T) {
	root := t.TempDir()
	b := written(t, root, "killed", 0, true)
	path := filepath.Join(b.Dir(), "run.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), `"state": "finished"`, `"state": "running"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if runs := list(t, NewLibrary(root)); len(runs) != 1 || runs[0].State != bundle.CutOff || runs[0].Results != 5 {
		t.Errorf("runs %+v", runs)
	}
}

// Whatever is in the folder, good runs are listed, and damaged ones with their problem.
func TestLibraryOfDamage(t *testing.T) {
	root := t.TempDir()
	good := written(t, root, "20261120-214501-good", 0, true).Dir()
	write := func(dir, name, text string) {
		path := filepath.Join(root, dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	meta, err := os.ReadFile(filepath.Join(good, "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	write("empty.assayrun", "run.json", "")
	write("array.assayrun", "run.json", "[]")
	write("bare.assayrun", "other", "")
	write("future.assayrun", "run.json", `{"schema": 99, "run_id": "x"}`)
	write("state.assayrun", "run.json", `{"schema": 1, "run_id": "x", "state": "flying"}`)
	write("nofiles.assayrun", "run.json", string(meta))
	write("badresults", "run.json", string(meta))
	write("badresults", "results.csv", "a,b\n\"")
	write("badresults", "events.jsonl", "{}\n{\n")
	write("badlabels", "run.json", string(meta))
	write("badlabels", "results.csv", "status\nok\n")
	write("badlabels", "events.jsonl", "")
	write("badlabels", "labels.json", `{"tags": ["a,b"]}`)
	write(".hidden.assayrun", "run.json", string(meta))
	write("foreign", "readme.txt", "hello")
	write("file.assayrun-not", "x", "")
	if err := os.WriteFile(filepath.Join(root, "file.assayrun"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"loop.assayrun": "loop.assayrun", "dangling.assayrun": "nowhere", "self.assayrun": ".", "linked": good} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "pipe.assayrun"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.assayrun", "run.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"20261120-214501-good.assayrun": "", "linked": "", "empty.assayrun": "run.json is empty", "array.assayrun": "run.json contains an array",
		"bare.assayrun": "no run.json in it", "future.assayrun": "schema 99", "state.assayrun": "state is \"flying\"",
		"nofiles.assayrun": "results.csv is missing; events.jsonl is missing", "badresults": "results.csv: no column \"status\" in the header; events.jsonl line 2",
		"badlabels": "tag \"a,b\" holds ','", "self.assayrun": "no run.json", "pipe.assayrun": "is a pipe",
	}
	for range 2 { // the second time from the cache
		runs := list(t, NewLibrary(root))
		for _, s := range runs {
			problem, ok := want[filepath.Base(s.Dir)]
			if !ok || !strings.Contains(s.Problem, problem) || problem == "" && s.Problem != "" {
				t.Errorf("%s: problem %q, want %q", filepath.Base(s.Dir), s.Problem, problem)
			}
			if damage := strings.Contains(s.Problem, "run.json") || strings.Contains(s.Problem, "results.csv"); damage != (s.State == bundle.Damaged) {
				t.Errorf("%s: state %s, problem %q", s.ID, s.State, s.Problem)
			}
		}
		if len(runs) != len(want) {
			t.Errorf("%d runs, want %d", len(runs), len(want))
		}
	}
}

func TestLibraryFolder(t *testing.T) {
	missing := NewLibrary(filepath.Join(t.TempDir(), "missing"))
	if runs := list(t, missing); len(runs) != 0 {
		t.Errorf("runs of a folder that is not there: %v", runs)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewLibrary(file).List(context.Background()); err == nil {
		t.Error("a file was listed")
	}
	root := t.TempDir()
	written(t, root, "a", 0, true)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewLibrary(root).List(ctx); err == nil {
		t.Error("a list that was given up has no error")
	}
	dir := filepath.Join(root, "closed.assayrun")
	if err := os.Mkdir(dir, 0); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		if runs := list(t, NewLibrary(root)); len(runs) != 2 || !strings.Contains(runs[1].Problem, "permission denied") {
			t.Errorf("a bundle without permission: %+v", runs)
		}
	}
}

func TestLabelsAndSearch(t *testing.T) {
	root := t.TempDir()
	l := NewLibrary(root)
	a, b := written(t, root, "a", 0, true).Dir(), written(t, root, "b", 48, true).Dir()
	if err := l.SetLabels(a, bundle.Labels{Tags: []string{" Before fix ", "before FIX", "", "m4"}, Note: "  two\nlines "}); err != nil {
		t.Fatal(err)
	}
	runs := list(t, l)
	if got := runs[1]; strings.Join(got.Tags, "|") != "Before fix|m4" || got.Note != "two\nlines" || got.Problem != "" {
		t.Errorf("labels %+v of %s", got.Labels, got.ID)
	}
	day := libraryStart.Local().Format("2006-01-02")
	for query, want := range map[string]string{
		"": "b a", "BEFORE": "a", "fix m4 lines": "a", "m4 nothing": "", "test device batching": "b a", "finished": "b a", day: "a",
		"november 2026": "b a", "cpu simulated": "",
	} {
		found, err := l.Search(context.Background(), query)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, s := range found {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if err := l.SetLabels(a, bundle.Labels{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(a, "labels.json")); err == nil {
		t.Error("empty labels leave their file")
	}
	tooMany := make([]string, bundle.MaxTags+1)
	for i := range tooMany {
		tooMany[i] = fmt.Sprint("t", i)
	}
	for want, labels := range map[string]bundle.Labels{
		"17 tags, want at most 16":           {Tags: tooMany},
		"has 41 characters, want at most 40": {Tags: []string{strings.Repeat("ü", bundle.MaxTagLength+1)}},
		`holds ','`:                          {Tags: []string{"a,b"}},
		`holds '\n'`:                         {Tags: []string{"a\nb"}},
		`holds '\u202e'`:                     {Tags: []string{"a\u202eb"}},

		"note has 4001 characters, want at most 4000": {Note: strings.Repeat("x", bundle.MaxNote+1)},
		`the note holds '\x1b'`:                       {Note: "\x1b[31m"},
	} {
		if err := l.SetLabels(b, labels); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := l.SetLabels(t.TempDir(), bundle.Labels{Note: "x"}); err == nil || !strings.Contains(err.Error(), "no run in it") {
		t.Errorf("labels of a folder that holds no run: %v", err)
	}
}

func TestLibraryListsWhatWasOpenedElsewhere(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	l := NewLibrary(root)
	own := written(t, root, "own", 0, true).Dir()
	dir := written(t, other, "other", 1, true).Dir()
	for _, d := range []string{dir, dir, own} {
		l.Add(d)
	}
	runs := list(t, l)
	if len(runs) != 2 || runs[0].Dir != dir || !runs[0].Elsewhere || runs[1].Dir != own || runs[1].Elsewhere {
		t.Errorf("lists %+v", runs)
	}
	if _, err := l.Delete(dir); err == nil || !strings.Contains(err.Error(), "not a run in") {
		t.Errorf("deleting it: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if runs := list(t, l); len(runs) != 1 {
		t.Errorf("once it is gone: %+v", runs)
	}
}

func TestDeleteAndRestore(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	root := t.TempDir()
	l := NewLibrary(root)
	dir := written(t, root, "a", 0, true).Dir()
	going := written(t, root, "going", 0, false)
	if _, err := l.Delete(going.Dir()); err == nil || !strings.Contains(err.Error(), "in progress; stop it first") {
		t.Errorf("a run that goes on: %v", err)
	}
	for _, path := range []string{root, t.TempDir(), filepath.Join(root, "missing"), filepath.Join(dir, "run.json"), "/"} {
		if _, err := l.Delete(path); err == nil || !strings.Contains(err.Error(), "not a run in") {
			t.Errorf("delete %s: %v", path, err)
		}
	}
	gone, err := l.Delete(dir)
	if err != nil {
		t.Fatal(err)
	}
	if runs := list(t, l); len(runs) != 1 || gone.Dir != dir {
		t.Errorf("after deletion: %+v", runs)
	}
	if err := l.Restore(gone); err != nil {
		t.Fatal(err)
	}
	if runs := list(t, l); len(runs) != 2 {
		t.Errorf("after restoring: %+v", runs)
	}
	if run, err := bundle.Load(dir); err != nil || len(run.Results) != 5 {
		t.Errorf("the restored run: %v", err)
	}
	if err := l.Restore(gone); err == nil {
		t.Error("it was restored twice")
	}
	if err := l.Restore(Deleted{}); err == nil {
		t.Error("nothing was restored without an error")
	}
}

func TestFindRun(t *testing.T) {
	root := t.TempDir()
	l := NewLibrary(root)
	dir := written(t, root, "20261120-a", 0, true).Dir()
	written(t, root, "20261120-ab", 0, true)
	for name, want := range map[string]string{dir: dir, "20261120-a": dir, "20261120-ab": filepath.Join(root, "20261120-ab.assayrun")} {
		if got, err := l.Find(name); err != nil || got != want {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	if _, err := l.Find("baseline"); err == nil || !strings.Contains(err.Error(), "no baseline is pinned") {
		t.Errorf("a baseline that nobody pinned: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(config, "assay"), 0o755); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{dir: "", filepath.Join(root, "gone"): "is gone"} {
		text := fmt.Sprintf(`{%q: %q}`, BaselineSetting, folder)
		if err := os.WriteFile(SettingsFile(), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := l.Find("baseline")
		if want == "" && (err != nil || got != folder) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("baseline is %s, %v", got, err)
		}
	}
	later := written(t, root, "20261121-b", 5, true).Dir()
	running := written(t, root, "20261121-in-progress", 9, false)
	defer runtime.KeepAlive(running) // whose lock ends with it
	for name, want := range map[string]string{
		"last": later, "last~0": later, "last~1": filepath.Join(root, "20261120-ab.assayrun"), "20261120-a.assayrun": dir, "20261121-b.": "",
	} {
		if got, err := l.Find(name); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is %s, %v, want %s", name, got, err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"last~3": "there are 3 in", "last~x": "nor a run", file: "is a file", t.TempDir(): "no run.json", "20261120-": "2 runs",
	} {
		if _, err := l.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	for name, want := range map[string]string{"2026": "4 runs", "x": "not a folder, nor a run", "": "no such folder", "../x": "no such folder"} {
		if _, err := l.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// A session's run is listed during the run and after it.
func TestSessionLibrary(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	runs := list(t, s.Library())
	if len(runs) != 1 || runs[0].ID != run.Meta.ID || runs[0].Verified != len(run.Results) || runs[0].State != bundle.Finished {
		t.Errorf("runs %+v", runs)
	}
}

// On a file system without locks the session still knows its own run.
func TestSessionLibraryKnowsItsRun(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(*workloads.Env) error { return nil })
	var l *Library
	s.config.Workloads[0].Run = func(context.Context, *workloads.Env, workloads.Values) error {
		dir := s.open().bundle.Dir()
		events := filepath.Join(dir, "events.jsonl")
		if err := errors.Join(os.Rename(events, events+".old"), os.WriteFile(events, nil, 0o600)); err != nil { // not locked
			t.Error(err)
		}
		l = s.Library()
		if runs := list(t, l); len(runs) != 1 || runs[0].State != bundle.Running || bundle.Alive(dir) {
			t.Errorf("runs %+v", runs)
		}
		if _, err := l.Delete(dir); err == nil || !strings.Contains(err.Error(), "it is in progress") {
			t.Errorf("deleted while it goes on: %v", err)
		}
		return nil
	}
	runWork(t, s)
	if runs := list(t, l); len(runs) != 1 || runs[0].State != bundle.Finished {
		t.Errorf("runs %+v after the end", runs)
	}
}

func BenchmarkList(b *testing.B) {
	root := b.TempDir()
	first := written(b, root, "r0", 0, true).Dir()
	for i := 1; i < 1000; i++ {
		if err := os.CopyFS(filepath.Join(root, fmt.Sprintf("r%d.assayrun", i)), os.DirFS(first)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for range b.N {
			if runs, err := NewLibrary(root).List(context.Background()); err != nil || len(runs) != 1000 {
				b.Fatal(len(runs), err)
			}
		}
	})
	warm := NewLibrary(root)
	b.Run("again", func(b *testing.B) {
		for range b.N {
			if runs, err := warm.List(context.Background()); err != nil || len(runs) != 1000 {
				b.Fatal(len(runs), err)
			}
		}
	})
}
