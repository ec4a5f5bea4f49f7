package monitor

/*
#include "vmpressure_darwin.h"
*/
import "C"

import (
	"errors"
	"runtime"
	"syscall"
)

// kernelPressure holds the subscription to memory pressure.
type kernelPressure struct{ handle *C.assay_vm_pressure }

func openVMPressure() vmPressureReader {
	k := &kernelPressure{C.assay_vm_pressure_open()}
	if k.handle != nil {
		runtime.AddCleanup(k, func(h *C.assay_vm_pressure) { C.assay_vm_pressure_close(h) }, k.handle)
	}
	return k
}

func (k *kernelPressure) read() vmPressure {
	if k.handle == nil {
		err := errors.New("out of memory for watching memory pressure")
		return vmPressure{levelErr: err, freeErr: err}
	}
	var l C.assay_vm_pressure_levels
	C.assay_vm_pressure_read(k.handle, &l)
	runtime.KeepAlive(k)
	return vmPressure{
		level: int(l.level), told: int(l.told), levelErr: errno(l.level_error),
		free: int(l.free), freeErr: errno(l.free_error),
	}
}

// errno is a C error number as an error, nil for 0.
func errno(code C.int) error {
	if code == 0 {
		return nil
	}
	return syscall.Errno(code)
}
