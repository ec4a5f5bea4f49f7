package bundle

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// ReplaceFile writes a temporary file and renames it. A kill between the two leaves the temporary file.

// temporaryName matches renameio's temporary files for run.json, results.csv (in schema 1), labels.json and references.json.
var temporaryName = regexp.MustCompile(`^\.(run\.json|results\.csv|labels\.json|references\.json|report\.html)\d+$`)

func temporary(name string) bool { return temporaryName.MatchString(name) }

// sweepBeside removes the temporary files of earlier writes of a file that a kill left beside it. The folder is the
// user's: only names with a random number as long as renameio's are treated as ours, so that ".notes2024" beside "notes" stays,
// and only files that no slow export can still be writing.
func sweepBeside(path string) {
	name := regexp.MustCompile(`^\.` + regexp.QuoteMeta(filepath.Base(path)) + `\d{15,19}$`)
	sweep(filepath.Dir(path), name.MatchString, abandonedBeside)
}

// sweep removes abandoned files with certain names, as far as possible: they only waste space.
func sweep(dir string, ours func(name string) bool, age time.Duration) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !ours(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > age {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Ages at which a temporary file counts as abandoned. Writing a bundle's takes milliseconds, an export may take minutes.
const (
	abandoned       = time.Minute
	abandonedBeside = time.Hour
)

// Sweep removes the temporary files that a kill left in a bundle's folder, as far as possible, and a folder that a kill left
// empty; then it returns true.
func Sweep(dir string) (gone bool) {
	entries, _ := os.ReadDir(dir)
	if info, err := os.Lstat(dir); err == nil && len(entries) == 0 && filepath.Ext(dir) == Extension && time.Since(info.ModTime()) > abandoned {
		return os.Remove(dir) == nil // it fails if the folder has meanwhile received a file
	}
	sweep(dir, temporary, abandoned)
	return false
}
