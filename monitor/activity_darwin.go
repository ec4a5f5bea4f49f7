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

// HoldActivity tells macOS that the user waits for this process, so that neither App Nap slows it down nor the machine
// goes to sleep, until release is called. reason is for people who look into the system's log.
func HoldActivity(reason string) (release func()) {
	text := C.CString(reason)
	defer C.free(unsafe.Pointer(text))
	activity := C.assay_activity_begin(text)
	if activity == nil {
		return func() {}
	}
	return sync.OnceFunc(func() { C.assay_activity_end(activity) })
}
