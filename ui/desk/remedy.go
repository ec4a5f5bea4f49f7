package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// withRemedy adds the remedy to a file system error: free space on a full disk, else the given words.
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
