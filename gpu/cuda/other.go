//go:build !(linux && cgo && (amd64 || arm64))

package cuda

import (
	"os"
	"runtime"

	"assay/gpu"
)

// Open says why there is no CUDA here.
func Open() (gpu.Engine, error) { return OpenWith(Options{}) }

// OpenOn says why there is no CUDA here.
func OpenOn(device string) (gpu.Engine, error) { return OpenWith(Options{Device: device}) }

// OpenWith says why there is no CUDA here.
func OpenWith(o Options) (gpu.Engine, error) {
	if _, err := o.complete(os.Getenv); err != nil {
		return nil, err
	}
	if runtime.GOOS == "linux" {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "open", "", "this program was built without cgo, or for another processor than amd64 and arm64: CUDA is not on it")
	}
	return nil, gpu.Errorf(gpu.ErrUnsupported, "open", "", "CUDA is not on this system (%s): Assay uses it on Linux", runtime.GOOS)
}
