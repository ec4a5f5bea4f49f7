package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
)

// A name belongs to a device; saving again replaces it, and a missing run is reported.
func TestBaselines(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	l := NewLibrary(s.runsDir())
	for _, name := range []string{"release", "release", "v1.0"} {
		if _, err := l.SaveBaseline(name, run.Dir); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := l.Baselines(); err != nil || len(list) != 2 || list[0].Device != run.Meta.Engine.Device {
		t.Errorf("%+v, %v", list, err)
	}
	if b, err := l.FindBaseline("release", &run.Meta.Engine); err != nil || b.Run != run.Dir {
		t.Errorf("%+v, %v", b, err)
	}
	if dir, err := l.Find("baseline:v1.0"); err != nil || dir != run.Dir {
		t.Errorf("%s, %v", dir, err)
	}
	other := gpu.Info{Engine: "metal", Device: "another"}
	if _, err := l.FindBaseline("release", &other); err == nil || !strings.Contains(err.Error(), "no baseline release on another (metal engine)") {
		t.Errorf("on another device: %v", err)
	}
	if _, err := l.FindBaseline("relase", nil); err == nil || !strings.Contains(err.Error(), "there are release, v1.0") {
		t.Errorf("misspelled: %v", err)
	}
	for _, name := range []string{"", "a b", "../x", strings.Repeat("x", 41)} {
		if _, err := l.SaveBaseline(name, run.Dir); err == nil {
			t.Errorf("the name %q was taken", name)
		}
	}
	if err := l.RemoveBaseline("v1.0"); err != nil {
		t.Error(err)
	}
	if err := l.RemoveBaseline("v1.0"); err == nil {
		t.Error("removed twice")
	}
	if err := os.RemoveAll(run.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := l.FindBaseline("release", nil); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("gone: %v", err)
	}
}

func TestImport(t *testing.T) {
	l, dir := NewLibrary(t.TempDir()), t.TempDir()
	path := filepath.Join(dir, "sleep.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, seconds := range []string{"0.1", "0.2"} { // the newer one replaces the older
		write(`{"results": [{"command": "sleep", "median": ` + seconds + `}]}`)
		if _, err := l.Import(path); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := l.References(); err != nil || len(list) != 1 || len(list[0].Rows) != 1 || list[0].Rows[0].Seconds != 0.2 {
		t.Errorf("%+v, %v", list, err)
	}
	write("nothing known")
	if _, err := l.Import(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if err := l.RemoveReference("sleep.json"); err != nil {
		t.Error(err)
	}
	if err := l.RemoveReference("sleep.json"); err == nil {
		t.Error("removed twice")
	}
}

// What is imported can be read again: anything larger is refused, and leaves the existing files alone.
func TestImportRefusesTooMuch(t *testing.T) {
	l, path := NewLibrary(t.TempDir()), filepath.Join(t.TempDir(), "sleep.json")
	for _, c := range []struct {
		name    string
		refused bool
	}{{"sleep", false}, {strings.Repeat("x", maxKept), true}} {
		if err := os.WriteFile(path, []byte(`{"results": [{"command": "`+c.name+`", "median": 1}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Import(path); (err != nil) != c.refused || c.refused && !strings.Contains(err.Error(), "16.8 MB") {
			t.Errorf("import of %d bytes: %v", len(c.name), err)
		}
	}
	if list, err := l.References(); err != nil || len(list) != 1 || list[0].Rows[0].Name != "sleep" {
		t.Errorf("%d files, %v", len(list), err)
	}
}
