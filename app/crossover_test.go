package app

import (
	"errors"
	"math"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/workloads"
)

// line compares with a speedup that falls through 1 at a place, known to ± unsure.
func line(place, unsure float64, asked *[]int) func(at int) (CrossPoint, error) {
	return func(at int) (CrossPoint, error) {
		*asked = append(*asked, at)
		speed := place / float64(at)
		i := stats.Interval{Median: speed, Lo: speed * (1 - unsure), Hi: speed * (1 + unsure)}
		return CrossPoint{At: at, Speedup: stats.Estimate{Interval: i}, Verdict: stats.Rule{}.Judge(i), Rounds: 12}, nil
	}
}

func TestBisect(t *testing.T) {
	for _, c := range []struct {
		what          string
		place, unsure float64
		lo, hi        float64 // the interval must contain this, and be no wider than
	}{
		{"certain everywhere", 700, 1e-9, 660, 740},
		{"known to 10 %", 700, 0.1, 590, 830},
		{"near an end", 65, 1e-9, 64, 69},
	} {
		var asked []int
		r := &CrossResult{Plan: CrossPlan{From: 64, To: 4096, Width: 0.05}}
		if err := r.bisect(line(c.place, c.unsure, &asked), nil); err != nil {
			t.Fatal(err)
		}
		if !r.Found || float64(r.Lo) > c.place || float64(r.Hi) < c.place || float64(r.Lo) < c.lo || float64(r.Hi) > c.hi || math.Abs(r.At-c.place) > 1 {
			t.Errorf("%s: %v at %g, between %d and %d", c.what, r.Found, r.At, r.Lo, r.Hi)
		}
		if len(asked) > 16 {
			t.Errorf("%s: %d comparisons: %v", c.what, len(asked), asked)
		}
	}
}

func TestNoCrossing(t *testing.T) {
	for place, why := range map[float64]string{10: "B is slower at both ends", 1e6: "B is faster at both ends", 64: "at 64: the difference is too small: B’s speed is 0.990× to 1.01× of A’s"} {
		var asked []int
		r := &CrossResult{Plan: CrossPlan{From: 64, To: 4096, Width: 0.05}}
		if err := r.bisect(line(place, 0.01, &asked), nil); err != nil || r.Found || r.Why != why || len(asked) != 2 || r.Unsure() != (place == 64) {
			t.Errorf("%g: %v, %v, %q after %v", place, err, r.Found, r.Why, asked)
		}
	}
	broken := errors.New("broken")
	r := &CrossResult{Plan: CrossPlan{From: 64, To: 4096, Width: 0.05}}
	if err := r.bisect(func(int) (CrossPoint, error) { return CrossPoint{}, broken }, nil); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestCrossoverOfAWorkload(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	side := func(variant string) ABSide {
		return ABSide{Params: defaults(t, s, "matmul").With(workloads.Values{"compare": "naive"}), Variant: variant}
	}
	plan := CrossPlan{ABPlan: ABPlan{Workload: "matmul", A: side("tiled 64"), B: side("naive"), Rounds: 6, Take: 1}, Along: "size", From: 4, To: 5, Width: 0.5}
	r, err := s.Tuner().Crossover(t.Context(), plan, nil)
	if err != nil || len(r.Points) < 2 || r.Points[0].At != 4 || !r.Found && r.Why == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	for what, change := range map[string]func(p *CrossPlan){
		"reversed":       func(p *CrossPlan) { p.From, p.To = 8, 4 },
		"no such":        func(p *CrossPlan) { p.Along = "nonsense" },
		"not a number":   func(p *CrossPlan) { p.Along = "dtype" },
		"too precise":    func(p *CrossPlan) { p.Width = 0 },
		"beyond maximum": func(p *CrossPlan) { p.To = 1 << 30 },
	} {
		wrong := plan
		change(&wrong)
		if _, err := s.Tuner().Crossover(t.Context(), wrong, nil); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// The place moves on the requested sweep, which need not be the first; if it changes nothing, nothing is measured.
func TestCrossoverAlongAnySweep(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	check := func(workload, name string, v workloads.Values) error {
		w, err := workloads.Find(s.config.Workloads, workload)
		if err != nil {
			t.Fatal(err)
		}
		side := ABSide{Params: w.Defaults(true).With(v)}
		p := CrossPlan{ABPlan: ABPlan{A: side, B: side}, Along: name, From: 4, To: 8, Width: 0.5}
		return p.Check(w)
	}
	for _, name := range []string{"size", "elements", "min_elements"} {
		if err := check("fusion", name, nil); err != nil {
			t.Errorf("fusion along %s: %v", name, err)
		}
	}
	if err := check("fusion", "elements", workloads.Values{"pattern": "matmul+bias"}); err == nil || !strings.Contains(err.Error(), "depends on elements") {
		t.Errorf("a pattern of matrices along elements: %v", err)
	}
	if err := check("attention", "max_length", nil); err != nil {
		t.Errorf("attention along max_length: %v", err)
	}
	w := workloads.Workload{Name: "still", Params: []workloads.Param{{Name: "goal", Type: workloads.Int, Min: 1, Max: 9, Default: 1, Role: workloads.RoleFinding}}}
	side := ABSide{Params: w.Defaults(true)}
	p := CrossPlan{ABPlan: ABPlan{A: side, B: side}, Along: "goal", From: 4, To: 8, Width: 0.5}
	if err := p.Check(&w); err == nil || !strings.Contains(err.Error(), "the cases at 4 and at 8 are the same") {
		t.Errorf("along a goal: %v", err)
	}
}
