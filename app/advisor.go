package app

import (
	"context"
	"time"

	"assay/app/advice"
	"assay/app/bundle"
	"assay/workloads"
)

// Advisor is the service for advice about runs.
type Advisor struct{ session *Session }

// Advisor is the service for advice.
func (s *Session) Advisor() *Advisor { return &Advisor{s} }

// Subject returns a run as rules look at it. For a run on a CPU it opens the engines, to say which have a GPU.
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

// Advise returns what the rules find in a run, the largest gain first.
func (a *Advisor) Advise(run *bundle.Run) []advice.Piece { return advice.Advise(a.Subject(run)) }

// Defaults for the comparison that measures a gain.
const (
	TrialRounds  = 12
	TrialTake    = 350 * time.Millisecond
	trialMatters = 0.01
)

// TrialPlan returns the comparison that measures the gain of a piece of advice, on the engine of the run that it is about.
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

// Measure measures the gain of a piece of advice now: before and after, alternately. tell is called after each round.
func (a *Advisor) Measure(ctx context.Context, plan ABPlan, tell func(*ABResult)) (*ABResult, error) {
	return a.session.Tuner().AB(ctx, plan, tell)
}

// Check measures what decides a checklist on an engine, as one run, and ticks the lines. Measurements made before an error tick
// their lines too.
func (a *Advisor) Check(ctx context.Context, c *advice.Checklist, engine string) (*bundle.Run, []advice.Ticked, error) {
	run, err := a.run(ctx, c.Jobs, engine, "checklist "+c.Name)
	if run == nil {
		return nil, nil, err
	}
	return run, c.Check(a.Subject(run)), err
}

// Walk goes through a flow on an engine; each step is a run. told is called before and after each step.
func (a *Advisor) Walk(ctx context.Context, f *advice.Flow, engine string, all bool, told func(advice.Taken)) (advice.Verdict, error) {
	return f.Walk(ctx, all, func(ctx context.Context, step *advice.Step) (*advice.Subject, error) {
		run, err := a.run(ctx, []advice.Job{step.Job}, engine, "flow "+f.Name+", step "+step.ID)
		if run == nil {
			return nil, err
		}
		return a.Subject(run), err
	}, told)
}

// run measures jobs with the quick settings of their workloads.
func (a *Advisor) run(ctx context.Context, jobs []advice.Job, engine, purpose string) (*bundle.Run, error) {
	r := Request{Engine: engine, Quick: true, Purpose: purpose}
	for _, j := range jobs {
		w, err := workloads.Find(a.session.config.Workloads, j.Workload)
		if err != nil {
			return nil, err
		}
		r.Jobs = append(r.Jobs, bundle.Job{Workload: j.Workload, Params: w.Defaults(true).With(j.Params)})
	}
	return a.session.Runs().Do(ctx, r)
}
