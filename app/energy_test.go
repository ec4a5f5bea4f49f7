package app

import (
	"errors"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/monitor"
)

// onKind is a fake engine on a GPU or not, maybe a simulated one.
type onKind struct {
	*gputest.Fake
	gpu, simulated bool
}

func (e onKind) Unwrap() gpu.Engine { return e.Fake }
func (e onKind) DeviceID() string   { return "GPU-7" }

func (e onKind) Info() gpu.Info {
	i := e.Fake.Info()
	i.GPU, i.Simulated = e.gpu, e.simulated
	return i
}

func TestEnergyIsCountedWhereTheEngineRuns(t *testing.T) {
	counters := EnergyCounters{
		GPU: func(id string) (*monitor.EnergyCounter, error) {
			return &monitor.EnergyCounter{About: "board " + id, Period: time.Second}, nil
		},
		CPU: func() (*monitor.EnergyCounter, error) { return nil, errors.New("readable only by root") },
	}
	for _, c := range []struct {
		engine   onKind
		counters EnergyCounters
		want     string
	}{
		{onKind{gpu: true}, counters, "board GPU-7"},
		{onKind{gpu: true, simulated: true}, counters, "the device is simulated"},
		{onKind{}, counters, "readable only by root"},
		{onKind{gpu: true}, EnergyCounters{}, "no counter is known"},
	} {
		c.engine.Fake = gputest.NewFake(gputest.Script{})
		s := &Session{config: Config{Energy: c.counters}, engines: newEngines(nil)}
		var engine gpu.Engine = c.engine
		s.engines.last.Store(&engine)
		counter, err := s.energyOf(engine)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = counter.About
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("GPU %v, simulated %v: %q, want %q", c.engine.gpu, c.engine.simulated, got, c.want)
		}
	}
}

func TestRunSaysWhyThereIsNoEnergy(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	run, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true, Sampling: Sampling{Energy: EnergyAuto}})
	if err != nil {
		t.Fatal(err)
	}
	if run.Meta.Energy != "auto" || len(run.Results) == 0 {
		t.Errorf("energy %q, %d results", run.Meta.Energy, len(run.Results))
	}
	for _, r := range run.Results {
		if got := r.Values.Text("energy_source"); !strings.HasPrefix(got, "not available: ") {
			t.Errorf("source %q", got)
		}
	}
	said := false
	for _, e := range run.Events {
		said = said || e.Title == "Energy" && strings.HasPrefix(e.Text, "not available: ")
	}
	if !said {
		t.Errorf("the run does not say it: %+v", run.Events)
	}
	if err := (Sampling{Energy: "maybe"}).Check(); err == nil || !strings.Contains(err.Error(), "off or auto") {
		t.Errorf("%v", err)
	}
}
