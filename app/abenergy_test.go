package app

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// energized compares sides with these joules and this work, with a drift that affects both.
func energized(t *testing.T, differ bool, a, b ABJoules) *ABEnergy {
	t.Helper()
	n := 0
	r := &ABResult{Plan: ABPlan{Matters: 0.02}, differ: differ}
	err := r.measureEnergy(t.Context(), func(_ context.Context, side *ABSide) (ABJoules, error) {
		n++
		take := a
		if side == &r.Plan.B {
			take = b
		}
		take.Joules *= 1 + 0.001*float64(n)
		return take, nil
	})
	if err != nil || n != 4*energyRounds {
		t.Fatalf("%d measurements, %v", n, err)
	}
	return r.Energy
}

func TestABEnergyVerdicts(t *testing.T) {
	for _, c := range []struct {
		a, b   ABJoules
		differ bool
		want   stats.Verdict
		words  string
	}{
		{ABJoules{Joules: 10}, ABJoules{Joules: 4}, false, stats.Faster, "Energy of a repetition: B needs LESS than A, 40"},
		{ABJoules{Joules: 4}, ABJoules{Joules: 10}, false, stats.Slower, "Energy of a repetition: B needs MORE than A, 250"},
		{ABJoules{Joules: 5}, ABJoules{Joules: 5}, false, stats.Same, "A and B need the SAME; A 5."},
		{ABJoules{Joules: 10, Work: 1e9}, ABJoules{Joules: 10, Work: 4e9}, true, stats.Faster, "Energy for each operation: B needs LESS than A, 25"},
		{ABJoules{Joules: 10, Work: 1e9}, ABJoules{Joules: 10, Work: 4e9}, false, stats.Same, "Energy of a repetition: A and B need the SAME"},
	} {
		e := energized(t, c.differ, c.a, c.b)
		if e.Verdict != c.want || !strings.Contains(e.Sentence(), c.words) || len(e.Takes) != 4*energyRounds || e.Takes[len(e.Takes)-1].Round != energyRounds {
			t.Errorf("%+v and %+v: %s, %q, want %s", c.a, c.b, e.Verdict, e.Sentence(), c.want)
		}
	}
}

// A side without a counter has no energy, and says why; a failure is an error.
func TestABEnergyIsMissing(t *testing.T) {
	r := &ABResult{}
	err := r.measureEnergy(t.Context(), func(_ context.Context, side *ABSide) (ABJoules, error) {
		if side == &r.Plan.B {
			return ABJoules{}, errNoEnergy{"no counter is known for this device"}
		}
		return ABJoules{Joules: 1}, nil
	})
	if want := "Energy: not available: B: no counter is known for this device."; err != nil || r.Energy.Sentence() != want {
		t.Errorf("%v, %q, want %q", err, r.Energy.Sentence(), want)
	}
	broken := errors.New("out of memory")
	if err := r.measureEnergy(t.Context(), func(context.Context, *ABSide) (ABJoules, error) { return ABJoules{}, broken }); !errors.Is(err, broken) {
		t.Errorf("failed by %v", err)
	}
}

// A side's energy is that of its variant, from its engine's counter, over a window that its work fills.
func TestABJoulesOfASide(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s, _ := session(t, gputest.Script{})
	begun := time.Now()
	counter := func(gpu.Engine) *measure.EnergyCounter {
		read := func() (float64, error) { return 10 * time.Since(begun).Seconds(), nil }
		return &measure.EnergyCounter{About: "a plug", Period: time.Millisecond, Joules: read, Windows: 1}
	}
	w, err := workloads.Find(s.config.Workloads, "matmul")
	if err != nil {
		t.Fatal(err)
	}
	side := ABSide{Engine: "auto"}
	if side.Params, err = w.One(w.Defaults(true).With(workloads.Values{"min_size": 8, "max_size": 8}), "", false); err != nil {
		t.Fatal(err)
	}
	take, err := s.abJoules(w, 1, counter)(t.Context(), &side)
	if err != nil || !(take.Joules > 0) || take.Work != 1024 || !strings.HasPrefix(take.Counter, "a plug") {
		t.Errorf("%+v, %v", take, err)
	}
}

// A comparison that should measure energy says why the fake device has none.
func TestABAsksForEnergy(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	w, err := workloads.Find(s.config.Workloads, "matmul")
	if err != nil {
		t.Fatal(err)
	}
	side := ABSide{Params: w.Defaults(true).With(workloads.Values{"min_size": 8, "max_size": 8})}
	r, err := s.Tuner().AB(t.Context(), ABPlan{Workload: "matmul", A: side, B: side, Rounds: MinABRounds, Matters: 0.5, Energy: true}, nil)
	if err != nil || r.Energy == nil || r.Energy.Why != "A: the device is simulated" || math.IsNaN(r.Speedup.Median) {
		t.Errorf("%v, %+v", err, r.Energy)
	}
}
