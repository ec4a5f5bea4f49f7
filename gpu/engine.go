// Package gpu is the interface between what Assay measures and what it runs on: Engine, Buffer, Queue, Kernel, Timing and
// their errors. It knows no device. Pool and Meter work on any engine.
package gpu

import (
	"context"
	"fmt"
	"time"

	"assay/shaders"
)

// Engine is one open device. Its methods are safe for concurrent use; after Close they return ErrClosed.
type Engine interface {
	Info() Info
	Memory() Memory
	// NewBuffer allocates bytes ≥ 1 of uninitialized memory. label names the buffer in the ledger and in captures.
	NewBuffer(bytes int, storage Storage, label string) (Buffer, error)
	// Kernel compiles k once; later calls with an equal k return the same Kernel.
	Kernel(k shaders.Kernel) (Kernel, error)
	// Supports returns nil if the engine can run k, and otherwise an ErrUnsupported that says why not.
	Supports(k shaders.Kernel) error
	NewQueue(label string) (Queue, error)
	// NewEvent creates an event, which orders the work of two queues.
	NewEvent(label string) (Event, error)
	// Prepare checks the commands and encodes them as a program that runs them in order. If a command cannot run,
	// it fails with the error of the first such command, and nothing runs.
	Prepare(commands ...Command) (Program, error)
	// Close waits for submitted work, for as long as the engine waits for a device at all, and frees the device and all
	// programs. Buffers still live are freed and named in the error; buffers of hung work are leaked to the driver:
	// ErrTimeout.
	Close() error
}

// Storage says where a buffer lives.
type Storage uint8

// Storage modes. Shared memory is visible to host and device; private memory is visible only to the device, and the host
// accesses it with Write and Read.
const (
	Shared Storage = iota
	Private
)

// String returns the mode's name.
func (s Storage) String() string {
	switch s {
	case Shared:
		return "shared"
	case Private:
		return "private"
	}
	return fmt.Sprintf("storage mode %d", uint8(s))
}

// Buffer is device memory. Every method but Size and Storage fails with ErrReleased after Release.
type Buffer interface {
	Size() int
	Storage() Storage
	// Write copies src into the buffer from byte offset off; ErrRange if it does not fit.
	Write(off int, src []byte) error
	// Read copies from byte offset off into dst; ErrRange if there are fewer bytes.
	Read(off int, dst []byte) error
	// Fill sets every byte.
	Fill(b byte) error
	// Bytes returns the memory itself if the host can see it, and otherwise nil. It must not be touched after Release.
	Bytes() []byte
	// Release frees the buffer; work already submitted may still finish with it. A second call returns ErrReleased.
	Release() error
}

// Kernel is a compiled kernel.
type Kernel interface {
	Spec() *shaders.Kernel // including the constants it was compiled with
}

// Align is the alignment of binding offsets, in bytes.
const Align = 256

// Binding is a buffer starting at a byte offset, which is a multiple of Align. The zero Binding stands for an argument that does
// not exist under the kernel's constants.
type Binding struct {
	Buffer Buffer
	Offset int
}

// Bind returns bindings of whole buffers; nil stands for an argument that does not exist.
func Bind(buffers ...Buffer) []Binding {
	out := make([]Binding, len(buffers))
	for i, b := range buffers {
		out[i].Buffer = b
	}
	return out
}

// QueueDepth is the number of submissions that may be in flight in a queue.
const QueueDepth = 256

// Queue runs submissions one after another, in order. Queues of the same engine run concurrently.
type Queue interface {
	// Submit queues repeat ≥ 1 runs of a program of the same engine, one after another, as one command buffer. It does
	// not wait for earlier work while fewer than QueueDepth submissions are in flight, so the device need not idle
	// between them; beyond that it waits for the oldest to finish. A program may be in flight more than once.
	Submit(p Program, repeat int) (Submission, error)
	// Close waits for everything submitted; ErrTimeout if that does not finish within the engine's own limit.
	Close() error
}

// Submission is one command buffer in flight.
type Submission interface {
	// Wait returns when the command buffer has finished or ctx ends. A failed command buffer returns an error,
	// never a time. If it does not finish within the engine's own limit, the result is ErrTimeout and the device is lost.
	// Canceling the wait does not cancel the work. Wait may be called more than once.
	Wait(ctx context.Context) (Timing, error)
}

// Timing is how long a finished command buffer took.
type Timing struct {
	// Device is in seconds on the clock that Info.Clock names, without queueing; time spent in an Await is included.
	Device float64
	Wall   float64 // seconds from Submit to completion
	Gap    float64 // seconds from Submit until the device began; valid if Info.GapWhy is empty
}

// Info describes an open engine.
type Info struct {
	Engine    string // "cpu", "metal", "cuda"
	Device    string // the name the device reports
	Clock     string // the source of Timing.Device
	Simulated bool   // no such device is present; the times are not a device's
	Unified   bool   // host and device share memory
	GPU       bool   // the device is a GPU, which other programs may use at the same time
	Family    int    // of an Apple GPU: 7 is M1, 8 M2, 9 M3 and M4; 0: another device, or not known
	Compute   int    // compute capability of an NVIDIA GPU times ten: 90 is Hopper; 0: another device
	Cores     int    // 0: unknown
	Features  []string
	// Untuned is true if kernel tunables have no effect, because there are no threadgroups for them to shape.
	Untuned bool
	// MaxBuffer is the size of the largest possible buffer, in bytes.
	MaxBuffer int64
	// WorkingSet is the number of bytes that can be live at once without penalty; 0: unknown.
	WorkingSet int64
	// Bandwidth is the memory bandwidth from the specification, in bytes per second; 0: unknown.
	Bandwidth float64
	// LastLevelCache is the size of the last-level cache in bytes, all parts together; 0: unknown.
	LastLevelCache int64
	// GapWhy is why Timing.Gap is not known; empty: it is known.
	GapWhy string
	// SampleTime is how long a command buffer must last to be timed at sustained clocks; 0: no minimum of its own.
	SampleTime time.Duration
}

// Storage is where to keep the data that kernels work on: shared memory if host and device share their memory, and otherwise device
// memory, which the host accesses with Write and Read.
func (i Info) Storage() Storage {
	if i.Unified {
		return Shared
	}
	return Private
}

// Memory is the engine's own count of live buffers.
type Memory struct {
	Bytes   int64
	Buffers int64
}
