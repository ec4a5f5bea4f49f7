// Package controls has the workloads that test Assay itself: each deliberately does something wrong, or nothing, and says what Assay must report.
package controls

import (
	"context"
	"fmt"
	"time"

	"assay/workloads"
	"assay/workloads/measure"
)

// Leak is a control: it leaks deliberately, so that a user can see the detectors work.
func Leak() workloads.Workload {
	return workloads.Workload{
		Name: "leak", Title: "Leak control", Group: group, Control: true, Prove: proveLeak,
		About:    "Deliberately leaks buffers at the rate you choose, to show that the leak detectors work.",
		Question: "Would Assay notice a leak?",
		Params: []workloads.Param{
			{
				Name: "rate", Title: "Leak rate", Type: workloads.Float, Unit: "MB/s", Min: 0, Max: 1000, Default: 10.0,
				Role:  workloads.RoleCase,
				About: "Leak rate per second (1 MB = 10⁶ B); 0 leaks nothing and must not raise an alert.",
			},
			{
				Name: "iterations", Title: "Iterations", Type: workloads.Float, Unit: "1/s", Min: 1, Max: 1000, Default: 20.0,
				Role:  workloads.RoleCase,
				About: "Iterations per second; each acquires and releases a working buffer and leaks its share.",
			},
			{
				Name: "duration", Title: "Duration", Type: workloads.Float, Unit: "s", Min: 0.1, Max: 3600, Default: 8.0,
				Role:  workloads.RoleBudget,
				About: "Duration of the run.",
			},
			{
				Name: "limit", Title: "Limit", Type: workloads.Float, Unit: "MB", Min: 1, Max: 100_000, Default: 1000.0,
				Role:  workloads.RoleBudget,
				About: "Limit on leaked memory; iterations continue after it.",
			},
		},
		Quick: map[string]any{"duration": 6.0},
		Run:   runLeak,
	}
}

// workingBytes is the size of the buffer that every iteration acquires and releases.
const workingBytes = 1 << 20

func runLeak(ctx context.Context, env *workloads.Env, v workloads.Values) error {
	const name = "leak control"
	period := time.Duration(float64(time.Second) / v.Float("iterations"))
	total := seconds(v.Float("duration"))
	tick := time.NewTicker(period)
	defer tick.Stop()
	l := leaker{env: env, share: int(v.Float("rate") * 1e6 / v.Float("iterations"))}
	for start := time.Now(); time.Since(start) < total; {
		due := min(v.Float("rate")*time.Since(start).Seconds(), v.Float("limit")) * 1e6
		if err := l.iterate(due); err != nil {
			return fmt.Errorf("after %.0f MB leaked: %w", l.leaked/1e6, err)
		}
		env.Observer.Iteration(name)
		env.Observer.Progress(workloads.Progress{
			Workload: env.Workload.Name, Case: name, Total: 1,
			Measure: measure.Progress{Phase: "leaking", Spent: time.Since(start), Budget: total, Estimate: total - time.Since(start)},
		})
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// leaker leaks buffers of one size.
type leaker struct {
	env    *workloads.Env
	share  int     // bytes per request
	leaked float64 // bytes that the leaked buffers occupy
}

// iterate acquires and releases a working buffer, and leaks until another buffer would exceed what is due. The rate is thus as
// configured, although the pool rounds sizes up and a busy machine skips iterations.
func (l *leaker) iterate(due float64) error {
	work, err := l.env.Pool.Acquire(workingBytes, "working buffer")
	if err != nil {
		return err
	}
	defer work.Release()
	if err := work.Fill(1); err != nil {
		return err
	}
	for l.share > 0 && l.leaked+float64(l.share) <= due {
		if err := l.leak(); err != nil {
			return err
		}
	}
	return nil
}

// leak acquires a buffer and never releases it.
func (l *leaker) leak() error {
	lost, err := l.env.Pool.Acquire(l.share, "deliberate leak")
	if err != nil {
		return err
	}
	buffer, err := lost.Unwrap()
	if err != nil {
		return err
	}
	l.leaked += float64(buffer.Size())
	return lost.Fill(1) // touched, so that the process's footprint grows as with a real leak
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func proveLeak(s workloads.Seen) workloads.Proof {
	switch leaks, found := s.Values.Float("rate") > 0, len(s.Leaks) > 0; {
	case leaks && found:
		return workloads.Passed("the detectors found the deliberate leak")
	case leaks:
		return workloads.Missed("the detectors missed the deliberate leak")
	case found:
		return workloads.Missed("a leak was found although none was introduced")
	}
	return workloads.Passed("no leak was introduced, and none was found")
}
