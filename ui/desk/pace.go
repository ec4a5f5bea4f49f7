package desk

import (
	"time"

	"assay/app"
)

// How live tuning follows a moving slider.
const (
	paceSlide  = 60 * time.Millisecond  // a slider is measured after resting this long
	paceType   = 450 * time.Millisecond // the same for typing
	paceSteady = 150 * time.Millisecond // while it moves, a setting is measured this often unless one is in progress
)

// pace decides when to measure a moving setting: as soon as it rests, replacing an older measurement in progress; and
// during a long move, if none is in progress. Only the newest setting counts. It uses no clock.
type pace struct {
	wanted *app.TuneRequest // the newest not started yet; nil: none
	first  time.Time        // of the moves since the last start
	last   time.Time        // of the moves
	rest   time.Duration    // rest needed after the last move
	busy   bool             // a measurement is in progress
}

// move sets the newest setting.
func (p *pace) move(r app.TuneRequest, rest time.Duration, now time.Time) {
	if p.wanted == nil {
		p.first = now
	}
	p.wanted, p.last, p.rest = &r, now, rest
}

// forget drops a setting that was not started.
func (p *pace) forget() { p.wanted = nil }

// start returns the setting to measure now, and whether there is one.
func (p *pace) start(now time.Time) (app.TuneRequest, bool) {
	if p.wanted == nil || p.wait(now) > 0 {
		return app.TuneRequest{}, false
	}
	r := *p.wanted
	p.wanted, p.busy = nil, true
	return r, true
}

// end records that the measurement has ended.
func (p *pace) end() { p.busy = false }

// wait returns how long to wait before calling start; meaningless if nothing is wanted.
func (p *pace) wait(now time.Time) time.Duration {
	wait := p.last.Add(p.rest).Sub(now)
	if steady := p.first.Add(max(paceSteady, p.rest)).Sub(now); !p.busy && steady < wait {
		wait = steady
	}
	return wait
}
