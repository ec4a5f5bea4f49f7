package app

import (
	"encoding/json"
	"os"
	"path/filepath"

	"assay/internal/regular"
)

// Paths are the user's folders for Assay, which need not exist yet. Without a home they are empty.
type Paths struct {
	Data   string // permanent data: the run bundles
	Logs   string // the log of the window's process
	Caches string // data that can be regenerated
	Config string // the window's preferences
}

// place is the location of a folder: below the variable's folder if that is set, else below the home.
type place struct {
	variable string // of the XDG base directories; ignored unless an absolute path
	folder   string // below the home, the app's own folder included
}

// UserPaths finds the folders: on macOS below ~/Library, elsewhere in the XDG base directories. The XDG variables also
// work on macOS, so that tests and scripts can move them.
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

// DefaultRunsDir is the default folder for run bundles. Without a home directory it is a folder below the current one.
func DefaultRunsDir() string {
	if data := UserPaths().Data; data != "" {
		return filepath.Join(data, "runs")
	}
	return "assay-runs"
}

// SettingsFile is the path of the window's settings; empty if there is no folder for them.
func SettingsFile() string {
	if folder := UserPaths().Config; folder != "" {
		return filepath.Join(folder, "settings.json")
	}
	return ""
}

// BaselineSetting is the key of the pinned baseline's folder in the window's settings.
const BaselineSetting = "results.baseline"

// MaxSettings is the maximum size of the settings file, in bytes. A larger one counts as empty.
const MaxSettings = 1 << 20

// PinnedBaseline returns the folder of the run that the window has pinned as baseline; empty if there is none.
func PinnedBaseline() string {
	var settings map[string]any
	data, err := regular.Read(SettingsFile(), "a file of settings", MaxSettings)
	if err != nil || json.Unmarshal(data, &settings) != nil {
		return ""
	}
	dir, _ := settings[BaselineSetting].(string)
	return dir
}
