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
	"assay/monitor/leak"
	"assay/workloads"
)

func TestLeakCheckAgainstABaseline(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(*workloads.Env) error { return nil })
	rec := &recorder{}
	defer s.Subscribe(rec.take)()
	if _, err := s.Leaks().Check(0); !errors.Is(err, ErrNoBaseline) {
		t.Errorf("a check without a baseline: %v", err)
	}
	prewarm(t, s, 1<<20, 4)
	base, err := s.Leaks().SetBaseline()
	if err != nil {
		t.Fatal(err)
	}
	if base.Levels.Engine != (leak.Amount{}) || base.Levels.Process.Bytes <= 0 || base.Levels.Device.Missing == "" {
		t.Errorf("baseline %+v; the cache is emptied first, the fake engine's device keeps no count", base)
	}
	if got, ok := s.Leaks().Baseline(); !ok || got != base {
		t.Errorf("the baseline came back as %+v, %v", got, ok)
	}
	engine, _ := s.engines.current()
	lost, err := engine.NewBuffer(300_000_000, gpu.Shared, "lost")
	if err != nil {
		t.Fatal(err)
	}
	check, err := s.Leaks().Check(leak.DefaultTolerance)
	if err != nil || !check.Leaking || check.Growths[1].Bytes != 300_000_000 || !check.Growths[1].Over {
		t.Errorf("check %+v, %v; want 300 MB of engine's buffers", check, err)
	}
	alert := func(active bool) func(Update) bool {
		return func(u Update) bool {
			a, ok := u.(AlertUpdate)
			return ok && a.Alert.ID == checkAlert && a.Alert.Active() == active
		}
	}
	if rec.count(alert(true)) != 1 {
		t.Error("no alert for a leak")
	}
	if err := lost.Release(); err != nil {
		t.Fatal(err)
	}
	if check, err = s.Leaks().Check(LeakToleranceMax); err != nil || check.Leaking || rec.count(alert(false)) != 1 {
		t.Errorf("after the release: %+v, %v; %d alerts ended", check, err, rec.count(alert(false)))
	}
	for _, bad := range []int64{-1, LeakToleranceMax + 1} {
		if _, err := s.Leaks().Check(bad); err == nil || !strings.Contains(err.Error(), "want 0 to") {
			t.Errorf("tolerance %d: %v", bad, err)
		}
	}
}

func TestLeakCheckSaysWhatItCannotCompare(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(*workloads.Env) error { return nil })
	if base, err := s.Leaks().SetBaseline(); err != nil || base.Engine != "" || base.Levels.Engine.Missing != "no engine is open" {
		t.Fatalf("baseline without an engine: %+v, %v", base, err)
	}
	prewarm(t, s, 100, 1)
	check, err := s.Leaks().Check(LeakToleranceMax)
	if err != nil || !strings.Contains(check.Growths[1].Missing, "not in the baseline: no engine") || !check.Known {
		t.Errorf("check %+v, %v", check, err)
	}
	if _, err := s.Leaks().SetBaseline(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool().Prewarm(context.Background(), "other", 100, 1); err != nil {
		t.Fatal(err)
	}
	if check, err = s.Leaks().Check(LeakToleranceMax); err != nil || !strings.Contains(check.Growths[1].Missing, "of another engine") {
		t.Errorf("check on another engine: %+v, %v", check, err)
	}
}

func TestLeakLabWaitsForRuns(t *testing.T) {
	var s *Session
	s = pooled(t, gputest.Script{}, func(*workloads.Env) error {
		if _, err := s.Leaks().SetBaseline(); !errors.Is(err, ErrBusy) {
			t.Errorf("a baseline during a run: %v, want ErrBusy", err)
		}
		return nil
	})
	if _, err := s.Leaks().SetBaseline(); err != nil {
		t.Fatal(err)
	}
	runWork(t, s)
	if check, err := s.Leaks().Check(leak.DefaultTolerance); err != nil || check.Leaking {
		t.Errorf("after a run: %+v, %v", check, err)
	}
}

func TestRunTakesItsLeakTolerance(t *testing.T) {
	kept := make([]byte, 0)
	s := pooled(t, gputest.Script{}, func(*workloads.Env) error {
		kept = make([]byte, 64<<20)
		for i := range kept {
			kept[i] = 1
		}
		return nil
	})
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{{Workload: "work"}}, LeakTolerance: 10_000_000})
	if err != nil || len(kept) == 0 {
		t.Fatal(err)
	}
	if leaks := run.Leaks(); len(leaks) != 1 || !strings.Contains(leaks[0].Text, "tolerance 10 MB") {
		t.Errorf("leaks %+v, want the footprint's with a tolerance of 10 MB", leaks)
	}
	kept[0] = 2 // it lives until here
}

// leaking feeds a watch 10 s of a case that loses 1 kB in each of 20 iterations per second.
func leaking(w *liveWatch, name string, from int) {
	for i := range 200 { // found at 4 s, reported again at 6 s
		w.observe(name, w.began.Add(time.Duration(from+i)*50*time.Millisecond), 1e6+int64(i)*1000)
	}
}

func TestLeakCurve(t *testing.T) {
	w := &liveWatch{runID: "run 1", began: time.Unix(1000, 0)}
	if c := w.look(); c.NoFit == "" || len(c.Points) != 0 || !c.Running {
		t.Errorf("before the first iteration: %+v", c)
	}
	leaking(w, "first", 0)
	leaking(w, "second", 200)
	w.endCase()
	w.tell("Buffers not released: a lot")
	w.end()
	c := w.look()
	if c.RunID != "run 1" || c.Running || !c.Verdict.Leaking {
		t.Errorf("run %s, running %v, verdict %+v", c.RunID, c.Running, c.Verdict)
	}
	told := []string{"(first)", alertTitle(slopeAlert) + ": " + c.Verdict.Cause, "Buffers not released: a lot"}
	if len(c.Told) != 3 || !strings.HasSuffix(c.Told[0], told[0]) || c.Told[1] != told[1] || c.Told[2] != told[2] {
		t.Errorf("told %q, want %q", c.Told, told)
	}
	if c.Fit != c.Verdict.Fit {
		t.Errorf("the line is of %g B/s, the verdict of %g", c.Fit.PerSecond.Slope, c.Verdict.Fit.PerSecond.Slope)
	}
	want := []LeakCase{{"first", 1, 0}, {"second", 201, 10}}
	if len(c.Cases) != 2 || c.Cases[0] != want[0] || c.Cases[1] != want[1] {
		t.Errorf("cases %+v, want %+v", c.Cases, want)
	}
	if last := c.Points[len(c.Points)-1]; len(c.Points) > leak.MaxPoints || last.Iteration != 400 || last.Live != 1_199_000 {
		t.Errorf("%d points, the last %+v", len(c.Points), last)
	}
	// the band lies on the growth of the newest case
	end, begin := c.BySeconds[len(c.BySeconds)-1], c.BySeconds[0]
	if math.Abs(end.X-19.95) > 1e-6 || begin.X < 10 || begin.X > 12 || c.ByIteration[len(c.ByIteration)-1].X != 400 {
		t.Errorf("band from %+v to %+v", begin, end)
	}
	if math.Abs(end.Y-1_199_000) > 500 || end.Lo > end.Y || end.Hi < end.Y {
		t.Errorf("the line ends at %+v, the curve at 1199000", end)
	}
}

func TestLeakCurveForgetsWhatWasWithdrawn(t *testing.T) {
	w := &liveWatch{began: time.Unix(1000, 0)}
	leaking(w, "case", 0)
	if c := w.look(); len(c.Told) != 1 {
		t.Fatalf("told %q", c.Told)
	}
	if _, turn := w.observe("case", w.began.Add(time.Minute), 1e6); turn != leakWithdrawn {
		t.Errorf("turn %d when all came back", turn)
	}
	if c := w.look(); len(c.Told) != 0 {
		t.Errorf("still told: %q", c.Told)
	}
	if _, found := w.endCase(); found {
		t.Error("what was withdrawn is found at the case's end")
	}
}

func TestLeakCurveKeepsTheLastCases(t *testing.T) {
	w := &liveWatch{began: time.Unix(0, 0)}
	for i := range 1000 {
		w.observe(strings.Repeat("x", i+1), w.began.Add(time.Duration(i)*time.Second), 1)
	}
	c := w.look()
	if len(c.Cases) != leakCases || c.Cases[leakCases-1].Iteration != 1000 {
		t.Errorf("%d cases, the last %+v", len(c.Cases), c.Cases[len(c.Cases)-1])
	}
	w.endCase()
	w.observe(strings.Repeat("x", 1000), w.began.Add(time.Hour), 1)
	if c := w.look(); c.Cases[leakCases-1].Iteration != 1001 {
		t.Errorf("a case of the same name in the next workload is not a case of its own: %+v", c.Cases[leakCases-1])
	}
}

func TestLeakControlDrawsItsCurve(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	if _, ok := s.Leaks().Curve(); ok {
		t.Error("a curve before the first run")
	}
	run, err := s.Runs().Do(context.Background(), Request{Jobs: []bundle.Job{job(t, s, "leak", map[string]any{"rate": 10.0, "duration": 6.0})}})
	if err != nil {
		t.Fatal(err)
	}
	c, ok := s.Leaks().Curve()
	if !ok || c.RunID != run.Meta.ID || c.Running || len(c.Points) < 20 || c.NoFit != "" {
		t.Fatalf("curve of %d points of run %s, no fit: %s", len(c.Points), c.RunID, c.NoFit)
	}
	if line := c.Fit.PerSecond; line.Slope <= 0 || line.R2 <= 0.9 || line.R2 > 1 || line.Scatter < 0 {
		t.Errorf("slope %g B/s, R² %g, scatter %g B", line.Slope, line.R2, line.Scatter)
	} else if line.Lo > 10e6 || line.Hi < 10e6 || line.Hi-line.Lo > 10e6 {
		t.Errorf("%g B/s (%g to %g), 10 MB/s leak", line.Slope, line.Lo, line.Hi)
	}
	for _, e := range run.Leaks() {
		if e.Title == alertTitle(slopeAlert) && (e.Text != c.Verdict.Cause || len(e.Value) != 3 || *e.Value[0] != c.Fit.PerSecond.Slope) {
			t.Errorf("the run says %q (%v), the curve %q", e.Text, e.Value, c.Verdict.Cause)
		}
	}
	var told bool
	for _, words := range c.Told {
		told = told || strings.HasPrefix(words, "Buffers not released: ")
	}
	if !told {
		t.Errorf("the curve tells %q", c.Told)
	}
}

// A check follows each run if the user wants that, once there is a baseline.
func TestLeakCheckAfterRuns(t *testing.T) {
	s := pooled(t, gputest.Script{}, func(env *workloads.Env) error {
		l, err := env.Pool.Acquire(1000, "x")
		if err != nil {
			return err
		}
		return l.Release()
	})
	run := func() {
		t.Helper()
		if _, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{{Workload: s.config.Workloads[0].Name}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Leaks().CheckAfterRuns(true, -1); err == nil || !strings.Contains(err.Error(), "want 0 to") {
		t.Errorf("tolerance of less than nothing: %v", err)
	}
	if err := s.Leaks().CheckAfterRuns(true, leak.DefaultTolerance); err != nil {
		t.Fatal(err)
	}
	run()
	if _, ok := s.Leaks().Last(); ok {
		t.Error("checked without a baseline")
	}
	if _, err := s.Leaks().SetBaseline(); err != nil {
		t.Fatal(err)
	}
	run()
	first, ok := s.Leaks().Last()
	if !ok || first.Leaking || first.Tolerance != leak.DefaultTolerance {
		t.Errorf("after a run the check is %+v, %v", first, ok)
	}
	if err := s.Leaks().CheckAfterRuns(false, 0); err != nil {
		t.Fatal(err)
	}
	run()
	if last, _ := s.Leaks().Last(); last.Taken != first.Taken {
		t.Error("checked although that was ended")
	}
}
