package uitest

import (
	"context"
	"sync"

	"assay/app"
	"assay/app/advice"
	"assay/app/bundle"
	"assay/internal/stats"
	"assay/workloads"
)

// Advisor is an advisor that answers immediately and records its requests.
type Advisor struct {
	mu    sync.Mutex
	asked []string
	Hang  bool // its measurements last until they are stopped
}

type advisorService struct{ *Advisor }

// Asked lists the requests.
func (a *Advisor) Asked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.asked...)
}

func (a *Advisor) ask(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, what)
}

// wait lasts until ctx ends if the advisor hangs.
func (a *Advisor) wait(ctx context.Context) error {
	if a.Hang {
		<-ctx.Done()
	}
	return ctx.Err()
}

// figure returns a figure of a result.
func figure(what string, median, lo, hi float64, unit, result string) advice.Figure {
	return advice.Figure{What: what, Value: stats.Interval{Median: median, Lo: lo, Hi: hi}, Unit: unit, Source: "result " + result + ": add+relu 1000000", Result: result}
}

// Advise is part of desk.AdvisorService: a piece with a gain that can be measured, and one without.
func (a advisorService) Advise(r *bundle.Run) []advice.Piece {
	a.ask("advise " + r.Meta.ID)
	side := advice.Side{Params: workloads.Values{}}
	return []advice.Piece{
		{
			Rule: "unfused", Title: "Operations that could be fused",
			Text:     "One fused kernel is 1.55× faster than separate dispatches (1.51–1.60), in add+relu 1000000; by 5 % or more in 3 of 5 cases.",
			Do:       "Run the operations in one kernel: intermediate results then stay out of memory, and there is one launch.",
			Evidence: []advice.Figure{figure("Time, separate", 650e-6, 626e-6, 676e-6, "s", "1.1"), figure("Time, fused", 416e-6, 396e-6, 429e-6, "s", "1.2")},
			Gain:     advice.Gain{Speedup: stats.Interval{Median: 1.55, Lo: 1.51, Hi: 1.6}, Basis: advice.Measured},
			Trial:    &advice.Trial{Workload: "fusion", Before: side, After: side, What: [2]string{"separate", "fused"}},
		},
		{
			Rule: "memory-full", Title: "Memory almost full", Text: "On average 92.4 % of the machine’s memory was in use over the run (93.1 % at most); 40 of 41 readings are above 90 %.",
			Do:       "Quit other programs, reduce the batch, or store in a smaller format: the system swaps when memory is full.",
			Evidence: []advice.Figure{{What: "Highest, memory in use", Value: stats.Exact(0.931), Unit: "ratio", Limit: "limit 90 %", Source: "monitor, 41 readings: vm_stat"}},
			Gain:     advice.Gain{Speedup: stats.Unknown(), Basis: advice.Unknown},
		},
	}
}

// Measure is part of desk.AdvisorService: after is twice as fast.
func (a advisorService) Measure(ctx context.Context, plan app.ABPlan, tell func(*app.ABResult)) (*app.ABResult, error) {
	a.ask("measure " + plan.Workload)
	r := &app.ABResult{Plan: plan, Wanted: plan.Rounds, Rounds: 3, Aside: 1, Verdict: stats.Unsure, Speedup: stats.Estimate{Interval: stats.Interval{Median: 2, Lo: 1.9, Hi: 2.1}}}
	r.Takes = []app.ABTake{{Round: 1, Side: "A", Seconds: 2e-3}, {Round: 1, Side: "B", Seconds: 1e-3}}
	tell(r)
	if err := a.wait(ctx); err != nil {
		return r, err
	}
	whole := *r
	whole.Rounds, whole.Verdict = plan.Rounds, stats.Faster
	return &whole, nil
}

// Check is part of desk.AdvisorService: the first line is done, the second is not, and the others are uncertain.
func (a advisorService) Check(ctx context.Context, list *advice.Checklist, engine string) (*bundle.Run, []advice.Ticked, error) {
	a.ask("check " + list.Name + " on " + engine)
	if err := a.wait(ctx); err != nil {
		return nil, nil, err
	}
	var lines []advice.Ticked
	for i, item := range list.Items {
		t := advice.Tick{State: advice.NotCertain, Why: "8 of 11 results were disturbed: other programs used 67.4 % of the CPU."}
		switch i {
		case 0:
			t = advice.Tick{State: advice.Done, Why: "One fused kernel is 1.55× faster than separate dispatches (1.51–1.60), in matmul+relu 512.", Evidence: []advice.Figure{figure("Speedup", 1.55, 1.51, 1.6, "×", "1.2")}}
		case 1:
			t = advice.Tick{State: advice.NotDone, Why: "From 16 items on an item is 1.20× slower (1.15–1.25) than with fewer.", Evidence: []advice.Figure{figure("Rate below", 120, 118, 122, "1/s", "2.1")}}
		}
		lines = append(lines, advice.Ticked{Item: item, Tick: t})
	}
	return FinishedRun(Sweep()), lines, nil
}

// Walk is part of desk.AdvisorService: the first step finds something to gain, the others are uncertain.
func (a advisorService) Walk(ctx context.Context, flow *advice.Flow, engine string, _ bool, told func(advice.Taken)) (advice.Verdict, error) {
	a.ask("walk " + flow.Name + " on " + engine)
	v := advice.Verdict{Found: true, Text: "The largest gain is here: " + flow.Steps[0].Title + ". One fused kernel is 1.55× faster.", Do: "Do the operations in one kernel."}
	for i, s := range flow.Steps {
		told(advice.Taken{Step: s})
		if err := a.wait(ctx); err != nil {
			return v, err
		}
		o := advice.Outcome{Branch: advice.Unsure, Saw: "5 of 5 results were disturbed: other programs used 49.7 % of the CPU."}
		if i == 0 {
			o = advice.Outcome{Branch: advice.Loss, Saw: "One fused kernel is 1.55× faster.", Do: "Do the operations in one kernel.", Evidence: []advice.Figure{figure("Speedup", 1.55, 1.51, 1.6, "×", "1.2")}}
		}
		t := advice.Taken{Step: s, Outcome: o}
		told(t)
		v.Steps = append(v.Steps, t)
	}
	return v, nil
}
