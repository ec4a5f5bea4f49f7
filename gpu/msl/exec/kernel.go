package exec

import (
	"context"
	"fmt"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
)

// Launch is one dispatch: how many threads run, and on which memory.
type Launch struct {
	Groups, Threads [3]uint32 // threadgroups, and threads in each
	Grid            [3]uint32 // if not zero: total threads, and groups at the edges may be smaller
	Buffers         [31][]byte
	Threadgroup     [31]int // bytes of each [[threadgroup(n)]] argument
	Workers         int     // threadgroups that run in parallel; 0: one per processor
	Seed            uint64  // for the order in which threads run
	poison          bool    // threadgroup memory does not keep values of an earlier group or dispatch
}

// Kernel is an entry point with values for its function constants, loaded. One Kernel runs one launch at a time.
type Kernel struct {
	object *clang.Object
	module *module
}

// Load loads a compiled entry point.
func Load(o *clang.Object) (*Kernel, error) {
	m, err := load(o.Path)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", o.Entry.Name, err)
	}
	return &Kernel{object: o, module: m}, nil
}

// Name is the name of the entry point.
func (k *Kernel) Name() string { return k.object.Entry.Name }

// Run runs one dispatch to its end. A kernel that was stopped is a *Fault.
func (k *Kernel) Run(ctx context.Context, l Launch) error {
	return k.run(ctx, l, 0)
}

// run checks what is bound and runs the threads in one of their orders.
func (k *Kernel) run(ctx context.Context, l Launch, order int) error {
	if k.module == nil {
		return fmt.Errorf("kernel %s is closed", k.Name())
	}
	if err := k.bound(&l); err != nil {
		return err
	}
	return k.fault(k.module.run(ctx, l, order))
}

// bound refuses a launch without an argument that the kernel always has, or with more threads than its attribute allows.
func (k *Kernel) bound(l *Launch) error {
	n := uint64(l.Threads[0]) * uint64(l.Threads[1]) * uint64(l.Threads[2])
	if limit := k.object.Entry.MaxThreads; limit > 0 && n > uint64(limit) {
		return fmt.Errorf("kernel %s: %d threads in a threadgroup, its max_total_threads_per_threadgroup is %d", k.Name(), n, limit)
	}
	for _, a := range k.object.Entry.Args {
		missing := a.Kind == msl.Buffer && l.Buffers[a.Index] == nil || a.Kind == msl.Threadgroup && l.Threadgroup[a.Index] <= 0
		if missing && a.Condition == "" {
			return fmt.Errorf("kernel %s: nothing is bound to argument %s, %s %d", k.Name(), a.Name, a.Kind, a.Index)
		}
	}
	if s := k.object.Entry.Shapes; s.Count > 0 && len(l.Buffers[s.Index]) < 8*s.Count {
		return fmt.Errorf("kernel %s: the shapes of its tensors are not bound, %d bytes in buffer %d", k.Name(), 8*s.Count, s.Index)
	}
	return nil
}

// Close unloads the kernel.
func (k *Kernel) Close() error {
	if k.module != nil {
		k.module.close()
		k.module = nil
	}
	return nil
}
