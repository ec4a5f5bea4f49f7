//go:build (darwin || metalsim) && cgo

package metal

import (
	"errors"
	"testing"
)

// A compiler that crashed is called again once, which is counted; an error in the source is final.
func TestCrashedCompilerIsAskedAgain(t *testing.T) {
	for _, c := range []struct {
		errs        []error
		count, want int // failing calls are counted; want is the result, 0: an error
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
