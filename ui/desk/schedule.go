package desk

import (
	"cmp"
	"strconv"

	"assay/app"
	"assay/workloads/measure"
)

// Names of the choices for a fixed schedule.
const (
	choiceScheduled = "sampling.scheduled"
	choiceSchedule  = "sampling.schedule"
)

// firstSchedule is the schedule offered for editing before one was entered.
const firstSchedule = "wait=1,warmup=1,active=3,repeat=2"

// Schedule reports whether runs follow a fixed schedule, and returns the one entered last.
func (s Settings) Schedule() (on bool, text string) {
	kept, _ := s.Kept(choiceScheduled)
	entered, _ := s.Kept(choiceSchedule)
	return kept == strconv.FormatBool(true), cmp.Or(entered, firstSchedule)
}

// SetSchedule makes runs follow a schedule from now on, or not. An invalid one is kept for editing, but off.
func (s Settings) SetSchedule(on bool, text string) error {
	var err error
	if on {
		_, err = measure.ParseSchedule(text)
	}
	s.SetChoice(choiceSchedule, text)
	s.SetChoice(choiceScheduled, strconv.FormatBool(on && err == nil))
	return err
}

// scheduled returns a request that follows the schedule, if one is on.
func (d *Desk) scheduled(r app.Request) app.Request {
	if on, text := d.Settings.Schedule(); on {
		r.Sampling.Schedule, _ = measure.ParseSchedule(text) // it was on only if it could be read
	}
	return r
}
