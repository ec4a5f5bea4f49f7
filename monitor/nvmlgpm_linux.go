package monitor

/*
#include "nvml_linux.h"
*/
import "C"

import (
	"math"
	"time"
	"unsafe"
)

// nvmlCounters reads the GPU's performance monitoring counters (GPM), which cover the time between two samples.
type nvmlCounters struct {
	known        bool // whether the card has them, and why not
	why          error
	source       string // the function that reported it
	older, newer unsafe.Pointer
	taken        time.Time // time of the older sample; zero: none yet
}

// shortestCounted is the minimum time between two samples according to NVML's documentation.
const shortestCounted = 100 * time.Millisecond

// askCounters queries all counters at once: they cover the time since the previous sample.
func (d *nvmlDriver) askCounters(s *nvmlSample, questions []nvmlQuestion) {
	var asked []*nvmlQuestion
	for i := range questions {
		if q := &questions[i]; q.kind == nvmlCounter {
			asked = append(asked, q)
		}
	}
	const name = "nvmlGpmMetricsGet"
	ids, codes, values := make([]C.uint32_t, len(asked)), make([]C.int32_t, len(asked)), make([]C.double, len(asked))
	for i, q := range asked {
		ids[i] = C.uint32_t(q.which)
	}
	source, err := d.count(name, ids, codes, values)
	for i, q := range asked {
		a := nvmlAnswer{function: source, err: err}
		if err == nil {
			a.err = d.check(name, C.int(codes[i]))
		}
		if v := float64(values[i]); a.err == nil && (v < 0 || math.IsNaN(v) || math.IsInf(v, 0)) {
			a.err = absent("the driver counts nothing for it")
		} else if a.err == nil {
			a.value = uint64(math.Round(v * nvmlCounterParts))
		}
		s.answers[q.item] = a
	}
}

// count takes a sample, and reads what happened since the previous one. It names the function that succeeded or failed.
func (d *nvmlDriver) count(name string, ids []C.uint32_t, codes []C.int32_t, values []C.double) (source string, err error) {
	c := d.counters
	if !c.known {
		c.known = true
		c.source, c.why = d.supportsCounters()
	}
	if c.why != nil {
		return c.source, c.why
	}
	get, _ := d.find(name)
	take, taking := d.find("nvmlGpmSampleGet")
	if get == nil || take == nil {
		return name, nvmlMissing(name)
	}
	now := time.Now()
	if !c.taken.IsZero() && now.Sub(c.taken) < shortestCounted {
		return name, absent("two readings within 100 ms")
	}
	if err := d.check(taking, C.assay_nvml_gpm_take(take, d.card, c.newer)); err != nil {
		return taking, err
	}
	first := c.taken.IsZero()
	c.older, c.newer, c.taken = c.newer, c.older, now
	if first {
		return name, absent(needsTwo)
	}
	return name, d.check(name, C.assay_nvml_gpm_metrics(get, c.newer, c.older, C.uint32_t(len(ids)), &ids[0], &codes[0], &values[0]))
}

// supportsCounters asks whether the card has counters, and allocates samples.
func (d *nvmlDriver) supportsCounters() (source string, why error) {
	support, source := d.find("nvmlGpmQueryDeviceSupport")
	if support == nil {
		return source, nvmlMissing(source)
	}
	var has C.uint32_t
	switch err := d.check(source, C.assay_nvml_gpm_support(support, d.card, &has)); {
	case err != nil:
		return source, err
	case has == 0:
		return source, absent("the GPU has no such counters, or the driver has them off: GPUs have them from Hopper on")
	}
	c := d.counters
	alloc, source := d.find("nvmlGpmSampleAlloc")
	if alloc == nil {
		return source, nvmlMissing(source)
	}
	for _, sample := range []*unsafe.Pointer{&c.older, &c.newer} {
		if *sample != nil {
			continue
		}
		if err := d.check(source, C.assay_nvml_gpm_alloc(alloc, sample)); err != nil {
			return source, err
		}
	}
	return source, nil
}

// another resets the counters for another card; the allocated samples stay.
func (c *nvmlCounters) another() { c.known, c.taken = false, time.Time{} }

// free frees the samples.
func (c *nvmlCounters) free(f unsafe.Pointer) {
	for _, sample := range []unsafe.Pointer{c.older, c.newer} {
		if f != nil && sample != nil {
			C.assay_nvml_gpm_free(f, sample)
		}
	}
}
