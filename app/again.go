package app

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/workloads"
)

// ErrNothingDisturbed is the error of a request to measure the disturbed cases of a run again that has none.
var ErrNothingDisturbed = errors.New("no case of the run was disturbed")

// Again is the request that measures the disturbed cases of a run again, and takes the results of the others over. With the
// name of a workload it is only about that one.
func Again(run *bundle.Run, only string) (Request, error) {
	if only != "" {
		run = ofWorkload(run, only)
	}
	if !slices.ContainsFunc(run.Results, func(r workloads.Result) bool { _, is := r.Disturbed(); return is }) {
		return Request{}, fmt.Errorf("%w: %s", ErrNothingDisturbed, run.Meta.ID)
	}
	m := &run.Meta
	return Request{
		Jobs: m.Jobs, Engine: m.Engine.Engine, Quick: m.Quick, Seed: m.Seed, again: run,
		Sampling: Sampling{Precision: m.Precision, Time: time.Duration(m.Budget * float64(time.Second)), MinSamples: m.MinSample},
	}, nil
}

// ofWorkload is the part of a run that is about one workload.
func ofWorkload(run *bundle.Run, name string) *bundle.Run {
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

// kept is how many cases of a job are taken over from the earlier run.
func (r *Request) kept(job int) int {
	if r.again == nil {
		return 0
	}
	cases, earlier := map[string]bool{}, r.earlier(job)
	for i := range r.again.Results {
		if one := &r.again.Results[i]; one.Job == job && len(earlier(one.Case)) > 0 {
			cases[one.Case] = true
		}
	}
	return len(cases)
}

// checkAgain returns an error if results of the earlier run are not of this engine.
func (r *Request) checkAgain(engine gpu.Engine) error {
	if r.again == nil {
		return nil
	}
	was, is := &r.again.Meta.Engine, engine.Info()
	if was.Engine != is.Engine || was.Device != is.Device {
		return fmt.Errorf("run %s was measured on %s (%s): its cases cannot be measured again on %s (%s)", r.again.Meta.ID,
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
