// Package metal is the engine that runs kernels on a Mac's GPU: Objective-C behind one Go file, and plain Go above it. It is
// built on macOS, and elsewhere with the tag metalsim against a simulated Metal; on other systems Open fails. The parts that do
// not need Metal (choosing a device, errors, times, planning of encoders, archive files) have no build tag and are tested
// everywhere.
package metal

import (
	"cmp"
	"time"

	"assay/gpu"
)

// Options configure an engine. The zero value selects the best device and the defaults.
type Options struct {
	// Device is a device's name or registry ID (decimal, or hexadecimal after 0x); if empty, the environment's
	// ASSAY_METAL_DEVICE, or the best device if that is empty, too.
	Device string
	// Timeout is how long a command buffer may run after those before it have ended; 0: 30 s. After that the device
	// counts as lost.
	Timeout time.Duration
	// CompileTimeout is how long a kernel may compile; 0: 60 s.
	CompileTimeout time.Duration
	// CacheDir holds archives of compiled pipelines; if empty, the user's cache folder.
	CacheDir string
	// NoCache turns archives off.
	NoCache bool
}

const (
	deviceVariable        = "ASSAY_METAL_DEVICE"
	defaultTimeout        = 30 * time.Second
	defaultCompileTimeout = 60 * time.Second
)

// complete fills in defaults and rejects invalid values.
func (o Options) complete(getenv func(string) string) (Options, error) {
	if o.Timeout < 0 || o.CompileTimeout < 0 {
		return o, gpu.Errorf(gpu.ErrInvalid, "open", "", "timeouts of %v and %v: must not be negative", o.Timeout,
			o.CompileTimeout)
	}
	o.Device = cmp.Or(o.Device, getenv(deviceVariable))
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.CompileTimeout = cmp.Or(o.CompileTimeout, defaultCompileTimeout)
	return o, nil
}
