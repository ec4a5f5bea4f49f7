//go:build !((darwin || metalsim) && cgo)

package metal

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"assay/gpu"
	"assay/internal/plain"
)

func TestNoMetalHere(t *testing.T) {
	_, err := Open()
	if !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "Metal needs") {
		t.Errorf("error %v", err)
	}
	if runtime.GOOS != "darwin" && !strings.Contains(err.Error(), plain.Capitalized(runtime.GOOS)) {
		t.Errorf("error %q does not name the system", err)
	}
	if _, err := OpenWith(Options{Timeout: -1}); !errors.Is(err, gpu.ErrInvalid) {
		t.Errorf("impossible options: %v", err)
	}
}
