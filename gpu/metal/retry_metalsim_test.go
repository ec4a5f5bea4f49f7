//go:build (darwin || metalsim) && cgo

package metal

import (
	"errors"
	"testing"
)

// A compiler that crashed is asked again once, and that is counted; an error of the source is final.
func TestCrashedCompilerIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		errs        []error
		count, want int // calls that fail are counted; want is what comes out, 0: an error
	}{
		{[]error{nil}, 0, 1},
		{[]error{errors.New("XPC_ERROR_CONNECTION_INTERRUPTED"), nil}, 1, 2},
		{[]error{errors.New("XPC_ERROR_CONNECTION_INTERRUPTED"), errors.New("XPC_ERROR_CONNECTION_INTERRUPTED"), nil}, 1, 0},
		{[]error{errors.New("error: use of undeclared identifier"), nil}, 0, 0},
	} {
		count, calls := 0, 0
		v, err := retry(&count, func() (int, error) {
			calls++
			return calls, c.errs[calls-1]
		})
		if count != c.count || (err == nil) != (c.want > 0) || err == nil && v != c.want {
			t.Errorf("%v: %d, %v, counted %d", c.errs, v, err, count)
		}
	}
}
