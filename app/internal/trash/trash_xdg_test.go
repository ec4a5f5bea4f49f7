//go:build !darwin

package trash

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder makes a folder with a file in it.
func folder(t *testing.T, path string) {
	t.Helper()
	check(t, os.MkdirAll(path, 0o755))
	check(t, os.WriteFile(filepath.Join(path, "file"), []byte(path), 0o644))
}

func home(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	return filepath.Join(data, "Trash")
}

func TestPutAndRestore(t *testing.T) {
	trash := home(t)
	dir := filepath.Join(t.TempDir(), "a run,100% ü.assayrun")
	var items []Item
	for i, want := range []string{"a run,100% ü.assayrun", "a run,100% ü 2.assayrun", "a run,100% ü 3.assayrun"} {
		folder(t, dir)
		item, err := Put(dir)
		check(t, err)
		if item.Trashed != filepath.Join(trash, "files", want) || item.Original != dir {
			t.Errorf("item %d: %+v", i, item)
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Fatal("it is still there")
		}
		note, err := os.ReadFile(filepath.Join(trash, "info", want+".trashinfo"))
		check(t, err)
		form := `^\[Trash Info\]\nPath=` + regexp.QuoteMeta(filepath.Dir(dir)) + `/a%20run,100%25%20%C3%BC\.assayrun\nDeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\n$`
		if !regexp.MustCompile(form).Match(note) {
			t.Errorf("note %q", note)
		}
		items = append(items, item)
	}
	check(t, items[1].Restore())
	if data, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(data) != dir {
		t.Errorf("restored: %q, %v", data, err)
	}
	if left, _ := filepath.Glob(filepath.Join(trash, "*", "*")); len(left) != 4 {
		t.Errorf("the trash holds %v, want two items with their notes", left)
	}
	if err := items[0].Restore(); err == nil || !strings.Contains(err.Error(), "exists again") {
		t.Errorf("restore over another: %v", err)
	}
	check(t, os.RemoveAll(dir))
	check(t, os.RemoveAll(items[0].Trashed))
	if err := items[0].Restore(); err == nil || !strings.Contains(err.Error(), "no longer in the trash") {
		t.Errorf("restore of what was emptied: %v", err)
	}
	if err := (Item{}).Restore(); err == nil {
		t.Error("nothing was restored without an error")
	}
}

func TestBinIsPrivate(t *testing.T) {
	trash := home(t)
	dir := filepath.Join(t.TempDir(), "x")
	folder(t, dir)
	_, err := Put(dir)
	check(t, err)
	for _, d := range []string{trash, filepath.Join(trash, "files"), filepath.Join(trash, "info")} {
		if info, err := os.Stat(d); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v; want only the user to see it", d, info.Mode(), err)
		}
	}
}

// An item in the trash without an info file is not replaced.
func TestPutReplacesNothing(t *testing.T) {
	trash := home(t)
	stray := filepath.Join(trash, "files", "x")
	check(t, os.MkdirAll(stray, 0o700))
	dir := filepath.Join(t.TempDir(), "x")
	folder(t, dir)
	item, err := Put(dir)
	check(t, err)
	if filepath.Base(item.Trashed) != "x 2" {
		t.Errorf("it went to %s", item.Trashed)
	}
	if notes, _ := filepath.Glob(filepath.Join(trash, "info", "*")); len(notes) != 1 {
		t.Errorf("notes %v", notes)
	}
}

func TestPutLink(t *testing.T) {
	home(t)
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	folder(t, target)
	link := filepath.Join(dir, "link")
	check(t, os.Symlink(target, link))
	item, err := Put(link)
	check(t, err)
	if info, err := os.Lstat(item.Trashed); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("not the link was moved: %v", err)
	}
	if _, err := os.Stat(filepath.Join(target, "file")); err != nil {
		t.Error(err)
	}
}

func TestPutFails(t *testing.T) {
	trash := home(t)
	if _, err := Put(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("what is not there was moved")
	}
	check(t, os.WriteFile(trash, nil, 0o644)) // where the trash should be
	dir := filepath.Join(t.TempDir(), "x")
	folder(t, dir)
	if _, err := Put(dir); err == nil || !strings.Contains(err.Error(), "cannot use the trash at") {
		t.Errorf("without a trash: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "file")); err != nil {
		t.Error("it is gone:", err)
	}
}

func TestPutAtOnce(t *testing.T) {
	trash := home(t)
	const n = 20
	var wait sync.WaitGroup
	for i := range n {
		dir := filepath.Join(t.TempDir(), strconv.Itoa(i), "same")
		folder(t, dir)
		wait.Go(func() {
			if _, err := Put(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	files, _ := filepath.Glob(filepath.Join(trash, "files", "*", "file"))
	notes, _ := filepath.Glob(filepath.Join(trash, "info", "*"))
	if len(files) != n || len(notes) != n {
		t.Errorf("%d items and %d notes, want %d", len(files), len(notes), n)
	}
}

// The trash at the root of a mount records relative paths, and a trash that is a link is rejected.
func TestTopTrash(t *testing.T) {
	top := t.TempDir()
	b := directory{filepath.Join(top, ".Trash-1"), top}
	dir := filepath.Join(top, "deep", "run")
	folder(t, dir)
	item, err := b.put(dir)
	check(t, err)
	note, err := os.ReadFile(item.info)
	check(t, err)
	if !strings.Contains(string(note), "\nPath=deep/run\n") {
		t.Errorf("note %q", note)
	}
	check(t, item.Restore())
	elsewhere := t.TempDir()
	linked := directory{filepath.Join(top, ".Trash-2"), top}
	check(t, os.Symlink(elsewhere, linked.dir))
	if _, err := linked.put(dir); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("a trash that is a link: %v", err)
	}
}

// On a mount other than the home's the trash is at the mount's root.
func TestBinsOfAnotherMount(t *testing.T) {
	const shm = "/dev/shm"
	dir, err := os.MkdirTemp(shm, "assay-trash")
	if err != nil {
		t.Skip("no other mount to write to: ", err)
	}
	defer os.RemoveAll(dir)
	h := home(t)
	device, err := deviceOf(dir)
	check(t, err)
	if sameDevice(h, device) || sameDevice(filepath.Dir(shm), device) {
		t.Skip(shm + " is not a mount point")
	}
	directories, err := directoriesFor(filepath.Join(dir, "x"))
	check(t, err)
	last := directories[len(directories)-1]
	if last.top != shm || last.dir != filepath.Join(shm, ".Trash-"+strconv.Itoa(os.Getuid())) {
		t.Errorf("directories %+v", directories)
	}
}
