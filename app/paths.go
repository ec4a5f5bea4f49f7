package app

import (
	"os"
	"path/filepath"
)

// Paths are the user's folders of Assay, none of which need be there yet. Without a home they are empty.
type Paths struct {
	Data   string // what is to last: the run bundles
	Logs   string // what the window's process said
	Caches string // what can be made again at any time
	Config string // what the window remembers
}

// place is where one of the folders is: below the variable's folder where that is set, else below the home.
type place struct {
	variable string // of the XDG base directories; one that is not an absolute path does not count
	folder   string // below the home, the app's own folder included
}

// UserPaths finds the folders: on macOS below ~/Library, elsewhere where the XDG base directories are. The XDG
// variables count on macOS too, so that tests and scripts can move them.
func UserPaths() Paths {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	data, logs, caches, config := places()
	return Paths{Data: data.in(home), Logs: logs.in(home), Caches: caches.in(home), Config: config.in(home)}
}

func (p place) in(home string) string {
	if dir := os.Getenv(p.variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "assay")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(p.folder))
}

// DefaultRunsDir is where run bundles go unless something else is asked for. Without a home it is a folder below the
// current one.
func DefaultRunsDir() string {
	if data := UserPaths().Data; data != "" {
		return filepath.Join(data, "runs")
	}
	return "assay-runs"
}
