//go:build !((darwin || metalsim) && cgo)

package metal

import (
	"runtime"
	"strings"
	"testing"
)

func TestAbsentNamesTheSystem(t *testing.T) {
	_, err := Open()
	if err == nil || runtime.GOOS == "linux" && !strings.HasSuffix(err.Error(), "Metal needs macOS; this system is Linux") {
		t.Errorf("%v", err)
	}
}
