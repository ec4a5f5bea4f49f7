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
	// NewBuffer allocates bytes ≥ 1 of uninitialized memory. label names it in the ledger and captures.
	NewBuffer(bytes int, storage Storage, label string) (Buffer, error)
	// Kernel compiles k, once: later calls with an equal one return the same Kernel.
	Kernel(k shaders.Kernel) (Kernel, error)
	// Supports is nil if the engine can run k, else an ErrUnsupported that says why not.
	Supports(k shaders.Kernel) error
	NewQueue(label string) (Queue, error)
	// NewEvent makes what orders the work of two queues.
	NewEvent(label string) (Event, error)
	// Prepare checks the commands and encodes them as a program, which runs them in order. It fails with the error of
	// the first command that cannot run; nothing runs then.
	Prepare(commands ...Command) (Program, error)
	// Close waits for submitted work, as long as the engine waits for a device at all, and frees the device, programs
	// included. Buffers still live are freed and named in the error; buffers of hung work are leaked to the driver,
	// ErrTimeout.
	Close() error
}

// Storage says where a buffer lives.
type Storage uint8

// Storage modes. Shared memory is visible to host and device; private to the device alone, reached by Write and Read.
const (
	Shared Storage = iota
	Private
)

// String is the mode's name.
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
	// Read copies from byte offset off into dst; ErrRange if there is less.
	Read(off int, dst []byte) error
	// Fill sets every byte.
	Fill(b byte) error
	// Bytes is the memory itself where the host sees it, else nil. It must not be touched after Release.
	Bytes() []byte
	// Release frees the buffer; work already submitted may still finish with it. A second call is ErrReleased.
	Release() error
}

// Kernel is a compiled kernel.
type Kernel interface {
	Spec() *shaders.Kernel // with the constants that it was compiled with
}

// Align is the alignment of binding offsets, in bytes.
const Align = 256

// Binding is a buffer from a byte offset on, a multiple of Align. The zero Binding stands for an argument that does
// not exist under the kernel's constants.
type Binding struct {
	Buffer Buffer
	Offset int
}

// Bind makes bindings of whole buffers; nil stands for an argument that does not exist.
func Bind(buffers ...Buffer) []Binding {
	out := make([]Binding, len(buffers))
	for i, b := range buffers {
		out[i].Buffer = b
	}
	return out
}

// QueueDepth is how many submissions of a queue may be in flight.
const QueueDepth = 256

// Queue runs submissions one after another, in order. Queues of one engine run side by side.
type Queue interface {
	// Submit queues repeat ≥ 1 runs of a program of the same engine, one after another, as one command buffer. It does
	// not wait for earlier work while fewer than QueueDepth submissions are in flight, so that the device need not idle
	// between them; beyond that it waits for the oldest to end. A program may be in flight more than once.
	Submit(p Program, repeat int) (Submission, error)
	// Close waits for what was submitted; ErrTimeout if that does not end within the engine's own limit.
	Close() error
}

// Submission is one command buffer in flight.
type Submission interface {
	// Wait returns when the command buffer has finished or ctx ends. A command buffer that failed is an error,
	// never a time; one that does not end within the engine's own limit is ErrTimeout, and the device is lost then.
	// Canceling the wait does not cancel the work. Wait may be called more than once.
	Wait(ctx context.Context) (Timing, error)
}

// Timing is how long a finished command buffer took.
type Timing struct {
	// Device is seconds on the clock that Info.Clock names, without queueing; time in an Await is part of it.
	Device float64
	Wall   float64 // seconds from Submit to completion
	Gap    float64 // seconds from Submit until the device began, where Info.GapWhy is empty
}

// Info describes an open engine.
type Info struct {
	Engine    string // "cpu", "metal", "cuda"
	Device    string // the device's own name
	Clock     string // what Timing.Device is read from
	Simulated bool   // true if no such device is present; its times are not a device's
	Unified   bool   // host and device share memory
	GPU       bool   // the device is a GPU, which other programs may use at the same time
	Family    int    // of an Apple GPU: 7 is M1, 8 M2, 9 M3 and M4; 0: another device, or not known
	Compute   int    // of an NVIDIA GPU: its compute capability times ten, 90 is Hopper; 0: another device
	Cores     int    // 0: unknown
	Features  []string
	// Untuned is true if the tunables of kernels have no effect: there are no threadgroups whose shape they could set.
	Untuned bool
	// MaxBuffer is the largest buffer, in bytes.
	MaxBuffer int64
	// WorkingSet is how many bytes can be live at once without penalty; 0: unknown.
	WorkingSet int64
	// Bandwidth is that of the memory by its specification, in bytes per second; 0: unknown.
	Bandwidth float64
	// LastLevelCache is how many bytes the cache before memory holds, all of its parts together; 0: unknown.
	LastLevelCache int64
	// GapWhy is why Timing.Gap is not known; empty: it is.
	GapWhy string
	// SampleTime is how long a command buffer must last for a time at sustained clocks; 0: no longer than any other.
	SampleTime time.Duration
}

// Storage is where to keep what kernels work on: in shared memory if host and device have the same, else in the device's own,
// which the host reaches by Write and Read.
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
