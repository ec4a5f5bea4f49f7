// Package drill injects faults and checks how Assay handles them. Each drill injects one fault into a small run and checks that
// it is reported and that earlier results are kept; if the engine fails, also that the next run works.
package drill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu/inject"
	"assay/workloads"
)

// Drill is one fault and its required outcome.
type Drill struct {
	Name, Title string
	run         func(context.Context, *stage) (saw string, err error)
}

// Outcome is what a drill showed.
type Outcome struct {
	Drill string        `json:"drill"`
	Pass  bool          `json:"pass"`
	Saw   string        `json:"saw"` // what happened, or how it differs from what should have
	Took  time.Duration `json:"took_ns"`
	// Missing is why the fault cannot be injected here; then nothing was tried.
	Missing string `json:"not_available,omitempty"`
}

// absent is the error of a drill whose fault cannot be injected, with the reason.
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
		engine("hung", "A command buffer hangs", workloads.TimedOut, &inject.Plan{Fault: inject.Hung, At: 5, Held: true}),
		engine("device-lost", "The device is lost", workloads.DeviceLost, &inject.Plan{Fault: inject.Lost, At: 5, Held: true}),
		{"killed", "The process is killed in the middle of a run", killed},
		{"file-limit", "Files cannot grow any more", fileLimit},
		{"corrupt-cache", "The cache on disk is damaged", corruptCache},
		{"clock-step", "The wall clock is set back in the middle of a run", clockStep},
		{"hung-sensor", "A sensor does not answer", hungSensor},
		{"lying-sensor", "A sensor reports nonsense", lyingSensor},
	}
}

// Setup is what drills run with.
type Setup struct {
	Config   app.Config
	Engine   string // as for a run
	Workload string // to be run with its quick settings
	Program  string // Assay's own, for drills that need another process
}

// Check opens the engine and closes it, so that an unavailable one is reported before any drill.
func (s Setup) Check() error {
	session, err := app.New(s.Config)
	if err != nil {
		return err
	}
	_, _, err = session.Engines().Lacks(s.Engine)
	return errors.Join(err, session.Close())
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
		s.Config.SelfTest = false                                                                                     // the fault is for the measurement, not a first run’s self-test
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
		Throttling: app.Throttling{Mode: app.ThrottleOff}, // the fault is for the measurement, not the anchor
	}, nil
}

// sameOnDisk returns the run's bundle, which must have all results.
func sameOnDisk(run *bundle.Run) (*bundle.Run, error) {
	loaded, err := bundle.Load(run.Dir)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the bundle cannot be read: %w", err)
	case len(loaded.Results) != len(run.Results):
		return nil, fmt.Errorf("the bundle has %d of %d results", len(loaded.Results), len(run.Results))
	case len(loaded.Leaks()) > 0:
		return nil, fmt.Errorf("it left a leak: %s", loaded.Leaks()[0].Title)
	}
	return loaded, nil
}

func measured(run *bundle.Run) (n int) {
	for _, r := range run.Results {
		if r.Failure.Text == "" {
			n++
		}
	}
	return n
}
