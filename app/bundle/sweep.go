package bundle

import (
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// ReplaceFile writes beside a file and moves the result into its place. A kill between the two leaves what it wrote.

// temporaryName is how renameio names a file that it writes beside run.json, results.csv (in schema 1) or labels.json.
var temporaryName = regexp.MustCompile(`^\.(run\.json|results\.csv|labels\.json|report\.html)\d+$`)

func temporary(name string) bool { return temporaryName.MatchString(name) }

// abandoned is the age of a temporary file that nobody writes any more: writing one takes milliseconds.
const abandoned = time.Minute

// Sweep removes the temporary files that a kill has left in a bundle's folder. What cannot be removed stays.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && temporary(e.Name()) && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, e.Name())) // it costs only room
		}
	}
}
