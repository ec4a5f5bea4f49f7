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
	test.Tap(f.Browse) // the user cancels
	if len(c.Asked) != 1 || !slices.Equal(c.Last().Types, []string{"safetensors", "gguf"}) || c.Last().Folder != os.Getenv("HOME") {
		t.Fatalf("asked %+v", c.Asked)
	}
	if f.Entry.Text != "" || p.desk.Settings.Store.String("open.folder") != "" {
		t.Errorf("canceling entered %q and remembers %q", f.Entry.Text, p.desk.Settings.Store.String("open.folder"))
	}
	c.Path = filepath.Join(t.TempDir(), "model.safetensors")
	test.Tap(f.Browse)
	if f.Entry.Text != c.Path {
		t.Errorf("entered %q, want %q", f.Entry.Text, c.Path)
	}
	test.Tap(f.Browse)
	if c.Last().Folder != filepath.Dir(c.Path) {
		t.Errorf("begins in %s, want the folder of the file before", c.Last().Folder)
	}
	c.Path, c.Err = "", errors.New("no permission")
	test.Tap(f.Browse)
	if rowNamed(t, p, "file").Note.Content != "No permission" {
		t.Errorf("told %q", rowNamed(t, p, "file").Note.Content)
	}
}
