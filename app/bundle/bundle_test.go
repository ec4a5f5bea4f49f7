package bundle

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/app/internal/runstest"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/suite"
)

func TestRoundTrip(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(Finished, errors.New("none, really")))
	got, err := Load(b.Dir())
	runstest.Check(t, err)
	want := b.Run()
	runstest.Same(t, "results", got.Results, want.Results)
	runstest.Same(t, "findings", got.Findings, want.Findings)
	runstest.Same(t, "snapshots", got.Snapshots, want.Snapshots)
	if !reflect.DeepEqual(got.Meta.Jobs, want.Meta.Jobs) || !reflect.DeepEqual(got.Meta.Engine, want.Meta.Engine) {
		t.Errorf("meta: got %+v, want %+v", got.Meta, want.Meta)
	}
	if got.Meta.State != Finished || got.Meta.Error != "none, really" || got.Meta.Host != want.Meta.Host {
		t.Errorf("meta: got %+v", got.Meta)
	}
	if e := withoutCases(got.Events); len(e) != 2 || e[1].Text != "4 kB\nat x.go:1" || got.Results[0].MarkText() != "knee" {
		t.Errorf("events %+v, marks %v", got.Events, got.Results[0].Marks)
	}
	if got.OK() {
		t.Error("a run with a failed result and a leak is OK")
	}
}

func TestResultsCSV(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	data, err := os.ReadFile(filepath.Join(b.Dir(), resultsFile))
	runstest.Check(t, err)
	lines := strings.Split(string(data), "\r\n")
	wanted := "run_id,result_id,job,started_at,workload,case,variant,engine,device,simulated,engine_reason,param_size,param_kind,settings,time_s,time_lo_s,time_hi_s,kernel_times,samples"
	if !strings.HasPrefix(lines[0], wanted) {
		t.Errorf("header is %s", lines[0])
	}
	for _, c := range strings.Split("flops_per_s bytes_per_s items_per_s bytes error_max error_rel fidelity_db grade status failure reason warnings warning_kinds speedup "+
		"speedup_lo speedup_hi baseline bytes_saved dispatches dispatches_saved ops items outliers warmup_samples "+
		"repetitions stop", " ") {
		if !strings.Contains(","+lines[0]+",", ","+c+",") {
			t.Errorf("no column %s", c)
		}
	}
	for _, want := range []string{
		`,"Test, ""quoted"" device",false,automatic: the first that opens,64,'-odd` + "\tkind,note==1+1; rate=10.0,",
		",0.3333333333333333,0,", // numbers are whole and never escaped
		",'@f16,", "\"'=HYPERLINK(\"\"x\"\")\nwrong result, line 2\"",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
}

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "'=1": "''=1",
		"'quoted'": "'quoted'", "a=b": "a=b", "'": "'",
	} {
		got := escape(text)
		if got != want || unescape(got) != text {
			t.Errorf("escape(%q) = %q, want %q; and back %q", text, got, want, unescape(got))
		}
	}
	for v, want := range map[float64]string{-1.5: "-1.5", 1e-300: "1e-300", math.Inf(-1): "-inf", 0: "0"} {
		if got := csvText(v); got != want {
			t.Errorf("csvText(%g) = %q, want %q", v, got, want)
		}
	}
	if got := csvText(math.NaN()); got != "" {
		t.Errorf("NaN is %q", got)
	}
}

func TestLoadDamaged(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"no run.json":    {runFile, "-", "no run.json in it"},
		"empty run.json": {runFile, "", "run.json is not a run's run.json: it is empty"},
		"other JSON":     {runFile, "{}", "run.json is not a run's run.json: no schema or run_id in it"},
		"torn JSON":      {runFile, `{"schema": 1, "run`, "run.json is not a run's run.json: it is cut off"},
		"a list":         {runFile, "[]", "run.json is not a run's run.json: it contains an array, want an object"},
		"wrong kind":     {runFile, `{"schema": "1"}`, "run.json is not a run's run.json: schema is a string, want a number"},
		"deep inside":    {runFile, `{"schema": 1, "host": {"threads": []}}`, "host.threads is an array, want a number"},
		"path as ID":     {runFile, `{"schema": 1, "run_id": "../../x"}`, `run_id is "../../x", want a plain name`},
		"line as ID":     {runFile, `{"schema": 1, "run_id": "x\ny"}`, `run_id is "x\ny", want a plain name`},
		"bad state":      {runFile, `{"schema": 1, "run_id": "x", "state": "weird"}`, `state is "weird", want running, finished, stopped or failed`},
		"no state":       {runFile, `{"schema": 1, "run_id": "x", "state": null}`, `state is ""`},
		"many jobs": {
			runFile, `{"schema": 1, "run_id": "x", "state": "failed", "jobs": [{}` + strings.Repeat(", {}", maxList) + `]}`,
			"jobs has 1001 entries, want at most 1000",
		},
		"long text": {
			runFile, `{"schema": 1, "run_id": "x", "state": "failed", "engine": {"device": "` + strings.Repeat("x", maxText+1) + `"}}`,
			"engine.device has 4097 B, want at most 4096",
		},
		"newer":      {runFile, `{"schema": 99, "run_id": "x"}`, "reads up to 5"},
		"bad number": {resultsFile, "workload,case,variant,status,time_s\r\nsweep,a,b,ok,soon\r\n", `results.csv line 2: time_s is "soon", want a number`},
		"bad status": {resultsFile, "workload,case,variant,status\r\nsweep,a,b,fine\r\n", `status is "fine", want ok, failed`},
		"no header":  {resultsFile, "work", "results.csv is cut off: it has 0 of 3 results"},
		"no column":  {resultsFile, "workload,case\r\n", `no column "variant"`},
		"short row":  {samplesFile, "run_id,workload,case,variant,index,time_s\r\na,b\r\n", "wrong number of fields"},
		"bad time":   {monitorFile, "time,metric,status\r\nnow,x,ok\r\n", `time is "now", want a time`},
		"bad event":  {eventsFile, "{}\nboo\n", "events.jsonl line 2"},
	} {
		b := writeBundle(t, t.TempDir())
		runstest.Check(t, b.Finish(Finished, nil))
		path := filepath.Join(b.Dir(), c.file)
		runstest.Check(t, os.Remove(path))
		if c.text != "-" {
			runstest.Check(t, os.WriteFile(path, []byte(c.text), 0o600))
		}
		_, err := Load(b.Dir())
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), b.Dir()) {
			t.Errorf("%s: got %v, want %q and the folder", name, err, c.want)
		}
	}
}

func TestTornLastLine(t *testing.T) {
	for _, c := range []struct{ file, torn string }{
		{samplesFile, "20261120,sweep,size"},
		{monitorFile, "2026-11-20T21:45:02Z,\"host"},
		{eventsFile, `{"time":"2026`},
		{samplesFile, "\x00\x00\x00\x00"},
		{resultsFile, "x,2026"},
	} {
		b := writeBundle(t, t.TempDir())
		path := filepath.Join(b.Dir(), c.file)
		whole, err := os.ReadFile(path)
		runstest.Check(t, err)
		runstest.Check(t, os.WriteFile(path, append(whole, c.torn...), 0o600))
		got, err := Load(b.Dir())
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		runstest.Same(t, c.file, got.Results, b.Run().Results)
		runstest.Same(t, c.file, got.Snapshots, b.Run().Snapshots)
	}
}

func TestSamplesMissing(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, os.Remove(filepath.Join(b.Dir(), samplesFile)))
	got, err := Load(b.Dir())
	runstest.Check(t, err)
	last := got.Results[0].Warnings[2]
	if last.Text != "samples.csv contains 0 of its 12 samples" || last.Kind != workloads.SamplesLost {
		t.Errorf("warning is %q", last)
	}
}

// A completed run has results; a killed one may not. Missing files are reported.
func TestFilesMissing(t *testing.T) {
	for _, name := range []string{resultsFile, samplesFile, monitorFile, eventsFile} {
		for _, state := range []State{Running, Finished, Stopped, Failed} {
			b := writeBundle(t, t.TempDir())
			if state != Running {
				runstest.Check(t, b.Finish(state, nil))
			}
			runstest.Check(t, os.Remove(filepath.Join(b.Dir(), name)))
			r, err := Load(b.Dir())
			if name == resultsFile && state != Running {
				if err == nil || !strings.Contains(err.Error(), "results.csv is missing, and the run is "+string(state)) {
					t.Errorf("%s, %s: %v", name, state, err)
				}
				continue
			}
			runstest.Check(t, err)
			if !reflect.DeepEqual(r.Notes, []string{name + " is missing"}) {
				t.Errorf("%s, %s: notes %q", name, state, r.Notes)
			}
		}
	}
}

func TestLoadWantsAFolder(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	for path, want := range map[string]string{
		filepath.Join(b.Dir(), runFile): "want the run's folder, not a file",
		filepath.Join(b.Dir(), "none"):  "no such file or directory",
	} {
		if _, err := Load(path); err == nil || err.Error() != "cannot load the run in "+path+": "+want {
			t.Errorf("%s: %v", path, err)
		}
	}
	r, err := Load(b.Dir())
	runstest.Check(t, err)
	if len(r.Notes) != 0 {
		t.Errorf("notes of a whole run: %q", r.Notes)
	}
}

func TestSameIDTwice(t *testing.T) {
	root := t.TempDir()
	a, b := writeBundle(t, root), writeBundle(t, root)
	if a.Dir() == b.Dir() || b.Run().Meta.ID+Extension != filepath.Base(b.Dir()) {
		t.Errorf("folders %s and %s, ID %s", a.Dir(), b.Dir(), b.Run().Meta.ID)
	}
	if id := NewID(runstest.Began(), []Job{{Workload: "batching"}}); !strings.HasPrefix(id, "20261120-214501-batching-") || len(id) != 29 {
		t.Errorf("ID %q", id)
	}
}

func TestUnwritableRoot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	runstest.Check(t, os.WriteFile(file, nil, 0o600))
	b, err := Create(filepath.Join(file, "runs"), plainMeta0(), []workloads.Workload{runstest.Workload()})
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Fatalf("got %v, want an error that names %s", err, file)
	}
	for name, again := range map[string]error{
		"Results": b.Results(runstest.Verified(64, 6)), "Event": b.Event(Event{}), "Snapshot": b.Snapshot(runstest.Snapshot()),
		"Finding": b.Finding(workloads.Finding{Workload: "sweep", Case: "size 64", Variant: "f32", Kind: "knee"}),
		"Finish":  b.Finish(Finished, nil),
	} {
		if !errors.Is(again, err) {
			t.Errorf("%s: got %v, want the same error", name, again)
		}
	}
	if r := b.Run(); len(r.Results) != 1 || r.Meta.State != Finished {
		t.Errorf("the run is not kept in memory: %+v", r)
	}
}

func TestFolderVanishes(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, os.RemoveAll(b.Dir()))
	err := b.Results(runstest.Verified(512, 6))
	if err == nil || !strings.Contains(err.Error(), filepath.Join(b.Dir(), resultsFile)) {
		t.Errorf("got %v, want an error that names results.csv", err)
	}
}

func TestUndeclaredSetting(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	r := runstest.Verified(1, 1)
	r.Settings = append(r.Settings, workloads.Setting{Name: "color", Value: "red"})
	if err := b.Results(r); err == nil || !strings.Contains(err.Error(), `"color"`) {
		t.Errorf("got %v", err)
	}
}

// A late tick or alert is not part of the run, and not an error.
func TestNothingAfterFinish(t *testing.T) {
	b, err := Create(t.TempDir(), Meta{Started: time.Now(), Jobs: []Job{{Workload: "batching"}}}, suite.All())
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Finish(Finished, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Snapshot(monitor.Snapshot{Time: time.Now()}); err != nil {
		t.Errorf("a late snapshot: %v", err)
	}
	if err := b.Event(Event{Kind: "alert"}); err != nil {
		t.Errorf("a late event: %v", err)
	}
	if r := b.Run(); len(r.Snapshots)+len(r.Events) > 0 {
		t.Error("what came late is in the run")
	}
}

func TestLongWatchesAreThinned(t *testing.T) {
	meta := plainMeta0()
	meta.Watch = &Watch{}
	b, err := Create(t.TempDir(), meta, nil)
	runstest.Check(t, err)
	var all []monitor.Snapshot
	for i := range 3 * maxSnapshots {
		runstest.Check(t, b.Snapshot(monitor.Snapshot{Time: time.Unix(int64(i), 0)}))
		all = b.run.Snapshots
	}
	if len(all) > maxSnapshots || len(all) < maxSnapshots/2 {
		t.Errorf("%d snapshots are kept, want at most %d", len(all), maxSnapshots)
	}
	for i := 1; i < len(all); i++ {
		if !all[i].Time.After(all[i-1].Time) {
			t.Fatal("snapshots are out of order")
		}
	}
}

// Withdrawing the growth of one case does not affect that of another.
func TestWithdrawnLeaksDoNotCount(t *testing.T) {
	r := &Run{Events: []Event{
		{Kind: LeakFound, ID: "leak-1", Title: "Live memory grows"},
		{Kind: LeakFound, ID: "leak-2", Title: "Live memory grows"},
		{Kind: LeakWithdrawn, ID: "leak-2", Title: "Live memory grows"},
	}}
	if got := r.Leaks(); len(got) != 1 || got[0].ID != "leak-1" || r.OK() {
		t.Errorf("leaks %+v, ok %v", got, r.OK())
	}
	r.Events = append(r.Events, Event{Kind: AlertCleared, Title: "Live memory grows"})
	if r.OK() {
		t.Error("the end of an alert withdraws a leak of its title")
	}
	r.Events = append(r.Events, Event{Kind: LeakWithdrawn, ID: "leak-1"})
	if !r.OK() {
		t.Error("withdrawn leaks fail the run")
	}
}

// Records after the end are rejected, and do not change the recorded sizes.
func TestResultsAfterFinishAreRefused(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(Finished, nil))
	path := filepath.Join(b.Dir(), resultsFile)
	before, err := os.ReadFile(path)
	runstest.Check(t, err)
	late := workloads.Finding{Workload: "sweep", Case: "size 64", Variant: "f32", Kind: "best"}
	if err := b.Results(runstest.Verified(512, 6)); !errors.Is(err, ErrOver) {
		t.Errorf("late results: %v", err)
	}
	if err := b.Finding(late); !errors.Is(err, ErrOver) {
		t.Errorf("a late finding: %v", err)
	}
	after, err := os.ReadFile(path)
	runstest.Check(t, err)
	if r := b.Run(); len(r.Results) != r.Meta.Written.Results || len(r.Findings) != 1 || string(after) != string(before) {
		t.Errorf("%d results and %d findings, %d were recorded as written", len(r.Results), len(r.Findings), r.Meta.Written.Results)
	}
	if s := Summarize(b.Dir()); s.Problem != "" {
		t.Errorf("the bundle has a problem: %s", s.Problem)
	}
}

// Results are appended: nothing on disk is rewritten.
func TestResultsAreAppended(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	path := filepath.Join(b.Dir(), resultsFile)
	before, err := os.ReadFile(path)
	runstest.Check(t, err)
	was, err := os.Stat(path)
	runstest.Check(t, err)
	runstest.Check(t, b.Results(runstest.Verified(512, 6)))
	runstest.Check(t, b.Finding(workloads.Finding{Workload: "sweep", Result: workloads.ResultID(0, 3), Kind: "best"}))
	after, err := os.ReadFile(path)
	runstest.Check(t, err)
	is, err := os.Stat(path)
	runstest.Check(t, err)
	if !strings.HasPrefix(string(after), string(before)) || !os.SameFile(was, is) {
		t.Error("results.csv was written again")
	}
	got, err := Load(b.Dir())
	runstest.Check(t, err)
	if last := got.Results[len(got.Results)-1]; last.MarkText() != "best" || got.Findings[1].Kind != "best" {
		t.Errorf("marks %v", last.Marks)
	}
}

func TestTemporaryFilesAreSwept(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(Finished, nil))
	size := Summarize(b.Dir()).Size
	for name, age := range map[string]time.Duration{".run.json123456": time.Hour, ".labels.json7": time.Hour, ".run.json8": 0, ".own": time.Hour} {
		path := filepath.Join(b.Dir(), name)
		runstest.Check(t, os.WriteFile(path, make([]byte, 1000), 0o600))
		runstest.Check(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	if got := Summarize(b.Dir()).Size; got != size+1000 {
		t.Errorf("it takes %d B with the files of a kill and one of the user's, without %d B", got, size)
	}
	Sweep(b.Dir())
	left, err := filepath.Glob(filepath.Join(b.Dir(), ".*"))
	runstest.Check(t, err)
	if len(left) != 2 {
		t.Errorf("left: %v; want the one that may be in use, and the user's", left)
	}
}

// A kill right at the start leaves an empty folder, which is not a run.
func TestEmptyFoldersAreSwept(t *testing.T) {
	root := t.TempDir()
	for name, age := range map[string]time.Duration{"old" + Extension: time.Hour, "new" + Extension: 0, "foreign": time.Hour} {
		dir := filepath.Join(root, name)
		runstest.Check(t, os.Mkdir(dir, 0o700))
		runstest.Check(t, os.Chtimes(dir, time.Time{}, time.Now().Add(-age)))
		Sweep(dir)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) != 2 {
		t.Errorf("left: %v, %v; want the one that may be in use, and the user's", left, err)
	}
}

// Names and kinds of later versions survive rewriting the run.
func TestUnknownMetricsAreKept(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(Finished, nil))
	path := filepath.Join(b.Dir(), resultsFile)
	data, err := os.ReadFile(path)
	runstest.Check(t, err)
	lines := strings.Split(strings.TrimSuffix(string(data), "\r\n"), "\r\n")
	for i := range lines {
		lines[i] += []string{",glow_j", ",0.25", ",", ",1e-3"}[i]
	}
	runstest.Check(t, os.WriteFile(path, []byte(strings.Join(lines, "\r\n")+"\r\n"), 0o600))
	got, err := Load(b.Dir())
	runstest.Check(t, err)
	var buf bytes.Buffer
	runstest.Check(t, WriteRows(&buf, Columns(&got.Meta), got.Results))
	again, err := csv.NewReader(&buf).ReadAll()
	runstest.Check(t, err)
	at := slices.Index(again[0], "glow_j")
	if at < 0 || again[1][at] != "0.25" || again[2][at] != "" || again[3][at] != "1e-3" {
		t.Errorf("written out again: %v", again)
	}
}

// Counts of a million and more are written as integers; an earlier build wrote them with an exponent.
// A column of another program keeps its name when it is written again.
func TestColumnNamesAreRead(t *testing.T) {
	for _, header := range []string{"a\x98b,'=c\r\n", "a\uFFFDb,=c\r\n"} {
		got, err := openTable("x.csv", strings.NewReader(header))
		runstest.Check(t, err)
		if !slices.Equal(got.columns(), []string{"a\uFFFDb", "=c"}) {
			t.Errorf("%q: columns %q", header, got.columns())
		}
	}
}

func TestLargeCounts(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	large := runstest.Verified(64, 12)
	large.Values.SetNumber(workloads.Outputs, 1<<30)
	runstest.Check(t, b.Results(large))
	runstest.Check(t, b.Finish(Finished, nil))
	path := filepath.Join(b.Dir(), resultsFile)
	data, err := os.ReadFile(path)
	runstest.Check(t, err)
	for _, text := range []string{"1073741824", "1.073741824e+09"} {
		if !strings.Contains(string(data), ",1073741824,") {
			t.Fatalf("no count of 1073741824 in\n%s", data)
		}
		runstest.Check(t, os.WriteFile(path, bytes.ReplaceAll(data, []byte("1073741824"), []byte(text)), 0o600))
		got, err := Load(b.Dir())
		runstest.Check(t, err)
		if n := got.Results[len(got.Results)-1].Number(workloads.Outputs); n != 1<<30 {
			t.Errorf("%s was read as %g", text, n)
		}
	}
	runstest.Check(t, os.WriteFile(path, bytes.ReplaceAll(data, []byte("1073741824"), []byte("1.5")), 0o600))
	if _, err := Load(b.Dir()); err == nil || !strings.Contains(err.Error(), `output_elements is "1.5", want an integer or nothing`) {
		t.Errorf("half an element: %v", err)
	}
}
