//go:build linux && cgo && (amd64 || arm64)

package cuda

/*
#cgo CFLAGS: -O2 -std=gnu11 -Wall
#cgo LDFLAGS: -ldl -lpthread
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// codeError is the driver's code for a call that failed.
type codeError struct {
	code int
	text string // the driver's name and description
}

func (e *codeError) Error() string {
	return fmt.Sprintf("%s (code %d: %s)", meaningOf(e.code).about, e.code, e.text)
}

// driver is an opened library.
type driver struct{ c *C.cuda_driver }

// openDriver opens and initializes the library, once in a process. The error is a *codeError if it cannot be initialized.
func openDriver(path string) (driver, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var code C.int
	var why [512]C.char
	d := driver{C.cuda_driver_open(name, &code, &why[0], C.size_t(len(why)))}
	if d.c == nil {
		return d, fmt.Errorf("%s", C.GoString(&why[0]))
	}
	return d, d.check(code)
}

// check returns the error for a code; nil if it is 0.
func (d driver) check(code C.int) error {
	if code == 0 {
		return nil
	}
	if code < C.CUDA_BLAS {
		return &codeError{codeBLAS, fmt.Sprintf("cuBLAS status %d", C.CUDA_BLAS-code)}
	}
	if code < 0 {
		return &codeError{int(code), "Assay’s own code"}
	}
	return &codeError{int(code), C.GoString(C.cuda_code_name(d.c, code)) + ", " + C.GoString(C.cuda_code_text(d.c, code))}
}

// lost returns the code after which the process cannot use the driver any more; 0: it can.
func (d driver) lost() int { return int(C.cuda_driver_lost(d.c)) }

func (d driver) lose(code int) { C.cuda_driver_lose(d.c, C.int(code)) }

// devices returns all devices that the process sees.
func (d driver) devices() ([]facts, error) {
	var n C.int
	if err := d.check(C.cuda_driver_count(d.c, &n)); err != nil {
		return nil, err
	}
	var all []facts
	for i := range int(n) {
		var f C.cuda_facts
		if err := d.check(C.cuda_describe(d.c, C.int(i), &f)); err != nil {
			return nil, err
		}
		all = append(all, factsOf(i, &f))
	}
	return all, nil
}

const computeProhibited = 2 // CUcomputemode value

func factsOf(index int, c *C.cuda_facts) facts {
	f := facts{
		index: index, name: C.GoString(&c.name[0]), memory: int64(c.memory), version: int(c.version),
		pci:   fmt.Sprintf("%04x:%02x:%02x", c.pci_domain, c.pci_bus, c.pci_device),
		major: int(c.major), minor: int(c.minor), warp: int(c.warp), multiprocessors: int(c.multiprocessors), l2: int64(c.l2),
		bandwidth: 2 * 1e3 * float64(c.memory_clock) * float64(c.memory_bus) / 8, // kHz and bits, at both edges
		mapsHost:  c.maps_host != 0, integrated: c.integrated != 0, ecc: c.ecc != 0, prohibited: c.compute_mode == computeProhibited,
		maxThreads: int(c.max_threads), shared: int(max(c.shared, c.shared_optin)),
	}
	for i := range 3 {
		f.maxBlock[i], f.maxGrid[i] = int(c.max_block[i]), int(c.max_grid[i])
	}
	if c.has_uuid != 0 {
		f.uuid = formatUUID([16]byte(C.GoBytes(unsafe.Pointer(&c.uuid[0]), 16)))
	}
	return f
}

// device is a device whose primary context is retained.
type device struct {
	driver driver
	c      *C.cuda_device
}

func (d driver) open(index int) (device, error) {
	out := device{driver: d}
	return out, d.check(C.cuda_device_open(d.c, C.int(index), &out.c))
}

func (d device) close() { C.cuda_device_close(d.c) }

// stop makes submissions that wait for the device return soon.
func (d device) stop() { C.cuda_device_stop(d.c) }

// memory returns the free and total bytes of the device.
func (d device) memory() (free, total uint64, err error) {
	var f, t C.uint64_t
	err = d.driver.check(C.cuda_device_memory(d.c, &f, &t))
	return uint64(f), uint64(t), err
}

// memory is a buffer's memory. host is nil if the host cannot access it.
type memory struct {
	address uint64
	host    unsafe.Pointer
}

func (d device) newMemory(bytes int) (m memory, err error) {
	var address C.uint64_t
	err = d.driver.check(C.cuda_allocate(d.c, C.uint64_t(bytes), &address))
	return memory{address: uint64(address)}, err
}

func (d device) newHostMemory(bytes int) (m memory, err error) {
	var address C.uint64_t
	err = d.driver.check(C.cuda_allocate_host(d.c, C.uint64_t(bytes), &m.host, &address))
	m.address = uint64(address)
	return m, err
}

func (d device) wrapMemory(mem []byte) (m memory, err error) {
	var address C.uint64_t
	m.host = unsafe.Pointer(unsafe.SliceData(mem))
	err = d.driver.check(C.cuda_wrap(d.c, m.host, C.uint64_t(len(mem)), &address))
	m.address = uint64(address)
	return m, err
}

func (d device) free(m memory)     { C.cuda_free(d.c, C.uint64_t(m.address)) }
func (d device) freeHost(m memory) { C.cuda_free_host(d.c, m.host) }
func (d device) unwrap(m memory)   { C.cuda_unwrap(d.c, m.host) }

// logBytes is how much of the driver's compiler log is kept.
const logBytes = 8192

// trimHost returns memory that the driver's compiler has freed to the system.
func trimHost() { C.cuda_trim() }

// module is compiled PTX with one entry point.
type module struct {
	c                        *C.cuda_module
	function                 *C.cuda_function
	maxThreads               int // of a threadgroup
	shared, local, registers int // bytes of a threadgroup, declared; bytes and registers of a thread
}

// load makes the driver compile PTX; log is its compiler's output.
func (d device) load(ptx []byte, entry string) (m module, log string, err error) {
	text, name := C.CString(string(ptx)), C.CString(entry)
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(name))
	said := (*C.char)(C.calloc(1, logBytes))
	defer C.free(unsafe.Pointer(said))
	if err := d.driver.check(C.cuda_module_load(d.c, text, &m.c, said, logBytes)); err != nil {
		return m, C.GoString(said), err
	}
	var f C.cuda_function_facts
	if err := d.driver.check(C.cuda_module_function(d.c, m.c, name, &m.function, &f)); err != nil {
		d.unload(m)
		return m, C.GoString(said), err
	}
	m.maxThreads, m.shared, m.local, m.registers = int(f.max_threads), int(f.shared), int(f.local), int(f.registers)
	return m, "", nil
}

func (d device) unload(m module) { C.cuda_module_unload(d.c, m.c) }

// allowShared allows launches of a kernel that many bytes of dynamic threadgroup memory.
func (d device) allowShared(m module, bytes int) error {
	return d.driver.check(C.cuda_function_allow_shared(d.c, m.function, C.uint32_t(bytes)))
}

// event orders the work of two queues.
type nativeEvent struct{ c *C.cuda_event }

func (d device) newEvent() (nativeEvent, bool) {
	e := nativeEvent{C.cuda_event_new(d.c)}
	return e, e.c != nil
}

func (e nativeEvent) free() { C.cuda_event_free(e.c) }

// program is a list of commands in C.
type program struct{ c *C.cuda_program }

func newProgram() (program, bool) {
	p := program{C.cuda_program_new()}
	return p, p.c != nil
}

func (p program) free() { C.cuda_program_free(p.c) }

// add appends a command; false if there is no memory.
func (p program) add(c *command) bool {
	switch c.kind {
	case launchCommand:
		l := c.native()
		return C.cuda_program_launch(p.c, &l) != 0
	case copyCommand:
		return C.cuda_program_copy(p.c, C.uint64_t(c.to), C.uint64_t(c.from), C.uint64_t(c.bytes)) != 0
	case fillCommand:
		return C.cuda_program_fill(p.c, C.uint64_t(c.to), C.uint64_t(c.bytes), C.uchar(c.value)) != 0
	case productCommand:
		n := c.product.native()
		return C.cuda_program_product(p.c, &n) != 0
	case signalCommand:
		return C.cuda_program_event(p.c, c.event.c, 1) != 0
	default:
		return C.cuda_program_event(p.c, c.event.c, 0) != 0
	}
}

// native returns a launch for C.
func (c *command) native() C.cuda_launch {
	l := C.cuda_launch{function: c.module.function, shared: C.uint32_t(c.shared), order: uint32(c.order)}
	for i := range 3 {
		l.groups[i], l.threads[i], l.grid[i] = C.uint32_t(c.groups[i]), C.uint32_t(c.threads[i]), C.uint32_t(c.grid[i])
	}
	for i, address := range c.buffers {
		l.buffers[i] = C.uint64_t(address)
	}
	for i, offset := range c.threadgroups {
		l.threadgroups[i] = C.uint32_t(offset)
	}
	if len(c.params) <= len(l.params) {
		l.param_bytes = C.uint32_t(len(c.params))
		for i, b := range c.params {
			l.params[i] = C.uchar(b)
		}
	}
	return l
}

// blas is an opened cuBLAS.
type blas struct{ c *C.cuda_blas }

func openBLAS(path string) (blas, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var why [512]C.char
	b := blas{C.cuda_blas_open(name, &why[0], C.size_t(len(why)))}
	if b.c == nil {
		return b, fmt.Errorf("%s", C.GoString(&why[0]))
	}
	return b, nil
}

// version returns the library's version, as in "12.8.4"; empty if the library does not report it.
func (b blas) version() string {
	var v [3]C.int
	if C.cuda_blas_version(b.c, &v[0]) == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// native returns a GEMM for C.
func (p *product) native() C.cuda_product {
	return C.cuda_product{
		blas: p.blas.c, m: C.uint32_t(p.m), n: C.uint32_t(p.n), k: C.uint32_t(p.k), batch: C.uint32_t(p.batch),
		_type: C.int32_t(p.kind), transpose_a: C.int32_t(p.transposeA), transpose_b: C.int32_t(p.transposeB),
		a: C.uint64_t(p.a), b: C.uint64_t(p.b), out: C.uint64_t(p.out),
	}
}

// stream is a queue of the driver.
type stream struct {
	driver driver
	c      *C.cuda_queue
}

func (d device) newStream() (stream, error) {
	s := stream{driver: d.driver}
	return s, d.driver.check(C.cuda_queue_new(d.c, &s.c))
}

func (s stream) free() { C.cuda_queue_free(s.c) }

// run is a submission in flight.
type run struct {
	driver driver
	c      *C.cuda_run
}

func (s stream) submit(p program, repeat int, staged bool, seconds float64) (run, error) {
	r, with := run{driver: s.driver}, C.int(0)
	if staged {
		with = 1
	}
	return r, s.driver.check(C.cuda_submit(s.c, p.c, C.int(repeat), with, C.double(seconds), &r.c))
}

func (s stream) copy(to, from uint64, bytes int, seconds float64) (run, error) {
	r := run{driver: s.driver}
	return r, s.driver.check(C.cuda_copy(s.c, C.uint64_t(to), C.uint64_t(from), C.uint64_t(bytes), C.double(seconds), &r.c))
}

func (s stream) fill(to uint64, bytes int, value byte, seconds float64) (run, error) {
	r := run{driver: s.driver}
	return r, s.driver.check(C.cuda_fill(s.c, C.uint64_t(to), C.uint64_t(bytes), C.uchar(value), C.double(seconds), &r.c))
}

// wait waits up to that many seconds; ended is false if that was not enough.
func (r run) wait(seconds float64) (wall, device float64, ended bool, err error) {
	o := C.cuda_run_wait(r.c, C.double(seconds))
	return float64(o.wall), float64(o.device), o.ended != 0, r.driver.check(o.code)
}

// stages returns the seconds of each of n commands.
func (r run) stages(n int) ([]float64, error) {
	seconds := make([]float64, n)
	err := r.driver.check(C.cuda_run_stages(r.c, (*C.double)(unsafe.SliceData(seconds)), C.int(n)))
	return seconds, err
}

func (r run) free() { C.cuda_run_free(r.c) }
