//go:build (darwin || metalsim) && cgo

package metal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/gpu"
)

// Close waits for all queues, each no longer than a command buffer may take, and for calls in progress; then it frees
// everything. What hangs keeps what it needs, and is named in the error.
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
	idle := e.calls.Wait(e.options.Timeout, e.destroy) // a compiler that hangs frees the device itself, if it ever ends
	e.mu.Lock()
	endCapture := e.endCapture
	e.mu.Unlock()
	if endCapture != nil {
		endCapture()
	}
	if !idle {
		return gpu.Errorf(gpu.ErrTimeout, "close", "", "a call to the device does not return")
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

// destroy releases everything of the device. Nothing uses it any more.
func (e *engine) destroy() {
	e.resident.close()
	if e.copier != nil {
		e.copier.release()
	}
	for _, k := range e.made {
		k.release()
	}
	for _, s := range e.libraries { // nothing is compiled any more, and those that failed are not among them
		s.library.release()
	}
	e.device.release()
}
