package monitor

/*
#include "vm_darwin.h"
*/
import "C"

import (
	"context"
	"fmt"
	"runtime/metrics"
)

// processSource reads the resources that this process uses.
type processSource struct {
	load    processLoad
	runtime []metrics.Sample
	out     []Reading
}

func newProcessSource() *processSource { return &processSource{runtime: runtimeSamples()} }

func (s *processSource) Name() string { return "process" }

func (s *processSource) Read(context.Context) []Reading {
	s.out = append(s.out[:0], s.load.read())
	s.out = taskMemory(s.out)
	s.out = runtimeReadings(s.runtime, s.out)
	return s.out
}

// taskMemory appends the resident memory, which counts clean pages that others share, and the footprint, by which macOS
// measures a process.
func taskMemory(to []Reading) []Reading {
	const source = "task_info TASK_VM_INFO"
	resident, footprint := Template(ProcessRSS, source), Template(ProcessFootprint, source)
	var task C.assay_task
	if code := C.assay_task_read(&task); code != 0 {
		err := kernError(source, code)
		return append(to, resident.without(err), footprint.without(err))
	}
	return append(to, resident.ok(float64(task.resident)), footprint.ok(float64(task.footprint)))
}

// Footprint returns this process's current memory footprint on macOS (phys_footprint), in bytes, for baselines of leak checks.
func Footprint(context.Context) (int64, error) {
	var task C.assay_task
	if code := C.assay_task_read(&task); code != 0 {
		return 0, fmt.Errorf("process footprint: %w", kernError("task_info", code))
	}
	return int64(task.footprint), nil
}
