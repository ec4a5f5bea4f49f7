package app

import (
	"path/filepath"
	"runtime"
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
