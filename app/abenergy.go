package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"assay/gpu"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// ABEnergy is what a comparison shows about energy. Ratio is A's energy over B's: above 1, B needs less. A counter covers its
// device alone: a GPU's counter does not include the host that feeds it.
type ABEnergy struct {
	Takes   []ABJoules
	PerOp   bool // compared per operation, as times are
	A, B    float64
	Ratio   stats.Interval
	Verdict stats.Verdict // Faster: B needs less
	Why     string        // why there is no result; empty: it was measured
}

// ABJoules is the energy of one side, measured once.
type ABJoules struct {
	Round   int     `json:"round"`
	Side    string  `json:"side"` // "A" or "B"
	Joules  float64 `json:"energy_j"`
	Work    float64 `json:"ops"` // of one repetition; 0: not counted
	Counter string  `json:"counter"`
}

// energyRounds is how many rounds of A B B A measure energy, after those for time. A measurement is a mean over a second or more,
// so a few suffice for an interval.
const energyRounds = 5

// errNoEnergy says why there is no counter.
type errNoEnergy struct{ why string }

func (e errNoEnergy) Error() string { return e.why }

// abJoules measures the energy of a side once.
type abJoules func(ctx context.Context, side *ABSide) (ABJoules, error)

// measureEnergy measures both sides alternately. A missing counter is a result, not an error.
func (r *ABResult) measureEnergy(ctx context.Context, once abJoules) error {
	e := &ABEnergy{Ratio: stats.Unknown(), Verdict: stats.Unsure}
	r.Energy = e
	for round := range energyRounds {
		for _, name := range []string{"A", "B", "B", "A"} {
			side := &r.Plan.A
			if name == "B" {
				side = &r.Plan.B
			}
			take, err := once(ctx, side)
			var none errNoEnergy
			if errors.As(err, &none) {
				e.Why = name + ": " + none.why
				return nil
			}
			if err != nil {
				r.Canceled = ctx.Err() != nil
				return fmt.Errorf("measure energy of %s: %w", name, err)
			}
			take.Round, take.Side = round+1, name
			e.Takes = append(e.Takes, take)
		}
	}
	e.conclude(r.differ, r.Plan.Matters)
	return nil
}

// conclude judges the rounds.
func (e *ABEnergy) conclude(differ bool, matters float64) {
	e.PerOp = differ && !slices.ContainsFunc(e.Takes, func(t ABJoules) bool { return !(t.Work > 0) })
	cost := func(t *ABJoules) float64 {
		if e.PerOp {
			return t.Joules / t.Work
		}
		return t.Joules
	}
	var a, b, logs []float64
	for i := 0; i+4 <= len(e.Takes); i += 4 {
		t := e.Takes[i : i+4]
		a, b = append(a, cost(&t[0]), cost(&t[3])), append(b, cost(&t[1]), cost(&t[2]))
		logs = append(logs, math.Log((cost(&t[0])+cost(&t[3]))/(cost(&t[1])+cost(&t[2]))))
	}
	e.A, e.B = stats.Median(a).Median, stats.Median(b).Median
	m := stats.Mean(logs)
	e.Ratio = stats.Interval{Median: math.Exp(m.Median), Lo: math.Exp(m.Lo), Hi: math.Exp(m.Hi)}
	e.Verdict = stats.Rule{Floor: matters, Matters: matters}.Judge(e.Ratio)
}

// Sentence is shown to the user: "Energy for each operation: B needs LESS than A, 41 % of it (39 % to 43 %): 1.20 pJ and 2.93 pJ."
func (e *ABEnergy) Sentence() string {
	if e.Why != "" {
		return "Energy: not available: " + e.Why + "."
	}
	per := "of a repetition"
	if e.PerOp {
		per = "for each operation"
	}
	v := e.Ratio
	share := fmt.Sprintf("%.3g %% of it (%.3g %% to %.3g %%)", 100/v.Median, 100/v.Hi, 100/v.Lo)
	words := map[stats.Verdict]string{
		stats.Faster: "B needs LESS than A, " + share, stats.Slower: "B needs MORE than A, " + share, stats.Same: "A and B need the SAME",
	}[e.Verdict]
	if words == "" {
		words = "UNSURE, B needs " + share
	}
	return fmt.Sprintf("Energy %s: %s; A %s, B %s.", per, words, si.Format(e.A, "J"), si.Format(e.B, "J"))
}

// abJoules measures a side's energy in this process, with its engine's counter.
func (s *Session) abJoules(w *workloads.Workload, seed uint64, counter func(gpu.Engine) *measure.EnergyCounter) abJoules {
	return func(ctx context.Context, side *ABSide) (ABJoules, error) {
		if side.Program != "" {
			return ABJoules{}, errNoEnergy{"another build is measured in a separate process, which reports only times"}
		}
		point := Tuned{Workload: w.Name, Case: side.Params, Seed: seed, energy: counter}
		if err := s.measurePoint(ctx, time.Now(), side.Engine, &point); err != nil {
			return ABJoules{}, err
		}
		result, err := chosenResult(point.Results, side.Variant, point.Headline())
		if err != nil {
			return ABJoules{}, err
		}
		joules := result.Get(workloads.Energy)
		if source := result.Values.Text(workloads.EnergySource); !(joules.Median > 0) {
			return ABJoules{}, errNoEnergy{cmp.Or(strings.TrimPrefix(source, "not available: "), "nothing was counted")}
		}
		take := ABJoules{Joules: joules.Median, Counter: result.Values.Text(workloads.EnergySource)}
		if ops := result.Number(workloads.Ops); ops > 0 {
			take.Work = ops
		}
		return take, nil
	}
}

// oneWindow returns the counter of an engine, for one window of each variant.
func (s *Session) oneWindow(engine gpu.Engine) *measure.EnergyCounter {
	open, err := s.energyOf(engine)
	if err != nil {
		return &measure.EnergyCounter{Why: err.Error()}
	}
	return &measure.EnergyCounter{About: open.About, Period: open.Period, Joules: open.Joules, Windows: 1}
}
