// Package regular opens regular files and nothing else.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"assay/internal/si"
)

// Open opens a regular file for reading. Anything else is rejected before it is opened, because a pipe can block its reader forever;
// want is the expected kind, for the error.
func Open(path, want string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = check(path, want, info)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have been replaced since the check
	if err != nil {
		return nil, nil, err
	}
	if info, err = opened(path, want, f); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// Read reads a regular file of at most limit bytes. Files in /proc report size 0, so the limit also applies to the bytes read.
func Read(path, want string, limit int64) ([]byte, error) {
	f, info, err := Open(path, want)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := info.Size()
	var data []byte
	if size <= limit {
		data, err = io.ReadAll(io.LimitReader(f, limit+1))
		size = int64(len(data))
	}
	if size > limit {
		return nil, fmt.Errorf("%s is %s, want at most %s", path, si.Bytes(float64(size)), si.Bytes(float64(limit)))
	}
	return data, err
}

// opened checks what was opened.
func opened(path, want string, f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err == nil {
		err = check(path, want, info)
	}
	return info, err
}

// check returns an error that says what is there instead of a file.
func check(path, want string, info fs.FileInfo) error {
	kind := "not a regular file"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("%s is %s, want %s", path, kind, want)
}
