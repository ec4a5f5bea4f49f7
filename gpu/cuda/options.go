// Package cuda is the engine that runs kernels on NVIDIA GPUs on Linux, through the driver's own interface: C behind one Go file, and
// plain Go above it. It opens the driver's library at run time, so a program with this engine starts even without a driver; on
// other systems Open fails. Kernels reach the driver as PTX, which it compiles for the card that it finds.
package cuda

import (
	"cmp"
	"context"
	"time"

	"assay/gpu"
	"assay/gpu/cuda/kernels"
	"assay/shaders"
)

// Code is a kernel as PTX.
type Code = kernels.Code

// Options configure an engine. The zero value selects the first device and the defaults.
type Options struct {
	// Device is a device's index, UUID or name; if empty, the environment's ASSAY_CUDA_DEVICE, or the first device that can be
	// used if that is empty, too.
	Device string
	// Timeout is how long a submission may run after those before it have ended; 0: 30 s. After that the device counts as lost.
	Timeout time.Duration
	// CompileTimeout is how long to wait for a kernel to compile; 0: 60 s.
	CompileTimeout time.Duration
	// Library is the path of the driver's library; if empty, libcuda.so.1.
	Library string
	// BLAS are the paths to try for cuBLAS; if empty, libcublas.so of versions 13 and 12, and of any.
	BLAS []string
	// Compile returns the PTX of a kernel with its constants; nil: kernels.Of. A cold compilation uses no cache.
	Compile func(ctx context.Context, k shaders.Kernel, cold bool) (Code, error)
	// Cache opens what Compile keeps on disk; nil: kernels.Cache.
	Cache func() (gpu.Cache, error)
}

const (
	deviceVariable        = "ASSAY_CUDA_DEVICE"
	defaultLibrary        = "libcuda.so.1"
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
	o.Library = cmp.Or(o.Library, defaultLibrary)
	if len(o.BLAS) == 0 {
		o.BLAS = []string{"libcublas.so.13", "libcublas.so.12", "libcublas.so"}
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.CompileTimeout = cmp.Or(o.CompileTimeout, defaultCompileTimeout)
	if o.Compile == nil {
		o.Compile = kernels.Of
	}
	if o.Cache == nil {
		o.Cache = kernels.Cache
	}
	return o, nil
}
