package app

import (
	"math"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/app/report"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/suite"
)

// twoEngines is a session with a fake GPU and a fake processor.
func twoEngines(t *testing.T) *Session {
	t.Helper()
	open := func(kind string) func() (gpu.Engine, error) {
		return func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{Kind: kind}), nil }
	}
	s, err := New(Config{
		Version: "7.8", Workloads: suite.All(), RunsDir: t.TempDir(), Interval: 50 * time.Millisecond,
		Engines: []Engine{{Name: "fake", Title: "Fake", Open: open("fake")}, {Name: "cpu", Title: "CPU", Open: open("cpu")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Results have the time of the engine beside, which they name; its own rows are not among the run's.
func TestBesideIsNamedAndNotMixed(t *testing.T) {
	s := twoEngines(t)
	plain, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{}
	s.Subscribe(rec.take)
	run, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Beside: "cpu", Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil || len(loaded.Results) != len(plain.Results) || !loaded.OK() {
		t.Fatalf("%v, %d results, want %d", err, len(loaded.Results), len(plain.Results))
	}
	for i := range loaded.Results {
		r := &loaded.Results[i]
		ratio := r.Get(workloads.BesideTime).Median / r.Time().Median
		if got := r.Number(workloads.BesideSpeedup); !(got > 0) || math.Abs(got-ratio) > 1e-9 {
			t.Errorf("%s, %s: %g times beside, want %g", r.Case, r.Variant, got, ratio)
		}
		if text := r.Values.Text(workloads.BesideOn); !strings.HasPrefix(text, "cpu on scripted device") || !strings.Contains(text, "simulated") {
			t.Errorf("the baseline is %q", text)
		}
	}
	if b := loaded.Meta.Beside; b == nil || b.Engine != "cpu" || b.Missing != "" || loaded.Meta.Engine.Engine != "fake" {
		t.Errorf("run.json has %+v", b)
	}
	if text := report.Beside(loaded); !strings.HasPrefix(text, "Speedup over cpu on scripted device") {
		t.Errorf("%q", text)
	}
	last := 0.0
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, u := range rec.updates {
		if p, ok := u.(ProgressUpdate); ok {
			if p.Fraction < last-1e-9 {
				t.Errorf("the fraction falls from %g to %g", last, p.Fraction)
			}
			last = p.Fraction
		}
	}
}

func TestBesideCannotBe(t *testing.T) {
	s := twoEngines(t)
	run, err := s.Runs().Do(t.Context(), Request{Engine: "cpu", Beside: "cpu", Jobs: []bundle.Job{small(t, s)}, Quick: true})
	if err != nil || run.Meta.Beside == nil || !strings.Contains(report.Beside(run), "not available: the run is on the cpu engine itself") {
		t.Errorf("%v, %q", err, report.Beside(run))
	}
	if _, err := s.Runs().Do(t.Context(), Request{Engine: "fake", Beside: "tpu", Jobs: []bundle.Job{small(t, s)}}); err == nil || !strings.Contains(err.Error(), `no engine "tpu"`) {
		t.Errorf("%v", err)
	}
	time := stats.Exact(2)
	other := workloads.Result{Case: "1", Variant: "f32", Status: workloads.Failed, Failure: workloads.Failure{Text: "wrong result: out[3]"}}
	other.Values.Set(workloads.Time, time)
	b := beside{results: []workloads.Result{other}}
	all := func(string) bool { return true }
	for variant, want := range map[string]string{"f32": "not available: cpu: Wrong result: out[3]", "f16": "not available: cpu has no such case"} {
		r := workloads.Result{Case: "1", Variant: variant, Status: workloads.OK}
		b.put(&r, "cpu", all)
		if text := r.Values.Text(workloads.BesideOn); text != want || !math.IsNaN(r.Number(workloads.BesideSpeedup)) {
			t.Errorf("%s: %q", variant, text)
		}
	}
}

func TestQuotientIsWiderThanItsParts(t *testing.T) {
	q := quotient(stats.Interval{Median: 10, Lo: 9, Hi: 12}, stats.Interval{Median: 2, Lo: 1.5, Hi: 3})
	if q.Median != 5 || q.Lo != 3 || q.Hi != 8 {
		t.Errorf("%+v", q)
	}
	if q := quotient(stats.Interval{Median: 10, Lo: math.Inf(-1), Hi: math.Inf(1)}, stats.Interval{Median: 2, Lo: math.Inf(-1), Hi: math.Inf(1)}); q.Median != 5 || q.Bounded() {
		t.Errorf("of unknown intervals: %+v", q)
	}
}
