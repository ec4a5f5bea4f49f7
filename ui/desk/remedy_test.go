package desk

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&os.PathError{Op: "open", Path: "/x", Err: syscall.EACCES}, "open /x: permission denied. Choose another folder."},
		{&os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, "write /x: no space left on device. Free disk space, then try again."},
		{errors.New("the run is in progress; stop it first"), "the run is in progress; stop it first"},
	} {
		got := withRemedy(c.err, elsewhere)
		if !errors.Is(got, c.err) || c.want != got.Error() {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
