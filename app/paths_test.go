package app

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestUserPaths(t *testing.T) {
	want := Paths{"/home/ada/.local/share/assay", "/home/ada/.local/state/assay", "/home/ada/.cache/assay", "/home/ada/.config/assay"}
	if runtime.GOOS == "darwin" {
		const library = "/home/ada/Library/"
		want = Paths{library + "Application Support/Assay", library + "Logs/Assay", library + "Caches/Assay", library + "Application Support/Assay"}
	}
	moved := want
	moved.Data, moved.Logs = "/data/assay", "/state/assay"
	for _, c := range []struct {
		name, home, data, state string
		want                    Paths
		runs                    string
	}{
		{"home", "/home/ada", "", "", want, filepath.Join(want.Data, "runs")},
		{"moved", "/home/ada", "/data", "/state", moved, "/data/assay/runs"},
		{"relative paths do not count", "/home/ada", "data", "./state", want, filepath.Join(want.Data, "runs")},
		{"no home", "", "", "", Paths{}, "assay-runs"},
		{"no home, data moved", "", "/data", "", Paths{Data: "/data/assay"}, "/data/assay/runs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HOME", c.home)
			t.Setenv("XDG_DATA_HOME", c.data)
			t.Setenv("XDG_STATE_HOME", c.state)
			t.Setenv("XDG_CACHE_HOME", "")
			t.Setenv("XDG_CONFIG_HOME", "")
			if got := UserPaths(); got != c.want {
				t.Errorf("paths are %+v, want %+v", got, c.want)
			}
			if got := DefaultRunsDir(); got != c.runs {
				t.Errorf("runs go to %s, want %s", got, c.runs)
			}
		})
	}
}

// TestPinnedBaseline reads the window's settings the way the window does: anything but a file would block the command line.
func TestPinnedBaseline(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	path := SettingsFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		write func() error
		want  string
	}{
		{"none", func() error { return nil }, ""},
		{"pinned", func() error { return os.WriteFile(path, []byte(`{"results.baseline": "/runs/a"}`), 0o600) }, "/runs/a"},
		{"too large", func() error {
			return os.WriteFile(path, []byte(`{"results.baseline": "/runs/a"}`+strings.Repeat(" ", MaxSettings)), 0o600)
		}, ""},
		{"pipe", func() error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) }, ""},
	} {
		if err := c.write(); err != nil {
			t.Fatal(err)
		}
		if got := PinnedBaseline(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
