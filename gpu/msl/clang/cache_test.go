package clang

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestUserCache(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "/caches")
	if got, err := userCache(); err != nil || got != "/caches/assay/msl" {
		t.Errorf("with XDG_CACHE_HOME: %s, %v", got, err)
	}
	want := filepath.Join(home, ".cache/assay/msl")
	if runtime.GOOS == "darwin" {
		want = filepath.Join(home, "Library/Caches/Assay/msl")
	}
	t.Setenv("XDG_CACHE_HOME", "relative")
	if got, err := userCache(); err != nil || got != want {
		t.Errorf("without: %s, %v; want %s", got, err, want)
	}
}

// Entries unused for 30 days are removed, once a day; entries in use and files that are not the cache's stay.
func TestCachePrune(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	put := func(name string, days int) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		at := now.AddDate(0, 0, -days)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	left := func() []string {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	put("check-old", 31)
	put("ptx-old.ptx", 31)
	put("kernel-young.so", 29)
	put("mine", 400)
	put("entry-used.o", 400)
	put("entry-used.o.sum", 400)
	c := cache{dir}
	if _, err := c.get("entry-used.o", func(path string) error { return os.WriteFile(path, []byte("y"), 0o644) }); err != nil {
		t.Fatal(err)
	}
	c.prune(now)
	want := []string{"entry-used.o", "entry-used.o.sum", "kernel-young.so", "mine", "pruned"}
	if got := left(); !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
	put("check-old", 31)
	c.prune(now.Add(time.Hour))
	if got := left(); !slices.Contains(got, "check-old") {
		t.Errorf("within the day: left %q", got)
	}
	c.prune(now.Add(25 * time.Hour))
	if got := left(); slices.Contains(got, "check-old") {
		t.Errorf("a day later: left %q", got)
	}
}

// Finding an entry counts as a use.
func TestUseKeepsAnEntry(t *testing.T) {
	c := cache{t.TempDir()}
	build := func(path string) error { return os.WriteFile(path, []byte("y"), 0o644) }
	path, err := c.get("entry-a.o", build)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().AddDate(0, 0, -40)
	for _, p := range []string{path, path + ".sum"} {
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.get("entry-a.o", build); err != nil {
		t.Fatal(err)
	}
	c.prune(time.Now())
	if !whole(path) {
		t.Error("an entry in use was removed")
	}
}

// Without a cache folder of the user, as in many containers, a temporary one is used, but not one that others can write to.
func TestCacheWithoutAHome(t *testing.T) {
	file := filepath.Join(t.TempDir(), "assay")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string][2]string{"no home": {"", ""}, "a file in its place": {filepath.Dir(file), t.TempDir()}} {
		t.Setenv("XDG_CACHE_HOME", env[0])
		t.Setenv("HOME", env[1])
		t.Setenv("TMPDIR", t.TempDir())
		for range 2 {
			if c, err := newCache(""); err != nil || filepath.Dir(c.dir) != os.TempDir() {
				t.Errorf("%s: %s, %v", name, c.dir, err)
			}
		}
		if err := os.Chmod(temporaryCache(), 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := newCache(""); err == nil || !strings.Contains(err.Error(), "; set XDG_CACHE_HOME to a folder that can be written") {
			t.Errorf("%s, and anyone can write to the temporary one: %v", name, err)
		}
	}
}
