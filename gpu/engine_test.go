package gpu_test

import (
	"testing"

	"assay/gpu"
)

func TestStorageNames(t *testing.T) {
	for s, want := range map[gpu.Storage]string{gpu.Shared: "shared", gpu.Private: "private", 7: "storage mode 7"} {
		if got := s.String(); got != want {
			t.Errorf("String of mode %d is %q, want %q", uint8(s), got, want)
		}
	}
}
