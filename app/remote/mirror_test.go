package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzPlace(f *testing.F) {
	for _, file := range []string{"out", "runs/a.assayrun/run.json", "runs/../a.assayrun/x", "runs/a.assayrun/../../x", "/etc/passwd", "runs/a.assayrun/.origin", ""} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		folder, name, err := place(file)
		if err != nil {
			return
		}
		if path := filepath.Join(folder, name); !filepath.IsLocal(path) || strings.HasPrefix(name, ".") || strings.Count(path, "/") > 1 {
			t.Errorf("%q is written to %q", file, path)
		}
	})
}

// Data from another machine is written only where it belongs.
func TestRefusesWhatDoesNotBelong(t *testing.T) {
	runs := t.TempDir()
	mine := filepath.Join(runs, "mine.assayrun")
	if err := os.Mkdir(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    frame
		says string
	}{
		{frame{File: "runs/../x.assayrun/run.json", Whole: true}, "none of a run's"},
		{frame{File: "runs/a.assayrun/.origin", Whole: true}, "none of a run's"},
		{frame{File: "runs/mine.assayrun/run.json", Whole: true, Data: []byte("{}")}, "another run's folder"},
		{frame{File: "runs/a.assayrun/events.jsonl", At: 7, Data: []byte("x")}, "sent byte 7"},
		{frame{File: "err", At: 1, Data: []byte("x")}, "sent byte 1"},
	} {
		m := newMirror(runs, "studio 1", nil)
		if err := m.take(&c.f); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.f.File, err, c.says)
		}
	}
	if entries, err := os.ReadDir(mine); err != nil || len(entries) > 0 {
		t.Errorf("the other run's folder has %v, %v", entries, err)
	}
}

// A file that arrived damaged is found and requested again from its beginning.
func TestDamagedCopies(t *testing.T) {
	m := newMirror(t.TempDir(), "studio 1", nil)
	const file = "runs/a.assayrun/results.csv"
	if err := m.take(&frame{File: file, Data: []byte("1,2\n")}); err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{file: "feef"}
	if wrong, err := m.wrong(sums); wrong != file || err != nil {
		t.Errorf("%q, %v", wrong, err)
	}
	m.forget(file)
	if err := m.take(&frame{File: file, Data: []byte("3\n")}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(m.runs, "a.assayrun", "results.csv")); err != nil || string(text) != "3\n" {
		t.Errorf("%q, %v", text, err)
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}

func TestInvalidMessages(t *testing.T) {
	for _, text := range []string{"no JSON\n", "{\"at\": \"x\"}\n"} {
		if _, err := frames(strings.NewReader(text), func(*frame) error { return nil }); err == nil || !strings.Contains(err.Error(), "invalid message") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if done, err := frames(strings.NewReader("{\"file\":\"out\"}\n"), func(*frame) error { return nil }); done || err != nil {
		t.Errorf("a stream that breaks off: %v, %v", done, err)
	}
}

// Labels and reference figures that were changed here stay, and do not count as damage.
func TestLabelsStay(t *testing.T) {
	for _, name := range []string{"labels.json", "references.json"} {
		staysHere(t, name)
	}
}

func staysHere(t *testing.T, name string) {
	t.Helper()
	m, file := newMirror(t.TempDir(), "studio 1", nil), "runs/a.assayrun/"+name
	for _, text := range []string{"theirs", "theirs, again"} {
		if err := m.take(&frame{File: file, Whole: true, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(m.runs, "a.assayrun", name)); err != nil || string(text) != "theirs" {
		t.Errorf("%q, %v", text, err)
	}
	if wrong, err := m.wrong(map[string]string{file: "feef"}); wrong != "" || err != nil {
		t.Errorf("%q, %v", wrong, err)
	}
}
