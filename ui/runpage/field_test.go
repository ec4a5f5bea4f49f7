package runpage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fyne.io/fyne/v2/test"

	"assay/ui/kit"
)

func TestBrowseAsksForWeights(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	p := open(t, kit.AlwaysDark)
	c := p.chooser
	chooseNamed(t, p, "quantization")
	f := fieldNamed(t, p, "file")
	test.Tap(f.browse) // the user cancels
	if len(c.Asked) != 1 || !slices.Equal(c.Last().Types, []string{"safetensors"}) || c.Last().Folder != os.Getenv("HOME") {
		t.Fatalf("asked %+v", c.Asked)
	}
	if f.entry.Text != "" || p.desk.Settings.Store.String("open.folder") != "" {
		t.Errorf("cancelling entered %q and remembers %q", f.entry.Text, p.desk.Settings.Store.String("open.folder"))
	}
	c.Path = filepath.Join(t.TempDir(), "model.safetensors")
	test.Tap(f.browse)
	if f.entry.Text != c.Path {
		t.Errorf("entered %q, want %q", f.entry.Text, c.Path)
	}
	test.Tap(f.browse)
	if c.Last().Folder != filepath.Dir(c.Path) {
		t.Errorf("begins in %s, want the folder of the file before", c.Last().Folder)
	}
	c.Path, c.Err = "", errors.New("no permission")
	test.Tap(f.browse)
	if rowNamed(t, p, "file").note.Content != "no permission" {
		t.Errorf("told %q", rowNamed(t, p, "file").note.Content)
	}
}
