package monitor

import (
	"fmt"
	"slices"
	"time"
)

// EnergyCounter counts the energy that a part of the machine uses. It is not safe for concurrent use.
type EnergyCounter struct {
	// About says what is counted and what counts it: "GPU board, nvmlDeviceGetTotalEnergyConsumption, driver 580, NVIDIA H200".
	About string
	// Period is approximately the longest time between two updates under load.
	Period time.Duration
	read   func() (joules float64, err error)
}

// Joules returns the energy since an unknown start. It is an error if the counter went backward, other than by its known wrap.
func (c *EnergyCounter) Joules() (float64, error) { return c.read() }

// The longest intervals between updates of energy counters.
const (
	nvmlEnergyPeriod  = 100 * time.Millisecond // 20 to 100 ms, depending on generation
	raplEnergyPeriod  = 2 * time.Millisecond   // about 1 ms, with jitter
	macGPUPeriod      = 120 * time.Millisecond
	macCPUPeriod      = 1700 * time.Millisecond // twice per 2.1 s, at uneven intervals
	energyWentBack    = "the energy counter went backward"
	noEnergyReader    = "energy is not read on this system"
	nvmlEnergySubject = "GPU board"
)

// rising accumulates a counter that restarts at 0 after wrap; 0: it does not, as far as is known.
type rising struct {
	wrap, prev, total uint64
	begun             bool
}

// next returns the sum so far after the counter's next value.
func (r *rising) next(value uint64) (uint64, error) {
	prev := r.prev
	r.prev = value
	switch {
	case !r.begun:
		r.begun = true
	case value >= prev:
		r.total += value - prev
	case r.wrap < prev || prev < r.wrap/2: // a wrap comes from near the maximum: this is a restart
		return 0, absent(energyWentBack)
	default:
		r.total += r.wrap - prev + value
	}
	return r.total, nil
}

// newNVMLEnergy counts the energy of the GPU with that ID; "" is the first GPU.
func newNVMLEnergy(reader nvmlReader, id string) (*EnergyCounter, error) {
	if err := reader.choose(id); err != nil {
		return nil, err
	}
	var sum rising
	c := &EnergyCounter{Period: nvmlEnergyPeriod, read: func() (float64, error) {
		a := reader.energy()
		if a.err != nil {
			return 0, a.err
		}
		millijoules, err := sum.next(a.value)
		return float64(millijoules) * 1e-3, err
	}}
	if _, err := c.read(); err != nil {
		return nil, err
	}
	c.About = fmt.Sprintf("%s, %s", nvmlEnergySubject, reader.source(nvmlEnergy))
	return c, nil
}

// reportEnergy counts the energy of the chip's rails through IOReport.
type reportEnergy struct {
	reader reportReader
	rails  []railEnergy
}

// railEnergy is what a rail has counted, and when it last changed, in seconds.
type railEnergy struct {
	rail
	joules, moved float64
	begun         bool
}

// newReportEnergy counts the rails of the given metrics.
func newReportEnergy(open func() (reportReader, error), about string, period time.Duration, metrics ...string) (*EnergyCounter, error) {
	reader, err := open()
	if err != nil {
		return nil, err
	}
	sum := &reportEnergy{reader: reader}
	for _, r := range rails() {
		if slices.Contains(metrics, r.metric) {
			sum.rails = append(sum.rails, railEnergy{rail: r})
		}
	}
	c := &EnergyCounter{About: about + ", IOReport " + energyGroup, Period: period, read: sum.joules}
	if _, err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// joules is the sum of the rails. If one has no value, neither has the sum.
func (e *reportEnergy) joules() (sum float64, err error) {
	sample, err := e.reader.sample()
	if err != nil {
		return 0, err
	}
	for i := range e.rails {
		joules, err := e.rails[i].next(&sample)
		if err != nil {
			return 0, err
		}
		sum += joules
	}
	return sum, nil
}

// next returns the rail's energy. A rail that always uses some, and has not changed for a while, is stale.
func (r *railEnergy) next(sample *reportSample) (float64, error) {
	now, sum, rows := sample.now(), 0.0, r.rows(sample.rows)
	if len(rows) == 0 {
		return 0, absent("no energy counter for " + r.metric + " on this machine")
	}
	for _, i := range rows {
		row := &sample.rows[i]
		scale, ok := joules(row.unit)
		if !ok || row.value < 0 {
			return 0, absent(row.channel + " has no value")
		}
		sum += float64(row.value) * scale
	}
	was := *r
	r.joules, r.begun = sum, true
	if !was.begun || sum != was.joules {
		r.moved = now
	}
	switch {
	case was.begun && sum < was.joules:
		return 0, absent(energyWentBack)
	case r.alwaysOn && now-r.moved > staleAfter:
		return 0, absent(fmt.Sprintf("stale: the counter for %s has not advanced for %.0f s", r.metric, now-r.moved))
	}
	return sum, nil
}
