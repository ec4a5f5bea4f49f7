package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"assay/internal/si"
	"assay/internal/stats"
)

// Duty makes a device work in bursts with idle time between them, so that it works for at most a share of the time, or its mean power
// stays below a cap. A nil Duty imposes no limit. It is not safe for concurrent use.
type Duty struct {
	o       DutyOptions
	working bool
	began   time.Time // start of the burst, or of the pause
	samples int       // in the burst
	until   time.Time // end of the pause required by the share
	fault   error     // of the counter, for this case

	counter level // at the last update seen
	read    time.Time
	from    level   // start of the period over which the cap must hold
	paused  level   // first update during the pause
	start   level   // at the start of the burst
	load    float64 // energy in J by which a burst exceeds the cap
	tried   bool    // a burst has ended

	use    DutyUse
	window level // start of the interval over which power is reported
	powers []float64
}

// level is the reading of the energy counter at an update.
type level struct {
	at     time.Time
	joules float64
}

// DutyOptions control a duty cycle.
type DutyOptions struct {
	Share  float64                 // maximum share of the time that the device works; 0: all of it
	Cap    float64                 // maximum mean power in W; 0: no limit
	Joules func() (float64, error) // energy used by the device since an arbitrary start; required for a cap, otherwise reported if present
	Period time.Duration           // approximate maximum time between two updates of Joules
	Now    func() time.Time        // nil: time.Now
	Sleep  func(ctx context.Context, d time.Duration)
}

// DutyUse is the effect of a duty cycle on a case.
type DutyUse struct {
	Worked, Idle time.Duration  // while samples were taken, including warm-up
	Power        stats.Interval // in W, over the same time; unknown if it is not measured
	Share, Cap   float64        // as requested; 0: none
	Dropped      int            // samples right after a pause, which do not count
}

// Lengths of bursts, and of the intervals reported about them.
const (
	dutyBurst   = 100 * time.Millisecond
	dutySamples = 4 // per burst, in addition to the warm-up sample
	dutyWindow  = time.Second
	dutyIdle    = 2 * time.Second // length of a pause after which its power shows whether the cap can be kept
)

// NewDuty returns a duty cycle; nil if nothing is limited.
func NewDuty(o DutyOptions) *Duty {
	if (o.Share <= 0 || o.Share >= 1) && o.Cap <= 0 {
		return nil
	}
	if o.Share <= 0 || o.Share > 1 {
		o.Share = 1
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = pause
	}
	return &Duty{o: o}
}

// Begin starts a case. Energy saved earlier does not count.
func (d *Duty) Begin() {
	if d == nil {
		return
	}
	d.working, d.samples, d.until, d.fault = false, 0, time.Time{}, nil
	d.use, d.powers, d.window = DutyUse{Share: d.o.Share, Cap: d.o.Cap}, nil, level{}
	if d.use.Share == 1 {
		d.use.Share = 0
	}
	d.began = d.o.Now()
	d.paused = level{}
	if d.o.Joules != nil {
		joules, err := d.o.Joules()
		d.fault = d.failed(err)
		d.counter = level{d.began, joules}
		d.from, d.window, d.read = d.counter, d.counter, d.began
	}
}

// Work marks the start of a sample.
func (d *Duty) Work() {
	if d == nil {
		return
	}
	if !d.working {
		now := d.o.Now()
		d.use.Idle += now.Sub(d.began)
		d.working, d.began, d.samples, d.start = true, now, 0, d.counter
	}
	d.samples++
}

// Over reports whether the device must become idle before the next sample. Samples in flight must end first; then comes Pause.
func (d *Duty) Over() bool {
	if d == nil || !d.working {
		return false
	}
	now := d.o.Now()
	length := dutyBurst
	if d.o.Cap > 0 && d.tried {
		length = max(dutyBurst, d.o.Period)
	}
	if now.Sub(d.began) < length || d.samples <= dutySamples && d.tried {
		return false
	}
	if d.o.Share < 1 || d.o.Cap <= 0 {
		return true
	}
	d.look(now)
	// If the counter has covered enough of the burst and the energy is within the cap, the device keeps working.
	if seen := d.counter.at.Sub(d.start.at); d.fault == nil && d.tried && d.counter.at.After(d.began) && seen > 0 && d.balance() >= d.load {
		d.trim()
		d.use.Worked += now.Sub(d.began)
		d.began, d.samples, d.start = now, 0, d.counter
		return false
	}
	return true
}

// Pause marks the point at which the device became idle.
func (d *Duty) Pause() {
	if d == nil || !d.working {
		return
	}
	now := d.o.Now()
	d.look(now) // an update from during the burst must not count as one from the pause
	worked := now.Sub(d.began)
	d.use.Worked += worked
	d.until = now.Add(time.Duration(math.Ceil(float64(worked) * (1 - d.o.Share) / d.o.Share)))
	d.working, d.began, d.paused = false, now, level{}
}

// Left returns how long the device must still be idle, or an error if the cap cannot be kept. The remaining time may grow.
func (d *Duty) Left() (time.Duration, error) {
	if d == nil || d.working {
		return 0, nil
	}
	now := d.o.Now()
	left := d.until.Sub(now)
	if d.o.Joules == nil {
		return max(0, left), nil
	}
	d.look(now)
	if d.o.Cap <= 0 {
		return max(0, left), nil
	}
	if d.fault == nil {
		d.fault = d.impossible(now)
	}
	switch {
	case d.fault != nil:
		return 0, d.fault
	case d.until.IsZero(): // nothing has run yet
		return 0, nil
	case d.paused.at.IsZero(): // the energy of the burst is not known yet
		return max(left, d.poll()), nil
	}
	if lacks := d.load - d.balance(); lacks > 0 {
		return max(left, d.poll(), time.Duration(lacks/d.o.Cap*float64(time.Second))/2), nil
	}
	d.trim()
	return max(0, left), nil
}

// dutyTold is how often the remaining pause is reported.
const dutyTold = 100 * time.Millisecond

// Rest waits until the next burst may start, and returns how long it waited.
func (d *Duty) Rest(ctx context.Context, tell func(left time.Duration)) (waited time.Duration, err error) {
	if d == nil || d.working {
		return 0, nil
	}
	began := d.o.Now()
	var said time.Time
	for {
		now := d.o.Now()
		left, err := d.Left()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || left <= 0 {
			return now.Sub(began), err
		}
		if now.Sub(said) >= dutyTold {
			said = now
			tell(left)
		}
		step := dutyTold
		if d.o.Joules != nil {
			step = d.poll()
		}
		d.o.Sleep(ctx, min(left, step))
	}
}

// Drop counts a discarded sample: the one right after a pause, which warms up the device.
func (d *Duty) Drop() { d.use.Dropped++ }

// Stretch returns how many times longer the work takes because of the pauses, as far as is known.
func (d *Duty) Stretch() float64 {
	switch {
	case d == nil:
		return 1
	case d.use.Worked > dutyBurst:
		return 1 / min(d.use.WorkedShare(), d.o.Share)
	}
	return 1 / d.o.Share
}

// poll is how often the counter is read.
func (d *Duty) poll() time.Duration { return max(minPoll, d.o.Period/8) }

// balance returns the energy in J still available under the cap, as of the last update.
func (d *Duty) balance() float64 {
	return d.o.Cap*d.counter.at.Sub(d.from.at).Seconds() - (d.counter.joules - d.from.joules)
}

// trim discards savings beyond one burst: the cap holds over seconds, not hours.
func (d *Duty) trim() {
	if extra := d.balance() - d.load; extra > 0 {
		d.from.joules -= extra
	}
}

// look reads the counter.
func (d *Duty) look(now time.Time) {
	if d.o.Joules == nil || d.fault != nil || now.Sub(d.read) < minPoll {
		return
	}
	d.read = now
	joules, err := d.o.Joules()
	if err == nil && joules < d.counter.joules {
		err = errors.New("the energy counter went backward")
	}
	if err != nil {
		d.fault = d.failed(err)
		return
	}
	if joules == d.counter.joules {
		// The counter is polled often only during pauses.
		if still := now.Sub(d.began); !d.working && now.Sub(d.counter.at) >= still && still > max(minWindow, stalePeriods*d.o.Period) {
			d.fault = d.failed(fmt.Errorf("%w for %.1f s", errStale, still.Seconds()))
		}
		return
	}
	d.counter = level{now, joules}
	d.measure()
	if d.working || d.until.IsZero() || !d.paused.at.IsZero() {
		return
	}
	d.paused = d.counter
	if seconds := d.counter.at.Sub(d.start.at).Seconds(); seconds > 0 { // covers the burst, and the idle time until the update
		d.load = max(0, d.counter.joules-d.start.joules-d.o.Cap*seconds)
	}
	d.tried = true
}

// measure records the mean power of an interval that is long enough.
func (d *Duty) measure() {
	seconds := d.counter.at.Sub(d.window.at)
	if d.window.at.IsZero() || seconds < max(dutyWindow, stalePeriods*d.o.Period) {
		return
	}
	d.powers = append(d.powers, (d.counter.joules-d.window.joules)/seconds.Seconds())
	d.window = d.counter
}

// impossible returns an error if the device exceeds the cap even during a pause.
func (d *Duty) impossible(now time.Time) error {
	idle := d.counter.at.Sub(d.paused.at)
	if d.paused.at.IsZero() || now.Sub(d.began) < dutyIdle || idle < dutyIdle/2 {
		return nil
	}
	if watts := (d.counter.joules - d.paused.joules) / idle.Seconds(); watts >= d.o.Cap {
		return d.failed(CapBelowIdle(d.o.Cap, watts))
	}
	return nil
}

// CapBelowIdle is the error of a cap below the power of the idle device.
func CapBelowIdle(limit, watts float64) error {
	return fmt.Errorf("idle, the device already uses %s: the power cap must be above that (you entered %s)", si.Format(watts, "W"), si.Format(limit, "W"))
}

// failed returns the error of a cap that cannot be kept; nil if there is no cap.
func (d *Duty) failed(err error) error {
	if err == nil || d.o.Cap <= 0 {
		return nil
	}
	return fmt.Errorf("power cap of %s: %w", si.Format(d.o.Cap, "W"), err)
}

// Used returns the effect on the case so far. The device must be idle.
func (d *Duty) Used() DutyUse {
	if d == nil {
		return DutyUse{Power: stats.Unknown()}
	}
	u := d.use
	u.Idle += max(0, d.o.Now().Sub(d.began))
	d.began = d.o.Now()
	d.use.Idle = u.Idle
	u.Power = stats.Unknown()
	if len(d.powers) > 0 {
		u.Power = stats.Mean(d.powers)
	} else if s := d.counter.at.Sub(d.window.at).Seconds(); d.o.Joules != nil && s > 0 {
		u.Power = stats.Interval{Median: (d.counter.joules - d.window.joules) / s, Lo: math.Inf(-1), Hi: math.Inf(1)}
	}
	return u
}

// Lap is like Used, but since the last call or Begin.
func (d *Duty) Lap() DutyUse {
	u := d.Used()
	d.use = DutyUse{Share: u.Share, Cap: u.Cap}
	d.powers, d.window = nil, d.counter
	return u
}

// WorkedShare returns the share of the time that the device worked.
func (u *DutyUse) WorkedShare() float64 {
	return u.Worked.Seconds() / max(1e-9, (u.Worked+u.Idle).Seconds())
}

// Limited reports whether there was a duty cycle.
func (u *DutyUse) Limited() bool { return u.Share > 0 || u.Cap > 0 }

// Words describes a duty cycle: "at most 50 % of the time, at most 80.0 W".
func (d *Duty) Words() string {
	if d == nil {
		return ""
	}
	return dutyWords(d.o.Share, d.o.Cap)
}

func dutyWords(share, limit float64) string {
	words := ""
	if share > 0 && share < 1 {
		words = "works at most " + si.Format(share, "ratio") + " of the time"
	}
	if limit > 0 {
		words = cmp.Or(words, "works as power allows") + ", at most " + si.Format(limit, "W")
	}
	return words
}

// Warning explains what a duty cycle means for the measured times.
func (u *DutyUse) Warning() (w Warning, limited bool) {
	if !u.Limited() || u.Idle <= 0 {
		return w, false
	}
	text := fmt.Sprintf("taken with a duty of %s: the device was idle between bursts of samples, so its clocks may differ from those of steady work",
		si.Format(u.WorkedShare(), "ratio"))
	if u.Dropped > 0 {
		text += fmt.Sprintf("; %s right after pauses not counted", si.Counted(u.Dropped, "sample"))
	}
	return Warning{DutyCycle, text}, true
}
