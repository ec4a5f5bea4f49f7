package clang

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"assay/gpu/msl"
	"assay/gpu/msl/shim"
)

// cache is a folder of compiled files, keyed by the hash of all inputs. Processes may share it: files are written atomically,
// and a file whose content has changed is regenerated.
type cache struct{ dir string }

// newCache creates the folder. An empty name means the user's cache folder, or where that cannot be written, as in many
// containers, a temporary one.
func newCache(dir string) (cache, error) {
	var err error
	if dir == "" {
		dir, err = userCache()
		if err == nil {
			err = writable(dir)
		}
		if err != nil {
			if dir = temporaryCache(); private(dir) != nil {
				return cache{}, fmt.Errorf("folder for compiled kernels: %w; set XDG_CACHE_HOME to a folder that can be written", err)
			}
		}
	}
	dir, err = filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return cache{}, fmt.Errorf("folder for compiled kernels: %w", err)
	}
	c := cache{dir}
	c.prune(time.Now())
	return c, nil
}

// writable makes a folder, if need be, and returns an error if files cannot be created in it.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}

// temporaryCache is the user's own folder among the temporary ones.
func temporaryCache() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("assay-msl-%d", os.Getuid()))
}

// private makes a folder that no other user can write to, and returns an error if one that exists is another user's: its
// files are code that will run.
func private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm() != 0o700 {
		return fmt.Errorf("%s is not a folder of this user only", dir)
	}
	return nil
}

// userCache is msl in the app's cache folder: below $XDG_CACHE_HOME if that is set, also on macOS.
func userCache() (string, error) {
	if dir := os.Getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "assay", "msl"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Caches", "Assay", "msl"), nil
	}
	return filepath.Join(home, ".cache", "assay", "msl"), nil
}

// key is the name of a file that depends on the parts.
func key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))[:40]
}

// get returns the path of a file, which build creates if it is missing or damaged.
func (c cache) get(name string, build func(path string) error) (string, error) {
	path := filepath.Join(c.dir, name)
	touch(path, path+".sum") // before reading it, so that no other process removes it as unused
	if whole(path) {
		return path, nil
	}
	dir, err := os.MkdirTemp(c.dir, "build-")
	if err != nil {
		return "", fmt.Errorf("folder for compiled kernels: %w", err)
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, name)
	if err := build(made); err != nil {
		return "", err
	}
	return path, publish(made, path)
}

// publish moves a file to its final place and writes its hash beside it.
func publish(made, path string) error {
	sum, err := fileHash(made)
	if err != nil {
		return err
	}
	if err := os.WriteFile(made+".sum", []byte(sum), 0o644); err != nil {
		return err
	}
	return errors.Join(os.Rename(made, path), os.Rename(made+".sum", path+".sum"))
}

// whole reports whether a file exists with the content that was written.
func whole(path string) bool {
	want, err := os.ReadFile(path + ".sum")
	if err != nil {
		return false
	}
	got, err := fileHash(path)
	return err == nil && got == string(want)
}

func fileHash(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// headerFiles returns the target's headers and the stubs of the preprocessing pass by name, and the hash of all.
func headerFiles(target Target) (map[string][]byte, string, error) {
	files, err := allFiles(target.Headers())
	for _, n := range systemHeaders {
		files["stubs/"+n] = nil
	}
	return files, hashOf(files), err
}

// allFiles reads the files of a file system, by name.
func allFiles(headers fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(headers, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(headers, name)
		return err
	})
	return files, err
}

func hashOf(files map[string][]byte) string {
	var parts []string
	for n, b := range files {
		parts = append(parts, n+"\x00"+string(b))
	}
	slices.Sort(parts)
	return key(parts...)
}

// tensors writes the headers of tensors, and their stand-ins in the preprocessing pass, and returns their folder.
func (c cache) tensors() (string, error) {
	files, err := allFiles(shim.Tensors())
	if err != nil {
		return "", err
	}
	for _, n := range tensorHeaders {
		files["stubs/"+n] = []byte(msl.TensorMark)
	}
	dir := filepath.Join(c.dir, "shim-"+hashOf(files))
	return dir, writeHeaders(dir, files)
}

// headers writes the target's headers to the cache and returns their folder and hash.
func (c cache) headers(target Target) (dir, hash string, err error) {
	files, hash, err := headerFiles(target)
	if err != nil {
		return "", "", err
	}
	dir = filepath.Join(c.dir, "shim-"+hash)
	return dir, hash, writeHeaders(dir, files)
}

// writeHeaders writes the files that a folder of headers does not have yet.
func writeHeaders(dir string, files map[string][]byte) error {
	touch(dir)
	for name, want := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if got, err := os.ReadFile(path); err == nil && string(got) == string(want) {
			continue
		}
		if err := writeWhole(path, want); err != nil {
			return fmt.Errorf("write the language's headers: %w", err)
		}
	}
	return nil
}

// writeWhole writes a file atomically.
func writeWhole(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
