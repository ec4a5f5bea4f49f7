//go:build metalsim && cgo

package sim

/*
#cgo CFLAGS: -O2 -g -Wall -I${SRCDIR}/include
// Link libBlocksRuntime first: GNUstep has a weak _Block_copy that copies nothing.
#cgo LDFLAGS: -lBlocksRuntime -lgnustep-base -lobjc -lpthread -ldl -lm -rdynamic
#include <stdlib.h>
#include "ledger.h"
#include "faults.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Object is an object of the API that was not released.
type Object struct {
	Kind  string // the protocol or class, such as MTLBuffer
	Label string
	Site  string // the functions on the stack that created it, innermost first
	// Retains is the number of references.
	Retains int
	// Serial numbers objects in order of creation.
	Serial uint64
}

// String names the object, its references and where it was made.
func (o Object) String() string {
	return fmt.Sprintf("%s %q, retained %d times, made by %s", o.Kind, o.Label, o.Retains, o.Site)
}

// Violations lists the rules broken since the last Reset, each with the object; at most 1000.
func Violations() []string {
	var all []string
	for i := range int(C.sim_ledger_count()) {
		if text := C.sim_ledger_text(C.int(i)); text != nil {
			all = append(all, takeText(text))
		}
	}
	return all
}

// Live lists the objects created since the last Reset that are not released, the latest first.
func Live() []Object {
	var list *C.sim_live
	count := C.sim_live_list(&list)
	defer C.sim_live_free(list, count)
	var all []Object
	for _, o := range unsafe.Slice(list, int(count)) {
		all = append(all, Object{
			Kind: C.GoString(o.kind), Label: C.GoString(o.label), Site: C.GoString(o.site),
			Retains: int(o.retains), Serial: uint64(o.serial),
		})
	}
	return all
}

// Reset empties the ledger, ignores the objects that are live now, and ends the script and its hangs.
func Reset() {
	Inject(Script{})
	C.sim_ledger_clear()
}

func takeText(text *C.char) string {
	defer C.free(unsafe.Pointer(text))
	return C.GoString(text)
}

// ErrorCode is a MTLCommandBufferError with which a command buffer fails.
type ErrorCode int

// Codes of command buffer errors. The last one is not documented: the system uses it to end work that blocks the display.
const (
	Internal               ErrorCode = 1
	Timeout                ErrorCode = 2
	PageFault              ErrorCode = 3
	AccessRevoked          ErrorCode = 4
	NotPermitted           ErrorCode = 7
	OutOfMemory            ErrorCode = 8
	InvalidResource        ErrorCode = 9
	DeviceRemoved          ErrorCode = 11
	StackOverflow          ErrorCode = 12
	ImpactingInteractivity ErrorCode = 14
)

// Counters selects the values of samples of the device's clock.
type Counters int

// Values of samples.
const (
	TrueCounters  Counters = iota
	ZeroCounters           // 0
	ErrorCounters          // MTLCounterErrorValue, which is all ones
)

// Script selects the calls that fail. Calls are counted from 1 since Inject; 0 means never.
type Script struct {
	Allocation, Allocations int // the first buffer that is refused, and how many are refused (0: one)
	Commit, Commits         int // the first command buffer that fails, and how many fail (0: one)
	CommitError             ErrorCode
	Hang                    int    // the command buffer that does not end until ReleaseHangs
	RemoveDevice            int    // the command buffer at which the device is removed; the next request returns a new device
	NoQueue                 bool   // no queue can be created
	CompileError            string // the compiler's error for every source
	CompilerHang            int    // the compilation of a source that does not end until ReleaseHangs
	PipelineThreads         int    // maximum per threadgroup, for every pipeline; 0: as in the source
	CompilerDies            bool   // every compilation ends with an internal error
	CompilerSilent          bool   // every compilation fails without a text
	NoPipeline              bool   // no pipeline can be created
	Counters                Counters
	ZeroTimes               bool // GPUStartTime and GPUEndTime read 0
	NoArchive               bool // archives do not load
}

// Inject replaces the script and releases all hangs.
func Inject(s Script) {
	c := C.sim_script{
		allocation: C.int(s.Allocation), allocations: C.int(s.Allocations),
		commit: C.int(s.Commit), commits: C.int(s.Commits), commit_error: C.int(s.CommitError),
		hang: C.int(s.Hang), remove: C.int(s.RemoveDevice), queues: truth(s.NoQueue),
		compiler_hang: C.int(s.CompilerHang), threads: C.int(s.PipelineThreads),
		compiler_dies: truth(s.CompilerDies), compiler_silent: truth(s.CompilerSilent), pipelines: truth(s.NoPipeline),
		counters: C.int(s.Counters), zero_times: truth(s.ZeroTimes), archives_fail: truth(s.NoArchive),
	}
	if s.CompileError != "" {
		c.compile_error = C.CString(s.CompileError)
		defer C.free(unsafe.Pointer(c.compile_error))
	}
	C.sim_inject(&c)
}

// ReleaseHangs lets command buffers and compilations that hang continue.
func ReleaseHangs() { C.sim_release_hangs() }

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
