//go:build unix

package regular

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe without a writer is rejected at once, even one that replaced a file after the check. If it were opened, this test
// would hang.
func TestPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	want := pipe + " is a pipe, want a thing"
	if _, _, err := Open(pipe, "a thing"); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	f, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := opened(pipe, "a thing", f); err == nil || err.Error() != want {
		t.Errorf("opened: %v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, info, err := Open(file, "a thing")
	if err != nil || info.Size() != 3 {
		t.Fatalf("%v, %v", info, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := Open(dir, "a thing"); err == nil || err.Error() != dir+" is a folder, want a thing" {
		t.Errorf("a folder: %v", err)
	}
	if _, _, err := Open(filepath.Join(dir, "none"), "a thing"); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestReadIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("abcd"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := Read(file, "a thing", 4); err != nil || string(data) != "abcd" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := Read(file, "a thing", 3); data != nil || err == nil || err.Error() != file+" is 4 B, want at most 3 B" {
		t.Errorf("a file of 4 bytes: %q, %v", data, err)
	}
	if _, err := Read("/dev/zero", "a thing", 3); err == nil || err.Error() != "/dev/zero is a device, want a thing" {
		t.Errorf("a device: %v", err)
	}
}
