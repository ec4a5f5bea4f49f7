package app

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

func TestPowerCapIsRefusedWithoutPower(t *testing.T) {
	s := &Session{config: Config{Energy: EnergyCounters{
		CPU: func() (*monitor.EnergyCounter, error) { return nil, errors.New("readable only by root") },
	}}, engines: newEngines(nil)}
	engine := onKind{Fake: gputest.NewFake(gputest.Script{})}
	if _, err := s.dutyCycle(t.Context(), engine, Throttling{PowerCap: 80}); err == nil ||
		err.Error() != "power cap of 80.0 W: the power of this device is not available: readable only by root" {
		t.Errorf("%v", err)
	}
	if d, err := s.dutyCycle(t.Context(), engine, Throttling{Duty: 0.5}); err != nil || d == nil { // which needs no counter
		t.Errorf("%v, %v", d, err)
	}
	if d, err := s.dutyCycle(t.Context(), engine, Throttling{}); err != nil || d != nil {
		t.Errorf("%v, %v", d, err)
	}
}

func TestPowerCapMustBeAboveIdle(t *testing.T) {
	const idle = 70.0
	began := time.Now()
	running := func() (float64, error) { return idle * time.Since(began).Truncate(time.Millisecond).Seconds(), nil }
	still := func() (float64, error) { return 1, nil }
	broken := func() (float64, error) { return 0, errors.New("gone") }
	for _, c := range []struct {
		watts  float64
		joules func() (float64, error)
		want   string
	}{
		{150, running, ""},
		{50, running, "the power cap must be above that (you entered 50.0 W)"},
		{150, still, "did not advance"},
		{150, broken, "gone"},
	} {
		o := measure.DutyOptions{Cap: c.watts, Joules: c.joules, Period: time.Millisecond}
		err := aboveIdle(t.Context(), &o, 20*time.Millisecond)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%g W: %v, want %q", c.watts, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := measure.DutyOptions{Cap: 150, Joules: running, Period: time.Millisecond}
	if err := aboveIdle(ctx, &o, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestRunKeepsItsDuty(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	j := job(t, s, "batching", map[string]any{"sweep": "matmul", "min_size": 4, "max_size": 4, "library": false})
	run, err := s.Runs().Do(t.Context(), Request{
		Jobs: []bundle.Job{j}, Sampling: Sampling{Time: 200 * time.Millisecond, MinSamples: 200}, Throttling: Throttling{Mode: ThrottleOff, Duty: 0.5},
	})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &loaded.Results[0]
	if share := r.Number(workloads.Duty); !(share > 0 && share <= 0.5) || r.Number(workloads.DutyLimit) != 0.5 {
		t.Errorf("worked %g of the time, limit %g", share, r.Number(workloads.DutyLimit))
	}
	if loaded.Meta.Duty != 0.5 || loaded.Meta.DutyCycle() != "at most 50.0 % of the time" {
		t.Errorf("run.json has %g: %q", loaded.Meta.Duty, loaded.Meta.DutyCycle())
	}
	if n := rec.count(func(u Update) bool { p, ok := u.(ProgressUpdate); return ok && p.Measure.Phase == measure.Resting }); n == 0 {
		t.Error("no pause was shown")
	}
	for _, bad := range []Throttling{{Duty: 2}, {Duty: -0.1}, {PowerCap: -5}, {PowerCap: 1e9}} {
		if bad.Check() == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
