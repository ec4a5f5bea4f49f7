package bundle

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// ReplaceFile writes a temporary file and renames it. A kill between the two leaves the temporary file.

// temporaryName matches renameio's temporary files for run.json, results.csv (in schema 1) and labels.json.
var temporaryName = regexp.MustCompile(`^\.(run\.json|results\.csv|labels\.json|report\.html)\d+$`)

func temporary(name string) bool { return temporaryName.MatchString(name) }

// abandoned is the age at which a temporary file is abandoned: writing one takes milliseconds.
const abandoned = time.Minute

// Sweep removes the temporary files that a kill left in a bundle's folder, as far as possible, and a folder that a kill left
// empty; then it returns true.
func Sweep(dir string) (gone bool) {
	entries, _ := os.ReadDir(dir)
	if info, err := os.Lstat(dir); err == nil && len(entries) == 0 && filepath.Ext(dir) == Extension && time.Since(info.ModTime()) > abandoned {
		return os.Remove(dir) == nil // it fails if the folder has got a file meanwhile
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && temporary(e.Name()) && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, e.Name())) // it only wastes space
		}
	}
	return false
}
