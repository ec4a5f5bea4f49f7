package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"assay/app/bundle"
)

// Names of runs besides their IDs.
const (
	nameLast     = "last"     // the newest; last~1 is the one before
	nameBaseline = "baseline" // the run that the window has pinned
)

// Find returns the folder of a run by name: last, last~N, baseline, baseline:NAME, a folder's path, a run's ID with or without its
// extension, or a unique prefix of an ID.
func (l *Library) Find(name string) (dir string, err error) {
	if back, ok := generations(name); ok {
		return l.last(back)
	}
	if name == nameBaseline {
		return pinned()
	}
	if named, ok := strings.CutPrefix(name, baselinePrefix); ok {
		b, err := l.FindBaseline(named, nil)
		return b.Run, err
	}
	if bundle.IsBundle(name) {
		return name, nil
	}
	if dir, err := l.findID(strings.TrimSuffix(name, bundle.Extension)); dir != "" || err != nil {
		return dir, err
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return "", fmt.Errorf("no run in the folder %s: it has no run.json", name)
	case err == nil:
		return "", fmt.Errorf("%s is a file, want the folder or the ID of a run", name)
	case strings.ContainsRune(name, filepath.Separator) || name == "":
		return "", fmt.Errorf("no run %q: there is no such folder", name)
	}
	return "", fmt.Errorf("no run %q: not a folder, nor a run in %s", name, l.dir)
}

// generations returns how many runs before the newest one a name means: 1 for last~1.
func generations(name string) (int, bool) {
	if name == nameLast {
		return 0, true
	}
	count, ok := strings.CutPrefix(name, nameLast+"~")
	n, err := strconv.Atoi(count)
	return n, ok && err == nil && n >= 0
}

// last returns the newest run that is over and readable, or an earlier one, that many runs back.
func (l *Library) last(back int) (string, error) {
	runs, err := l.List(context.Background())
	if err != nil {
		return "", err
	}
	n := 0
	for i := range runs {
		if s := &runs[i]; s.State == bundle.Running || s.State == bundle.Damaged {
			continue
		}
		if n == back {
			return runs[i].Dir, nil
		}
		n++
	}
	if n == 0 {
		return "", fmt.Errorf("no run %s: there is none in %s", nameLast, l.dir)
	}
	return "", fmt.Errorf("no run %s~%d: there are %d in %s", nameLast, back, n, l.dir)
}

// findID returns the folder of a run of the library; empty if there is none.
func (l *Library) findID(id string) (string, error) {
	if id == "" {
		return "", nil
	}
	entries, _ := os.ReadDir(l.dir)
	var found []string
	for _, e := range entries {
		own := strings.TrimSuffix(e.Name(), bundle.Extension)
		dir := filepath.Join(l.dir, e.Name())
		if !strings.HasPrefix(own, id) || !bundle.IsBundle(dir) {
			continue
		}
		if own == id {
			return dir, nil
		}
		found = append(found, dir)
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d runs in %s start with %q: give more of the ID", len(found), l.dir, id)
}

// pinned returns the folder of the baseline.
func pinned() (string, error) {
	switch dir := PinnedBaseline(); {
	case dir == "":
		return "", errors.New("no baseline is pinned: choose Pin as Baseline on the Results page of the window")
	case !bundle.IsBundle(dir):
		return "", fmt.Errorf("the pinned baseline is gone: %s", dir)
	default:
		return dir, nil
	}
}
