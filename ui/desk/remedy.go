package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// withRemedy adds to an error of the file system what can be done about it: room on a full disk, else the words.
func withRemedy(err error, words string) error {
	for _, sign := range []error{syscall.ENOSPC, syscall.EROFS, fs.ErrPermission, fs.ErrNotExist} {
		if !errors.Is(err, sign) {
			continue
		}
		if sign == syscall.ENOSPC {
			words = "Free disk space, then try again."
		}
		if words != "" {
			return fmt.Errorf("%w. %s", err, words)
		}
	}
	return err
}
