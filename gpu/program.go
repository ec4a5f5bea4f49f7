package gpu

import (
	"assay/shaders"
)

// Command is one entry of a program: a Launch, Copy, Fill, Signal or Await.
type Command interface{ command() }

// Launch runs a kernel. Bindings are in the order of the kernel's arguments.
type Launch struct {
	Kernel   Kernel
	Bindings []Binding
	Params   any // the kernel's parameter struct
	// Why says, for people, why this kernel was chosen; empty: it was requested explicitly.
	Why string
}

// CopyAlign is the alignment of the offsets and sizes of Copy and Fill, in bytes.
const CopyAlign = 4

// Copy copies bytes from one place to another; the two must not overlap. Offsets need only CopyAlign.
type Copy struct {
	From, To Binding
	Bytes    int // 0: nothing to do
}

// Fill sets bytes to a value. The offset needs only CopyAlign.
type Fill struct {
	To    Binding
	Bytes int // 0: nothing to do
	Value byte
}

// Signal lets one more Await of the event pass, once all commands before it have run.
type Signal struct{ Event Event }

// Await holds the commands after it until a Signal of the event: the n-th Await, in order of submission, waits for the n-th
// Signal. That Signal must already have been submitted, or Submit returns ErrInvalid, so no order of submissions can deadlock.
type Await struct{ Event Event }

func (Launch) command() {}
func (Copy) command()   {}
func (Fill) command()   {}
func (Signal) command() {}
func (Await) command()  {}

// Event orders the work of two queues: one signals it, the other awaits it. The first Submit of each decides which.
type Event interface {
	// Release frees the event once no program needs it; a second call returns ErrReleased.
	Release() error
}

// Program is a list of commands that was checked, costed and encoded once, to be submitted any number of times.
//
// It retains the memory of its buffers and events: if a buffer is released in the meantime, its memory is freed with the program. A
// Pool's lease, once released, goes to others: from then on Submit returns ErrReleased.
type Program interface {
	// Cost returns the cost of one run.
	Cost() shaders.Cost
	// Launches returns how many kernels one run launches.
	Launches() int
	// Release frees the program once no submission needs it; a second call returns ErrReleased.
	Release() error
}

// Launches turns launches into commands, in order.
func Launches(launches ...Launch) []Command {
	out := make([]Command, len(launches))
	for i, l := range launches {
		out[i] = l
	}
	return out
}

// CostOf returns the sum of the commands' costs; each command must have passed Check. A copy reads and writes its bytes, a fill
// writes them.
func CostOf(commands ...Command) shaders.Cost {
	var total shaders.Cost
	for _, c := range commands {
		switch c := c.(type) {
		case Launch:
			total = total.Add(c.Kernel.Spec().Cost(c.Params))
		case Copy:
			total.Bytes += 2 * float64(c.Bytes)
		case Fill:
			total.Bytes += float64(c.Bytes)
		}
	}
	return total
}
