package clang

import (
	"os"
	"path/filepath"
	"time"
)

const (
	pruneEvery = 24 * time.Hour
	keepUnused = 30 * 24 * time.Hour
	pruneStamp = "pruned" // an empty file; its time is that of the last pruning
)

// prune removes files that were unused for long, at most once a day. A file's time is that of its last use, to the day. If
// another process needs a removed file, it is regenerated; a file that cannot be removed stays until the next time.
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

// touch records that files are used, at most once a day to save time.
func touch(paths ...string) {
	now := time.Now()
	for _, p := range paths {
		if at, err := os.Stat(p); err == nil && now.Sub(at.ModTime()) > pruneEvery {
			_ = os.Chtimes(p, now, now)
		}
	}
}
