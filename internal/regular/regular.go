// Package regular opens regular files and nothing else.
package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file for reading. Anything else is rejected before it is opened, since a pipe can block its
// reader forever; want is the expected kind, for the error.
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

// opened says what was opened.
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
