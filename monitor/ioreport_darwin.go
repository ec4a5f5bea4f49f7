package monitor

/*
#cgo CFLAGS: -Wall
#cgo LDFLAGS: -framework Foundation -framework CoreFoundation -framework IOKit
#include "ioreport_darwin.h"
*/
import "C"

import (
	"errors"
	"runtime"
	"strings"
)

// systemReports holds a subscription to IOReport.
type systemReports struct {
	handle *C.assay_report
	rows   []C.assay_report_row
	tick   float64 // seconds
}

// openReports subscribes to the wanted channels.
func openReports() (reportReader, error) {
	var why [128]C.char
	handle := C.assay_report_open(&why[0], C.int(len(why)))
	if handle == nil {
		return nil, absent(C.GoString(&why[0]))
	}
	s := &systemReports{handle: handle}
	runtime.AddCleanup(s, func(h *C.assay_report) { C.assay_report_close(h) }, handle)
	wanted := s.wanted()
	if len(wanted) == 0 {
		return nil, absent("this machine’s drivers publish no known channel")
	}
	if C.assay_report_subscribe(handle, &wanted[0], C.int(len(wanted))) == 0 {
		return nil, absent("macOS refuses a subscription to IOReport")
	}
	var numer, denom C.uint32_t
	C.assay_report_tick(&numer, &denom)
	if denom == 0 {
		return nil, errors.New("mach_timebase_info failed")
	}
	s.tick = float64(numer) / float64(denom) * 1e-9
	s.rows = make([]C.assay_report_row, len(wanted))
	return s, nil
}

// wanted are the indices of the channels to subscribe to.
func (s *systemReports) wanted() []C.int {
	var indices []C.int
	var row C.assay_report_row
	for i := range C.assay_report_channels(s.handle) {
		C.assay_report_channel(s.handle, i, &row)
		if wantedChannel(rowNames(&row)) {
			indices = append(indices, i)
		}
	}
	return indices
}

func (s *systemReports) sample() (reportSample, error) {
	var ticks C.uint64_t
	n := C.assay_report_sample(s.handle, &s.rows[0], C.int(len(s.rows)), &ticks)
	runtime.KeepAlive(s)
	if n < 0 {
		return reportSample{}, errors.New("IOReport returned no sample")
	}
	sample := reportSample{ticks: uint64(ticks), tick: s.tick, rows: make([]reportRow, n)}
	for i := range sample.rows {
		sample.rows[i] = goRow(&s.rows[i])
	}
	return sample, nil
}

func rowNames(c *C.assay_report_row) reportRow {
	return reportRow{
		group: C.GoString(&c.group[0]), subgroup: C.GoString(&c.subgroup[0]), channel: C.GoString(&c.channel[0]),
		unit: strings.TrimSpace(C.GoString(&c.unit[0])), // units come padded
	}
}

func goRow(c *C.assay_report_row) reportRow {
	row := rowNames(c)
	row.value = int64(c.value)
	for _, b := range c.element[:c.element_size] {
		row.element = append(row.element, byte(b))
	}
	for i := range c.states {
		row.states = append(row.states, residency{C.GoString(&c.state[i][0]), int64(c.residency[i])})
	}
	return row
}
