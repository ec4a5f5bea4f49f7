// Package trash moves files and folders to the system's trash, and back.
package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Item is a file or folder in the trash.
type Item struct {
	Original string // where it was, absolute
	Trashed  string // where it is
	info     string // the trash's info file; empty: none to remove
}

// Put moves a file or a folder to the trash. Links are moved, not followed.
func Put(path string) (Item, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Item{}, err
	}
	if _, err := os.Lstat(path); err != nil {
		return Item{}, err
	}
	return put(path)
}

// Restore moves an item back to where it was. It replaces nothing.
func (i Item) Restore() error {
	if i.Trashed == "" {
		return errors.New("it is not in the trash")
	}
	if _, err := os.Lstat(i.Original); err == nil {
		return fmt.Errorf("%s exists again", i.Original)
	}
	if _, err := os.Lstat(i.Trashed); errors.Is(err, fs.ErrNotExist) {
		return errors.New("it is no longer in the trash")
	}
	if err := os.MkdirAll(filepath.Dir(i.Original), 0o755); err != nil {
		return err
	}
	if err := os.Rename(i.Trashed, i.Original); err != nil {
		return err
	}
	if i.info != "" {
		_ = os.Remove(i.info) // the item is restored; the trash ignores stale info files
	}
	return nil
}
