package app

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/workloads"
)

// scripted compares sides with these times, with noise of 1 % and a drift that grows to a tenth over the rounds.
func scripted(t *testing.T, plan ABPlan, a, b float64, disturbed func(n int) bool) *ABResult {
	t.Helper()
	noise, n := rand.New(rand.NewPCG(1, 2)), 0
	r := newABResult(plan)
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
	}, undecided, nil)
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
		{1, 1.02, stats.Unsure}, // the interval contains the limit
	} {
		r := scripted(t, plan, c.a, c.b, nil)
		rounds := 16
		if c.want == stats.Unsure {
			rounds = maxExtension * 16
		}
		if r.Verdict != c.want || r.Rounds != rounds || r.Wanted != rounds || math.Abs(r.Speedup.Median-c.a/c.b) > 0.01 {
			t.Errorf("%g and %g: %s after %d rounds, %+v", c.a, c.b, r.Verdict, r.Rounds, r.Speedup)
		}
		if math.Abs(r.Clocks.Median-0.9) > 1e-9 {
			t.Errorf("the clock of B is %g of A's, want 0.9", r.Clocks.Median)
		}
	}
}

// A disturbed round is repeated; if all are disturbed, there is no verdict.
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

// Variants of one case do the same work however they count operations; other cases are compared per operation if both sides count
// them.
func TestABComparesAlike(t *testing.T) {
	for _, c := range []struct {
		what   string
		a, b   float64 // operations
		differ bool
		want   float64
	}{
		{"variants of a case", 100, 50, false, 0.5},
		{"different cases", 100, 50, true, 0.25},
		{"only one side counts", 100, 0, true, 0.5},
	} {
		r := newABResult(ABPlan{Rounds: 6, Matters: 0.02})
		r.differ = c.differ
		err := r.measure(t.Context(), func(_ context.Context, side *ABSide) (ABTake, error) {
			if side == &r.Plan.B {
				return ABTake{Seconds: 2, Work: c.b}, nil
			}
			return ABTake{Seconds: 1, Work: c.a}, nil
		}, undecided, nil)
		if perOp := c.differ && c.b > 0; err != nil || r.PerOp != perOp || math.Abs(r.Speedup.Median-c.want) > 1e-9 {
			t.Errorf("%s: %g, by operation %v, %v", c.what, r.Speedup.Median, r.PerOp, err)
		}
	}
}

func TestSameCase(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	w, err := workloads.Find(s.config.Workloads, "attention")
	if err != nil {
		t.Fatal(err)
	}
	one := func(v workloads.Values) workloads.Values {
		v, err := w.One(w.Defaults(true).With(v), "", true)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	usual := one(nil)
	compare, err := w.Param("compare")
	if err != nil {
		t.Fatal(err)
	}
	for name, same := range map[string]bool{"compare": true, "max_length": false, "dim": false} {
		value := map[string]any{"compare": compare.Choices[1].Value, "max_length": 1024, "dim": 48}[name]
		if got := w.SameCase(usual, one(workloads.Values{name: value})); got != same {
			t.Errorf("with another %s: %v, want %v", name, got, same)
		}
	}
}

// Builds get every value and the time of a take; what they measured must be the same.
func TestABBuilds(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	build := func(name, engine string) string {
		path := filepath.Join(t.TempDir(), "assay")
		script := `#!/bin/sh
echo "$@" > "${0%/*}/args"
while [ "$1" != --json ]; do shift; done
echo '{"run": {"engine": {"engine": "` + engine + `", "device": "D"}}, "results": [{"case": "` + name + `", "variant": "v", "status": "ok", "time_s": 1}]}' > "$2"
`
		if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ name, engine, want string }{
		{"8 × 8", "cpu", ""}, {"9 × 9", "cpu", "different cases: 8 × 8, and 9 × 9"}, {"8 × 8", "cuda", "different engines: cpu on D, and cuda on D"},
	} {
		a := build("8 × 8", "cpu")
		params := defaults(t, s, "matmul")
		plan := ABPlan{Workload: "matmul", A: ABSide{Params: params, Program: a}, B: ABSide{Params: params, Program: build(c.name, c.engine)}, Rounds: 6, Take: 3 * time.Second}
		r, err := s.Tuner().AB(t.Context(), plan, nil)
		if c.want == "" && (err != nil || r.Verdict != stats.Same || r.Rounds != 9 || r.Engine != [2]string{"cpu on D", "cpu on D"}) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s on %s: %+v, %v", c.name, c.engine, r, err)
		}
		args, err := os.ReadFile(filepath.Join(filepath.Dir(a), "args"))
		if err != nil || strings.Count(string(args), "--set") != len(params) || !strings.Contains(string(args), "--time 3s") {
			t.Errorf("arguments %s, %v", args, err)
		}
	}
}

// drifting measures both sides with autocorrelated noise of their own, and counts the verdicts.
func drifting(t *testing.T, ratio, noise, alike float64, open func(*ABResult) bool) (verdicts map[stats.Verdict]int, covered, rounds int) {
	t.Helper()
	verdicts = map[stats.Verdict]int{}
	for seed := range uint64(trials) {
		rng := rand.New(rand.NewPCG(seed, 1))
		off := map[bool]float64{true: rng.NormFloat64(), false: rng.NormFloat64()}
		r := newABResult(ABPlan{Rounds: 16, Matters: 0.01})
		err := r.measure(t.Context(), func(_ context.Context, side *ABSide) (ABTake, error) {
			b := side == &r.Plan.B
			off[b] = alike*off[b] + math.Sqrt(1-alike*alike)*rng.NormFloat64()
			seconds := math.Exp(noise * off[b])
			if b {
				seconds /= ratio
			}
			return ABTake{Seconds: seconds}, nil
		}, open, nil)
		if err != nil {
			t.Fatal(err)
		}
		verdicts[r.Verdict]++
		rounds += r.Rounds
		if r.Speedup.Lo <= ratio && ratio <= r.Speedup.Hi {
			covered++
		}
	}
	return verdicts, covered, rounds
}

const trials = 400

// Extra rounds if the planned ones decide nothing: clear differences and equalities are found, and 95 % of the intervals still
// contain the ratio, even if it is exactly the limit, so that each look is another chance to be wrong.
func TestMoreRounds(t *testing.T) {
	for _, alike := range []float64{0, 0.4, 0.7} { // at the last level, verdicts need more than 26 rounds on average
		for _, c := range []struct {
			ratio, noise float64
			want         stats.Verdict
		}{{1, 0.005, stats.Same}, {1.05, 0.02, stats.Faster}, {1.01, 0.01, stats.Unsure}} {
			verdicts, covered, rounds := drifting(t, c.ratio, c.noise, alike, undecided)
			needed := trials * 95 / 100
			if alike > 0.5 {
				needed = trials * 85 / 100
			}
			if verdicts[c.want] < needed || covered < trials*95/100 {
				t.Errorf("%g ± %g, alike %g: %v, %d of %d cover, in %d rounds", c.ratio, c.noise, alike, verdicts, covered, trials, rounds)
			}
			if few := rounds < trials*26; alike < 0.5 && few != (c.want != stats.Unsure) {
				t.Errorf("%g ± %g, alike %g: %d rounds in %d trials", c.ratio, c.noise, alike, rounds, trials)
			}
		}
		// A crossover adds rounds only until there is an interval: it searches for places where both sides are alike.
		if verdicts, _, rounds := drifting(t, 1.01, 0.01, alike, unbounded); verdicts[stats.Unsure] < trials*9/10 || rounds > trials*26 {
			t.Errorf("crossover, alike %g: %v, %d rounds", alike, verdicts, rounds)
		}
	}
}
