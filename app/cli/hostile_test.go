package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/internal/race"
	"assay/monitor"
	"assay/workloads"
)

// hostile sets a terminal's title and clears the screen.
const hostile = "\x1b]0;pwn\a\x1b[2J"

// Text from someone else's bundle reaches the terminal escaped, in whichever field it is.
func TestHostileBundlesDoNotReachTheTerminal(t *testing.T) {
	if race.On {
		t.Skip("reads and prints on one goroutine: nothing to race with")
	}
	c := config(t, gputest.Script{})
	storedRun(t, c, "base", 1e-3, workloads.OK)
	dir := storedRun(t, c, "other", 1e-3, workloads.OK)
	addEvents(t, dir)
	addSettings(t, dir)
	for _, name := range []string{"run.json", "results.csv", "events.jsonl", "monitor.csv"} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		values, keys := textEnds(name, data)
		if len(values) < 10 {
			t.Errorf("%s has %d texts, want all of its", name, len(values))
		}
		spoil(t, c, path, data, values)
		spoil(t, c, path, data, keys)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// spoil puts hostile text into places of a file and examines what commands print. If the run cannot be loaded, it tries
// fewer places at once: some texts are checked.
func spoil(t *testing.T, c app.Config, path string, data []byte, places []int) {
	t.Helper()
	text := []byte(hostile)
	if !strings.HasSuffix(path, ".csv") {
		text, _ = json.Marshal(hostile)
		text = text[1 : len(text)-1]
	}
	spoiled := slices.Clone(data)
	for _, at := range slices.Backward(places) {
		spoiled = slices.Insert(spoiled, at, text...)
	}
	if err := os.WriteFile(path, spoiled, 0o600); err != nil {
		t.Fatal(err)
	}
	refused := false
	for _, args := range [][]string{
		{"report", filepath.Dir(path)},
		{"runs"},
		{"compare", "base", "other"},
		{"compare", "other", "base"},
		{"compare", "--markdown", "base", "other"},
	} {
		_, out, errOut := assay(t, c, args...)
		if strings.ContainsAny(out+errOut, "\x1b\a") {
			t.Errorf("%v, %s\n%q\nprints\n%q\n%q", args, path, spoiled, out, errOut)
		}
		refused = refused || strings.Contains(errOut, "cannot load the run")
	}
	if half := len(places) / 2; refused && half > 0 {
		spoil(t, c, path, data, places[:half])
		spoil(t, c, path, data, places[half:])
	}
}

// addSettings records a commit and settings in a run.
func addSettings(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "run.json")
	data, err := os.ReadFile(path)
	if err == nil {
		data = bytes.Replace(data, []byte("{"), []byte(`{"commit": {"id": "abc", "modified": true},`), 1)
		data = bytes.Replace(data, []byte(`"params": {}`), []byte(`"params": {"sweep": "matmul", "other": "text"}`), 1)
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// addEvents adds an event of each kind, and a reading.
func addEvents(t *testing.T, dir string) {
	t.Helper()
	at := time.Date(2026, 11, 20, 21, 45, 2, 0, time.UTC)
	var lines []byte
	for _, kind := range []bundle.Kind{
		bundle.AlertRaised, bundle.LeakFound, bundle.Noted, bundle.ErrorSeen, bundle.Found, bundle.CaseOver, bundle.RunEnded,
	} {
		line, err := json.Marshal(bundle.Event{
			Time: at, Kind: kind, ID: "id", Severity: "warning", Title: "title", Text: "text", Workload: "batching", Case: "matmul 64",
			Variant: "f32", Axis: "size", Unit: "B", Evidence: []string{"evidence"},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	var csv bytes.Buffer
	m, err := bundle.NewMonitorCSV(&csv)
	if err == nil {
		err = m.Write(monitor.Snapshot{Time: at, Readings: []monitor.Reading{{
			Metric: monitor.HostCPU, Unit: "ratio", Source: "source", Provenance: monitor.Measured, Status: monitor.Unavailable,
			Reason: "reason",
		}}})
	}
	for name, data := range map[string][]byte{"events.jsonl": lines, "monitor.csv": csv.Bytes()} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// textEnds returns the places in a file where its texts end: cells of CSV, and values and keys of JSON, none of which contains a
// quote.
func textEnds(name string, data []byte) (ends, keys []int) {
	inText := false
	for i, c := range data {
		switch {
		case !strings.HasSuffix(name, ".csv") && c == '"':
			inText = !inText
			switch {
			case inText:
			case data[i+1] == ':':
				keys = append(keys, i)
			default:
				ends = append(ends, i)
			}
		case strings.HasSuffix(name, ".csv") && (c == ',' || c == '\r'):
			ends = append(ends, i)
		}
	}
	return ends, keys
}

// A note may be long; a list of runs has two lines of it.
func TestLongNotesAreCut(t *testing.T) {
	c := config(t, gputest.Script{})
	dir := storedRun(t, c, "noted", 1e-3, workloads.OK)
	if err := bundle.WriteLabels(dir, bundle.Labels{Note: strings.Repeat("many words ", bundle.MaxNote/11)}); err != nil {
		t.Fatal(err)
	}
	_, out, _ := assay(t, c, "runs")
	if n := strings.Count(out, "\n"); n > 6 || !strings.Contains(out, "…") {
		t.Errorf("%d lines:\n%s", n, out)
	}
}

// checker looks, at the first write, which files are missing.
type checker struct {
	files   []string
	written bool
	missing []string
}

func (c *checker) Write(p []byte) (int, error) {
	for _, f := range c.files {
		found, err := filepath.Glob(f)
		if !c.written && (err != nil || len(found) == 0) {
			c.missing = append(c.missing, f)
		}
	}
	c.written = true
	return len(p), nil
}

// Requested files are written before the table: a reader of the table that goes away, such as head, ends the process.
func TestFilesAreWrittenBeforeTheTable(t *testing.T) {
	dir := t.TempDir()
	look := &checker{files: []string{
		filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.html"), filepath.Join(dir, "runs", "*", "report.html"),
	}}
	c := config(t, gputest.Script{})
	args := append([]string{
		"run", "batching", "--out", filepath.Join(dir, "runs"), "--csv", look.files[0], "--html", look.files[1],
	}, tiny...)
	var errOut bytes.Buffer
	code := Main(context.Background(), c, args, look, &errOut)
	if code != 0 || !look.written || len(look.missing) > 0 {
		t.Errorf("exit %d, at the first line of the table %q are missing: %s", code, look.missing, errOut.String())
	}
}
