package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"assay/internal/stats"
)

// Anchor is fixed work that is timed at the start of a run and again after its cases. If the device has become slower, so has what was
// measured in the meantime, whatever the system's counters report: they show full clocks while a GPU runs at half its speed.
type Anchor struct {
	parts  []AnchorPart
	o      AnchorOptions
	began  time.Time
	was    []float64     // seconds per repetition of each part at the start
	spent  time.Duration // spent on readings after cases
	last   time.Duration // the latest reading that found nothing
	reads  int
	cooled time.Duration // total time spent cooling down
	stays  bool          // cooling down did not help, and is not tried again until the device has recovered
	err    error         // why the anchor is no longer measured
}

// AnchorPart is one kind of the fixed work.
type AnchorPart struct {
	Name string // "compute", "memory"
	// Sample takes a sample: seconds per repetition.
	Sample func(ctx context.Context) (float64, error)
}

// AnchorOptions control an anchor. Zero values mean the defaults in brackets.
type AnchorOptions struct {
	Limit     float64       // drift relative to the start above which a case is discarded [0.1]
	Recovered float64       // drift at or below which the device has recovered [0.03]
	Timeout   time.Duration // maximum duration of one cooldown [60 s]; negative: cases are marked instead, without cooling down
	Retries   int           // how often a case is measured again [2]
	Share     float64       // share of the time since the start that readings may take [0.02]
	Rested    bool          // the device may have been idle before a reading, so its clocks must ramp up first
	Now       func() time.Time
	Sleep     func(ctx context.Context, d time.Duration)
}

// Defaults of AnchorOptions.
const (
	DefaultAnchorLimit     = 0.1
	DefaultAnchorRecovered = 0.03
	DefaultCooldown        = 60 * time.Second
)

func (o AnchorOptions) withDefaults() AnchorOptions {
	positive(&o.Limit, DefaultAnchorLimit)
	positive(&o.Recovered, min(DefaultAnchorRecovered, o.Limit/2))
	positive(&o.Retries, 2)
	positive(&o.Share, 0.02)
	if o.Timeout == 0 {
		o.Timeout = DefaultCooldown
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = pause
	}
	return o
}

// Samples of each part per reading, in addition to the warm-up. A reading that suspects a change takes sureSamples.
const (
	glanceSamples = 3
	sureSamples   = 15
)

// How long the parts run before samples count: after a case the device is warm; after a pause its clocks must ramp up first.
const (
	warmAtOnce     = time.Nanosecond // one sample
	warmAfterPause = 30 * time.Millisecond
)

// NewAnchor returns an anchor with these parts; there must be at least one. Start measures their reference times.
func NewAnchor(parts []AnchorPart, o AnchorOptions) *Anchor {
	return &Anchor{parts: parts, o: o.withDefaults()}
}

// Drift is how much the anchor's time has changed since the start of the run.
type Drift struct {
	Change  float64 // of the part that slowed down most: 0.18 is 18 % slower, −0.1 a tenth faster
	Part    string
	Was, Is float64 // seconds per repetition of that part, at the start and now
	Half    float64 // half-width of the interval of Is, relative
	limit   float64
}

// Vague reports whether the reading is less precise than the limit.
func (d *Drift) Vague() bool { return d.limit > 0 && d.Half > d.limit }

// Slower reports whether the device has slowed down by more than the limit.
func (d *Drift) Slower() bool { return d.Change > d.limit }

// Faster reports whether the device has become so much faster that what was measured before was slowed down.
func (d *Drift) Faster() bool { return d.Change < -d.limit }

// Steady reports whether earlier measurements remain valid.
func (d *Drift) Steady() bool { return !d.Slower() && !d.Faster() }

// within reports whether the drift is at most a share, as far as the samples can tell: noise alone often makes a recovered device look
// slightly slower.
func (d *Drift) within(share float64) bool { return d.Change-min(d.Half, share) <= share }

// String formats the drift: "18 % slower than at the start (compute)".
func (d *Drift) String() string {
	how := "slower"
	if d.Change < 0 {
		how = "faster"
	}
	return fmt.Sprintf("%s %% %s than at the start (%s)", percent(math.Abs(d.Change)), how, d.Part)
}

// Start measures the times that all later readings are compared with.
func (a *Anchor) Start(ctx context.Context) error {
	a.began = a.o.Now()
	was, err := a.take(ctx, nil, sureSamples, warmAfterPause)
	if err != nil {
		a.err = err
		return err
	}
	a.was = medians(was)
	a.last = a.o.Now().Sub(a.began) * (1 + glanceSamples) / (2 + sureSamples)
	return nil
}

// Due reports whether a reading now stays within the anchor's share of the run's time. A reading that ends a batch of cases may come
// somewhat earlier.
func (a *Anchor) Due(end bool) bool {
	share := a.o.Share
	if end {
		share *= 1.4
	}
	return a.err == nil && a.was != nil && (a.spent+a.last).Seconds() <= share*a.o.Now().Sub(a.began).Seconds()
}

// Read compares the anchor's time with that at the start: with a few samples first, and with more if those show a change.
func (a *Anchor) Read(ctx context.Context) (Drift, error) {
	began := a.o.Now()
	warm := warmAtOnce
	if a.o.Rested {
		warm = warmAfterPause
	}
	d, err := a.read(ctx, glanceSamples, warm)
	took := a.o.Now().Sub(began)
	a.spent += took
	if err == nil && d.Steady() {
		a.last = took
	}
	if err == nil && d.within(a.o.Recovered) {
		a.stays = false
	}
	return d, err
}

// read takes n samples of each part, or sureSamples if those n show a change.
func (a *Anchor) read(ctx context.Context, n int, warm time.Duration) (Drift, error) {
	if a.err != nil {
		return Drift{}, a.err
	}
	a.reads++
	taken, err := a.take(ctx, nil, n, warm)
	if d := a.drift(taken); err == nil && n < sureSamples && math.Abs(d.Change) > a.o.Limit/3 {
		taken, err = a.take(ctx, taken, sureSamples-n, warmAtOnce)
	}
	if err != nil {
		if ctx.Err() == nil {
			a.err = err
		}
		return Drift{}, err
	}
	return a.drift(taken), nil
}

// take adds n samples of each part to those taken before.
func (a *Anchor) take(ctx context.Context, taken [][]float64, n int, warm time.Duration) ([][]float64, error) {
	if taken == nil {
		taken = make([][]float64, len(a.parts))
	}
	for i := range a.parts {
		for began := a.o.Now(); ; {
			if _, err := a.sample(ctx, i); err != nil {
				return taken, err
			}
			if a.o.Now().Sub(began) >= warm {
				break
			}
		}
		for range n {
			t, err := a.sample(ctx, i)
			if err != nil {
				return taken, err
			}
			taken[i] = append(taken[i], t)
		}
	}
	return taken, nil
}

// errNoAnchorTime is the error of a part whose sample has no time.
var errNoAnchorTime = errors.New("a sample has no time")

func (a *Anchor) sample(ctx context.Context, part int) (float64, error) {
	t, err := a.parts[part].Sample(ctx)
	if err == nil && !(t > 0) {
		err = errNoAnchorTime
	}
	if err = errors.Join(ctx.Err(), err); err != nil {
		return 0, fmt.Errorf("anchor, %s: %w", a.parts[part].Name, err)
	}
	return t, nil
}

func medians(taken [][]float64) []float64 {
	out := make([]float64, len(taken))
	for i := range taken {
		out[i] = stats.Median(taken[i]).Median
	}
	return out
}

// drift returns the drift of the part that slowed down most; if none did, of the part that sped up most.
func (a *Anchor) drift(taken [][]float64) Drift {
	out := Drift{limit: a.o.Limit}
	for i := range taken {
		is := stats.Median(taken[i])
		d := Drift{Change: is.Median/a.was[i] - 1, Part: a.parts[i].Name, Was: a.was[i], Is: is.Median, Half: is.Width() / 2, limit: a.o.Limit}
		if out.Part == "" || out.Change <= a.o.Recovered && d.Change < out.Change || d.Change > max(out.Change, a.o.Recovered) {
			out = d
		}
	}
	return out
}

// MayCool reports whether a case spoiled by the drift is measured again, given the number of earlier tries. Apart from the first
// cooldown, a run never spends more time cooling down than measuring.
func (a *Anchor) MayCool(tries int) bool {
	measured := a.o.Now().Sub(a.began) - a.cooled
	return a.o.Timeout > 0 && !a.stays && tries < a.o.Retries && a.cooled < max(a.o.Timeout, measured)
}

// Cooldown pauses grow from the first to the longest. Progress is reported once a second.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = 20 * time.Second
	pauseGrowth  = 1.6
	tellEvery    = time.Second
)

// Cool waits in growing pauses until the device is as fast as at the start or the timeout expires. In the latter case the device
// counts as slow, and the run does not wait again until it has recovered. It returns the last reading and the total wait.
func (a *Anchor) Cool(ctx context.Context, from Drift, waiting func(now Drift, left time.Duration)) (Drift, time.Duration, error) {
	began, now, next := a.o.Now(), from, firstPause
	if now.within(a.o.Recovered) {
		return now, 0, nil // it was slow at the start, and has sped up
	}
	waited := func() time.Duration { return a.o.Now().Sub(began) }
	defer func() { a.cooled += waited() }()
	for !now.within(a.o.Recovered) {
		left := a.o.Timeout - waited()
		if left <= 0 {
			a.stays = true
			break
		}
		if err := a.rest(ctx, min(next, left), func() { waiting(now, a.o.Timeout-waited()) }); err != nil {
			return now, waited(), err
		}
		next = min(time.Duration(pauseGrowth*float64(next)), longestPause)
		var err error
		if now, err = a.read(ctx, sureSamples, warmAfterPause); err != nil {
			return now, waited(), err
		}
	}
	return now, waited(), nil
}

// rest sleeps, and reports the wait from time to time.
func (a *Anchor) rest(ctx context.Context, d time.Duration, tell func()) error {
	for until := a.o.Now().Add(d); ctx.Err() == nil; {
		tell()
		left := until.Sub(a.o.Now())
		if left <= 0 {
			return nil
		}
		a.o.Sleep(ctx, min(left, tellEvery))
	}
	return ctx.Err()
}

// Rebase makes the faster speed the new reference: the device was slowed down when the run began.
func (a *Anchor) Rebase(ctx context.Context) error {
	was, err := a.take(ctx, nil, sureSamples, warmAtOnce)
	if err == nil {
		a.was = medians(was)
	}
	return err
}

// Stays reports whether the device stayed slow although the run waited.
func (a *Anchor) Stays() bool { return a.stays }

// Recovered returns the drift at or below which the device has recovered.
func (a *Anchor) Recovered() float64 { return a.o.Recovered }

// Err returns why the anchor is no longer measured; nil: it still is.
func (a *Anchor) Err() error { return a.err }

// AnchorUse is the cost of an anchor, and its times at the start.
type AnchorUse struct {
	Readings int
	Spent    time.Duration // on readings after cases, without cooldowns
	Run      time.Duration // since the start
	Parts    []string
	Was      []float64 // seconds per repetition of each part
}

// Use returns the anchor's cost so far.
func (a *Anchor) Use() AnchorUse {
	u := AnchorUse{Readings: a.reads, Spent: a.spent, Run: a.o.Now().Sub(a.began), Was: a.was}
	for _, p := range a.parts {
		u.Parts = append(u.Parts, p.Name)
	}
	return u
}
