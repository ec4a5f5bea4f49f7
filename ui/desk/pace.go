package desk

import (
	"time"

	"assay/app"
)

// How live tuning keeps pace with someone who moves a slider.
const (
	paceSlide  = 60 * time.Millisecond  // a slider that rests for so long has arrived
	paceType   = 450 * time.Millisecond // so has what is typed
	paceSteady = 150 * time.Millisecond // while it keeps moving, a setting is measured on the way this often, if none is yet
)

// pace says when a setting that someone moves is to be measured: as soon as it rests, then instead of an older one that
// is being measured; and on the way during a long move, where none is. Only the newest setting counts. It knows no clock.
type pace struct {
	wanted *app.TuneRequest // the newest that was not started yet; nil: none
	first  time.Time        // of the moves since the last start
	last   time.Time        // of the moves
	rest   time.Duration    // after which the last move has arrived
	busy   bool             // one is being measured
}

// move takes the newest setting.
func (p *pace) move(r app.TuneRequest, rest time.Duration, now time.Time) {
	if p.wanted == nil {
		p.first = now
	}
	p.wanted, p.last, p.rest = &r, now, rest
}

// forget drops what was not started.
func (p *pace) forget() { p.wanted = nil }

// start is the setting to measure now, and whether there is one.
func (p *pace) start(now time.Time) (app.TuneRequest, bool) {
	if p.wanted == nil || p.wait(now) > 0 {
		return app.TuneRequest{}, false
	}
	r := *p.wanted
	p.wanted, p.busy = nil, true
	return r, true
}

// end notes that nothing is being measured any more.
func (p *pace) end() { p.busy = false }

// wait is how long to wait before start is called; it means nothing where nothing is wanted.
func (p *pace) wait(now time.Time) time.Duration {
	wait := p.last.Add(p.rest).Sub(now)
	if steady := p.first.Add(max(paceSteady, p.rest)).Sub(now); !p.busy && steady < wait {
		wait = steady
	}
	return wait
}
