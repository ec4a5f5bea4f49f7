//go:build (darwin || metalsim) && cgo

package metal

import (
	"os"
	"path/filepath"
	"sync"

	"assay/gpu"
)

const captureExtension = ".gputrace"

// Capture records the device's work into a new document at path until stop is called. The document includes only command
// buffers that are created and committed in between. A process can have one capture at a time.
func (e *engine) Capture(path string) (stop func() error, err error) {
	if filepath.Ext(path) != captureExtension {
		return nil, gpu.Errorf(gpu.ErrInvalid, "capture", "", "%s: the name must end in %s", path, captureExtension)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, gpu.Errorf(gpu.ErrInvalid, "capture", "", "%s already exists; a capture needs a new file", path)
	}
	if err := e.enter("capture", ""); err != nil {
		return nil, err
	}
	defer e.leave()
	if err := e.Capturable(); err != nil {
		return nil, err
	}
	if err := e.device.startCapture(path); err != nil {
		return nil, gpu.Errorf(gpu.ErrExecution, "capture", "", "%s: %v", path, err)
	}
	end := sync.OnceFunc(stopCapture)
	e.mu.Lock()
	e.endCapture = end
	e.mu.Unlock()
	return func() error {
		end()
		return captured(path)
	}, nil
}

// Capturable is why the process may not capture: only its environment or its Info.plist enables that.
func (e *engine) Capturable() error {
	if err := captureSupported(); err != nil {
		return gpu.Errorf(gpu.ErrUnsupported, "capture", "", "%v: start it with MTL_CAPTURE_ENABLED=1 in the environment "+
			"(METAL_CAPTURE_ENABLED=1 before macOS 14), or from the app, whose Info.plist has MetalCaptureEnabled", err)
	}
	return nil
}

// captured returns nil if the document exists.
func captured(path string) error {
	if _, err := os.Stat(path); err != nil {
		return gpu.Errorf(gpu.ErrExecution, "capture", "", "no file was written: %v", err)
	}
	return nil
}
