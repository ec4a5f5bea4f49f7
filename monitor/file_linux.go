package monitor

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// roots are the mount points of the kernel's file systems; tests use fake trees.
type roots struct{ proc, sys string }

// file reads a small kernel file repeatedly through one descriptor and one buffer. A file that could not be opened
// or read is opened again at the next read.
type file struct {
	path string
	name string // path as shown to users, without a test's root
	f    *os.File
	buf  []byte
}

// newFile reads at most size bytes of root/name; shown is the mount point as shown to users, "/proc".
func newFile(root, shown, name string, size int) *file {
	return &file{path: filepath.Join(root, name), name: filepath.Join(shown, name), buf: make([]byte, size)}
}

func (r roots) procFile(name string, size int) *file { return newFile(r.proc, "/proc", name, size) }

func (r roots) sysFile(name string) *file { return newFile(r.sys, "/sys", name, 64) }

// read returns the file's first bytes, valid until the next read.
func (f *file) read() ([]byte, error) {
	if f.f == nil {
		opened, err := os.Open(f.path)
		if err != nil {
			return nil, f.named(err)
		}
		f.f = opened
	}
	n, err := f.pread()
	if err != nil {
		f.close()
		return nil, f.named(err)
	}
	return f.buf[:n], nil
}

// pread is one system call; os.File.ReadAt needs a second one to find the end of the file.
func (f *file) pread() (n int, err error) {
	raw, err := f.f.SyscallConn()
	if err != nil {
		return 0, err
	}
	fault := raw.Control(func(fd uintptr) {
		for {
			if n, err = syscall.Pread(int(fd), f.buf, 0); err != syscall.EINTR {
				return
			}
		}
	})
	if fault != nil {
		return 0, fault
	}
	return n, err
}

func (f *file) close() {
	if f.f != nil {
		f.f.Close() //nolint:errcheck // read only
		f.f = nil
	}
}

// named adds the file's name, as shown to users, to an error.
func (f *file) named(err error) error {
	if p, ok := err.(*os.PathError); ok {
		err = p.Err
	}
	return &os.PathError{Op: "read", Path: f.name, Err: err}
}

// uint reads a file that contains one number.
func (f *file) uint() (uint64, error) {
	b, err := f.read()
	if err != nil {
		return 0, err
	}
	v, ok := only(b)
	if !ok {
		return 0, &os.PathError{Op: "parse", Path: f.name, Err: errNotNumber}
	}
	return v, nil
}

// int is uint for a number that may be negative.
func (f *file) int() (int64, error) {
	b, err := f.read()
	if err != nil {
		return 0, err
	}
	v, ok := onlySigned(b)
	if !ok {
		return 0, &os.PathError{Op: "parse", Path: f.name, Err: errNotNumber}
	}
	return v, nil
}

// text reads a one-line file once, "" when it cannot be read.
func (r roots) text(name string) string {
	b, err := os.ReadFile(filepath.Join(r.sys, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// glob is the paths below sys that match, without the root.
func (r roots) glob(pattern string) []string {
	paths, err := filepath.Glob(filepath.Join(r.sys, pattern))
	if err != nil {
		return nil // only a malformed pattern, and these are constants
	}
	for i, p := range paths {
		paths[i], _ = filepath.Rel(r.sys, p)
	}
	return paths
}
