// Package drill makes things go wrong on purpose and looks at what Assay makes of it: each drill injects one fault into a small run
// and checks that it is told and that results from before are kept; where the engine fails, also that the next run works.
package drill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/inject"
	"assay/workloads"
)

// Drill is one fault and what must come of it.
type Drill struct {
	Name, Title string
	run         func(context.Context, *stage) (saw string, err error)
}

// Outcome is what a drill showed.
type Outcome struct {
	Drill string        `json:"drill"`
	Pass  bool          `json:"pass"`
	Saw   string        `json:"saw"` // what happened, or why it is not what should have
	Took  time.Duration `json:"took_ns"`
	// Missing is why the fault cannot be injected here; then nothing was tried.
	Missing string `json:"not_available,omitempty"`
}

// absent is the error of a drill whose fault cannot be injected, and why.
type absent string

func (a absent) Error() string { return string(a) }

// limit is how long a drill may take before it counts as stuck.
const limit = 2 * time.Minute

// All are the drills.
func All() []Drill {
	return []Drill{
		engine("out-of-memory", "An allocation does not fit", workloads.OutOfMemory, &inject.Plan{Fault: inject.OutOfMemory, At: 3}),
		engine("compile-error", "A kernel does not compile", workloads.CompileFailed, &inject.Plan{Fault: inject.CompileError, At: 1}),
		engine("failed", "A command buffer fails", workloads.NotExecuted, &inject.Plan{Fault: inject.Failed, At: 25}),
		engine("hung", "A command buffer does not end", workloads.TimedOut, &inject.Plan{Fault: inject.Hung, At: 25}),
		engine("device-lost", "The device goes away", workloads.DeviceLost, &inject.Plan{Fault: inject.Lost, At: 25}),
		{"killed", "The process is killed in the middle of a run", killed},
		{"file-limit", "Files cannot grow any more", fileLimit},
		{"corrupt-cache", "What is cached on disk is damaged", corruptCache},
		{"clock-step", "The wall clock is set back in the middle of a run", clockStep},
		{"hung-sensor", "A sensor does not answer", hungSensor},
		{"lying-sensor", "A sensor reports nonsense", lyingSensor},
	}
}

// Setup is what drills run with.
type Setup struct {
	Config   app.Config
	Engine   string // as for a run
	Workload string // which is run, with its quick settings
	Program  string // Assay's own, for drills that need another process
}

// stage is a folder for one drill, and what it runs.
type stage struct {
	Setup
	dir string
}

// Run runs a drill in a temporary folder.
func (d Drill) Run(ctx context.Context, s Setup) Outcome {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	o := Outcome{Drill: d.Name}
	dir, err := os.MkdirTemp("", "assay-drill-")
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // temporary
		s.Config.RunsDir = dir
		s.Config.AlertFile, s.Config.TuningFile = filepath.Join(dir, "alerts.json"), filepath.Join(dir, "tuned.json") // not the user's
		s.Config.SelfTest = false                                                                                     // the fault is for what is measured, not for the self-test of a first run
		o.Saw, err = d.run(ctx, &stage{s, dir})
	}
	if o.Pass = err == nil; err != nil {
		o.Saw = err.Error()
	}
	if why := absent(""); errors.As(err, &why) {
		o.Saw, o.Missing = "Not available: "+string(why), string(why)
	}
	o.Took = time.Since(began)
	return o
}

// request is the small run of a drill.
func (s *stage) request() (app.Request, error) {
	w, err := workloads.Find(s.Config.Workloads, s.Workload)
	if err != nil {
		return app.Request{}, err
	}
	return app.Request{
		Engine: s.Engine, Quick: true, Jobs: []bundle.Job{{Workload: w.Name, Params: w.Defaults(true)}},
		Sampling:   app.Sampling{Time: app.MinTime, MinSamples: 10},
		Throttling: app.Throttling{Mode: app.ThrottleOff}, // the fault is for what is measured, not for the anchor
	}, nil
}

// engine is a drill with a fault of the engine, which is told as a failure of that kind.
func engine(name, title string, kind workloads.FailureKind, plan *inject.Plan) Drill {
	return Drill{name, title, func(ctx context.Context, s *stage) (string, error) {
		once := inject.Plan{Fault: plan.Fault, At: plan.At}
		session, err := app.New(faulty(s.Config, &once))
		if err != nil {
			return "", err
		}
		saw, err := s.faultAndRecovery(ctx, session, &once, kind)
		return saw, errors.Join(err, session.Close())
	}}
}

// faulty is a configuration whose engines have the fault.
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

// faultAndRecovery runs until the fault, then again.
func (s *stage) faultAndRecovery(ctx context.Context, session *app.Session, plan *inject.Plan, kind workloads.FailureKind) (string, error) {
	request, err := s.request()
	if err != nil {
		return "", err
	}
	run, failure := session.Runs().Do(ctx, request)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the run did not end within %v", limit)
	case run == nil:
		return "", fmt.Errorf("no run came of it: %w", failure)
	case !plan.Fired():
		return "", errors.New("the run ended before the fault")
	}
	told, err := told(run, failure, kind)
	if err != nil {
		return "", err
	}
	kept, err := sameOnDisk(run)
	if err != nil {
		return "", err
	}
	again, err := session.Runs().Do(ctx, request)
	if err != nil {
		return "", fmt.Errorf("the next run failed: %w", err)
	}
	if !again.OK() || measured(again) == 0 {
		return "", fmt.Errorf("of the next run %d of %d results were measured", measured(again), len(again.Results))
	}
	return fmt.Sprintf("told as %q; %d of %d results measured, all %d on disk; the next run measured %d", told, measured(run), len(run.Results), kept,
		measured(again)), nil
}

// told is how the fault was told: as the failure of a result, as a retry that it counts, or as the error of the run.
func told(run *bundle.Run, failure error, kind workloads.FailureKind) (string, error) {
	for _, r := range run.Results {
		if r.Failure.Kind == kind && strings.Contains(r.Failure.Text, inject.Mark) {
			return r.Failure.Text, nil
		}
		for _, w := range r.Warnings {
			retried := w.Kind == workloads.Retried && r.Number(workloads.Retries) > 0
			if retried && kind == workloads.NotExecuted && strings.Contains(w.Text, inject.Mark) {
				return w.Text, nil
			}
		}
	}
	if failure != nil && workloads.FailureOf(failure).Kind == kind && strings.Contains(failure.Error(), inject.Mark) {
		return failure.Error(), nil
	}
	return "", fmt.Errorf("nothing tells the fault: no result failed as %q, and the run's error is %v", kind, failure)
}

// sameOnDisk is how many results the bundle has, which must be all.
func sameOnDisk(run *bundle.Run) (int, error) {
	loaded, err := bundle.Load(run.Dir)
	switch {
	case err != nil:
		return 0, fmt.Errorf("the bundle cannot be read: %w", err)
	case len(loaded.Results) != len(run.Results):
		return 0, fmt.Errorf("the bundle has %d of %d results", len(loaded.Results), len(run.Results))
	case len(loaded.Leaks()) > 0:
		return 0, fmt.Errorf("it left a leak: %s", loaded.Leaks()[0].Title)
	}
	return len(loaded.Results), nil
}

func measured(run *bundle.Run) (n int) {
	for _, r := range run.Results {
		if r.Failure.Text == "" {
			n++
		}
	}
	return n
}
