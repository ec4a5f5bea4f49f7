package measure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"assay/internal/race"
)

// throttler is a device whose clock drops at some point of an episode and rises again once it has rested long enough.
type throttler struct {
	r     *rand.Rand
	clock clock
	noise func() float64
	at    float64 // seconds after which the device is slower
	depth float64 // by how much: 0.3 is 30 % slower
	creep float64 // per second before that, up to 2 %: not throttling
	needs float64 // seconds of rest until it is back at full speed
	rest  float64
}

func (d *throttler) seconds() float64 { return d.clock.now.Sub(time.Time{}).Seconds() }

// slowed is how much slower the device is now.
func (d *throttler) slowed() float64 {
	if d.seconds() < d.at || d.rest >= d.needs {
		return min(0.02, d.creep*d.seconds())
	}
	return d.depth * (1 - min(1, d.rest/d.needs)*0.5) // it recovers half of its speed gradually, the rest at once
}

func (d *throttler) work(seconds float64) func(context.Context) (float64, error) {
	return func(context.Context) (float64, error) {
		t := seconds * (1 + d.slowed()) * d.noise()
		if d.r.Float64() < 0.02 { // an interruption
			t *= 1 + 2*d.r.Float64()
		}
		d.clock.advance(t)
		return t, nil
	}
}

func (d *throttler) anchor(o AnchorOptions) *Anchor {
	o.Now = func() time.Time { return d.clock.now }
	o.Sleep = func(_ context.Context, p time.Duration) {
		d.clock.advance(p.Seconds())
		if d.seconds() >= d.at {
			d.rest += p.Seconds()
		}
	}
	return NewAnchor([]AnchorPart{{"compute", d.work(0.002)}, {"memory", d.work(0.003)}}, o)
}

// episode runs cases of a throttler, and returns what the anchor got wrong; empty: nothing.
func episode(t *testing.T, d *throttler) (wrong string, found bool) {
	t.Helper()
	a := d.anchor(AnchorOptions{})
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		d.clock.advance(0.5 + 4*d.r.Float64()) // a case
		if !a.Due(false) {
			continue
		}
		truth := d.slowed()
		drift, err := a.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if after := d.slowed(); after > truth && drift.Slower() {
			truth = after // the throttling began while the anchor was read
		}
		if slow := truth > DefaultAnchorLimit; slow != drift.Slower() || drift.Faster() {
			return "a device slowed by " + percent(truth) + " % is " + drift.String(), found
		}
		if !drift.Slower() {
			continue
		}
		found = true
		waits := 0
		now, _, err := a.Cool(t.Context(), drift, func(Drift, time.Duration) { waits++ })
		if err != nil || waits == 0 {
			t.Fatal(err, waits)
		}
		if still := d.slowed(); a.Stays() || still > 0.05 {
			return "cooled down to " + percent(still) + " %, which reads as " + now.String(), found
		}
	}
	if use := a.Use(); use.Spent.Seconds() > 0.03*use.Run.Seconds() {
		return "the anchor took too long: " + use.Spent.String(), found
	}
	return "", found
}

func TestThrottleVerdicts(t *testing.T) {
	if race.On {
		t.Skip("one goroutine simulates a thousand episodes")
	}
	const episodes, allowed = 1000, 4
	kinds := noises()
	wrong, throttled, found := 0, 0, 0
	for n := range episodes {
		r := rand.New(rand.NewPCG(uint64(n), 5))
		d := &throttler{r: r, noise: kinds[n%len(kinds)].next(r), creep: 0.001, at: math.Inf(1)}
		if n%4 != 0 {
			d.at, d.depth, d.needs = 1+20*r.Float64(), 0.15+0.5*r.Float64(), 0.5+20*r.Float64()
			throttled++
		}
		text, saw := episode(t, d)
		if saw {
			found++
		}
		if text != "" {
			wrong++
			t.Logf("episode %d, %s noise: %s", n, kinds[n%len(kinds)].name, text)
		}
	}
	t.Logf("%d of %d episodes have a wrong verdict; %d of %d throttled ones were found", wrong, episodes, found, throttled)
	if wrong > allowed || found < throttled*9/10 { // some devices throttle after the last case
		t.Errorf("%d of %d verdicts are wrong, want at most %d; %d of %d were found", wrong, episodes, allowed, found, throttled)
	}
}

func TestAnchorThatStaysSlow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := &throttler{r: r, noise: func() float64 { return 1 }, at: 5, depth: 0.4, needs: 500}
	a := d.anchor(AnchorOptions{Timeout: 20 * time.Second})
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.clock.advance(5)
	drift, err := a.Read(t.Context())
	if err != nil || !drift.Slower() || drift.String() != "40 % slower than at the start (compute)" {
		t.Fatalf("%v: %+v, %q", err, drift, drift.String())
	}
	if !a.MayCool(1) || a.MayCool(2) {
		t.Error("a case is to be measured again twice")
	}
	var told []time.Duration
	began := d.seconds()
	now, waited, err := a.Cool(t.Context(), drift, func(_ Drift, left time.Duration) { told = append(told, left) })
	if err != nil || !now.Slower() || !a.Stays() || a.MayCool(0) || math.Abs(waited.Seconds()-20) > 2 || math.Abs(d.seconds()-began-20) > 2 {
		t.Errorf("%v: %q after %v, stays %v", err, now.String(), waited, a.Stays())
	}
	for i := 1; i < len(told); i++ {
		if told[i] >= told[i-1] || told[i-1]-told[i] > 1200*time.Millisecond {
			t.Fatalf("the wait is told with %v left", told)
		}
	}
	d.rest = 1000
	d.clock.advance(60) // a run never spends more time cooling down than measuring
	if now, err = a.Read(t.Context()); err != nil || !now.Steady() || a.Stays() || !a.MayCool(0) {
		t.Errorf("recovered by itself: %v, %q, stays %v", err, now.String(), a.Stays())
	}
}

func TestAnchorOfASlowStart(t *testing.T) {
	d := &throttler{r: rand.New(rand.NewPCG(1, 2)), noise: func() float64 { return 1 }, at: -1, depth: 0.5, needs: 1}
	a := d.anchor(AnchorOptions{})
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.rest = 2
	d.clock.advance(5)
	drift, err := a.Read(t.Context())
	if err != nil || !drift.Faster() || !strings.Contains(drift.String(), "faster") {
		t.Fatalf("%v: %q", err, drift.String())
	}
	if _, waited, err := a.Cool(t.Context(), drift, func(Drift, time.Duration) { t.Error("waits for what is fast") }); err != nil || waited != 0 {
		t.Errorf("cooled down for %v: %v", waited, err)
	}
	if err := a.Rebase(t.Context()); err != nil {
		t.Fatal(err)
	}
	if drift, err = a.Read(t.Context()); err != nil || !drift.Steady() {
		t.Errorf("%v: %q", err, drift.String())
	}
}

func TestAnchorThatFails(t *testing.T) {
	broken := errors.New("no device")
	var err error
	a := NewAnchor([]AnchorPart{{"compute", func(context.Context) (float64, error) { return 1, err }}}, AnchorOptions{Now: time.Now})
	a.was = []float64{1}
	a.began = time.Now().Add(-time.Hour)
	if !a.Due(false) {
		t.Error("after an hour no reading is due")
	}
	err = broken
	if _, got := a.Read(t.Context()); !errors.Is(got, broken) || !errors.Is(a.Err(), broken) || a.Due(true) {
		t.Errorf("%v, %v", got, a.Err())
	}
	if none := NewAnchor([]AnchorPart{{"memory", func(context.Context) (float64, error) { return 0, nil }}}, AnchorOptions{}); !errors.Is(none.Start(t.Context()), errNoAnchorTime) {
		t.Error("a time of 0 is taken")
	}
}
