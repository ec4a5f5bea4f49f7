// Package metal is the engine that runs kernels on a Mac's GPU: Objective-C behind one Go file, and plain Go above it.
// It is built on macOS, and elsewhere under the tag metalsim against a simulated Metal; on other systems it does not
// open. What needs no Metal (the choice of a device, errors, times, plans of encoders, the archive's files) carries no
// build tag and is tested everywhere.
package metal

import (
	"cmp"
	"time"

	"assay/gpu"
)

// Options choose how an engine runs. The zero value takes the best device and every default.
type Options struct {
	// Device is a device's name or registry ID (decimal, or hexadecimal after 0x); empty takes the environment's
	// ASSAY_METAL_DEVICE, and the best device if that is empty too.
	Device string
	// Timeout is how long a command buffer may run once those before it have ended; 0 takes 30 s. After that the
	// engine counts as lost.
	Timeout time.Duration
	// CompileTimeout is how long a kernel may compile; 0 takes 60 s.
	CompileTimeout time.Duration
	// CacheDir holds archives of compiled pipelines; empty takes the user's folder for caches.
	CacheDir string
	// NoCache keeps no archives.
	NoCache bool
}

const (
	deviceVariable        = "ASSAY_METAL_DEVICE"
	defaultTimeout        = 30 * time.Second
	defaultCompileTimeout = 60 * time.Second
)

// complete fills in defaults, or refuses impossible values.
func (o Options) complete(getenv func(string) string) (Options, error) {
	if o.Timeout < 0 || o.CompileTimeout < 0 {
		return o, gpu.Errorf(gpu.ErrInvalid, "open", "", "timeouts of %v and %v, want none below 0", o.Timeout,
			o.CompileTimeout)
	}
	o.Device = cmp.Or(o.Device, getenv(deviceVariable))
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.CompileTimeout = cmp.Or(o.CompileTimeout, defaultCompileTimeout)
	return o, nil
}
