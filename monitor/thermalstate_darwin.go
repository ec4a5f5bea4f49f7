package monitor

/*
#include "thermalstate_darwin.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
)

// systemHeat holds the registrations for thermal changes.
type systemHeat struct{ handle *C.assay_thermal }

func openThermal() thermalReader {
	s := &systemHeat{C.assay_thermal_open()}
	if s.handle != nil {
		runtime.AddCleanup(s, func(h *C.assay_thermal) { C.assay_thermal_close(h) }, s.handle)
	}
	return s
}

func (s *systemHeat) read() thermalLevels {
	if s.handle == nil {
		return thermalLevels{state: -1, worst: -1, pressureErr: errors.New("out of memory for watching thermal changes")}
	}
	var l C.assay_thermal_levels
	C.assay_thermal_read(s.handle, &l)
	runtime.KeepAlive(s)
	levels := thermalLevels{state: int(l.state), worst: int(l.worst), pressure: uint64(l.pressure)}
	if l.pressure_error != 0 {
		levels.pressureErr = fmt.Errorf("%s: status %d", notifyThermal, uint32(l.pressure_error))
	}
	return levels
}
