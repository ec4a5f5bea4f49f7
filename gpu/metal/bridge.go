//go:build (darwin || metalsim) && cgo

package metal

/*
#cgo CFLAGS: -fblocks -O2 -Wall
#cgo darwin LDFLAGS: -framework Metal -framework Foundation -framework CoreGraphics -framework IOKit
#cgo !darwin CFLAGS: -I${SRCDIR}/sim/include
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"

	"assay/shaders"
)

// take converts a C error to a Go error and frees it.
func take(e C.metal_error) error {
	if e.text == nil {
		return nil
	}
	defer C.metal_free(unsafe.Pointer(e.text))
	return &nativeError{C.GoString(e.text), int64(e.code)}
}

// withText calls f with a C copy of s.
func withText(s string, f func(*C.char)) {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	f(c)
}

// markBegin begins an interval of Instruments; 0: there is none.
func markBegin(name, what string) (mark uint64) {
	withText(name, func(n *C.char) {
		withText(what, func(w *C.char) { mark = uint64(C.metal_mark_begin(n, w)) })
	})
	return mark
}

func markEnd(name string, mark uint64) {
	if mark != 0 {
		withText(name, func(n *C.char) { C.metal_mark_end(n, C.uint64_t(mark)) })
	}
}

// device is a GPU.
type device struct{ c *C.metal_device }

// listDevices finds all GPUs; each must be released.
func listDevices() []device {
	list := C.metal_devices()
	defer C.metal_free(unsafe.Pointer(list.items))
	var all []device
	for _, c := range unsafe.Slice(list.items, int(list.count)) {
		all = append(all, device{c})
	}
	return all
}

func (d device) release() { C.metal_device_release(d.c) }

func (d device) describe() facts {
	f := C.metal_device_describe(d.c)
	return facts{
		name: C.GoString(&f.name[0]), architecture: C.GoString(&f.architecture[0]), registryID: uint64(f.registry_id),
		workingSet: uint64(f.working_set), maxBuffer: uint64(f.max_buffer),
		maxThreads: int(f.max_threads), maxThreadgroupMemory: int(f.max_threadgroup_memory), location: int(f.location),
		apple: int(f.apple_family), mac: int(f.mac_family), metal: int(f.metal_family),
		lowPower: f.low_power != 0, headless: f.headless != 0, removable: f.removable != 0, unified: f.unified != 0,
		simulated: f.simulated != 0, stageCounters: f.stage_counters != 0,
		cores: int(C.metal_device_cores(f.registry_id)),
	}
}

// allocated is the number of bytes that this process has on the device, as the device counts them.
func (d device) allocated() uint64 { return uint64(C.metal_device_allocated(d.c)) }

func (d device) hasLibraries() bool { return C.metal_has_libraries(d.c) != 0 }

// memory is a device's buffer. contents is nil if the host cannot access it.
type memory struct {
	c        *C.metal_buffer
	contents unsafe.Pointer
}

func (d device) newMemory(bytes int, private bool, label string) (m memory, err error) {
	withText(label, func(l *C.char) {
		r := C.metal_buffer_new(d.c, C.uint64_t(bytes), flag(private), l)
		m, err = memory{r.value, r.contents}, take(r.error)
	})
	return m, err
}

// wrapMemory makes a buffer of the caller's pages, which must not be memory of the Go heap. done is called, from any
// thread, once the device has released them.
func (d device) wrapMemory(pages []byte, label string, done func()) (m memory, err error) {
	ticket := cgo.NewHandle(done)
	withText(label, func(l *C.char) {
		r := C.metal_buffer_wrap(d.c, unsafe.Pointer(unsafe.SliceData(pages)), C.uint64_t(len(pages)),
			C.uintptr_t(ticket), l)
		m, err = memory{r.value, r.contents}, take(r.error)
	})
	if err != nil {
		ticket.Delete()
	}
	return m, err
}

//export metal_gave_back
func metal_gave_back(ticket C.uintptr_t) { //nolint:revive // C's name
	h := cgo.Handle(ticket)
	done := h.Value().(func())
	h.Delete()
	done()
}

func (m memory) release() { C.metal_buffer_release(m.c) }

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// residencySet is a set of buffers that stay wired.
type residencySet struct{ c *C.metal_residency }

// newResidencySet returns false if the system has no residency sets.
func (d device) newResidencySet(label string) (s residencySet, ok bool, err error) {
	withText(label, func(l *C.char) {
		r := C.metal_residency_new(d.c, l)
		s, ok, err = residencySet{r.value}, r.value != nil, take(r.error)
	})
	return s, ok, err
}

func (s residencySet) add(m memory)          { C.metal_residency_add(s.c, m.c) }
func (s residencySet) remove(m memory)       { C.metal_residency_remove(s.c, m.c) }
func (s residencySet) commit()               { C.metal_residency_commit(s.c) }
func (s residencySet) request()              { C.metal_residency_request(s.c) }
func (s residencySet) attach(q commandQueue) { C.metal_residency_attach(s.c, q.c) }
func (s residencySet) release()              { C.metal_residency_release(s.c) }

// library is compiled source.
type library struct{ c *C.metal_library }

func (d device) newLibrary(source, label string) (lib library, err error) {
	withText(source, func(s *C.char) {
		withText(label, func(l *C.char) {
			r := C.metal_library_new(d.c, s, l)
			lib, err = library{r.value}, take(r.error)
		})
	})
	return lib, err
}

func (l library) release() { C.metal_library_release(l.c) }

// function is an entry point with its constants.
type function struct{ c *C.metal_function }

func (l library) newFunction(entry string, constants []shaders.ConstantValue) (f function, err error) {
	list := make([]C.metal_constant, len(constants))
	for i, c := range constants {
		if list[i], err = constant(c); err != nil {
			return f, err
		}
	}
	withText(entry, func(e *C.char) {
		r := C.metal_function_new(l.c, e, unsafe.SliceData(list), C.int(len(list)))
		f, err = function{r.value}, take(r.error)
	})
	return f, err
}

// constant is a function constant as the bridge takes it.
func constant(v shaders.ConstantValue) (c C.metal_constant, err error) {
	value := v.Bytes()
	if len(value) > len(c.value) || len(v.Type) >= len(c._type) {
		return c, fmt.Errorf("function constant %s: no values of type %s, of %d B, can be set", v.Name, v.Type, len(value))
	}
	c.index = C.uint32_t(v.Index)
	for i := range v.Type {
		c._type[i] = C.char(v.Type[i])
	}
	for i, b := range value {
		c.value[i] = C.uint8_t(b)
	}
	return c, nil
}

func (f function) release() { C.metal_function_release(f.c) }

// pipeline is a function ready to run.
type pipeline struct {
	c          *C.metal_pipeline
	simdWidth  int
	maxThreads int // in a threadgroup
}

// build is what a pipeline is made from besides its function.
type build struct {
	maxThreads int // in a threadgroup, that it is compiled for; 0: the function's own
	label      string
}

// newPipeline loads the code from the archive, and compiles nothing, if a is not nil.
func (d device) newPipeline(f function, a *binaryArchive, b build) (p pipeline, err error) {
	var from *C.metal_archive
	if a != nil {
		from = a.c
	}
	withText(b.label, func(l *C.char) {
		r := C.metal_pipeline_new(d.c, f.c, from, C.uint32_t(b.maxThreads), l)
		p, err = pipeline{r.value, int(r.simd_width), int(r.max_threads)}, take(r.error)
	})
	return p, err
}

func (p pipeline) release() { C.metal_pipeline_release(p.c) }

// binaryArchive is a file of compiled pipelines.
type binaryArchive struct{ c *C.metal_archive }

// openArchive reads the archive at path.
func (d device) openArchive(path, label string) (a binaryArchive, err error) {
	withText(path, func(p *C.char) { a, err = d.archive(p, label) })
	return a, err
}

// newArchive creates an empty archive.
func (d device) newArchive(label string) (binaryArchive, error) { return d.archive(nil, label) }

func (d device) archive(path *C.char, label string) (a binaryArchive, err error) {
	withText(label, func(l *C.char) {
		r := C.metal_archive_new(d.c, path, l)
		a, err = binaryArchive{r.value}, take(r.error)
	})
	return a, err
}

func (a binaryArchive) add(f function, b build) (err error) {
	withText(b.label, func(l *C.char) { err = take(C.metal_archive_add(a.c, f.c, C.uint32_t(b.maxThreads), l)) })
	return err
}

func (a binaryArchive) write(path string) (err error) {
	withText(path, func(p *C.char) { err = take(C.metal_archive_write(a.c, p)) })
	return err
}

func (a binaryArchive) release() { C.metal_archive_release(a.c) }

// libraryOp is an operation of a vendor's library, prepared.
type libraryOp struct{ c *C.metal_library_op }

// newLibraryOp prepares the operation that s describes.
func (d device) newLibraryOp(s librarySpec, label string) (op libraryOp, err error) {
	s.native(func(spec *C.metal_library_spec) {
		withText(label, func(l *C.char) {
			r := C.metal_library_op_new(d.c, spec, l)
			op, err = libraryOp{r.value}, take(r.error)
		})
	})
	return op, err
}

func (o libraryOp) release() { C.metal_library_op_release(o.c) }

// lacks returns the reason why the library cannot run s at any size.
func (s librarySpec) lacks() (err error) {
	s.native(func(spec *C.metal_library_spec) { err = take(C.metal_library_lacks(spec)) })
	return err
}

// native calls f with s as a C struct.
func (s librarySpec) native(f func(*C.metal_library_spec)) {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(unsafe.SliceData(s.dims))
	pin.Pin(unsafe.SliceData(s.types))
	pin.Pin(unsafe.SliceData(s.constants))
	withText(s.op, func(op *C.char) {
		f(&C.metal_library_spec{
			op: op, dims: (*C.uint32_t)(unsafe.SliceData(s.dims)), types: (*C.uint32_t)(unsafe.SliceData(s.types)),
			constants: (*C.int32_t)(unsafe.SliceData(s.constants)), dim_count: C.int(len(s.dims)),
			type_count: C.int(len(s.types)), constant_count: C.int(len(s.constants)),
		})
	})
}

// commandQueue runs command buffers in order.
type commandQueue struct{ c *C.metal_queue }

func (d device) newCommandQueue(depth int, label string) (q commandQueue, err error) {
	withText(label, func(l *C.char) {
		r := C.metal_queue_new(d.c, C.int(depth), l)
		q, err = commandQueue{r.value}, take(r.error)
	})
	return q, err
}

func (q commandQueue) release() { C.metal_queue_release(q.c) }

// eventValues are what a submission signals or awaits with one command.
type eventValues = C.metal_values

func valuesFrom(first, step int) eventValues {
	return eventValues{first: C.uint64_t(first), step: C.uint64_t(step)}
}

// last is the highest value after that many runs.
func lastValue(v eventValues, repeat int) uint64 {
	return uint64(v.first) + uint64(v.step)*uint64(repeat-1)
}

// submit encodes and commits repeat runs of a program.
func (q commandQueue) submit(p program, repeat int, events []eventValues, sampled bool) (run, error) {
	got := C.metal_submit(q.c, p.c, C.int(repeat), unsafe.SliceData(events), flag(sampled))
	return run{got.value}, take(got.error)
}

// sharedEvent orders the work of two queues.
type sharedEvent struct{ c *C.metal_event }

func (d device) newEvent(label string) (e sharedEvent, err error) {
	withText(label, func(l *C.char) {
		r := C.metal_event_new(d.c, l)
		e, err = sharedEvent{r.value}, take(r.error)
	})
	return e, err
}

func (e sharedEvent) raise(value uint64) { C.metal_event_raise(e.c, C.uint64_t(value)) }
func (e sharedEvent) release()           { C.metal_event_release(e.c) }

func (q commandQueue) copy(from memory, fromOffset int, to memory, toOffset, bytes int, label string) (r run, err error) {
	withText(label, func(l *C.char) {
		got := C.metal_copy(q.c, l, from.c, C.uint64_t(fromOffset), to.c, C.uint64_t(toOffset), C.uint64_t(bytes))
		r, err = run{got.value}, take(got.error)
	})
	return r, err
}

func (q commandQueue) fill(m memory, offset, bytes int, value byte, label string) (r run, err error) {
	withText(label, func(l *C.char) {
		got := C.metal_fill(q.c, l, m.c, C.uint64_t(offset), C.uint64_t(bytes), C.uint8_t(value))
		r, err = run{got.value}, take(got.error)
	})
	return r, err
}

// run is a command buffer in flight.
type run struct{ c *C.metal_run }

// wait returns true once the command buffer has ended, with or without an error; false after that many seconds.
func (r run) wait(seconds float64) bool { return C.metal_run_wait(r.c, C.double(seconds)) != 0 }

// outcome is the result of a command buffer that has ended.
func (r run) outcome() outcome {
	o := C.metal_run_outcome(r.c)
	out := outcome{
		failed: o.failed != 0, inMetal: o.in_metal != 0, code: int64(o.code),
		start: float64(o.gpu_start), end: float64(o.gpu_end), begun: float64(o.begun), wall: float64(o.wall),
	}
	if o.text != nil {
		out.text = C.GoString(o.text)
	}
	if o.encoder != nil {
		out.encoder = C.GoString(o.encoder)
	}
	return out
}

// samples are the raw counter samples, and the seconds of a tick; 0: not known.
func (r run) samples(count int) (raw []uint64, tick float64) {
	raw = make([]uint64, count)
	if count == 0 {
		return nil, 0
	}
	var seconds C.double
	n := C.metal_run_samples(r.c, (*C.uint64_t)(unsafe.SliceData(raw)), C.int(count), &seconds)
	return raw[:n], float64(seconds)
}

func (r run) release() { C.metal_run_release(r.c) }

func captureSupported() error { return take(C.metal_capture_supported()) }

func (d device) startCapture(path string) (err error) {
	withText(path, func(p *C.char) { err = take(C.metal_capture_start(d.c, p)) })
	return err
}

func stopCapture() { C.metal_capture_stop() }

// maxSampled is the maximum number of segments a sampled command buffer can have.
const maxSampled = C.METAL_SAMPLED

// plan.go must number the kinds of segments like bridge.h does, shaders the types, and faults.go the codes. Otherwise these lines
// do not compile.
var (
	_ = [1]struct{}{}[serialSegment-C.METAL_SERIAL]
	_ = [1]struct{}{}[concurrentSegment-C.METAL_CONCURRENT]
	_ = [1]struct{}{}[librarySegment-C.METAL_LIBRARY]
	_ = [1]struct{}{}[blitSegment-C.METAL_BLIT]
	_ = [1]struct{}{}[signalSegment-C.METAL_SIGNAL]
	_ = [1]struct{}{}[awaitSegment-C.METAL_AWAIT]
	_ = [1]struct{}{}[shaders.F32-C.METAL_F32]
	_ = [1]struct{}{}[shaders.F16-C.METAL_F16]
	_ = [1]struct{}{}[codeUnsupported-C.METAL_UNSUPPORTED]
	_ = [1]struct{}{}[codeNoMemory-C.METAL_NO_MEMORY]
)
