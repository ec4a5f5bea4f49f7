//go:build (darwin || metalsim) && cgo

package metal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/gpu"
)

// Close waits for all queues and for calls in progress, each no longer than the timeout of a command buffer, and then frees
// everything. Work that hangs keeps the objects it uses and is named in the error.
func (e *engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return gpu.Errorf(gpu.ErrClosed, "close", "", "")
	}
	e.closed = true
	queues := slices.Collect(maps.Keys(e.queues))
	e.mu.Unlock()
	e.buffers.Close()
	var hung []string
	for _, q := range queues {
		if _, n := q.shut(); n > 0 {
			hung = append(hung, fmt.Sprintf("%q", q.label))
		}
	}
	live := e.buffers.FreeLive()
	idle := e.calls.Wait(e.options.Timeout, e.destroy) // if a compiler hangs, the device is freed once it returns
	e.mu.Lock()
	endCapture := e.endCapture
	e.mu.Unlock()
	if endCapture != nil {
		endCapture()
	}
	if !idle {
		return gpu.Errorf(gpu.ErrTimeout, "close", "", "a call to the device did not return")
	}
	if e.resident.unused() && e.lossError("close", "") == nil {
		e.copier.touch()
	}
	e.destroy()
	if len(hung) > 0 {
		slices.Sort(hung)
		return gpu.Errorf(gpu.ErrTimeout, "close", "", "command buffers of %s never ended; the device keeps their memory",
			strings.Join(hung, ", "))
	}
	return live
}

// destroy releases the device and all its objects, which nothing uses any more.
func (e *engine) destroy() {
	e.resident.close()
	if e.copier != nil {
		e.copier.release()
	}
	for _, k := range e.made {
		k.release()
	}
	for _, s := range e.libraries { // nothing is being compiled; sources that failed are not listed
		s.library.release()
	}
	e.device.release()
}
