package bench

import (
	"context"
	"math"
	"testing"
	"time"

	"assay/gpu/gputest"
	"assay/internal/metric"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// measureEnergy measures work of 4 ms on a scripted clock, at 50 W all the time.
func measureEnergy(t *testing.T, counter *measure.EnergyCounter) *workloads.Result {
	t.Helper()
	b := benchtest.New(t, gputest.Script{})
	b.Env.Workload = &workloads.Workload{Name: "host"}
	now := time.Unix(1e9, 0)
	begin := now
	seconds := func() float64 { return now.Sub(begin).Seconds() }
	work := Host(func(context.Context, int) (float64, error) {
		now = now.Add(4 * time.Millisecond)
		return 4e-3, nil
	})
	b.Env.Options.Now = func() time.Time { return now }
	b.Env.Options.Energy = counter
	if counter.Why == "" {
		counter.Joules = func() (float64, error) { return 50 * seconds(), nil }
		counter.Sleep = func(_ context.Context, d time.Duration) { now = now.Add(d) }
	}
	build := func(*Scope) ([]Variant, error) { return []Variant{{Name: "one", Work: work, Items: 10}}, nil }
	if err := New(b.Env).MeasureAll(t.Context(), []Case{{Name: "case", Build: build}}); err != nil {
		t.Fatal(err)
	}
	return &b.Measured[0]
}

func TestEnergyOfResults(t *testing.T) {
	r := measureEnergy(t, &measure.EnergyCounter{About: "a plug", Period: time.Millisecond})
	for name, want := range map[metric.Name]float64{
		workloads.Energy: 50 * 4e-3, workloads.EnergyPerItem: 50 * 4e-4, workloads.ItemsPerJoule: 50, workloads.LoadPower: 50,
		workloads.IdlePower: 50, workloads.EnergyBusy: 1, workloads.EnergyWindows: 5, workloads.SustainedSpeed: 1,
	} {
		if got := r.Values.Get(name).Median; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if e := r.Values.Get(workloads.EnergyBeyond); math.Abs(e.Median) > 1e-9 {
		t.Errorf("above idle: %+v, though idling takes as much", e)
	}
	if got := r.Values.Text(workloads.EnergySource); got != "a plug" {
		t.Errorf("source %q", got)
	}
}

func TestEnergyThatIsNotAvailable(t *testing.T) {
	r := measureEnergy(t, &measure.EnergyCounter{Why: "no counter"})
	if got := r.Values.Text(workloads.EnergySource); got != "not available: no counter" || !math.IsNaN(r.Number(workloads.Energy)) || r.Status != workloads.OK {
		t.Errorf("source %q, %v J", got, r.Number(workloads.Energy))
	}
}
