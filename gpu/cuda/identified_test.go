//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"testing"

	"assay/gpu"
)

func TestDeviceID(t *testing.T) {
	for _, c := range []struct{ device, want string }{
		{"0", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"}, {"2", "GPU-20212223-2425-2627-2829-2a2b2c2d2e2f"},
	} {
		o := fakeOptions(t, "devices=3")
		o.Device = c.device
		identified, ok := gpu.As[gpu.Identified](open(t, o))
		if !ok || identified.DeviceID() != c.want {
			t.Errorf("device %s: %v, want %s", c.device, identified, c.want)
		}
	}
	if id := (&engine{facts: facts{uuid: "no UUID"}}).DeviceID(); id != "" {
		t.Errorf("without a UUID: %q", id)
	}
}
