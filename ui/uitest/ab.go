package uitest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"assay/app"
	"assay/internal/stats"
)

// Compared is what a test's session reports about comparisons.
type Compared struct {
	// A and B are the seconds that the sides take; CrossAt is the place where they take equally long; 0: there is none.
	A, B    float64
	CrossAt int
	// AfterRounds, unless 0, is the number of rounds or places after which a comparison ends with RefuseAB, or waits until it is
	// canceled.
	AfterRounds int
	RefuseAB    error
	Disturbs    int // the round that is disturbed; 0: none

	mu      sync.Mutex
	abs     []app.ABPlan
	crosses []app.CrossPlan
}

// ABPlans lists the requested comparisons.
func (c *Compared) ABPlans() []app.ABPlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.abs)
}

// CrossPlans lists the requested bisections.
func (c *Compared) CrossPlans() []app.CrossPlan {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.crosses)
}

// AB is part of desk.TunerService.
func (s tunerService) AB(ctx context.Context, p app.ABPlan, tell func(*app.ABResult)) (*app.ABResult, error) {
	s.Compared.mu.Lock()
	s.abs = append(s.abs, p)
	s.Compared.mu.Unlock()
	engine := [2]string{"cpu on Test CPU, 8 threads", "metal on Apple M3"}
	n, noise := 0, rand.New(rand.NewPCG(1, 2))
	r, err := app.CompareBy(ctx, p, func(ctx context.Context, side *app.ABSide) (app.ABTake, error) {
		if s.AfterRounds > 0 && n >= 4*s.AfterRounds {
			return app.ABTake{}, s.hold(ctx)
		}
		n++
		t := app.ABTake{Seconds: s.A, Case: "matmul 1024", Variant: "tiled 64", Clock: 1.6e9}
		if n%4 == 2 || n%4 == 3 {
			t.Seconds, t.Variant = s.B, "blocked"
		}
		t.Seconds *= 1 + 0.004*noise.NormFloat64()
		if n == 4*s.Disturbs-2 {
			t.Disturbed, t.Seconds = "other programs used 43 % of the CPU (chrome)", 1.2*t.Seconds
		}
		return t, nil
	}, func(r *app.ABResult) {
		r.Engine = engine
		tell(r)
	})
	if r != nil {
		r.Engine = engine
	}
	return r, err
}

// hold ends with an error, or waits until the user stops it.
func (c *Compared) hold(ctx context.Context) error {
	if c.RefuseAB != nil {
		return c.RefuseAB
	}
	<-ctx.Done()
	return ctx.Err()
}

// Crossover is part of desk.TunerService.
func (s tunerService) Crossover(ctx context.Context, p app.CrossPlan, tell func(*app.CrossResult)) (*app.CrossResult, error) {
	s.Compared.mu.Lock()
	s.crosses = append(s.crosses, p)
	s.Compared.mu.Unlock()
	places := 0
	return app.BisectBy(p, func(at int) (app.CrossPoint, error) {
		if places++; s.AfterRounds > 0 && places > s.AfterRounds {
			return app.CrossPoint{}, s.hold(ctx)
		}
		ratio := 0.5
		if s.CrossAt > 0 {
			ratio = math.Pow(float64(at)/float64(s.CrossAt), 0.4)
		}
		i := stats.Interval{Median: ratio, Lo: 0.98 * ratio, Hi: 1.02 * ratio}
		return app.CrossPoint{At: at, Speedup: stats.Estimate{Interval: i}, Verdict: stats.Rule{}.Judge(i), Rounds: p.Rounds}, nil
	}, tell)
}

// Variants is part of desk.TunerService.
func (s tunerService) Variants(context.Context, string, app.ABSide) ([]string, error) {
	return []string{"naive", "tiled 64", "blocked"}, s.RefuseAB
}
