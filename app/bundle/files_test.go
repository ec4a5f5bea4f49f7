//go:build unix

package bundle

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/app/internal/runstest"
	"assay/workloads"
)

// exported returns what an export writes, and a function that writes it to a path.
func exported(t *testing.T) (want string, export func(path string) error) {
	t.Helper()
	r := writeBundle(t, t.TempDir()).Run()
	var buf bytes.Buffer
	runstest.Check(t, WriteRows(&buf, Columns(&r.Meta), r.Results))
	return buf.String(), func(path string) error { return ReplaceFile(path, buf.Bytes()) }
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	runstest.Check(t, err)
	return string(data)
}

// Links stay links, and their target is written, even if it does not exist yet.
func TestExportThroughLinks(t *testing.T) {
	want, export := exported(t)
	for name, there := range map[string]bool{"old file": true, "no file yet": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			target := filepath.Join(dir, "folder", "target.csv")
			runstest.Check(t, os.Mkdir(filepath.Dir(target), 0o700))
			if there {
				runstest.Check(t, os.WriteFile(target, []byte("old"), 0o600))
			}
			near, far := filepath.Join(dir, "near"), filepath.Join(dir, "far")
			runstest.Check(t, os.Symlink("folder/target.csv", near))
			runstest.Check(t, os.Symlink(near, far))
			runstest.Check(t, export(far))
			for _, link := range []string{near, far} {
				if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
					t.Errorf("%s is not a link any more: %v, %v", link, info, err)
				}
			}
			if content(t, target) != want {
				t.Error("the link's target does not hold the export")
			}
			if info, err := os.Stat(target); there && (err != nil || info.Mode().Perm() != 0o600) {
				t.Errorf("a private file became %v, %v", info.Mode(), err)
			}
		})
	}
	loop := filepath.Join(t.TempDir(), "loop")
	runstest.Check(t, os.Symlink("loop", loop))
	if err := export(loop); !errors.Is(err, syscall.ELOOP) || !strings.Contains(err.Error(), "cannot write "+loop+": ") {
		t.Errorf("a link to itself: %v", err)
	}
}

func TestExportToPipe(t *testing.T) {
	want, export := exported(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	runstest.Check(t, syscall.Mkfifo(pipe, 0o600))
	if err := export(pipe); err == nil || err.Error() != "cannot write "+pipe+": nothing reads from this pipe" {
		t.Errorf("a pipe without a reader: %v", err)
	}
	got := make(chan string)
	go func() {
		f, err := os.Open(pipe)
		if err != nil {
			t.Error(err)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		got <- string(data)
	}()
	runstest.Check(t, export(pipe))
	if <-got != want {
		t.Error("the pipe's reader did not get the export")
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is now %v, %v", info, err)
	}
}

func TestExportToDevices(t *testing.T) {
	_, export := exported(t)
	for device, want := range map[string]error{"/dev/null": nil, "/dev/full": syscall.ENOSPC} {
		before, err := os.Stat(device)
		if err != nil {
			t.Logf("no %s on this system: %v", device, err)
			continue
		}
		link := filepath.Join(t.TempDir(), "device")
		runstest.Check(t, os.Symlink(device, link)) // not the device itself: a failure must not replace it
		err = export(link)
		if !errors.Is(err, want) || want != nil && !strings.HasPrefix(err.Error(), "cannot write "+link+": ") {
			t.Errorf("%s: got %v, want %v", device, err, want)
		}
		if after, err := os.Stat(link); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s was replaced", device)
		}
	}
}

// Standard output, even if it is a file, gets the export in order with other output.
func TestExportToStdout(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		t.Skip("no /dev/stdout on this system: ", err)
	}
	path, link := filepath.Join(t.TempDir(), "stdout"), filepath.Join(t.TempDir(), "link")
	runstest.Check(t, os.Symlink("/dev/stdout", link)) // not the device itself: a failure must not replace it
	f, err := os.Create(path)
	runstest.Check(t, err)
	cmd := child(t, "stdout", link)
	cmd.Stdout = f
	runstest.Check(t, errors.Join(cmd.Run(), f.Close()))
	if got := content(t, path); got != "before\nrun\r\nafter\n" {
		t.Errorf("standard output is %q", got)
	}
	if out, err := child(t, "stdout", link).Output(); err != nil || string(out) != "before\nrun\r\nafter\n" {
		t.Errorf("a pipe as standard output got %q, %v", out, err)
	}
}

// Leftovers of a killed export beside its file are removed by the next export; nothing else is.
func TestExportsAreSwept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.csv")
	const old = 2 * time.Hour
	for name, age := range map[string]time.Duration{
		".x.csv1234567890123456789": old, ".x.csv123456789012345": old, ".x.csv2234567890123456789": 10 * time.Minute, // of a slow export
		".x.csv2024": old, ".x.csv": old, ".y.csv1234567890123456789": old, // the user's
	} {
		runstest.Check(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		runstest.Check(t, os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(-age)))
	}
	runstest.Check(t, ReplaceFile(path, []byte("new")))
	var left []string
	entries, err := os.ReadDir(dir)
	runstest.Check(t, err)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if strings.Join(left, " ") != ".x.csv .x.csv2024 .x.csv2234567890123456789 .y.csv1234567890123456789 x.csv" {
		t.Errorf("left: %q", left)
	}
}

// Whether a file can be written is known before anything is measured, and nothing is left of the attempt.
func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	runstest.Check(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{filepath.Join(dir, "new"), pipe, "/dev/null"} {
		runstest.Check(t, CheckWritable(path))
	}
	for _, path := range []string{"/proc/new", filepath.Join(pipe, "x"), filepath.Join(dir, "none", "x")} {
		if err := CheckWritable(path); err == nil || !strings.HasPrefix(err.Error(), "cannot write "+path+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A pipe without a reader is an error, not a success that nobody reads.
func TestCreateFile(t *testing.T) {
	dir := t.TempDir()
	pipe, path := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	runstest.Check(t, syscall.Mkfifo(pipe, 0o600))
	if _, err := CreateFile(pipe); err == nil || err.Error() != "cannot write "+pipe+": nothing reads from this pipe" {
		t.Errorf("a pipe: %v", err)
	}
	f, err := CreateFile(path)
	runstest.Check(t, err)
	runstest.Check(t, f.Close())
}

// No error contains the name of a temporary file.
func TestWriteErrorsNameThePath(t *testing.T) {
	_, export := exported(t)
	path := filepath.Join(t.TempDir(), "none", "x.csv")
	if err := export(path); err == nil || err.Error() != "cannot write "+path+": no such file or directory" {
		t.Errorf("no folder: %v", err)
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 300))
	if err := export(long); err == nil || err.Error() != "cannot write "+long+": file name too long" {
		t.Errorf("long name: %v", err)
	}
}

// A pipe in place of a bundle's file is rejected at once. If it were opened, this test would hang.
func TestLoadRefusesPipes(t *testing.T) {
	for _, name := range []string{runFile, resultsFile, samplesFile, monitorFile, eventsFile} {
		b := writeBundle(t, t.TempDir())
		path := filepath.Join(b.Dir(), name)
		runstest.Check(t, os.Remove(path))
		runstest.Check(t, syscall.Mkfifo(path, 0o600))
		if _, err := Load(b.Dir()); err == nil || !strings.Contains(err.Error(), path+" is a pipe, want a file of a run") {
			t.Errorf("%s: %v", name, err)
		}
		runstest.Check(t, os.Remove(path))
		runstest.Check(t, os.Symlink(os.DevNull, path))
		if _, err := Load(b.Dir()); err == nil || !strings.Contains(err.Error(), path+" is a device") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run whose last results could not be written says how many are on disk, and can be read.
func TestResultsThatWereNotWritten(t *testing.T) {
	b, err := Create(t.TempDir(), plainMeta0(), []workloads.Workload{runstest.Workload()})
	runstest.Check(t, err)
	runstest.Check(t, b.Results(runstest.Verified(1, 6)))
	writable := b.results.file
	b.results.file, err = os.Open(b.results.path)
	runstest.Check(t, err)
	defer writable.Close()
	if err := b.Results(runstest.Verified(2, 6), runstest.Verified(3, 6)); err == nil {
		t.Error("results were written into a file that is not open for it")
	}
	if err := b.Finish(Failed, nil); err == nil {
		t.Error("the end does not say that results could not be written")
	}
	r, err := Load(b.Dir())
	runstest.Check(t, err)
	if len(r.Results) != 1 || r.Meta.Written.Results != 1 {
		t.Errorf("%d results are read, %d count as written; want 1", len(r.Results), r.Meta.Written.Results)
	}
}
