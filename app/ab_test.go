package app

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/workloads"
)

// scripted compares sides that take that long, with noise of 1 % and a drift that grows by a tenth over the rounds.
func scripted(t *testing.T, plan ABPlan, a, b float64, disturbed func(n int) bool) *ABResult {
	t.Helper()
	noise, n := rand.New(rand.NewPCG(1, 2)), 0
	r := &ABResult{Plan: plan}
	err := r.measure(t.Context(), func(_ context.Context, side *ABSide) (ABTake, error) {
		seconds := a
		if side == &r.Plan.B {
			seconds = b
		}
		n++
		take := ABTake{Seconds: seconds * (1 + 0.01*noise.NormFloat64()) * (1 + 0.1*float64(n)/40), Clock: 1e9}
		if side == &r.Plan.B {
			take.Clock = 0.9e9
		}
		if disturbed != nil && disturbed(n) {
			take.Disturbed, take.Seconds = "others", 10*take.Seconds
		}
		return take, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestABVerdicts(t *testing.T) {
	plan := ABPlan{Rounds: 16, Matters: 0.02}
	for _, c := range []struct {
		a, b float64
		want stats.Verdict
	}{
		{1, 0.8, stats.Faster},
		{1, 1.25, stats.Slower},
		{1, 1, stats.Same},
		{1, 1.02, stats.Unsure}, // the interval holds the limit
	} {
		r := scripted(t, plan, c.a, c.b, nil)
		if r.Verdict != c.want || r.Rounds != 16 || math.Abs(r.Speedup.Median-c.a/c.b) > 0.01 {
			t.Errorf("%g and %g: %s after %d rounds, %+v", c.a, c.b, r.Verdict, r.Rounds, r.Speedup)
		}
		if math.Abs(r.Clocks.Median-0.9) > 1e-9 {
			t.Errorf("the clock of B is %g of A's, want 0.9", r.Clocks.Median)
		}
	}
}

// A disturbed round is taken again; where all are, there is no verdict.
func TestABDisturbed(t *testing.T) {
	plan := ABPlan{Rounds: 16, Matters: 0.02}
	some := scripted(t, plan, 1, 0.8, func(n int) bool { return n == 2 || n == 9 })
	if some.Verdict != stats.Faster || some.Rounds != 16 || some.Aside != 2 || len(some.Takes) != 72 {
		t.Errorf("%s, %d rounds, %d aside, %d takes", some.Verdict, some.Rounds, some.Aside, len(some.Takes))
	}
	all := scripted(t, plan, 1, 0.8, func(int) bool { return true })
	if all.Verdict != stats.Unsure || all.Rounds != 0 || all.Aside != 16 || !(all.Speedup.Median > 1.2) {
		t.Errorf("%s, %d rounds, %d aside, %+v", all.Verdict, all.Rounds, all.Aside, all.Speedup)
	}
}

func TestABRefuses(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	w, err := workloads.Find(s.config.Workloads, "matmul")
	if err != nil {
		t.Fatal(err)
	}
	small := func(size int, variant string) ABSide {
		return ABSide{Params: w.Defaults(true).With(workloads.Values{"min_size": size, "max_size": size}), Variant: variant}
	}
	for _, c := range []struct {
		what string
		plan ABPlan
	}{
		{"no such variant", ABPlan{Workload: "matmul", A: small(8, "nonsense"), B: small(8, ""), Rounds: 6}},
		{"no time for a measurement", ABPlan{Workload: "matmul", A: small(8, ""), B: small(8, ""), Rounds: 6, Take: -1}},
		{"too few rounds", ABPlan{Workload: "matmul", A: small(8, ""), B: small(8, ""), Rounds: 2}},
		{"no such workload", ABPlan{Workload: "nonsense", Rounds: 6}},
		{"a series has no single points", ABPlan{Workload: "soak", A: ABSide{Params: defaults(t, s, "soak")}, B: ABSide{Params: defaults(t, s, "soak")}, Rounds: 6}},
		{"no such program", ABPlan{Workload: "matmul", A: ABSide{Params: small(8, "").Params, Program: "/nonexistent"}, B: small(8, ""), Rounds: 6}},
	} {
		if r, err := s.Tuner().AB(t.Context(), c.plan, nil); err == nil {
			t.Errorf("%s: no error, %+v", c.what, r)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Tuner().AB(ended, ABPlan{Workload: "matmul", A: small(8, ""), B: small(8, ""), Rounds: 6}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func defaults(t *testing.T, s *Session, name string) workloads.Values {
	t.Helper()
	w, err := workloads.Find(s.config.Workloads, name)
	if err != nil {
		t.Fatal(err)
	}
	return w.Defaults(true)
}
