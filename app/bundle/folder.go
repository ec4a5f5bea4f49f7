package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FolderError says why runs cannot be written to or listed in a folder, and what to do about it.
type FolderError struct {
	Folder string
	Err    error // the cause
}

// Error names the folder, the cause, and what to do.
func (e *FolderError) Error() string {
	text := fmt.Sprintf("the folder for runs %s cannot be used: %v", e.Folder, cause(e.Err))
	if todo := e.advice(); todo != "" {
		text += "; " + todo
	}
	return text
}

// Unwrap returns the cause.
func (e *FolderError) Unwrap() error { return e.Err }

func (e *FolderError) advice() string {
	switch {
	case errors.Is(e.Err, syscall.ENOTDIR), errors.Is(e.Err, fs.ErrExist):
		return "move the file in its path away"
	case errors.Is(e.Err, fs.ErrPermission), errors.Is(e.Err, syscall.EROFS):
		return "allow Assay to read and write there"
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		return "free space on that disk"
	}
	return ""
}

// CheckFolder makes a folder for runs if it does not exist, and returns a *FolderError if runs cannot be written there.
func CheckFolder(root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return &FolderError{root, err}
	}
	try, err := os.MkdirTemp(root, ".try-")
	if err != nil {
		return &FolderError{root, err}
	}
	return os.Remove(try)
}
