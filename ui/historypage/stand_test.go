package historypage

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/app/bundle"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads/suite"
)

// stand is the page in its own window, with its own library.
type stand struct {
	*uitest.Stand
	*historyPage
	runs string // where they are kept
}

// open opens the page on a library with the runs that fill makes.
func open(t testing.TB, look kit.Appearance, size fyne.Size, fill func(t testing.TB, runs string)) *stand {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", filepath.Join(home, "data")) // the trash is there
	s := &stand{runs: filepath.Join(home, "runs")}
	fill(t, s.runs)
	page := desk.Page{Name: desk.PageHistory, Build: func(d *desk.Desk) desk.View {
		d.Library = app.NewLibrary(s.runs)
		s.historyPage = newPage(d)
		return desk.View{Object: s.full, Update: s.update}
	}}
	s.Stand = uitest.Open(t, page, look, size)
	s.settle()
	return s
}

// settle waits for background reads and their effects.
func (s *stand) settle() {
	for range 4 {
		s.Desk.Settle()
	}
}

// keep writes a run of batching to disk that began hours before the epoch.
func keep(t testing.TB, runs string, hours int, state bundle.State, labels bundle.Labels) string {
	t.Helper()
	meta := uitest.SweepMeta()
	meta.Started = uitest.Epoch.Add(-time.Duration(hours) * time.Hour)
	meta.ID = meta.Started.Format("20060102-150405") + "-batching"
	meta.Version = "1.2.3"
	b, err := bundle.Create(runs, meta, suite.All())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		snapshot := uitest.Snapshot(i)
		snapshot.Time = meta.Started.Add(time.Duration(i) * time.Second)
		if err := b.Snapshot(snapshot); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range uitest.Sweep() {
		r.ID, r.Started = "", meta.Started // the bundle names it
		if err := b.Results(r); err != nil {
			t.Fatal(err)
		}
	}
	if state == bundle.Running {
		setClock(t, b.Dir(), meta.Started)
		t.Cleanup(func() { runtime.KeepAlive(b) }) // it holds the lock
		return b.Dir()
	}
	var cause error
	if state == bundle.Failed {
		cause = errors.New("device lost")
	}
	if err := b.Finish(state, cause); err != nil {
		t.Fatal(err)
	}
	if err := bundle.WriteLabels(b.Dir(), labels); err != nil {
		t.Fatal(err)
	}
	setClock(t, b.Dir(), meta.Started)
	return b.Dir()
}

// setClock moves all events of a bundle into the minute after its start.
func setClock(t testing.TB, dir string, began time.Time) {
	t.Helper()
	rewrite := func(name, pattern string, at func(i int) time.Time) {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		data = regexp.MustCompile(pattern).ReplaceAllFunc(data, func(m []byte) []byte {
			i++
			key := regexp.MustCompile(`^"[a-z_]+": ?`).Find(m)
			return append(append([]byte{}, key...), []byte(`"`+at(i).Format(time.RFC3339Nano)+`"`)...)
		})
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite("run.json", `"finished_at": ?"[^"]*"`, func(int) time.Time { return began.Add(59 * time.Second) })
	rewrite("events.jsonl", `"time": ?"[^"]*"`, func(i int) time.Time { return began.Add(time.Duration(min(59, 4*i)) * time.Second) })
	noteSize(t, dir, "events.jsonl")
}

// noteSize records a file's actual size and checksum in its bundle, where they stand in that order.
func noteSize(t testing.TB, dir, name string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "run.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	noted := []any{len(content), crc32.ChecksumIEEE(content)}
	data = regexp.MustCompile(`"`+name+`": \d+`).ReplaceAllFunc(data, func([]byte) []byte {
		text := fmt.Appendf(nil, "%q: %d", name, noted[0])
		noted = noted[1:]
		return text
	})
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// several is a library with runs in every state.
func several(t testing.TB, runs string) {
	keep(t, runs, 1, bundle.Finished, bundle.Labels{Tags: []string{"before fusion", "idle machine"}, Note: "Fans at full speed."})
	keep(t, runs, 26, bundle.Stopped, bundle.Labels{})
	keep(t, runs, 50, bundle.Failed, bundle.Labels{Tags: []string{"hang"}})
	keep(t, runs, 0, bundle.Running, bundle.Labels{})
	broken := filepath.Join(runs, "20261101-101500-fusion.assayrun")
	if err := os.MkdirAll(broken, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "run.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func none(testing.TB, string) {}

// one is a library with one run.
func one(t testing.TB, runs string) {
	keep(t, runs, 1, bundle.Finished, bundle.Labels{Tags: []string{"before fusion"}})
}
