//go:build linux || darwin

// Package exec runs compiled kernels on the CPU: threads of a group are fibers, with exact barriers and SIMD functions. In checked
// mode each out-of-bounds access is a fault; race mode searches for data races.
package exec

/*
#cgo linux CFLAGS: -O2 -Wall
#cgo linux LDFLAGS: -ldl -lpthread
#cgo darwin CFLAGS: -O2 -Wall
#include <stdlib.h>
#include "exec.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

// module is the loaded shared object of one entry point.
type module struct{ c C.exec_module }

// trap describes why the executor stopped a kernel, and where: at a site of the translated text (line<<12 | column) or at an
// offset into the object. 0: not known.
type trap struct {
	Site    uint32
	PC      uintptr
	Message string
}

func (t *trap) Error() string { return t.Message }

// keptFor is how long workers and their stacks are kept for another dispatch.
const keptFor = time.Second

// trim frees the workers once that much time has passed without a dispatch.
var trim = time.AfterFunc(keptFor, func() { C.exec_trim() })

// load opens a shared object.
func load(path string) (*module, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var why [512]C.char
	m := &module{}
	if C.exec_load(&m.c, name, &why[0], C.size_t(len(why))) != 0 {
		return nil, errors.New(C.GoString(&why[0]))
	}
	return m, nil
}

// close unloads it. No run may be in progress.
func (m *module) close() { C.exec_unload(&m.c) }

// run runs one dispatch with the threads in one of their orders: 0 is forward, 1 backward, others are shuffled. It
// returns a *trap if a kernel was stopped, or ctx's error.
func (m *module) run(ctx context.Context, l Launch, order int) error {
	return m.runWith(ctx, l, order, nil)
}

// runWith is run that also finds conflicts, if there is room for them.
func (m *module) runWith(ctx context.Context, l Launch, order int, conflicts *C.exec_conflicts) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := m.launch(&l, order)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(c))
	c.conflicts = conflicts
	cancel := (*C.int32_t)(C.calloc(1, C.sizeof_int32_t))
	defer C.free(unsafe.Pointer(cancel))
	c.cancel = cancel
	watching := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		*cancel = 1
		close(watching)
	})
	var pins runtime.Pinner
	defer pins.Unpin()
	for i, b := range l.Buffers {
		if len(b) > 0 {
			pins.Pin(&b[0])
			c.buffers[i] = unsafe.Pointer(&b[0])
		}
	}
	var t C.exec_trap
	result := C.exec_run(&m.c, c, &t)
	trim.Reset(keptFor)
	if !stop() {
		<-watching // it writes to what is freed next
	}
	switch result {
	case 0:
		return nil
	case 1:
		return &trap{uint32(t.site), uintptr(t.pc), C.GoString(&t.message[0])}
	}
	return ctx.Err()
}

// launch returns l in C's memory, without the buffers.
func (m *module) launch(l *Launch, order int) (*C.exec_launch, error) {
	if l.Workers < 0 {
		return nil, fmt.Errorf("%d workers, want 0 or more", l.Workers)
	}
	c := (*C.exec_launch)(C.calloc(1, C.sizeof_exec_launch))
	for d := range 3 {
		c.groups[d], c.threads[d], c.grid[d] = C.uint32_t(l.Groups[d]), C.uint32_t(l.Threads[d]), C.uint32_t(l.Grid[d])
	}
	for i := range l.Buffers {
		c.lengths[i] = C.uint64_t(len(l.Buffers[i]))
		c.threadgroup[i] = C.uint32_t(max(0, l.Threadgroup[i]))
	}
	c.workers, c.order = C.uint32_t(l.workers()), C.uint32_t(min(order, C.EXEC_SHUFFLED))
	c.seed = C.uint64_t(l.Seed + uint64(order))
	if l.poison {
		c.poison = 1
	}
	return c, nil
}

// A stack and its guard are two of a process's mappings, which Linux limits to 65,530 by default. One dispatch takes half of them
// at most: others may run at the same time.
const (
	maxStackMappings = 32768
	mappingsPerStack = 2
	maxGroupThreads  = C.EXEC_MAX_THREADS
)

// workers returns how many threadgroups run at once: each needs a stack for every thread of a group that waits at a barrier.
func (l *Launch) workers() int {
	n := l.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	threads := uint64(1)
	for _, t := range l.Threads {
		threads = min(threads*uint64(max(t, 1)), maxGroupThreads)
	}
	return min(n, maxStackMappings/mappingsPerStack/int(threads))
}
