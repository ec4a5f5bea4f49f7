//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"strings"

	"assay/gpu"
)

var _ gpu.Identified = (*engine)(nil)

// DeviceID returns the device's UUID as nvidia-smi prints it; empty if the driver does not report it.
func (e *engine) DeviceID() string {
	if !strings.HasPrefix(e.facts.uuid, "GPU-") {
		return ""
	}
	return e.facts.uuid
}
