package bundle

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFolderErrorSaysWhatToDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(file, "runs")
	_, err := Create(root, Meta{ID: "run"}, nil)
	want := "the folder for runs " + root + " cannot be used: not a directory; move the file in its path away"
	if err == nil || err.Error() != want || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("got %v, want %s", err, want)
	}
	for cause, words := range map[error]string{
		&fs.PathError{Op: "open", Path: "/x", Err: syscall.EACCES}:  "/y cannot be used: permission denied; allow Assay",
		&fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.ENOSPC}: "no space left on device; free space",
		errors.New("odd"): "/y cannot be used: odd",
	} {
		if err := (&FolderError{"/y", cause}).Error(); !strings.Contains(err, words) || strings.Contains(err, "/x") {
			t.Errorf("%q does not say %q", err, words)
		}
	}
}
