//go:build !((darwin || metalsim) && cgo)

package metal

import (
	"os"
	"runtime"

	"assay/gpu"
	"assay/internal/plain"
)

// Open says why there is no Metal here.
func Open() (gpu.Engine, error) { return OpenWith(Options{}) }

// OpenOn says why there is no Metal here.
func OpenOn(device string) (gpu.Engine, error) { return OpenWith(Options{Device: device}) }

// OpenWith says why there is no Metal here.
func OpenWith(o Options) (gpu.Engine, error) {
	if _, err := o.complete(os.Getenv); err != nil {
		return nil, err
	}
	return nil, absent()
}

// ValidationVariables are none: there is no Metal here.
func ValidationVariables() []string { return nil }

// CaptureVariables are none: there is no Metal here.
func CaptureVariables() []string { return nil }

func absent() error {
	if runtime.GOOS == "darwin" {
		return gpu.Errorf(gpu.ErrUnsupported, "open", "", "this program was built without cgo, which Metal needs")
	}
	return gpu.Errorf(gpu.ErrUnsupported, "open", "", "Metal needs macOS; this system is %s", plain.Capitalized(runtime.GOOS))
}
