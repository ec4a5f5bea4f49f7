//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/gpu"
)

// Close waits for all queues and for calls in progress, each no longer than the timeout of a submission, and then frees everything.
// Work that hangs keeps what it uses and is named in the error.
func (e *engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return gpu.Errorf(gpu.ErrClosed, "close", "", "")
	}
	e.closed = true
	queues := slices.Collect(maps.Keys(e.queues))
	e.mu.Unlock()
	e.cancel()
	e.buffers.Close()
	var hung []string
	for _, q := range queues {
		if _, n := q.shut(); n > 0 {
			hung = append(hung, fmt.Sprintf("%q", q.label))
		}
	}
	live := e.buffers.FreeLive()
	if !e.calls.Wait(e.options.Timeout, e.destroy) { // the device is freed once the call returns
		return gpu.Errorf(gpu.ErrTimeout, "close", "", "a call to the driver did not return")
	}
	e.destroy()
	if len(hung) > 0 {
		slices.Sort(hung)
		return gpu.Errorf(gpu.ErrTimeout, "close", "", "submissions of %s never ended; what they use is kept", strings.Join(hung, ", "))
	}
	return live
}

// destroy releases the device and all its objects, which nothing uses any more.
func (e *engine) destroy() {
	e.cancel()
	if e.copier != nil {
		e.copier.free()
	}
	e.params.close()
	e.frees.now()
	for _, l := range e.modules {
		if l.module.c != nil {
			e.device.unload(l.module)
		}
	}
	e.device.close()
}
