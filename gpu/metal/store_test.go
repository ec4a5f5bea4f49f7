package metal

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func testStore(t *testing.T, root string, env environment) *store {
	t.Helper()
	s, err := openStore(root, env)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func testEnvironment() environment {
	f := m3()
	f.architecture = "applegpu_g15s"
	return environmentOf(f, m3Host())
}

func testKey() archiveKey {
	return archiveKey{"matmul_f32", "transpose_b=1", sha256.Sum256([]byte("source"))}
}

func putText(t *testing.T, s *store, k archiveKey, text string) string {
	t.Helper()
	err := s.put(k, 0.25, func(path string) error { return os.WriteFile(path, []byte(text), 0o644) })
	if err != nil {
		t.Fatal(err)
	}
	path, ok := s.find(k)
	if !ok {
		t.Fatal("what was put is not found")
	}
	return path
}

func TestStoreKeeps(t *testing.T) {
	root := t.TempDir()
	s, k := testStore(t, root, testEnvironment()), testKey()
	if _, ok := s.find(k); ok {
		t.Fatal("an empty store finds something")
	}
	path := putText(t, s, k, "compiled")
	if got, err := os.ReadFile(path); err != nil || string(got) != "compiled" {
		t.Errorf("the archive holds %q, %v", got, err)
	}
	again := testStore(t, root, testEnvironment())
	if _, ok := again.find(k); !ok {
		t.Error("the next start does not find it")
	}
	putText(t, s, k, "compiled again")
	left, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("files %q, %v: want archive and manifest alone", left, err)
	}
}

// After a reboot a device has another registry ID but uses the same archives.
func TestStoreOutlivesABoot(t *testing.T) {
	root := t.TempDir()
	putText(t, testStore(t, root, environmentOf(m3(), m3Host())), testKey(), "compiled")
	f := m3()
	f.registryID++
	if _, ok := testStore(t, root, environmentOf(f, m3Host())).find(testKey()); !ok {
		t.Error("another registry ID made the archive stale")
	}
}

// Everything that the code was compiled from is part of the key.
func TestStoreStale(t *testing.T) {
	env := testEnvironment()
	newer := env
	newer.OSBuild = "25A354"
	chip := env
	chip.Architecture = "applegpu_g16s"
	edited := testKey()
	edited.source = sha256.Sum256([]byte("edited"))
	cases := []struct {
		name string
		env  environment
		key  archiveKey
	}{{"system updated", newer, testKey()}, {"other architecture", chip, testKey()}, {"source edited", env, edited}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			path := putText(t, testStore(t, root, env), testKey(), "old")
			s := testStore(t, root, c.env)
			if _, ok := s.find(c.key); ok {
				t.Fatal("a stale archive was found")
			}
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the stale archive is still there: %v", err)
			}
			putText(t, s, c.key, "new")
		})
	}
}

func TestStoreCorrupt(t *testing.T) {
	cases := []struct {
		name  string
		spoil func(path string) error
	}{
		{"a byte changed", func(p string) error { return os.WriteFile(p, []byte("compilee"), 0o644) }},
		{"cut short", func(p string) error { return os.Truncate(p, 3) }},
		{"empty", func(p string) error { return os.Truncate(p, 0) }},
		{"manifest is not JSON", func(p string) error { return os.WriteFile(manifestPath(p), []byte("{"), 0o644) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, k := testStore(t, t.TempDir(), testEnvironment()), testKey()
			path := putText(t, s, k, "compiled")
			if err := c.spoil(path); err != nil {
				t.Fatal(err)
			}
			if _, ok, corrupt := s.look(k); ok || !corrupt {
				t.Fatalf("a corrupt archive: found %v, corrupt %v", ok, corrupt)
			}
			if _, err := os.Stat(path + ".bad"); err != nil {
				t.Errorf("the corrupt archive was not renamed away: %v", err)
			}
			putText(t, s, k, "compiled")
		})
	}
}

// A crash between writing the archive and its manifest leaves an archive that is ignored.
func TestStoreUnfinished(t *testing.T) {
	s, k := testStore(t, t.TempDir(), testEnvironment()), testKey()
	path := putText(t, s, k, "compiled")
	if err := os.Remove(manifestPath(path)); err != nil {
		t.Fatal(err)
	}
	if _, ok, corrupt := s.look(k); ok || corrupt {
		t.Error("an archive without a manifest was found, or counts as corrupt")
	}
}

func TestStorePutFails(t *testing.T) {
	s, k := testStore(t, t.TempDir(), testEnvironment()), testKey()
	path := putText(t, s, k, "compiled")
	full := errors.New("no space left")
	if err := s.put(k, 0.25, func(string) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	if got, _ := os.ReadFile(path); string(got) != "compiled" {
		t.Errorf("a failed put left %q", got)
	}
	if _, err := openStore(filepath.Join(path, "below a file"), testEnvironment()); err == nil {
		t.Error("a store opened below a file")
	}
}

// Names of kernels and devices are parts of paths.
func TestStorePath(t *testing.T) {
	env := testEnvironment()
	env.Device = "../../etc/Apple M3"
	root := t.TempDir()
	s := testStore(t, root, env)
	k := testKey()
	k.kernel = "../matmul"
	for _, path := range []string{s.path(k), s.dir} {
		if rel, err := filepath.Rel(root, path); err != nil || strings.HasPrefix(rel, "..") {
			t.Errorf("%s is outside of %s", path, root)
		}
	}
	other := k
	other.constants = ""
	if s.path(k) == s.path(other) {
		t.Error("other constants have the same file")
	}
}

// A process killed while writing leaves a folder, which a later start removes unless it is in use.
func TestStoreSweeps(t *testing.T) {
	root := t.TempDir()
	s := testStore(t, root, testEnvironment())
	path := putText(t, s, testKey(), "compiled")
	old, fresh := filepath.Join(s.dir, unfinished+"1"), filepath.Join(s.dir, unfinished+"2")
	for _, dir := range []string{old, fresh} {
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "half"), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * staleAfter)
	if err := errors.Join(os.Chtimes(old, long, long), os.Chtimes(path, long, long)); err != nil {
		t.Fatal(err)
	}
	again := testStore(t, root, testEnvironment())
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the stale folder is still there: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("a folder in use: %v", err)
	}
	if _, ok := again.find(testKey()); !ok {
		t.Error("an old archive was removed")
	}
}
