//go:build metalsim && cgo

// Package drive runs short scenes, correct and incorrect uses of Metal, for the simulator's tests: Go tests cannot contain
// Objective-C.
package drive

/*
#cgo CFLAGS: -O1 -g -Wall -I${SRCDIR}/../../include
#include <stdlib.h>
#include "drive.h"
*/
import "C"

import "unsafe"

// Result is what a scene observed. Fields it does not set are zero.
type Result struct {
	Found, Made   bool
	Status        int // MTLCommandBufferStatus
	Code          int // of the error
	Text, Encoder string
	Value         float64
	Start, End    float64 // GPUStartTime and GPUEndTime, seconds
	Samples       [2]uint64
}

// Play runs the scene with that name. path is a file that it may write.
func Play(name, path string) Result {
	n, p := C.CString(name), C.CString(path)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(p))
	r := C.drive_play(n, p)
	return Result{
		Found: r.found != 0, Made: r.made != 0, Status: int(r.status), Code: int(r.code),
		Text: C.GoString(&r.text[0]), Encoder: C.GoString(&r.encoder[0]), Value: float64(r.value),
		Start: float64(r.start), End: float64(r.end), Samples: [2]uint64{uint64(r.samples[0]), uint64(r.samples[1])},
	}
}
