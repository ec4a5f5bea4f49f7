package cpu

// Under the race detector, which does not see C, -O1 takes half as long to compile.

/*
#cgo CFLAGS: -I${SRCDIR}/../../shaders/include -O3 -g1 -std=c11 -D_GNU_SOURCE -D_DARWIN_C_SOURCE -Wall -Werror=switch
#cgo race CFLAGS: -O1
#cgo LDFLAGS: -lm -lpthread
#cgo linux LDFLAGS: -ldl
#include <stdlib.h>
#include "cpu.h"
*/
import "C"

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"assay/shaders"
)

// code is the C code of one kernel.
type code struct {
	c   *C.cpu_kernel
	typ shaders.Type
}

// TypeBits is the size of an element in the C code; 0 if C has no such type.
func TypeBits(t shaders.Type) int { return int(C.cpu_type_bits(C.int(t))) }

// Block is the weights and bytes of a block in the C code; 0 and 0 if elements are stored individually.
func Block(t shaders.Type) (weights, bytes int) {
	return int(C.cpu_block_weights(C.int(t))), int(C.cpu_block_bytes(C.int(t)))
}

// lookUp finds the C code of an implementation.
func lookUp(op, impl string, t shaders.Type) (code, bool) {
	o, i := C.CString(op), C.CString(impl)
	defer C.free(unsafe.Pointer(o))
	defer C.free(unsafe.Pointer(i))
	c := C.cpu_find(o, i, C.int(t))
	return code{c, t}, c != nil
}

// libraryLacks returns why the library of an implementation cannot be used with that many threads; empty: it can. known is false
// if no library has that name.
func libraryLacks(impl string, threads int) (why string, known bool) {
	i := C.CString(impl)
	defer C.free(unsafe.Pointer(i))
	text := C.cpu_library_lacks(i, C.int(threads))
	if text == nil {
		return "", true
	}
	why = C.GoString(text)
	return why, why != ""
}

// libraryName returns the library's version, the processor it detected, and its threads.
func libraryName(impl string, threads int) string {
	i := C.CString(impl)
	defer C.free(unsafe.Pointer(i))
	var name [256]C.char
	C.cpu_library_name(i, C.int(threads), &name[0], C.size_t(len(name)))
	return C.GoString(&name[0])
}

func (c code) paramBytes() int { return int(c.c.params) }

func (c code) args() int { return int(c.c.args) }

// isa is one set of vector loops.
type isa struct{ c *C.struct_isa }

func (i isa) name() string { return C.GoString(C.cpu_isa_name(i.c)) }

// foundISAs lists the instruction sets that this machine supports, best first.
func foundISAs() []isa {
	var all []isa
	for {
		c := C.cpu_isa_at(C.int(len(all)))
		if c == nil {
			return all
		}
		all = append(all, isa{c})
	}
}

// threadPool is the pool of threads that all queues of an engine share.
type threadPool struct{ c *C.cpu_pool }

// openPool returns false if the system cannot start the threads or has no memory.
func openPool(i isa, threads int) (threadPool, bool) {
	p := C.cpu_pool_open(i.c, C.int(threads))
	return threadPool{p}, p != nil
}

func (p threadPool) close() { C.cpu_pool_close(p.c) }

// worked returns the CPU time of the pool's threads and of those that run command buffers, and how often a library worked in
// threads of its own; negative if the system does not report it.
func (p threadPool) worked() (seconds float64, elsewhere int) {
	var out C.double
	elsewhere = int(C.cpu_worked(p.c, &out))
	return float64(out), elsewhere
}

// stream runs the command buffers of one queue.
type stream struct{ c *C.cpu_stream }

func (p threadPool) openStream() (stream, bool) {
	s := C.cpu_stream_open(p.c)
	return stream{s}, s != nil
}

func (s stream) close() { C.cpu_stream_close(s.c) }

// nativeEvent orders the work of two streams.
type nativeEvent struct{ c *C.cpu_event }

func newNativeEvent() (nativeEvent, bool) {
	e := nativeEvent{C.cpu_event_new()}
	return e, e.c != nil
}

func (e nativeEvent) free() { C.cpu_event_free(e.c) }

// commands is a program for the C side. Launches refer to their parameters and constants by index into words, and to their
// arguments by index into args.
type commands struct {
	list  []C.cpu_command
	words []uint32
	args  []unsafe.Pointer
}

func (c *commands) add(one C.cpu_command) { c.list = append(c.list, one) }

func (c *commands) launch(l *command) {
	c.add(C.cpu_command{kind: C.CPU_LAUNCH, launch: C.cpu_dispatch{
		kernel: l.kernel.code.c, _type: C.int32_t(l.kernel.code.typ), arg: C.uint32_t(len(c.args)),
		params: C.uint32_t(len(c.words)), constants: C.uint32_t(len(c.words) + len(l.params)/4),
	}})
	for at := 0; at < len(l.params); at += 4 {
		c.words = append(c.words, binary.NativeEndian.Uint32(l.params[at:]))
	}
	c.words = append(c.words, l.kernel.constants...)
	c.args = append(c.args, l.arg...)
}

func (c *commands) copy(to, from unsafe.Pointer, bytes int) {
	c.add(C.cpu_command{kind: C.CPU_COPY_BYTES, to: to, from: from, bytes: C.size_t(bytes)})
}

func (c *commands) fill(to unsafe.Pointer, bytes int, value byte) {
	c.add(C.cpu_command{kind: C.CPU_FILL_BYTES, to: to, bytes: C.size_t(bytes), value: C.int32_t(value)})
}

func (c *commands) signal(e nativeEvent) {
	c.add(C.cpu_command{kind: C.CPU_SIGNAL, event: e.c})
}

func (c *commands) await(e nativeEvent) {
	c.add(C.cpu_command{kind: C.CPU_AWAIT, event: e.c})
}

// run executes commands in order, repeat times. It returns the seconds they took on the C clock, and the index of the command
// that lacked scratch memory, or −1. stages receives the seconds of each command, unless it is empty.
func (s stream) run(c *commands, repeat int, brief bool, stages []float64) (seconds float64, failed int) {
	var elapsed C.double
	var short C.int
	if brief {
		short = 1
	}
	failed = int(C.cpu_run(s.c, unsafe.SliceData(c.list), C.int(len(c.list)), (*C.uint32_t)(unsafe.SliceData(c.words)),
		unsafe.SliceData(c.args), C.int(repeat), short, &elapsed, (*C.double)(unsafe.SliceData(stages))))
	runtime.KeepAlive(c)
	return float64(elapsed), failed
}

// CachedBytes is the maximum size of an output that is stored through the caches, given the size of the last-level cache and the
// largest that a cluster of cores has; 0: all cores share it.
func CachedBytes(cache, cluster int) int {
	return int(C.cpu_cached_bytes(C.size_t(cache), C.size_t(cluster)))
}

// KeptBytes is how many bytes of an operand a core keeps in its own cache, given the size of its L2.
func KeptBytes(cache int) int { return int(C.cpu_kept_bytes(C.size_t(cache))) }

// ProductThreads is how many of the threads take part in a GEMM of floats, given the multiplications per second of a core.
func ProductThreads(work float64, threads int, rate float64) int {
	return int(C.cpu_product_threads(C.double(work), C.int(threads), C.double(rate)))
}

func allocate(bytes int) unsafe.Pointer { return C.cpu_alloc(C.size_t(bytes)) }

func release(p unsafe.Pointer, bytes int) { C.cpu_free(p, C.size_t(bytes)) }

// cpu.h must number the element types like shaders does. Otherwise these lines do not compile.
var (
	_ = [1]struct{}{}[shaders.F32-C.CPU_F32]
	_ = [1]struct{}{}[shaders.F16-C.CPU_F16]
	_ = [1]struct{}{}[shaders.I8-C.CPU_I8]
	_ = [1]struct{}{}[shaders.I4-C.CPU_I4]
	_ = [1]struct{}{}[shaders.BF16-C.CPU_BF16]
	_ = [1]struct{}{}[shaders.I32-C.CPU_I32]
	_ = [1]struct{}{}[shaders.U32-C.CPU_U32]
	_ = [1]struct{}{}[shaders.E4M3-C.CPU_E4M3]
	_ = [1]struct{}{}[shaders.E5M2-C.CPU_E5M2]
	_ = [1]struct{}{}[shaders.Ternary-C.CPU_TERNARY]
	_ = [1]struct{}{}[shaders.Q8_0-C.CPU_Q8_0]
	_ = [1]struct{}{}[shaders.Q6_K-C.CPU_Q6_K]
	_ = [1]struct{}{}[shaders.Q4_1-C.CPU_Q4_1]
	_ = [1]struct{}{}[shaders.Q4_K-C.CPU_Q4_K]
	_ = [1]struct{}{}[shaders.Q4_0-C.CPU_Q4_0]
)
