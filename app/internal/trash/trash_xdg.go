//go:build !darwin

package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The trash of freedesktop.org's Trash specification 1.0: one in the home, and one at the root of every other mount.

// directory is a trash directory, with its folders "files" and "info".
type directory struct {
	dir string
	top string // paths are noted relative to it; empty: absolute
}

func put(path string) (Item, error) {
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return Item{}, err
	}
	real := filepath.Join(parent, filepath.Base(path))
	directories, err := directoriesFor(real)
	if err != nil {
		return Item{}, err
	}
	var tried error
	for _, d := range directories {
		item, err := d.put(real)
		if err == nil {
			item.Original = path
			return item, nil
		}
		tried = errors.Join(tried, err)
	}
	return Item{}, tried
}

// directoriesFor lists the trash directories to try: a deleted item must not leave its mount, or it would have to be copied.
func directoriesFor(path string) ([]directory, error) {
	device, err := deviceOf(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if home := homeTrash(); home != "" && sameDevice(home, device) {
		return []directory{{dir: home}}, nil
	}
	top := mountOf(filepath.Dir(path), device)
	uid := strconv.Itoa(os.Getuid())
	var directories []directory
	shared := filepath.Join(top, ".Trash") // set up by an administrator
	if info, err := os.Lstat(shared); err == nil && info.IsDir() && info.Mode()&fs.ModeSticky != 0 {
		directories = append(directories, directory{filepath.Join(shared, uid), top})
	}
	return append(directories, directory{filepath.Join(top, ".Trash-"+uid), top}), nil
}

// homeTrash is the user's own trash; empty without a home.
func homeTrash() string {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "Trash")
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "share", "Trash")
}

func deviceOf(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("%s: cannot find its device", path)
	}
	return uint64(stat.Dev), nil
}

// sameDevice reports whether a folder, which need not exist yet, is or would be on a device.
func sameDevice(dir string, device uint64) bool {
	for {
		d, err := deviceOf(dir)
		if err == nil {
			return d == device
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// mountOf is the topmost folder above path on its device.
func mountOf(path string, device uint64) string {
	for path != filepath.Dir(path) {
		if d, err := deviceOf(filepath.Dir(path)); err != nil || d != device {
			break
		}
		path = filepath.Dir(path)
	}
	return path
}

// prepare creates the trash's folders, readable only by the user. A trash that is a link, or another user's, is
// rejected.
func (d directory) prepare() error {
	if d.top == "" {
		if err := os.MkdirAll(d.dir, 0o700); err != nil {
			return fmt.Errorf("cannot use the trash at %s: %w", d.dir, err)
		}
	} else if err := os.Mkdir(d.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("cannot use the trash at %s: %w", d.dir, err)
	}
	info, err := os.Lstat(d.dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if d.top != "" && (!info.IsDir() || !ok || int(stat.Uid) != os.Getuid()) {
		return fmt.Errorf("cannot use the trash at %s: the folder is a link or belongs to another user", d.dir)
	}
	for _, name := range []string{"files", "info"} {
		if err := os.Mkdir(filepath.Join(d.dir, name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("cannot use the trash at %s: %w", d.dir, err)
		}
	}
	return nil
}

// put moves the item in. Its info file is created first and exclusively, so that no process replaces another's.
func (d directory) put(path string) (Item, error) {
	if err := d.prepare(); err != nil {
		return Item{}, err
	}
	noted := path
	if d.top != "" {
		rel, err := filepath.Rel(d.top, path)
		if err != nil {
			return Item{}, err
		}
		noted = rel
	}
	note := fmt.Sprintf("[Trash Info]\nPath=%s\nDeletionDate=%s\n", (&url.URL{Path: noted}).EscapedPath(),
		time.Now().Format("2006-01-02T15:04:05"))
	const most = 10_000
	for n := 1; n <= most; n++ {
		name := numbered(filepath.Base(path), n)
		item := Item{
			Original: path, Trashed: filepath.Join(d.dir, "files", name),
			info: filepath.Join(d.dir, "info", name+".trashinfo"),
		}
		err := item.move(note)
		if !errors.Is(err, fs.ErrExist) {
			return item, err
		}
	}
	return Item{}, fmt.Errorf("the trash holds %d items named %s", most, filepath.Base(path))
}

// move writes the info file and moves the item; fs.ErrExist if the trash has an item of that name.
func (i Item) move(note string) error {
	f, err := os.OpenFile(i.info, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(note)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		if _, found := os.Lstat(i.Trashed); found == nil {
			err = fs.ErrExist // without an info file
		} else {
			err = os.Rename(i.Original, i.Trashed)
		}
	}
	if err != nil {
		_ = os.Remove(i.info)
	}
	return err
}

// numbered is a name, from the second on with its number before the ending: "run 2.assayrun".
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	ending := filepath.Ext(name)
	return strings.TrimSuffix(name, ending) + " " + strconv.Itoa(n) + ending
}
