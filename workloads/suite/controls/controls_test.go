package controls

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// conclude runs a control on the fake engine and draws its conclusion.
func conclude(t *testing.T, b *benchtest.Rig, w workloads.Workload, set workloads.Values) workloads.Finding {
	t.Helper()
	if err := b.Run(t.Context(), t, w, set); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	return w.Conclude(workloads.Seen{Values: w.Defaults(true).With(set), Results: b.Measured})
}

func expect(t *testing.T, f workloads.Finding, kind, words string) {
	t.Helper()
	if f.Kind != kind || !strings.Contains(f.Text, words) || !f.IsProof() {
		t.Errorf("%s: %q, want %s: %q", f.Kind, f.Text, kind, words)
	}
}

func TestWrongKernelsAreNoticed(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	f := conclude(t, b, Wrong(), workloads.Values{"size": 24})
	expect(t, f, workloads.KindPassed, "verification rejected 5 wrong kernels and accepted the correct one")
	if len(b.Measured) != 1+len(defects()) {
		t.Errorf("%d results", len(b.Measured))
	}
	for i := range b.Measured { // each is reported wrong for its own reason
		if r := &b.Measured[i]; r.Case != rightCase {
			benchtest.Untimed(t, r)
		}
	}
	w := Wrong()
	accepted := append([]workloads.Result(nil), b.Measured...)
	accepted[3].Status = workloads.OK
	expect(t, w.Conclude(workloads.Seen{Results: accepted}), workloads.KindMissed, "accepted wrong results: "+accepted[3].Case)
	rejected := append([]workloads.Result(nil), b.Measured...)
	rejected[0].Status = workloads.Failed
	expect(t, w.Conclude(workloads.Seen{Results: rejected}), workloads.KindMissed, "a correct result was rejected")
	expect(t, w.Conclude(workloads.Seen{Results: b.Measured[:4]}), workloads.KindUndecided, "not measured")
}

func TestSameIsTheSame(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	expect(t, conclude(t, b, Same(), workloads.Values{"size": 16, "copies": 2}), workloads.KindPassed, "as fast as itself within ± 2.00 %, in 2 comparisons")
	n := 0
	b = benchtest.New(t, gputest.Script{Slow: func(int) float64 { // the second of every two submissions is slower, as if it were another kernel
		n++
		return 1 + 0.2*float64(n%4/2)
	}})
	b.Measured = nil
	f := conclude(t, b, Same(), workloads.Values{"size": 16, "copies": 1})
	if f.Kind == workloads.KindPassed {
		t.Errorf("a difference of 20 %% is told as %q", f.Text)
	}
	w := Same()
	expect(t, w.Conclude(workloads.Seen{Values: w.Defaults(true)}), workloads.KindUndecided, "not measured")
}

func TestThrottledCaseIsDiscarded(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	var acts []workloads.DriftAct
	b.Env.Drifted = func(d workloads.Drifted) { acts = append(acts, d.Act) }
	f := conclude(t, b, Throttle(), workloads.Values{"size": 16, "rest": 0.2})
	expect(t, f, workloads.KindPassed, "discarded, and measured again")
	if len(acts) != 2 || acts[0] != workloads.Discarded || acts[1] != workloads.Recovered {
		t.Errorf("acts %v", acts)
	}
	slow := append([]workloads.Result(nil), b.Measured...)
	slow[1] = benchtest.Timed(hotCase, "product", 2*b.Measured[0].Time().Median)
	w, v := Throttle(), workloads.Values{"slowdown": 2.0}
	expect(t, w.Conclude(workloads.Seen{Values: v, Results: slow}), workloads.KindMissed, "the result is not marked")
	slow[1].Values.SetNumber(workloads.TimesAgain, 1)
	expect(t, w.Conclude(workloads.Seen{Values: v, Results: slow}), workloads.KindMissed, "the result is not marked")
	slow[1].Values.SetNumber(workloads.AnchorDrift, 0.9)
	expect(t, w.Conclude(workloads.Seen{Values: v, Results: slow}), workloads.KindMissed, "the result is not marked")
	slow[1].Values.SetNumber(workloads.AnchorDrift, 0.02)
	expect(t, w.Conclude(workloads.Seen{Values: v, Results: slow}), workloads.KindUndecided, "2.00 times as long as before although it was discarded")
	slow[1].Warn("disturbed", "disturbed: the anchor is slower")
	expect(t, w.Conclude(workloads.Seen{Values: v, Results: slow}), workloads.KindUndecided, "is marked")
	slow[1] = benchtest.Timed(hotCase, "product", b.Measured[0].Time().Median)
	slow[1].Warn("disturbed", "disturbed: the anchor is slower")
	expect(t, w.Conclude(workloads.Seen{Values: v, Results: slow}), workloads.KindUndecided, "is marked")
	slow[1] = benchtest.Timed(hotCase, "product", b.Measured[0].Time().Median)
	expect(t, w.Conclude(workloads.Seen{Values: v, Results: slow}), workloads.KindMissed, "not measured again")
}

func TestCompetingLoadIsNoticed(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	expect(t, conclude(t, b, Hog(), workloads.Values{"size": 16}), workloads.KindUndecided, errNoRival.Error())

	busy := false
	b = benchtest.New(t, gputest.Script{Slow: func(int) float64 {
		if busy {
			return 1.8
		}
		return 1
	}})
	b.Env.Rival = func(context.Context) (func() error, error) {
		busy = true
		return func() error { busy = false; return nil }, nil
	}
	expect(t, conclude(t, b, Hog(), workloads.Values{"size": 16}), workloads.KindPassed, "1.80 times as long, and is marked (disturbed: the anchor was then 80 % slower")
	if busy {
		t.Error("the other process goes on")
	}
	w := Hog()
	unmarked := append([]workloads.Result(nil), b.Measured...)
	for i := range unmarked {
		unmarked[i].Warnings = nil
	}
	expect(t, w.Conclude(workloads.Seen{Results: unmarked}), workloads.KindMissed, "the result is not marked")

	b = benchtest.New(t, gputest.Script{})
	b.Env.Rival = func(context.Context) (func() error, error) {
		return func() error { return nil }, nil
	}
	expect(t, conclude(t, b, Hog(), workloads.Values{"size": 16}), workloads.KindPassed, "1.00 times as long")
	b = benchtest.New(t, gputest.Script{})
	b.Env.Rival = func(context.Context) (func() error, error) { return nil, errors.New("no such program") }
	expect(t, conclude(t, b, Hog(), workloads.Values{"size": 16}), workloads.KindUndecided, "no such program")
}

// Every control, and only a control, draws a conclusion.
func TestLeakConcludes(t *testing.T) {
	w := Leak()
	for _, c := range []struct {
		rate  float64
		leaks []string
		kind  string
	}{{10, []string{"grows"}, workloads.KindPassed}, {10, nil, workloads.KindMissed}, {0, nil, workloads.KindPassed}, {0, []string{"grows"}, workloads.KindMissed}} {
		if f := w.Conclude(workloads.Seen{Values: workloads.Values{"rate": c.rate}, Leaks: c.leaks}); f.Kind != c.kind || f.Workload != "leak" {
			t.Errorf("rate %g, leaks %v: %+v", c.rate, c.leaks, f)
		}
	}
}
