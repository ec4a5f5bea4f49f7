package app

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/metric"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// fakeProbe reports the same at every lap.
type fakeProbe monitor.Lap

func (p fakeProbe) Lap() monitor.Lap { return monitor.Lap(p) }

func probing(s *Session, lap monitor.Lap) { s.config.Probe = func() Probe { return fakeProbe(lap) } }

var (
	quietLapNow = monitor.Lap{Others: 0.02, OthersGPU: math.NaN(), Stalled: math.NaN(), Swapped: math.NaN()}
	busyLapNow  = monitor.Lap{Others: 0.63, OthersGPU: math.NaN(), Stalled: math.NaN(), Swapped: math.NaN()}
)

func TestDisturbedResultsAreKeptAsSuch(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	for lap, disturbed := range map[monitor.Lap]bool{quietLapNow: false, busyLapNow: true} {
		probing(s, lap)
		run, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Jobs: []bundle.Job{small(t, s)}, Sampling: Sampling{Time: 300 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		if run, err = bundle.Load(run.Dir); err != nil {
			t.Fatal(err)
		}
		want := 0
		if disturbed {
			want = len(run.Results)
		}
		if listed := bundle.Summarize(run.Dir); listed.Disturbed != want || listed.Verified != len(run.Results) {
			t.Errorf("others at %v: listed with %d disturbed, %d right", lap.Others, listed.Disturbed, listed.Verified)
		}
		for i := range run.Results {
			r := &run.Results[i]
			text, is := r.Disturbed()
			if is != disturbed || disturbed && !strings.HasPrefix(text, "disturbed: other programs used 63.0 % of the CPU") {
				t.Errorf("others at %v: %s is disturbed: %v, %q", lap.Others, r.Case, is, text)
			}
			if got := r.Number(workloads.OthersCPU); math.Abs(got-lap.Others) > 1e-9 || !math.IsNaN(r.Number(workloads.Swapped)) {
				t.Errorf("%s: others %v, swapped %v", r.Case, got, r.Number(workloads.Swapped))
			}
		}
	}
}

func TestRunRefusesABusyMachine(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	request := Request{Engine: "fake", Jobs: []bundle.Job{small(t, s)}, WhenBusy: Refuse, Sampling: Sampling{Time: MinTime}}
	probing(s, busyLapNow)
	if run, err := s.Runs().Do(t.Context(), request); !errors.Is(err, ErrNotQuiet) || run != nil || !strings.Contains(err.Error(), "63.0 %") {
		t.Errorf("%v, %v", run, err)
	}
	probing(s, quietLapNow)
	if _, err := s.Runs().Do(t.Context(), request); err != nil {
		t.Error(err)
	}
}

func TestDisturbance(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	if why, known := s.Disturbance(t.Context()); known || why != "" {
		t.Errorf("without a probe: %q, %v", why, known)
	}
	for _, c := range []struct {
		lap   monitor.Lap
		why   string
		known bool
	}{
		{quietLapNow, "", true},
		{busyLapNow, "other programs used 63.0 % of the CPU", true},
		{monitor.Lap{Others: 0.01, Steal: 0.2, Swapped: 30e6}, "other virtual machines took 20.0 % of the CPU, 30.0 MB/s went to and from swap", true},
		{monitor.Lap{Others: 0.01, OthersGPU: 0.31, Stalled: math.NaN()}, "other programs used 31.0 % of the GPU", true},
		{monitor.Lap{Others: math.NaN(), OthersGPU: math.NaN(), Steal: math.NaN(), Stalled: math.NaN(), Swapped: math.NaN()}, "", false},
	} {
		probing(s, c.lap)
		if why, known := s.Disturbance(t.Context()); known != c.known || !strings.HasPrefix(why, c.why) || c.why == "" && why != "" {
			t.Errorf("%+v: %q, %v; want %q, %v", c.lap, why, known, c.why, c.known)
		}
	}
}

// The GPU's other programs disturb measurements on the GPU, and none on the CPU.
func TestOthersOnTheGPU(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	probing(s, monitor.Lap{Others: 0.01, OthersGPU: 0.31})
	for onGPU, want := range map[bool]string{true: "disturbed: other programs used 31.0 % of the GPU", false: ""} {
		around, got := s.surroundings(0, onGPU, nil), ""
		around.Who = nil
		for _, w := range around.Judge(t.Context(), around.Lap()) {
			got = w.Text
		}
		if got != want {
			t.Errorf("on the GPU %v: %q, want %q", onGPU, got, want)
		}
	}
	if got := gpuCulprit(monitor.BusyGPU{Name: "blender\x1b", Share: 0.312}); got != "busiest on the GPU: blender\\x1b, 31.2 %" {
		t.Errorf("%q", got)
	}
}

// readings give a session's monitor the same values at every tick, and follow the engine as a source for several GPUs does.
type readings struct {
	list   []monitor.Reading
	follow func() string
}

func (r *readings) Name() string                           { return "test" }
func (r *readings) Read(context.Context) []monitor.Reading { return r.list }
func (r *readings) Follow(current func() string)           { r.follow = current }

func reading(metric string, value float64) monitor.Reading {
	r := monitor.Template(metric, "test")
	r.Value, r.Status, r.Provenance = value, monitor.OK, monitor.Measured
	return r
}

// If the monitor reads the GPU separately from the processor, as on Linux, measurements on a device are disturbed by what
// happens on that device.
func TestSurroundingsOfTheDevice(t *testing.T) {
	nan := math.NaN()
	lap := monitor.Lap{Others: 0.01, OthersGPU: nan, Steal: nan, Stalled: nan, Swapped: nan}
	unknown := monitor.Template(monitor.GPUThrottling, "test")
	unknown.Status, unknown.Reason = monitor.Unavailable, "no NVIDIA driver"
	both := []monitor.Reading{reading(monitor.Throttling, 0.3), reading(monitor.GPUThrottling, 0.1), reading(monitor.GPUOthers, 0.4)}
	for _, c := range []struct {
		list              []monitor.Reading
		onGPU             bool
		throttled, others float64
	}{
		{both, true, 0.1, 0.4},
		{both, false, 0.3, nan},
		{[]monitor.Reading{reading(monitor.Throttling, 0.3), unknown}, true, nan, nan},
		{[]monitor.Reading{reading(monitor.Throttling, 0.3), unknown}, false, 0.3, nan},
	} {
		s, err := New(Config{Version: "test", RunsDir: t.TempDir()}) // not started: its own ticks would come between
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		probing(s, lap)
		s.tick(monitor.Snapshot{Time: time.Now(), Readings: c.list})
		around := s.surroundings(0, c.onGPU, nil)
		got := map[string]float64{}
		for i, v := range around.Lap() {
			got[around.Factors[i].Name] = v
		}
		if !alike(got[string(workloads.Throttled)], c.throttled) || !alike(got[string(workloads.OthersGPU)], c.others) {
			t.Errorf("on the GPU %v: %v; want throttled %v, others %v", c.onGPU, got, c.throttled, c.others)
		}
	}
}

func alike(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// identified is an engine that says which GPU it is on.
type identified struct {
	gpu.Engine
	id string
}

func (e identified) DeviceID() string { return e.id }

// A source of several GPUs reads the one of the engine last used.
func TestSourcesFollowTheEngine(t *testing.T) {
	source := &readings{}
	opened := func(id string) func() (gpu.Engine, error) {
		return func() (gpu.Engine, error) { return identified{gputest.NewFake(gputest.Script{}), id}, nil }
	}
	s, err := New(Config{RunsDir: t.TempDir(), Sources: []monitor.Source{source}, Engines: []Engine{
		{Name: "one", Title: "One", Open: opened("GPU-1")},
		{Name: "two", Title: "Two", Open: opened("GPU-2")},
		{Name: "cpu", Title: "CPU", Open: func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := source.follow(); got != "" {
		t.Errorf("before an engine is open: %q", got)
	}
	for _, c := range []struct{ engine, want string }{{"two", "GPU-2"}, {"cpu", ""}, {"one", "GPU-1"}} {
		if _, _, err := s.engines.get(c.engine); err != nil {
			t.Fatal(err)
		}
		if got := source.follow(); got != c.want {
			t.Errorf("with engine %s: %q, want %q", c.engine, got, c.want)
		}
	}
}

func TestEveryFactorIsAMetric(t *testing.T) {
	for _, f := range measureFactors() {
		if m, ok := workloads.Metrics().Find(metric.Name(f.Name)); !ok || m.Unit == "" {
			t.Errorf("%s is no metric of results", f.Name)
		}
		if text := f.Text(0.5); strings.Contains(text, "%!") || f.Limit <= 0 {
			t.Errorf("%s: limit %v, %q", f.Name, f.Limit, text)
		}
	}
}

func TestSamplingIsChecked(t *testing.T) {
	for _, c := range []struct {
		sampling Sampling
		want     string
	}{
		{Sampling{}, ""},
		{Sampling{Precision: 0.02, Time: time.Second, MinSamples: 50}, ""},
		{Sampling{Precision: 1}, "precision must be between"},
		{Sampling{Precision: math.NaN()}, "precision must be between"},
		{Sampling{Time: time.Microsecond}, "time per case must be between"},
		{Sampling{MinSamples: -1}, "minimum samples must be between"},
	} {
		err := c.sampling.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.sampling, err, c.want)
		}
	}
	a := activeRun{session: &Session{}, request: Request{Quick: true, Sampling: Sampling{Precision: 0.02, MinSamples: 7}}}
	if o := a.options(); o.Precision != 0.02 || o.MinSamples != 7 || o.Budget != quickBudget {
		t.Errorf("options %+v", o)
	}
	a.request.Sampling.Time = time.Minute
	if o := a.options(); o.Budget != time.Minute {
		t.Errorf("a case may take %v", o.Budget)
	}
}

// Conditions come from the newest readings, those of the GPU for measurements there, and disturb nothing.
func TestConditionsAreTold(t *testing.T) {
	m := moment{lap: quietLapNow, now: monitor.Snapshot{Readings: []monitor.Reading{
		{Metric: monitor.Temperature, Value: 95},
		{Metric: monitor.TemperatureGPU, Value: 61},
		{Metric: monitor.PowerGPU, Value: 210},
		{Metric: monitor.Power, Value: 33},
		{Metric: monitor.ProcessRSS, Value: 80e6},
	}}}
	for i := range m.now.Readings {
		m.now.Readings[i].Status = monitor.OK
	}
	for onGPU, want := range map[bool][3]float64{true: {61, 210, 80e6}, false: {95, 33, 80e6}} {
		m.onGPU = onGPU
		if got := [3]float64{m.temperature(), m.power(), m.footprint()}; got != want {
			t.Errorf("on the GPU %v: %v, want %v", onGPU, got, want)
		}
	}
	if nothing := (&moment{}); !math.IsNaN(nothing.temperature()) || !math.IsNaN(nothing.power()) || !math.IsNaN(nothing.footprint()) {
		t.Error("without readings there are conditions")
	}
	around := measure.Surroundings{Factors: measureFactors()}
	values := make([]float64, len(around.Factors))
	for i, f := range around.Factors {
		if math.IsInf(f.Limit, 1) {
			values[i] = 1e9
		}
	}
	if warnings := around.Judge(t.Context(), values); len(warnings) > 0 {
		t.Errorf("conditions disturb: %+v", warnings)
	}
}
