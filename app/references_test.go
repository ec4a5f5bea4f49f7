package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/internal/imported"
)

// Figures placed beside a run are in its bundle, apart from its results, and stay there when the file is forgotten.
func TestFiguresBesideARun(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	base, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	l := NewLibrary(s.runsDir())
	path := filepath.Join(t.TempDir(), "sleep.json")
	if err := os.WriteFile(path, []byte(`{"results": [{"command": "sleep", "median": 0.1}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Import(path); err != nil {
		t.Fatal(err)
	}
	if _, err := l.SaveBaseline("release", base.Dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sleep.json", "baseline:release", "sleep.json"} {
		if _, err := l.PutBeside(run.Dir, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.RemoveReference("sleep.json"); err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil || len(loaded.References) != 2 || len(loaded.Results) != len(run.Results) {
		t.Fatalf("%+v, %v", loaded.References, err)
	}
	was, others := &loaded.References[0], &loaded.References[1]
	if !was.Own() || len(was.Rows) != len(base.Results) || was.Rows[0].Seconds != base.Results[0].Time().Median || was.Rows[0].Context != "run "+base.Meta.ID {
		t.Errorf("of the baseline: %+v", was)
	}
	if others.Own() || others.Rows[0].Seconds != 0.1 || !strings.HasPrefix(others.Caution(), "Others’ figures") {
		t.Errorf("of others: %+v", others)
	}
	for _, name := range []string{"sleep.json", "baseline:none"} { // forgotten, never there
		if _, err := l.PutBeside(run.Dir, name); err == nil {
			t.Errorf("%s was put beside the run", name)
		}
	}
	if _, err := l.PutBeside(base.Dir, "baseline:release"); err == nil || !strings.Contains(err.Error(), "itself") {
		t.Errorf("beside itself: %v", err)
	}
	for _, name := range []string{"sleep.json", "baseline:release"} {
		if _, err := l.TakeFromBeside(run.Dir, name); err != nil {
			t.Error(err)
		}
	}
	if _, err := l.TakeFromBeside(run.Dir, "sleep.json"); err == nil {
		t.Error("taken away twice")
	}
	if _, err := os.Stat(filepath.Join(run.Dir, "references.json")); err == nil {
		t.Error("an empty list leaves a file")
	}
}

// A list that no run can have is refused when it is written, and reported by the list of runs when it is read.
func TestInvalidFiguresBesideARun(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	row := imported.Row{Source: "x", Name: "y", Seconds: 1}
	for _, list := range [][]imported.File{
		{{Rows: []imported.Row{row}}},
		{{Name: "a", Rows: []imported.Row{row}}, {Name: "a", Rows: []imported.Row{row}}},
		{{Name: "a", Rows: []imported.Row{{Source: "x", Name: "y"}}}},
	} {
		if err := bundle.WriteReferences(run.Dir, list); err == nil {
			t.Errorf("%+v was written", list)
		}
	}
	if err := os.WriteFile(filepath.Join(run.Dir, "references.json"), []byte(`[{"name": "a", "rows": [{"time_s": -1}]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if sum := bundle.Summarize(run.Dir); !strings.Contains(sum.Problem, "references.json") || sum.State != bundle.Finished {
		t.Errorf("problem %q, state %s", sum.Problem, sum.State)
	}
	if loaded, err := bundle.Load(run.Dir); err != nil || len(loaded.References) != 0 {
		t.Errorf("%v, %v", loaded.References, err)
	}
	if err := bundle.WriteReferences(t.TempDir(), nil); err == nil {
		t.Error("a folder without a run was taken")
	}
}
