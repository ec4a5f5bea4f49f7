package ui

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
)

// fakeChooser answers as the test says: with a path, an error, or, where it has neither, by cancelling.
type fakeChooser struct {
	path  string
	err   error
	asked []question
	saves int
}

func (c *fakeChooser) open(q question, done func(string, error)) {
	c.asked = append(c.asked, q)
	if c.path != "" || c.err != nil {
		done(c.path, c.err)
	}
}

func (c *fakeChooser) save(q question, done func(string, error)) {
	c.saves++
	c.open(q, done)
}

// withChooser puts a fake in the place of the system's panels.
func withChooser(d *desk) *fakeChooser {
	c := &fakeChooser{}
	d.files = choosing{c, d.settings}
	d.run.forms = map[string]*form{} // their buttons have the old one
	d.run.showing = ""
	d.run.chooseForm()
	return c
}

func last(c *fakeChooser) question { return c.asked[len(c.asked)-1] }

func TestExportAsksWhereTo(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	c := withChooser(d)
	d.exportCSV()
	if len(c.asked) != 0 {
		t.Fatal("asked where to, with nothing to export")
	}
	play(d, "finished")
	told := d.run.head.status.content
	d.exportCSV() // the user cancels
	want := question{title: "Export CSV", name: "20261120-120000-batching.csv", folder: os.Getenv("HOME"), types: []string{"csv"}}
	if c.saves != 1 || last(c).name != want.name || last(c).folder != want.folder || !slices.Equal(last(c).types, want.types) {
		t.Errorf("asked %+v, want %+v", c.asked, want)
	}
	if d.run.head.status.content != told || d.settings.folder() != "" || d.modal() {
		t.Error("cancelling did something")
	}
	folder := t.TempDir()
	c.path = filepath.Join(folder, "sweep.csv")
	d.exportCSV()
	data, err := os.ReadFile(c.path)
	if err != nil || strings.Count(string(data), "\n") != 15 {
		t.Errorf("wrote %d lines, %v; want a head and 14 results", strings.Count(string(data), "\n"), err)
	}
	d.exportCSV()
	if last(c).folder != folder {
		t.Errorf("begins in %s, want the folder of the export before", last(c).folder)
	}
	c.path, c.err = "", errors.New("no permission")
	d.exportCSV()
	if !d.modal() {
		t.Error("an error of the panel is not told")
	}
}

func TestBrowseAsksForWeights(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	c := withChooser(d)
	chooseNamed(t, d, "quantization")
	f := fieldNamed(t, d, "file")
	test.Tap(f.browse) // the user cancels
	if len(c.asked) != 1 || !slices.Equal(last(c).types, []string{"safetensors"}) || last(c).folder != os.Getenv("HOME") {
		t.Fatalf("asked %+v", c.asked)
	}
	if f.entry.Text != "" || d.settings.openFolder() != "" {
		t.Errorf("cancelling entered %q and remembers %q", f.entry.Text, d.settings.openFolder())
	}
	c.path = filepath.Join(t.TempDir(), "model.safetensors")
	test.Tap(f.browse)
	if f.entry.Text != c.path {
		t.Errorf("entered %q, want %q", f.entry.Text, c.path)
	}
	test.Tap(f.browse)
	if last(c).folder != filepath.Dir(c.path) {
		t.Errorf("begins in %s, want the folder of the file before", last(c).folder)
	}
	c.path, c.err = "", errors.New("no permission")
	test.Tap(f.browse)
	if f.note.content != "no permission" {
		t.Errorf("told %q", f.note.content)
	}
}
