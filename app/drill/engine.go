package drill

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/inject"
	"assay/internal/si"
	"assay/workloads"
)

// engine is a drill with a fault of the engine, which must be reported as a failure of that kind. A held fault comes after the
// first result.
func engine(name, title string, kind workloads.FailureKind, plan *inject.Plan) Drill {
	return Drill{name, title, func(ctx context.Context, s *stage) (string, error) {
		once := inject.Plan{Fault: plan.Fault, At: plan.At, Held: plan.Held}
		session, err := app.New(faulty(s.Config, &once))
		if err != nil {
			return "", err
		}
		saw, err := s.faultAndRecovery(ctx, session, &once, kind)
		return saw, errors.Join(err, session.Close())
	}}
}

// faulty returns a configuration whose engines have the fault.
func faulty(c app.Config, plan *inject.Plan) app.Config {
	engines := make([]app.Engine, len(c.Engines))
	for i, e := range c.Engines {
		engines[i] = app.Engine{Name: e.Name, Title: e.Title, Missing: e.Missing}
		if open := e.Open; open != nil {
			engines[i].Open = func() (gpu.Engine, error) {
				opened, err := open()
				if err != nil {
					return nil, err
				}
				return inject.Wrap(opened, plan), nil
			}
		}
	}
	c.Engines = engines
	return c
}

// early are the results that came before the fault.
type early struct {
	mu   sync.Mutex
	list []workloads.Result
}

// watch arms the fault with the first result.
func (e *early) watch(plan *inject.Plan) func(app.Update) {
	return func(u app.Update) {
		r, is := u.(app.ResultUpdate)
		if !is || plan.Fired() {
			return
		}
		e.mu.Lock()
		e.list = append(e.list, r.Result)
		e.mu.Unlock()
		plan.Arm()
	}
}

// lost names a result that the run no longer has unchanged; empty: all are there.
func (e *early) lost(run *bundle.Run) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.list {
		was, kept := &e.list[i], false
		for j := range run.Results {
			r := &run.Results[j]
			kept = kept || r.Case == was.Case && r.Variant == was.Variant && r.Failure == was.Failure && len(r.Samples) == len(was.Samples)
		}
		if !kept {
			return was.Case + ", " + was.Variant
		}
	}
	return ""
}

func (e *early) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.list)
}

// faultAndRecovery runs until the fault, then again.
func (s *stage) faultAndRecovery(ctx context.Context, session *app.Session, plan *inject.Plan, kind workloads.FailureKind) (string, error) {
	request, err := s.request()
	if err != nil {
		return "", err
	}
	var before early
	cancel := session.Subscribe(before.watch(plan))
	run, failure := session.Runs().Do(ctx, request)
	cancel()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the run did not end within %v", limit)
	case run == nil:
		return "", fmt.Errorf("it produced no run: %w", failure)
	case !plan.Fired():
		return "", errors.New("the run ended before the fault")
	}
	how, err := told(run, failure, kind)
	if err != nil {
		return "", err
	}
	loaded, err := sameOnDisk(run)
	switch {
	case err != nil:
		return "", err
	case plan.Held && before.count() == 0:
		return "", errors.New("the fault came before the first result")
	case before.lost(loaded) != "":
		return "", fmt.Errorf("a result from before the fault is lost: %s", before.lost(loaded))
	}
	again, err := session.Runs().Do(ctx, request)
	if err != nil {
		return "", fmt.Errorf("the next run failed: %w", err)
	}
	if !again.OK() || measured(again) == 0 {
		return "", fmt.Errorf("of the next run %d of %d results were measured", measured(again), len(again.Results))
	}
	return fmt.Sprintf("The run reported: %s%s. %sThe next run measured %s", happened(kind, plan.On()), how, keptWords(run, before.count()), si.Counted(measured(again), "result")), nil
}

// happened says what a fault was, and what it affected.
func happened(kind workloads.FailureKind, on string) string {
	for _, known := range []struct {
		kind  workloads.FailureKind
		words string
	}{
		{workloads.OutOfMemory, "out of memory for %s"},
		{workloads.CompileFailed, "%s does not compile"},
		{workloads.NotExecuted, "%s failed"},
		{workloads.TimedOut, "%s did not end in time"},
		{workloads.DeviceLost, "the device was lost under %s"},
	} {
		if known.kind == kind {
			return fmt.Sprintf(known.words, on)
		}
	}
	return on + ": " + strings.ToLower(kind.Title())
}

// keptWords says what the run kept despite the fault.
func keptWords(run *bundle.Run, before int) string {
	whole := measured(run)
	if before == whole && whole < len(run.Results) {
		return fmt.Sprintf("The %s from before it are in the bundle as they were. ", si.Counted(before, "result"))
	}
	return fmt.Sprintf("%d of %d results were measured, and all are in the bundle. ", whole, len(run.Results))
}

// told returns how the fault was reported, and as what: as the failure of results, as a counted retry, or as the error of the run.
func told(run *bundle.Run, failure error, kind workloads.FailureKind) (how string, err error) {
	failed := 0
	for _, r := range run.Results {
		if r.Failure.Kind == kind && strings.Contains(r.Failure.Text, inject.Mark) {
			failed++
		}
		for _, w := range r.Warnings {
			retried := w.Kind == workloads.Retried && r.Number(workloads.Retries) > 0
			if retried && kind == workloads.NotExecuted && strings.Contains(w.Text, inject.Mark) {
				return ", and was repeated", nil
			}
		}
	}
	switch {
	case failed > 0:
		return ", which cost " + si.Counted(failed, "result"), nil
	case failure != nil && workloads.FailureOf(failure).Kind == kind && strings.Contains(failure.Error(), inject.Mark):
		return ", which ended it", nil
	}
	return "", fmt.Errorf("nothing reports the fault: no result failed as “%s”, and the run ended with: %v", kind.Title(), failure)
}
