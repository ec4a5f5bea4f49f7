package kept

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// adding is the argument that makes the test binary add to a file.
const adding = "add"

func TestMain(m *testing.M) {
	if len(os.Args) != 3 || os.Args[1] != adding {
		os.Exit(m.Run())
	}
	for range 20 {
		if err := add(file(os.Args[2])); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
	}
}

func file(path string) File { return File{path, "a file of numbers", 1 << 10} }

func add(f File) error {
	return f.Change(func() error {
		n := 0
		if err := f.Read(&n); err != nil {
			return err
		}
		return f.Write(n + 1)
	})
}

func TestNoChangeIsLost(t *testing.T) {
	f := file(filepath.Join(t.TempDir(), "folder", "n.json"))
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if text, err := exec.Command(os.Args[0], adding, f.Path).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
	for range 2 {
		wait.Go(func() {
			for range 20 {
				if err := add(f); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	n := 0
	if err := f.Read(&n); err != nil || n != 100 {
		t.Errorf("%d of 100 changes were kept: %v", n, err)
	}
}

func TestReadsWhatIsThere(t *testing.T) {
	f := file(filepath.Join(t.TempDir(), "n.json"))
	n := 7
	if err := f.Read(&n); err != nil || n != 7 {
		t.Errorf("no file: %d, %v", n, err)
	}
	for text, want := range map[string]string{"{": "unexpected end", strings.Repeat("1", 2000): "want at most"} {
		if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Read(&n); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), f.Path) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}

// Data that could not be read back is not written, and the file stays unchanged; a change that fails returns its error.
func TestRefusesWhatIsTooLong(t *testing.T) {
	f := file(filepath.Join(t.TempDir(), "n.json"))
	if err := f.Write(1); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(strings.Repeat("x", 1<<10)); err == nil || !strings.Contains(err.Error(), "more than 1.02 kB") {
		t.Errorf("%v", err)
	}
	n := 0
	if err := f.Read(&n); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	broken := errors.New("broken")
	if err := f.Change(func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	left, err := os.ReadDir(filepath.Dir(f.Path))
	if err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}
