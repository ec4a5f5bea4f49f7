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

// A Duty has a device work in bursts and be idle between them, so that it works for a share of the time at most, or its mean power stays
// below a cap. A nil one lets it work all the time. It is not safe for concurrent use.
type Duty struct {
	o       DutyOptions
	working bool
	began   time.Time // of the burst, or of the pause
	samples int       // of the burst
	until   time.Time // the pause lasts by the share
	fault   error     // the counter's, for this case

	counter level // at its last update that was seen
	read    time.Time
	from    level   // the cap holds since then
	paused  level   // first update of the pause
	start   level   // at the begin of the burst
	load    float64 // J beyond the cap that a burst has taken
	tried   bool    // one has ended

	use    DutyUse
	window level // begin of a stretch of the power that is told
	powers []float64
}

// level is what the energy counter said at an update.
type level struct {
	at     time.Time
	joules float64
}

// DutyOptions control a duty cycle.
type DutyOptions struct {
	Share  float64                 // of the time that the device works, at most; 0: all
	Cap    float64                 // mean power in W, at most; 0: any
	Joules func() (float64, error) // of the device, since an unknown start; needed for a cap, else told if it is there
	Period time.Duration           // about the longest time between two updates of Joules
	Now    func() time.Time        // nil: time.Now
	Sleep  func(ctx context.Context, d time.Duration)
}

// DutyUse is what came of a duty cycle in a case.
type DutyUse struct {
	Worked, Idle time.Duration  // while samples were taken, warm-up included
	Power        stats.Interval // W, of the same time; unknown if it is not measured
	Share, Cap   float64        // as asked for; 0: not
	Dropped      int            // samples right after a pause, which do not count
}

// Lengths of bursts and of what is told of them.
const (
	dutyBurst   = 100 * time.Millisecond
	dutySamples = 4 // of a burst, besides the one that warms up
	dutyWindow  = time.Second
	dutyIdle    = 2 * time.Second // of a pause, after which its power decides whether the cap can be kept
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

// Begin begins a case. What the device has saved before does not count.
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

// Work says that a sample begins.
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
	// Where the counter has told enough of the burst, and it is within the cap, the device goes on.
	if seen := d.counter.at.Sub(d.start.at); d.fault == nil && d.tried && d.counter.at.After(d.began) && seen > 0 && d.balance() >= d.load {
		d.trim()
		d.use.Worked += now.Sub(d.began)
		d.began, d.samples, d.start = now, 0, d.counter
		return false
	}
	return true
}

// Pause says that the device has become idle.
func (d *Duty) Pause() {
	if d == nil || !d.working {
		return
	}
	now := d.o.Now()
	d.look(now) // an update that came during the burst must not pass for one that came after
	worked := now.Sub(d.began)
	d.use.Worked += worked
	d.until = now.Add(time.Duration(math.Ceil(float64(worked) * (1 - d.o.Share) / d.o.Share)))
	d.working, d.began, d.paused = false, now, level{}
}

// Left is how long the device must still be idle, or an error if the cap cannot be kept. It may become longer.
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
	case d.paused.at.IsZero(): // what the burst took is not known yet
		return max(left, d.poll()), nil
	}
	if lacks := d.load - d.balance(); lacks > 0 {
		return max(left, d.poll(), time.Duration(lacks/d.o.Cap*float64(time.Second))/2), nil
	}
	d.trim()
	return max(0, left), nil
}

// dutyTold is how often who waits is told.
const dutyTold = 100 * time.Millisecond

// Rest waits until the next burst may begin, and returns how long that was.
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

// Drop counts a sample right after a pause, which warms the device up.
func (d *Duty) Drop() { d.use.Dropped++ }

// Stretch is how many times longer the work takes because of the pauses, as far as known.
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

// balance is the energy that the cap has left, by the last update, in J.
func (d *Duty) balance() float64 {
	return d.o.Cap*d.counter.at.Sub(d.from.at).Seconds() - (d.counter.joules - d.from.joules)
}

// trim forgets what was saved beyond one burst: the cap holds over seconds, not over hours.
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
		// It is read often only in pauses.
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
	if seconds := d.counter.at.Sub(d.start.at).Seconds(); seconds > 0 { // of the burst, and idle up to the update
		d.load = max(0, d.counter.joules-d.start.joules-d.o.Cap*seconds)
	}
	d.tried = true
}

// measure takes the power of a stretch that has become long enough.
func (d *Duty) measure() {
	seconds := d.counter.at.Sub(d.window.at)
	if d.window.at.IsZero() || seconds < max(dutyWindow, stalePeriods*d.o.Period) {
		return
	}
	d.powers = append(d.powers, (d.counter.joules-d.window.joules)/seconds.Seconds())
	d.window = d.counter
}

// impossible is the error of a pause in which the device uses more than the cap.
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

// CapBelowIdle is the error of a cap that the idle device exceeds.
func CapBelowIdle(limit, watts float64) error {
	return fmt.Errorf("idle, the device already uses %s: the power cap must be above that (you entered %s)", si.Format(watts, "W"), si.Format(limit, "W"))
}

// failed is the error of a cap that cannot be kept; nil where there is none to keep.
func (d *Duty) failed(err error) error {
	if err == nil || d.o.Cap <= 0 {
		return nil
	}
	return fmt.Errorf("power cap of %s: %w", si.Format(d.o.Cap, "W"), err)
}

// Used is what came of the case so far. The device is idle.
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

// Lap is Used since the last call, or since Begin.
func (d *Duty) Lap() DutyUse {
	u := d.Used()
	d.use = DutyUse{Share: u.Share, Cap: u.Cap}
	d.powers, d.window = nil, d.counter
	return u
}

// WorkedShare is the share of the time that the device worked.
func (u *DutyUse) WorkedShare() float64 {
	return u.Worked.Seconds() / max(1e-9, (u.Worked+u.Idle).Seconds())
}

// Limited reports whether there was a duty cycle.
func (u *DutyUse) Limited() bool { return u.Share > 0 || u.Cap > 0 }

// Words say what a duty cycle is: "at most 50 % of the time, at most 80.0 W".
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

// Warning says what a duty cycle means for the times that were taken.
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
