package monitor

/*
#include "vm_darwin.h"
*/
import "C"

import (
	"context"
	"math"
)

// systemProbe has no stalls: macOS reports memory pressure as a level only.
func systemProbe() (cores func(context.Context) (cpuTime, error), counters func() (stalled, swapped float64)) {
	return readCPUTime, func() (stalled, swapped float64) {
		var vm C.assay_vm
		C.assay_vm_read(&vm)
		if vm.pages_error != 0 {
			return math.NaN(), math.NaN()
		}
		return math.NaN(), float64(vm.swapped) * float64(vm.page_size)
	}
}
