package monitor

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFootprintIsTheProcesssOwn touches as much file-backed memory as private memory.
func TestFootprintIsTheProcesssOwn(t *testing.T) {
	const size = 32 << 20
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, c := range []struct {
		name         string
		fd           int
		protection   int
		flags        int
		least, above int64
	}{
		{"a file", int(file.Fd()), syscall.PROT_READ, syscall.MAP_PRIVATE, -size / 4, size / 4},
		{"its own", -1, syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_PRIVATE | syscall.MAP_ANON, size * 3 / 4, size * 5 / 4},
	} {
		before := footprintNow(t)
		b, err := syscall.Mmap(c.fd, 0, size, c.protection, c.flags)
		if err != nil {
			t.Fatal(err)
		}
		touch(b, c.protection&syscall.PROT_WRITE != 0)
		if grown := footprintNow(t) - before; grown < c.least || grown > c.above {
			t.Errorf("%s: %d B touched, the footprint grew by %d", c.name, size, grown)
		}
		if err := syscall.Munmap(b); err != nil {
			t.Fatal(err)
		}
	}
}

func footprintNow(t *testing.T) int64 {
	t.Helper()
	n, err := Footprint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// touch reads each page, or writes it.
func touch(b []byte, write bool) (sum byte) {
	for i := 0; i < len(b); i += os.Getpagesize() {
		if write {
			b[i] = 1
		}
		sum += b[i]
	}
	return sum
}
