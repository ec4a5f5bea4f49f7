package app

import (
	"context"
	"time"

	"assay/app/advice"
	"assay/app/bundle"
)

// Advisor is the service for advice about runs.
type Advisor struct{ session *Session }

// Advisor is the service for advice.
func (s *Session) Advisor() *Advisor { return &Advisor{s} }

// Subject is a run as rules look at it. Of a run on a CPU it opens the engines, to say which have a GPU.
func (a *Advisor) Subject(run *bundle.Run) *advice.Subject {
	s := &advice.Subject{Run: run, Workloads: a.session.config.Workloads}
	if run.Meta.Engine.GPU || len(run.Results) == 0 {
		return s
	}
	for _, e := range a.session.Engines().List() {
		if e.Available && e.Info.GPU && !e.Info.Simulated {
			s.GPUs = append(s.GPUs, e.Name)
		}
	}
	return s
}

// Advise is what the rules see in a run, the largest gain first.
func (a *Advisor) Advise(run *bundle.Run) []advice.Piece { return advice.Advise(a.Subject(run)) }

// Defaults of the comparison that measures a gain.
const (
	TrialRounds  = 12
	TrialTake    = 350 * time.Millisecond
	trialMatters = 0.01
)

// TrialPlan is the comparison that measures the gain of a piece of advice, on the engine of the run that it is about.
func TrialPlan(t *advice.Trial, engine string) ABPlan {
	side := func(s advice.Side) ABSide {
		out := ABSide{Params: s.Params, Engine: s.Engine, Variant: s.Variant}
		if out.Engine == "" {
			out.Engine = engine
		}
		return out
	}
	return ABPlan{Workload: t.Workload, A: side(t.Before), B: side(t.After), Rounds: TrialRounds, Take: TrialTake, Matters: trialMatters}
}

// Measure measures the gain of a piece of advice now: before and after in turns. tell is called after each round.
func (a *Advisor) Measure(ctx context.Context, plan ABPlan, tell func(*ABResult)) (*ABResult, error) {
	return a.session.Tuner().AB(ctx, plan, tell)
}
