package desk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"fyne.io/fyne/v2"

	"assay/app"
)

var _ Store = fyne.Preferences(nil)

// newStore is a store that must not fail to write.
func newStore(t *testing.T, path string) *FileStore {
	t.Helper()
	s := NewFileStore(path)
	s.TellFailure(func(err error) { t.Error(err) })
	return s
}

func TestFileStoreKeepsValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "settings.json")
	s := newStore(t, path)
	s.SetBool("quick", true)
	s.SetInt("text.size", 130)
	s.SetFloat("window.width", 1280.5)
	s.SetString("page", "results")
	s.SetString("gone", "x")
	s.RemoveValue("gone")
	s.Flush()
	again := newStore(t, path)
	if !again.Bool("quick") || again.IntWithFallback("text.size", 1) != 130 || again.FloatWithFallback("window.width", 1) != 1280.5 ||
		again.String("page") != "results" || again.StringWithFallback("gone", "usual") != "usual" {
		t.Errorf("read back %v", again.values)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("beside the file lies %v, %v", list, err)
	}
}

func TestFileStoreWithoutGoodValues(t *testing.T) {
	for name, content := range map[string]string{
		"half": `{"quick": true, "te`, "empty": "", "list": "[1]", "null": "null", "other types": `{"quick": "yes", "text.size": 1.5, "page": 7}`,
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := NewFileStore(path)
		if s.Bool("quick") || s.IntWithFallback("text.size", 100) != 100 || s.StringWithFallback("page", "run") != "run" {
			t.Errorf("%s: took %v", name, s.values)
		}
	}
}

// The file is complete at every moment, even for a reader during repeated writes.
func TestFileStoreIsNeverHalf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := newStore(t, path)
	s.SetString("page", "run")
	s.Flush()
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for i := range 100 {
				s.SetString("page", strings.Repeat("x", i*100))
				s.Flush()
			}
		})
	}
	work.Go(func() {
		for range 1000 {
			if NewFileStore(path).StringWithFallback("page", "none") == "none" {
				t.Error("read half a file")
				return
			}
		}
	})
	work.Wait()
}

func TestFileStoreTellsThatItCannotWrite(t *testing.T) {
	folder := t.TempDir()
	blocked := filepath.Join(folder, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var told []error
	s := NewFileStore(filepath.Join(blocked, "settings.json"))
	s.TellFailure(func(err error) { told = append(told, err) })
	s.SetBool("quick", true)
	s.Flush()
	s.Flush() // nothing new
	s.SetBool("quick", false)
	s.SetBool("quick", true)
	s.Flush() // it fails like before
	if len(told) != 1 || !strings.Contains(fmt.Sprint(told[0]), "file") {
		t.Errorf("told %v", told)
	}
	if !s.Bool("quick") {
		t.Error("what was not written is forgotten")
	}
}

// Only files are read: a device has no end, and a pipe blocks its reader.
func TestFileStoreReadsFilesOnly(t *testing.T) {
	folder := t.TempDir()
	pipe, endless, large := filepath.Join(folder, "pipe"), filepath.Join(folder, "link"), filepath.Join(folder, "large")
	err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", endless),
		os.WriteFile(large, []byte(`{"page": "`+strings.Repeat("x", app.MaxSettings)+`"}`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, endless, large, folder} {
		if got := NewFileStore(path).StringWithFallback("page", "run"); got != "run" {
			t.Errorf("%s: read %d bytes", path, len(got))
		}
	}
}
