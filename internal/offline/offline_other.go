//go:build !linux

package offline

import "errors"

// Forbid is supported only on Linux.
func Forbid() error { return errors.New("forbid sockets: this system has no filter of system calls") }
