package desk

import (
	"context"

	"assay/app"
	"assay/app/advice"
	"assay/app/bundle"
)

// AdvisorService says what could be improved about runs. All of it may take a while: call it through Background.
type AdvisorService interface {
	Advise(*bundle.Run) []advice.Piece
	Measure(ctx context.Context, plan app.ABPlan, tell func(*app.ABResult)) (*app.ABResult, error)
	Check(ctx context.Context, list *advice.Checklist, engine string) (*bundle.Run, []advice.Ticked, error)
	Walk(ctx context.Context, flow *advice.Flow, engine string, all bool, told func(advice.Taken)) (advice.Verdict, error)
}

// Advising is the advice about a run, and what the advisor measured.
type Advising struct {
	Run     *bundle.Run // the run that Pieces are about; nil: none
	Reading bool        // the rules are looking at it
	Pieces  []advice.Piece
	Gains   map[string]*Gain    // by rule: of Pieces
	Checked map[string]*Checked // by name of the checklist
	Walked  map[string]*Walked  // by name of the flow
	Doing   string              // what is being measured: "unfused", "deploy", "slow"; empty: nothing
	stop    context.CancelFunc
}

// Gain is the gain of a piece of advice, being measured or measured.
type Gain struct {
	Result *app.ABResult // so far; nil: nothing yet
	Why    string        // it could not be measured
	Over   bool
}

// Checked is a checklist and the run that ticked it.
type Checked struct {
	Run   *bundle.Run // nil: none yet
	Lines []advice.Ticked
	Why   string // it could not be measured, or not to the end
}

// Walked is a flow up to its current step.
type Walked struct {
	Steps   []advice.Taken // the last one without a branch is in progress
	Verdict *advice.Verdict
	Why     string // it was stopped
}

func newAdvising() Advising {
	return Advising{Gains: map[string]*Gain{}, Checked: map[string]*Checked{}, Walked: map[string]*Walked{}}
}

// Advise applies the rules to the run that is shown, unless that is done already.
func (d *Desk) Advise() {
	a, run := &d.Model.Advising, d.Model.Showing.Run
	if run == a.Run || run == d.Model.Showing.Running && run != nil || d.shut {
		return
	}
	a.Run, a.Pieces, a.Gains = run, nil, map[string]*Gain{}
	a.Reading = run != nil && run.Meta.Watch == nil
	if !a.Reading {
		return
	}
	service := d.Session.Advisor
	d.Background(func() func() {
		pieces := service.Advise(run)
		return func() {
			if a.Run == run {
				a.Pieces, a.Reading = pieces, false
				d.Redraw(ChangedAdvice)
			}
		}
	})
}

// CannotMeasureAdvice says why the advisor cannot measure now; empty if it can.
func (m *Model) CannotMeasureAdvice() string {
	switch {
	case m.Advising.Doing != "":
		return "The advisor is measuring."
	case m.Busy() != nil:
		return "A run is in progress."
	}
	return ""
}

// advising does what the advisor measures, until it ends or is stopped. work runs on another goroutine, and the function it
// returns on this one.
func (d *Desk) advising(what string, work func(ctx context.Context) (then func())) {
	a := &d.Model.Advising
	if d.Model.CannotMeasureAdvice() != "" || d.shut {
		return
	}
	var ctx context.Context
	ctx, a.stop = context.WithCancel(d.life)
	a.Doing = what
	d.stopTuning()
	d.Redraw(ChangedAdvice)
	d.Background(func() func() {
		then := work(ctx)
		return func() {
			a.stop()
			a.Doing = ""
			then()
			d.Redraw(ChangedAdvice)
		}
	})
}

// StopAdvice stops the advisor's measurement.
func (d *Desk) StopAdvice() {
	if a := &d.Model.Advising; a.Doing != "" {
		a.stop()
	}
}

// MeasureGain measures the gain of a piece of advice: before and after, alternately.
func (d *Desk) MeasureGain(p *advice.Piece) {
	a, service := &d.Model.Advising, d.Session.Advisor
	if p.Trial == nil || a.Run == nil || d.Model.CannotMeasureAdvice() != "" {
		return
	}
	gain, plan := &Gain{}, app.TrialPlan(p.Trial, a.Run.Meta.Engine.Engine)
	a.Gains[p.Rule] = gain
	d.advising(p.Rule, func(ctx context.Context) func() {
		r, err := service.Measure(ctx, plan, func(r *app.ABResult) {
			copied := *r
			d.Post(func() { gain.Result = &copied; d.Redraw(ChangedAdvice) })
		})
		return func() {
			gain.Over = true
			if r != nil {
				gain.Result = r
			}
			if ctx.Err() == nil && err != nil {
				gain.Why = err.Error()
			}
		}
	})
}

// Check makes the measurements that tick a checklist.
func (d *Desk) Check(list *advice.Checklist) {
	a, service, engine := &d.Model.Advising, d.Session.Advisor, d.Model.Engine
	d.advising(list.Name, func(ctx context.Context) func() {
		run, lines, err := service.Check(ctx, list, engine)
		return func() {
			c := &Checked{Run: run, Lines: lines}
			if err != nil {
				c.Why = stopped(ctx, err)
			}
			a.Checked[list.Name] = c
		}
	})
}

// Walk goes through a flow; with all, to the end even if a step finds the cause.
func (d *Desk) Walk(flow *advice.Flow, all bool) {
	a, service, engine := &d.Model.Advising, d.Session.Advisor, d.Model.Engine
	if d.Model.CannotMeasureAdvice() != "" {
		return
	}
	walked := &Walked{}
	a.Walked[flow.Name] = walked
	d.advising(flow.Name, func(ctx context.Context) func() {
		verdict, err := service.Walk(ctx, flow, engine, all, func(t advice.Taken) {
			d.Post(func() { walked.take(t); d.Redraw(ChangedAdvice) })
		})
		return func() {
			if err != nil {
				walked.Why = stopped(ctx, err)
				return
			}
			walked.Verdict = &verdict
		}
	})
}

// take adds a step, or the outcome of the one in progress.
func (w *Walked) take(t advice.Taken) {
	if n := len(w.Steps); n > 0 && w.Steps[n-1].ID == t.ID {
		w.Steps[n-1] = t
		return
	}
	w.Steps = append(w.Steps, t)
}

// stopped says why something did not reach its end.
func stopped(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "Stopped."
	}
	return err.Error()
}
