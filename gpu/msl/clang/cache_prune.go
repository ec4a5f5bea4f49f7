package clang

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	pruneEvery = 24 * time.Hour
	keepUnused = 30 * 24 * time.Hour
	pruneStamp = "pruned" // an empty file; its time is that of the last look
)

// prune removes what was not used for long, at most once a day. An entry's time is that of its last use, to the day.
// What another process needs again is made again; what cannot be removed stays until the next time.
func (c cache) prune(now time.Time) {
	stamp := filepath.Join(c.dir, pruneStamp)
	if at, err := os.Stat(stamp); err == nil && now.Sub(at.ModTime()) < pruneEvery {
		return
	}
	if os.WriteFile(stamp, nil, 0o644) != nil || os.Chtimes(stamp, now, now) != nil {
		return // the folder may be read-only
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && made(e.Name()) && now.Sub(info.ModTime()) > keepUnused {
			_ = os.RemoveAll(filepath.Join(c.dir, e.Name()))
		}
	}
}

// made reports whether a name is one that the cache gives: whatever else lies in its folder is not touched.
func made(name string) bool {
	for _, kind := range []string{"build-", "check-", "entry-", "kernel-", "prefix-", "shim-"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
}

// touch notes that files are used, to the day: more often would only cost.
func touch(paths ...string) {
	now := time.Now()
	for _, p := range paths {
		if at, err := os.Stat(p); err == nil && now.Sub(at.ModTime()) > pruneEvery {
			_ = os.Chtimes(p, now, now)
		}
	}
}
