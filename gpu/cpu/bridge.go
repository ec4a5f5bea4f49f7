package cpu

/*
#cgo CFLAGS: -O3 -std=c11 -D_GNU_SOURCE -D_DARWIN_C_SOURCE -Wall
#cgo LDFLAGS: -lm -lpthread
#include "cpu.h"
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Operations, as cpu.h numbers them.
const (
	opAdd        = C.CPU_ADD
	opMul        = C.CPU_MUL
	opRelu       = C.CPU_RELU
	opGelu       = C.CPU_GELU
	opAddRelu    = C.CPU_ADD_RELU
	opMulRelu    = C.CPU_MUL_RELU
	opAffine     = C.CPU_AFFINE
	opCopy       = C.CPU_COPY
	opTriad      = C.CPU_TRIAD
	opMatmul     = C.CPU_MATMUL
	opQuantise   = C.CPU_QUANTISE
	opDequantise = C.CPU_DEQUANTISE
	opAddBias    = C.CPU_ADD_BIAS
)

// isa is one set of vector loops.
type isa struct{ c *C.struct_isa }

func (i isa) name() string { return C.GoString(C.cpu_isa_name(i.c)) }

// foundISAs lists the instruction sets this machine runs, best first.
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

// threadPool is the threads that all queues of an engine share.
type threadPool struct{ c *C.cpu_pool }

// openPool is false if the system gives no more threads or memory.
func openPool(i isa, threads int) (threadPool, bool) {
	p := C.cpu_pool_open(i.c, C.int(threads))
	return threadPool{p}, p != nil
}

func (p threadPool) close() { C.cpu_pool_close(p.c) }

// stream runs the command buffers of one queue.
type stream struct{ c *C.cpu_stream }

func (p threadPool) openStream() (stream, bool) {
	s := C.cpu_stream_open(p.c)
	return stream{s}, s != nil
}

func (s stream) close() { C.cpu_stream_close(s.c) }

// command is one dispatch with its memory; its fields are cpu_dispatch's.
type command struct {
	op, elem                          int32
	m, n, k, block                    uint32
	s                                 float32
	transposeB, activation, symmetric int32
	arg                               [5]unsafe.Pointer
}

func (c *command) encode() C.cpu_dispatch {
	return C.cpu_dispatch{
		op: C.int32_t(c.op), _type: C.int32_t(c.elem),
		m: C.uint32_t(c.m), n: C.uint32_t(c.n), k: C.uint32_t(c.k), block: C.uint32_t(c.block), s: C.float(c.s),
		transpose_b: C.int32_t(c.transposeB), activation: C.int32_t(c.activation), symmetric: C.int32_t(c.symmetric),
		arg: c.arg,
	}
}

// nativeEvent orders the work of two streams.
type nativeEvent struct{ c *C.cpu_event }

func newNativeEvent() (nativeEvent, bool) {
	e := nativeEvent{C.cpu_event_new()}
	return e, e.c != nil
}

func (e nativeEvent) free() { C.cpu_event_free(e.c) }

// commands is a program as C runs it.
type commands []C.cpu_command

func (c *commands) launch(l *command) {
	*c = append(*c, C.cpu_command{kind: C.CPU_LAUNCH, launch: l.encode()})
}

func (c *commands) copy(to, from unsafe.Pointer, bytes int) {
	*c = append(*c, C.cpu_command{kind: C.CPU_COPY_BYTES, to: to, from: from, bytes: C.size_t(bytes)})
}

func (c *commands) fill(to unsafe.Pointer, bytes int, value byte) {
	*c = append(*c, C.cpu_command{kind: C.CPU_FILL_BYTES, to: to, bytes: C.size_t(bytes), value: C.int32_t(value)})
}

func (c *commands) signal(e nativeEvent) {
	*c = append(*c, C.cpu_command{kind: C.CPU_SIGNAL, event: e.c})
}

func (c *commands) await(e nativeEvent) {
	*c = append(*c, C.cpu_command{kind: C.CPU_AWAIT, event: e.c})
}

// run executes commands in order, repeat times. It returns the seconds they took on the C clock, and the index of the
// command for which there was no scratch memory, or −1. stages, if there is room in it for all, gets the seconds of each.
func (s stream) run(list commands, repeat int, stages []float64) (seconds float64, failed int) {
	var elapsed C.double
	failed = int(C.cpu_run(s.c, unsafe.SliceData(list), C.int(len(list)), C.int(repeat), &elapsed,
		(*C.double)(unsafe.SliceData(stages))))
	runtime.KeepAlive(list)
	return float64(elapsed), failed
}

// cachedBytes is up to how many bytes an output is stored through the caches, given the size of the last one.
func cachedBytes(cache int) int { return int(C.cpu_cached_bytes(C.size_t(cache))) }

func allocate(bytes int) unsafe.Pointer { return C.cpu_alloc(C.size_t(bytes)) }

func release(p unsafe.Pointer, bytes int) { C.cpu_free(p, C.size_t(bytes)) }
