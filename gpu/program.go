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
	// Why this kernel, where it was chosen: for people. Empty: it was asked for.
	Why string
}

// CopyAlign is what offsets and sizes of Copy and Fill are multiples of, in bytes.
const CopyAlign = 4

// Copy copies bytes from one place to another; the two do not overlap. Offsets need CopyAlign only.
type Copy struct {
	From, To Binding
	Bytes    int // 0: nothing to do
}

// Fill sets bytes to a value. The offset needs CopyAlign only.
type Fill struct {
	To    Binding
	Bytes int // 0: nothing to do
	Value byte
}

// Signal lets one more Await of the event pass, once all commands before it have run.
type Signal struct{ Event Event }

// Await lets the commands after it wait for a Signal of the event: the n-th Await, in order of submission, for the n-th
// Signal. That one must have been submitted before, else Submit is ErrInvalid: so no order of submissions can deadlock.
type Await struct{ Event Event }

func (Launch) command() {}
func (Copy) command()   {}
func (Fill) command()   {}
func (Signal) command() {}
func (Await) command()  {}

// Event orders the work of two queues: one signals it, the other awaits it. The first Submit of each decides which.
type Event interface {
	// Release frees the event once no program needs it; ErrReleased the second time.
	Release() error
}

// Program is commands that were checked, costed and encoded once, to be submitted any number of times.
//
// It keeps the memory of its buffers and events: that of a buffer released meanwhile is freed with the program. A lease
// of a Pool goes to others when it is released: from then on Submit is ErrReleased.
type Program interface {
	// Cost is that of one run.
	Cost() shaders.Cost
	// Launches is how many kernels one run launches.
	Launches() int
	// Release frees the program once no submission needs it; ErrReleased the second time.
	Release() error
}

// Launches makes commands of launches, in order.
func Launches(launches ...Launch) []Command {
	out := make([]Command, len(launches))
	for i, l := range launches {
		out[i] = l
	}
	return out
}

// CostOf is the sum of the commands' costs; each must have passed Check. A copy reads and writes its bytes, a fill
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
