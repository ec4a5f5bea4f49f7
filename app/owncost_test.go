package app

import (
	"errors"
	"math"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/monitor"
	"assay/workloads"
)

// worker is an engine whose kernels’ CPU time is scripted.
type worker struct {
	gpu.Engine
	worked gpu.Worked
	err    error
}

func (w *worker) Worked() (gpu.Worked, error) { return w.worked, w.err }

// ownScript is an ownCost with scripted clocks.
type ownScript struct {
	*ownCost
	at   time.Time
	used float64
	fail error
}

func scriptedCost(engine gpu.Engine) *ownScript {
	s := &ownScript{ownCost: newOwnCost(engine, &activity{}), at: time.Unix(1000, 0)}
	s.ownCost.now = func() time.Time { return s.at }
	s.process = func() (float64, error) { return s.used, s.fail }
	return s
}

// pass lets time pass, in which the process used CPU time and kernels used part of it.
func (s *ownScript) pass(seconds, process, kernels float64) {
	s.at = s.at.Add(time.Duration(seconds * 1e9))
	s.used += process
	if w, ok := s.engine.(*worker); ok {
		w.worked.Seconds += kernels
	}
}

func TestOwnCostIsTheProcessWithoutItsKernels(t *testing.T) {
	w := &worker{Engine: gputest.NewFake(gputest.Script{})}
	o := scriptedCost(w)
	if first := o.next(); !math.IsNaN(first.cores) || !math.IsNaN(first.ticks) {
		t.Errorf("before there is a lap: %+v", first)
	}
	for _, c := range []struct{ seconds, process, kernels, want float64 }{
		{0.25, 0.505, 0.5, 0.02}, // two busy cores
		{2, 0.001, 0, 0.0005},
		{0.25, 0.499, 0.5, 0}, // clocks of running threads are late
		{0, 1, 0, math.NaN()},
	} {
		o.pass(c.seconds, c.process, c.kernels)
		o.activity.ticks.Add(2)
		o.activity.redraws.Add(1)
		got := o.next()
		if math.Abs(got.cores-c.want) > 1e-9 || math.IsNaN(got.cores) != math.IsNaN(c.want) {
			t.Errorf("%+v: %v", c, got.cores)
		}
		if c.seconds > 0 && (math.Abs(got.ticks-2/c.seconds) > 1e-9 || math.Abs(got.redraws-1/c.seconds) > 1e-9) {
			t.Errorf("%+v: %v readings and %v redraws a second", c, got.ticks, got.redraws)
		}
	}
}

// What cannot be distinguished has a reason, and comes back once it can be.
func TestOwnCostSaysWhyItIsUnknown(t *testing.T) {
	fake := gputest.NewFake(gputest.Script{})
	for _, c := range []struct {
		name   string
		engine gpu.Engine
		spoil  func(*ownScript, *worker)
		mend   func(*ownScript, *worker)
		why    string
	}{
		{"no engine", nil, nil, nil, "no engine is open"},
		{"a library", &worker{Engine: fake}, func(_ *ownScript, w *worker) { w.worked.Elsewhere++ }, func(*ownScript, *worker) {}, ownLibrary},
		{"no clock", &worker{Engine: fake}, func(_ *ownScript, w *worker) { w.err = errors.New("no clock of threads") }, func(_ *ownScript, w *worker) { w.err = nil }, "no clock of threads"},
		{"no usage", &worker{Engine: fake}, func(s *ownScript, _ *worker) { s.fail = errors.New("not permitted") }, func(s *ownScript, _ *worker) { s.fail = nil }, "not permitted"},
	} {
		o := scriptedCost(c.engine)
		w, _ := c.engine.(*worker)
		o.next()
		if c.spoil != nil {
			c.spoil(o, w)
		}
		o.pass(1, 1, 1)
		if got := o.next(); !math.IsNaN(got.cores) || got.why != c.why || o.about(false) != "not available: "+c.why || math.IsNaN(got.ticks) {
			t.Errorf("%s: %+v, %q", c.name, got, o.about(false))
		}
		if c.mend == nil {
			continue
		}
		c.mend(o, w)
		for range 2 { // a lap that began without a count has none either
			o.pass(1, 1.5, 1)
			o.next()
		}
		if math.Abs(o.lap.cores-0.5) > 1e-9 || o.lap.why != "" || o.about(true) != ownCounted {
			t.Errorf("%s: afterward %+v", c.name, o.lap)
		}
	}
}

// Every result with a time says what Assay itself cost meanwhile, or why that is unknown, including after it is read back.
func TestResultsTellOwnCost(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	probing(s, quietLapNow)
	run, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Jobs: []bundle.Job{small(t, s)}, Sampling: Sampling{Time: 300 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if run, err = bundle.Load(run.Dir); err != nil {
		t.Fatal(err)
	}
	for i := range run.Results {
		r := &run.Results[i]
		own, source := r.Number(workloads.OwnCPU), r.Values.Text(workloads.OwnSource)
		if source != "not available: "+ownSimulated || !math.IsNaN(own) || r.Number(workloads.OwnRedraws) != 0 {
			t.Errorf("%s: Assay itself %v, %q; %v redraws", r.Case, own, source, r.Number(workloads.OwnRedraws))
		}
	}
	if len(run.Results) == 0 {
		t.Error("no results")
	}
}

// A window’s redraws and the monitor’s readings are counted.
func TestActivityIsCounted(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	s.Redrawn()
	s.tick(monitor.Snapshot{Time: time.Now()})
	if s.activity.redraws.Load() != 1 || s.activity.ticks.Load() == 0 {
		t.Errorf("%d redraws, %d readings", s.activity.redraws.Load(), s.activity.ticks.Load())
	}
}
