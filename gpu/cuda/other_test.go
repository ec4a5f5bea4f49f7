//go:build !(linux && cgo && (amd64 || arm64))

package cuda

import (
	"errors"
	"strings"
	"testing"

	"assay/gpu"
)

func TestNoCUDAHere(t *testing.T) {
	_, err := Open()
	if !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "CUDA is not on") {
		t.Errorf("error %v", err)
	}
	if _, err := OpenWith(Options{Timeout: -1}); !errors.Is(err, gpu.ErrInvalid) {
		t.Errorf("impossible options: %v", err)
	}
}
