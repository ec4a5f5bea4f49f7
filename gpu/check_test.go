package gpu_test

import (
	"errors"
	"strings"
	"testing"

	"assay/gpu"
)

func TestLeftLive(t *testing.T) {
	if err := gpu.LeftLive(nil, 0); err != nil {
		t.Errorf("no buffers: %v", err)
	}
	err := gpu.LeftLive([]string{"b", "a", "b"}, 30)
	if !errors.Is(err, gpu.ErrInvalid) || !strings.HasSuffix(err.Error(), `3 buffers (30 B) were still live: "a", "b"`) {
		t.Errorf("three buffers: %v", err)
	}
	if err := gpu.LeftLive(strings.Split("g f e d c b a", " "), 7); !strings.HasSuffix(err.Error(), `"e", …`) {
		t.Errorf("seven buffers: %v", err)
	}
}
