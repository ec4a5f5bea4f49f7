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
	"assay/internal/stats"
)

// plug is a device on a scripted clock whose counter is updated once per period, slightly unevenly.
type plug struct {
	stage
	r         *rand.Rand
	period    float64
	idle      float64            // in W
	watts     map[string]float64 // by subject
	spread    float64            // relative standard deviation of a sample's power
	used      float64            // in J
	published float64
	next      float64 // when the counter is next updated, in seconds
	stuck     bool
	fail      func(at float64) error
	began     time.Time
}

func newPlug(seed uint64) *plug {
	p := &plug{r: rand.New(rand.NewPCG(seed, 1)), period: 0.1, idle: 70, watts: map[string]float64{}}
	p.clock.now = time.Unix(1e9, 0)
	p.began = p.clock.now
	return p
}

func (p *plug) at() float64 { return p.clock.now.Sub(p.began).Seconds() }

// pass advances time at a given power, in steps short enough for the counter to be updated on schedule.
func (p *plug) pass(seconds, watts float64) {
	for seconds > 0 {
		step := min(seconds, max(1e-6, p.next-p.at()))
		p.clock.advance(step)
		p.used += step * watts
		seconds -= step
		if p.at() >= p.next-1e-9 {
			if !p.stuck {
				p.published = math.Floor(p.used*1e3) / 1e3 // mJ
			}
			p.next = p.at() + p.period*(0.9+0.2*p.r.Float64())
		}
	}
}

func (p *plug) counter() *EnergyCounter {
	return &EnergyCounter{
		About: "a plug", Period: time.Duration(1.1 * p.period * float64(time.Second)),
		Joules: func() (float64, error) {
			if p.fail != nil {
				if err := p.fail(p.at()); err != nil {
					return 0, err
				}
			}
			return p.published, nil
		},
		Sleep: func(_ context.Context, d time.Duration) { p.pass(d.Seconds(), p.idle) },
	}
}

// subject is work of a given duration at a power that varies from sample to sample.
func (p *plug) subject(name string, seconds, watts float64) Subject {
	p.watts[name] = watts
	return Subject{
		Name: name, Start: func(_ context.Context, reps int) (Pending, error) {
			return func() (float64, error) {
				p.log = append(p.log, name)
				p.pass(seconds*float64(reps), p.watts[name]*(1+p.spread*p.r.NormFloat64()))
				return seconds, nil
			}, nil
		},
		Check: func(context.Context) (Check, error) { return right(0) },
	}
}

func (p *plug) options() Options {
	return Options{
		Now: func() time.Time { return p.clock.now }, Energy: p.counter(), SampleTime: 10 * time.Millisecond, MinSamples: 4, LateSamples: 4,
		MaxSamples: 8, MinTime: time.Millisecond,
	}
}

func (p *plug) run(t *testing.T, o Options, subjects ...Subject) []Result {
	t.Helper()
	results, err := Case(t.Context(), subjects, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func within(got, want, part float64) bool { return math.Abs(got-want) <= part*math.Abs(want) }

func TestEnergyOfKnownPower(t *testing.T) {
	p := newPlug(1)
	rs := p.run(t, p.options(), p.subject("fast", 2e-3, 300), p.subject("frugal", 5e-3, 90))
	for i, want := range []struct{ joules, beyond, watts, seconds float64 }{
		{300 * 2e-3, 230 * 2e-3, 300, 2e-3}, {90 * 5e-3, 20 * 5e-3, 90, 5e-3},
	} {
		e := rs[i].Energy
		if e.Why != "" || e.Windows != 5 || e.About != "a plug" || e.Busy < 0.999 {
			t.Errorf("%s: %+v", rs[i].Name, e)
		}
		if !within(e.PerRep.Median, want.joules, 0.01) || !within(e.AboveIdle.Median, want.beyond, 0.05) || !within(e.Watts.Median, want.watts, 0.01) ||
			!within(e.Idle.Median, 70, 0.01) || !within(e.Seconds.Median, want.seconds, 1e-6) {
			t.Errorf("%s: %+v, want %+v", rs[i].Name, e, want)
		}
		if e.PerRep.Lo > want.joules || want.joules > e.PerRep.Hi || e.PerRep.Width() > 0.05 {
			t.Errorf("%s: %+v does not hold %v J, or is wide", rs[i].Name, e.PerRep, want.joules)
		}
	}
}

// The variants alternate, each for a lead and a window, in reversed order in every other pass.
func TestEnergyIsMeasuredInTurns(t *testing.T) {
	p := newPlug(2)
	p.run(t, p.options(), p.subject("a", 10e-3, 100), p.subject("b", 10e-3, 200))
	bursts := []string{}
	for i, n := 0, 0; i < len(p.log); i += n {
		for n = 1; i+n < len(p.log) && p.log[i+n] == p.log[i]; n++ {
		}
		if n > 200 { // a burst lasts 2.7 s
			bursts = append(bursts, p.log[i])
		}
		if n > 400 {
			bursts = append(bursts, p.log[i])
		}
	}
	if got := strings.Join(bursts, ""); got != "abbabaabab" {
		t.Errorf("bursts of %q", got)
	}
}

func TestEnergyThatCannotBeMeasured(t *testing.T) {
	for want, spoil := range map[string]func(p *plug, c *EnergyCounter){
		"the energy counter did not advance for": func(p *plug, _ *EnergyCounter) { p.stuck = true },
		"the energy counter went backward": func(p *plug, c *EnergyCounter) {
			read := c.Joules
			c.Joules = func() (float64, error) {
				j, err := read()
				if p.at() > 8 {
					j -= 500
				}
				return j, err
			}
		},
		"the driver went away": func(p *plug, _ *EnergyCounter) {
			p.fail = func(at float64) error {
				if at > 6 {
					return errors.New("the driver went away")
				}
				return nil
			}
		},
		"readable only by root": func(_ *plug, c *EnergyCounter) { c.Joules, c.Why = nil, "readable only by root" },
	} {
		p := newPlug(3)
		o := p.options()
		spoil(p, o.Energy)
		for _, r := range p.run(t, o, p.subject("a", 2e-3, 100), p.subject("b", 2e-3, 100)) {
			if !strings.HasPrefix(r.Energy.Why, want) || r.Energy.Windows != 0 || !r.OK() {
				t.Errorf("%q: %+v, ok %v", want, r.Energy, r.OK())
			}
		}
	}
}

// A GPU whose counter does not advance while idle has no idle power and no energy above idle; the rest is known.
func TestEnergyWithoutIdle(t *testing.T) {
	p := newPlug(4)
	p.idle = 0
	e := p.run(t, p.options(), p.subject("a", 2e-3, 100))[0].Energy
	if e.Why != "" || !within(e.Watts.Median, 100, 0.01) || e.Idle.Bounded() || e.AboveIdle.Bounded() {
		t.Errorf("%+v", e)
	}
}

func TestEnergyNamesWhatDisturbed(t *testing.T) {
	p := newPlug(5)
	o := p.options()
	o.Factors = []Factor{{Name: "others", Limit: 0.05, Text: func(float64) string { return "others used the CPU" }}}
	powering := false
	o.Lap = func() []float64 {
		if powering {
			return []float64{0.5}
		}
		return []float64{0}
	}
	results, err := Case(t.Context(), []Subject{p.subject("a", 2e-3, 100)}, o, func(g Progress) { powering = g.Phase == Powering })
	if err != nil {
		t.Fatal(err)
	}
	if got := results[0].Energy.About; got != "a plug; disturbed: others used the CPU" {
		t.Errorf("%q", got)
	}
}

func TestEnergyIsStopped(t *testing.T) {
	p := newPlug(6)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Case(ctx, []Subject{p.subject("a", 2e-3, 100)}, p.options(), func(g Progress) {
		if g.Phase == Powering {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestExpectedEnergyTime(t *testing.T) {
	p := newPlug(7)
	o := p.options()
	begin := p.at()
	p.run(t, o, p.subject("a", 2e-3, 100), p.subject("b", 2e-3, 100))
	if took, want := p.at()-begin, o.Energy.Expect(2).Seconds(); math.Abs(took-want) > 0.1*want {
		t.Errorf("took %.1f s, expected %.1f s", took, want)
	}
	if (*EnergyCounter)(nil).Expect(2) != 0 {
		t.Error("energy that is not measured takes time")
	}
}

// The interval holds the true energy in at least 93 of 100 measurements, whether a sample's power varies or the device warms up.
func TestEnergyCoverage(t *testing.T) {
	if race.On {
		t.Skip("one goroutine simulates hundreds of measurements")
	}
	trials := map[string]func(p *plug){
		"even":   func(*plug) {},
		"noisy":  func(p *plug) { p.spread = 0.2 },
		"coarse": func(p *plug) { p.period, p.spread = 0.4, 0.05 },
	}
	for name, set := range trials {
		const runs, joules = 400, 150 * 20e-3
		covered, widths := 0, []float64{}
		for seed := range uint64(runs) {
			p := newPlug(seed)
			set(p)
			o := p.options()
			o.SampleTime = 20 * time.Millisecond
			e := p.run(t, o, p.subject("a", 20e-3, 150))[0].Energy
			if e.PerRep.Lo <= joules && joules <= e.PerRep.Hi {
				covered++
			}
			widths = append(widths, e.PerRep.Width())
		}
		t.Logf("%s: %d of %d cover, width %.2f %%", name, covered, runs, 100*mean(widths))
		if covered < runs*93/100 || stats.Median(widths).Median > 0.1 {
			t.Errorf("%s: %d of %d intervals hold the truth, of width %.1f %%", name, covered, runs, 100*mean(widths))
		}
	}
}
