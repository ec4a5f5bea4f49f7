package app

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/measure"
)

// ErrNothingDisturbed is the error of a request to repeat the disturbed cases of a run that has none.
var ErrNothingDisturbed = errors.New("no case of the run was disturbed")

// ErrNothingToExtend is the error of a request to extend the sweeps of a run if no finding asks for it.
var ErrNothingToExtend = errors.New("no finding of the run is at the end of a sweep that can be extended")

// Again returns the request that repeats the disturbed cases of a run and takes over the results of the others. With the
// name of a workload it covers only that one.
func Again(run *bundle.Run, only string) (Request, error) {
	run = ofWorkload(run, only)
	if countDisturbed(run) == 0 {
		return Request{}, fmt.Errorf("%w: %s", ErrNothingDisturbed, run.Meta.ID)
	}
	return takeOver(run), nil
}

func countDisturbed(run *bundle.Run) int {
	n := 0
	for i := range run.Results {
		if _, is := run.Results[i].Disturbed(); is {
			n++
		}
	}
	return n
}

// Extend returns the request that extends the sweeps of a run as findings advise, takes over its undisturbed results, and
// measures the new cases. With the name of a workload it covers only that one.
func Extend(run *bundle.Run, only string, findings []workloads.Finding) (Request, error) {
	r := takeOver(ofWorkload(run, only))
	r.Jobs = slices.Clone(r.Jobs)
	extended := false
	for i := range r.Jobs {
		j := &r.Jobs[i]
		for _, f := range findings {
			by := f.Facts.Extend
			if to, known := j.Params[by.Param].(int); known && f.Workload == j.Workload && by.To > to {
				j.Params, extended = j.Params.With(workloads.Values{by.Param: by.To}), true
			}
		}
	}
	if !extended {
		err := fmt.Errorf("%w: %s", ErrNothingToExtend, run.Meta.ID)
		if n := countDisturbed(run); n > 0 {
			err = fmt.Errorf("%w; %d of its %s disturbed: measure again first", err, n, si.Counted(len(run.Results), "result"))
		}
		return Request{}, err
	}
	return r, nil
}

// takeOver returns the request of a run together with the results that can be taken over from it.
func takeOver(run *bundle.Run) Request {
	m := &run.Meta
	schedule, _ := measure.ParseSchedule(m.Schedule) // empty: none
	return Request{
		Jobs: m.Jobs, Engine: m.Engine.Engine, Quick: m.Quick, Seed: m.Seed, again: run, Tuned: m.Tuned,
		Quiet: m.Quiet && !m.QuietOnHost, QuietOnHost: m.QuietOnHost,
		Sampling: Sampling{
			Precision: m.Precision, Time: time.Duration(m.Budget * float64(time.Second)), MinSamples: m.MinSample, Energy: Energy(m.Energy),
			Warmups: m.Warmups, WarmupTime: time.Duration(m.WarmupTime * float64(time.Second)),
			Schedule: schedule,
		},
	}
}

// ofWorkload returns the part of a run that is about one workload; without a name, the whole run.
func ofWorkload(run *bundle.Run, name string) *bundle.Run {
	if name == "" {
		return run
	}
	part := *run
	part.Meta.Jobs, part.Results = nil, nil
	for i, j := range run.Meta.Jobs {
		if j.Workload != name {
			continue
		}
		for _, r := range run.Results {
			if r.Job == i {
				r.Job = len(part.Meta.Jobs)
				part.Results = append(part.Results, r)
			}
		}
		part.Meta.Jobs = append(part.Meta.Jobs, j)
	}
	return &part
}

// checkAgain returns an error if results of the earlier run come from another engine.
func (r *Request) checkAgain(engine gpu.Engine) error {
	if r.again == nil {
		return nil
	}
	was, is := &r.again.Meta.Engine, engine.Info()
	if was.Engine != is.Engine || was.Device != is.Device {
		return fmt.Errorf("run %s was measured on %s (%s): its results cannot be joined with those of %s (%s)", r.again.Meta.ID,
			was.Device, was.Engine, is.Device, is.Engine)
	}
	return nil
}

// earlier returns the results of an undisturbed case of a job of the earlier run, if there is one.
func (r *Request) earlier(job int) func(caseName string) []workloads.Result {
	if r.again == nil {
		return nil
	}
	return func(caseName string) []workloads.Result {
		var kept []workloads.Result
		for _, one := range r.again.Results {
			if one.Job != job || one.Case != caseName {
				continue
			}
			if _, disturbed := one.Disturbed(); disturbed || one.Status != workloads.OK {
				return nil
			}
			one.Marks = nil // findings are drawn again
			kept = append(kept, one)
		}
		return kept
	}
}

// measured reports whether a case of a job has results that are taken over.
func (r *Request) measured(job int, at workloads.Point) bool {
	if r.again == nil {
		return false
	}
	like := func(one *workloads.Result) bool {
		return one.Job == job && !slices.ContainsFunc(at, func(s workloads.Setting) bool { return one.Setting(s.Name) != s.Value })
	}
	for i := range r.again.Results {
		if one := &r.again.Results[i]; like(one) {
			return len(r.earlier(job)(one.Case)) > 0
		}
	}
	return false
}
