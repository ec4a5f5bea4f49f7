package monitor

/*
#include <stdlib.h>
#include "activity_darwin.h"
*/
import "C"

import (
	"sync"
	"unsafe"
)

// HoldActivity tells macOS that the user is waiting for this process, so that App Nap does not slow it down and the machine
// does not sleep until release is called. reason appears in the system's log.
func HoldActivity(reason string) (release func()) {
	text := C.CString(reason)
	defer C.free(unsafe.Pointer(text))
	activity := C.assay_activity_begin(text)
	if activity == nil {
		return func() {}
	}
	return sync.OnceFunc(func() { C.assay_activity_end(activity) })
}
