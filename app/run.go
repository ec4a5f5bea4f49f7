package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"assay/app/report"
	"assay/gpu"
	"assay/workloads"
	"assay/workloads/measure"
)

// Request is what to run.
type Request struct {
	Jobs   []Job
	Engine string // "auto" or an engine's name; empty is "auto"
	Quick  bool   // shorter budgets; parameters are the caller's
	Seed   uint64 // 0: 1
	Out    string // folder for the bundle; empty: Config.RunsDir
}

// Budgets of a case; measure gives more to one of more than two variants.
const (
	budget      = 4 * time.Second
	quickBudget = 700 * time.Millisecond
)

// memoryShare is the part of the working set that a run may take; a working set of 0 is unknown, and sets no budget.
const memoryShare = 0.8

// activeRun is a run that is going on.
type activeRun struct {
	session *Session
	request Request
	run     *Run
	cancel  context.CancelFunc
	ctx     context.Context
	bundle  *report.Bundle
	engine  gpu.Engine
	pool    *gpu.Pool
	books   *books
	began   time.Time
	job     int
	lost    error // first failure to write the bundle
}

// Run runs a request and returns when it is over. The run holds what was measured, also when an error or the end of
// ctx cut it short.
func (s *Session) Run(ctx context.Context, r Request) (*Run, error) {
	a, err := s.prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	return a.execute()
}

// StartRun is Run in the background: StartUpdate to EndUpdate tell of it.
func (s *Session) StartRun(r Request) error {
	a, err := s.prepare(s.ctx, r)
	if err != nil {
		return err
	}
	go a.execute() // begin has counted it in s.work
	return nil
}

// prepare checks the request, opens the engine and creates the bundle.
func (s *Session) prepare(ctx context.Context, r Request) (*activeRun, error) {
	if len(r.Jobs) == 0 {
		return nil, errors.New("nothing to run")
	}
	for _, j := range r.Jobs {
		w, err := workloads.Find(s.config.Workloads, j.Workload)
		if err == nil {
			err = w.Check(j.Params)
		}
		if err != nil {
			return nil, err
		}
	}
	a := &activeRun{session: s, request: r, began: time.Now()}
	a.ctx, a.cancel = context.WithCancel(ctx)
	if err := s.begin(a); err != nil {
		return nil, err
	}
	if err := a.open(); err != nil {
		a.cancel()
		s.end()
		return nil, err
	}
	return a, nil
}

// open finds the engine and creates the bundle.
func (a *activeRun) open() error {
	s, r := a.session, &a.request
	if r.Engine == "" {
		r.Engine = "auto"
	}
	if r.Seed == 0 {
		r.Seed = 1
	}
	engine, why, err := s.engines.get(r.Engine)
	if err != nil {
		return err
	}
	o := a.options().WithDefaults()
	meta := Meta{
		Schema: report.Schema, ID: report.NewID(a.began, r.Jobs), Version: s.config.Version, Started: a.began,
		State: report.Running, Host: s.Host(), Engine: engine.Info(), EngineReason: why,
		Quick: r.Quick, Seed: r.Seed, Precision: o.Precision, Budget: o.Budget.Seconds(), MinSample: o.MinSamples, Jobs: r.Jobs,
	}
	root := r.Out
	if root == "" {
		root = s.RunsDir()
	}
	bundle, err := report.Create(root, meta, s.config.Workloads)
	if err != nil {
		return err
	}
	pool := gpu.NewPool(engine, gpu.PoolOptions{Budget: int64(memoryShare * float64(engine.Info().WorkingSet))})
	s.mu.Lock() // the monitor reads these as soon as they are there
	defer s.mu.Unlock()
	a.engine, a.bundle, a.pool = engine, bundle, pool
	a.run = &Run{Meta: bundle.Run().Meta, Dir: bundle.Dir()} // Create completes the meta
	a.books = newBooks(a)
	return nil
}

func (a *activeRun) options() measure.Options {
	if a.request.Quick {
		return measure.Options{Budget: quickBudget}
	}
	return measure.Options{Budget: budget}
}

// execute runs the jobs one after another and closes the books.
func (a *activeRun) execute() (*Run, error) {
	defer a.session.end()
	defer a.cancel()
	for _, id := range raisedByRuns() {
		a.session.clear(id)
	}
	a.session.publish(StartUpdate{a.run.Meta})
	a.event(Event{Kind: "started", Title: "Run started", Text: a.run.Meta.EngineReason})
	err := a.jobs()
	a.books.close()
	a.finish(err)
	err = errors.Join(err, a.lost)
	a.session.publish(EndUpdate{a.run, err})
	return a.run, err
}

func (a *activeRun) jobs() error {
	queue, err := a.engine.NewQueue("measurement")
	if err != nil {
		return err
	}
	defer queue.Close()
	for i, j := range a.request.Jobs {
		a.job = i
		w, err := workloads.Find(a.session.config.Workloads, j.Workload)
		if err != nil {
			return err
		}
		env := &workloads.Env{
			Workload: w.Name, Engine: a.engine, Queue: queue, Pool: a.pool, Options: a.options(), Seed: a.request.Seed,
			Observer: a,
		}
		if err := w.Run(a.ctx, env, j.Params); err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		a.books.endOfJob(w)
	}
	return nil
}

// finish writes the end of the bundle.
func (a *activeRun) finish(err error) {
	state := report.Finished
	switch {
	case errors.Is(err, context.Canceled):
		state, err = report.Stopped, nil
	case err != nil:
		state = report.Broken
		a.event(Event{Kind: "error", Severity: "critical", Title: "Run failed", Text: err.Error()})
	}
	if errors.Is(err, gpu.ErrDeviceLost) {
		a.session.engines.drop(a.engine)
	}
	a.event(Event{Kind: "ended", Title: "Run " + string(state)})
	a.mu().Lock()
	a.run.Meta.State, a.run.Meta.Finished = state, time.Now()
	if err != nil {
		a.run.Meta.Error = err.Error()
	}
	a.mu().Unlock()
	a.keep(a.bundle.Finish(state, err))
}

// RunsDir is where bundles go unless a request says otherwise.
func (s *Session) RunsDir() string {
	if s.config.RunsDir != "" {
		return s.config.RunsDir
	}
	return DefaultRunsDir()
}

// DefaultRunsDir is the user's data folder for runs: under Application Support on macOS, under $XDG_DATA_HOME or
// ~/.local/share on Linux. Without a home it is a folder below the current one.
func DefaultRunsDir() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "assay", "runs")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "assay-runs"
	}
	return filepath.Join(home, dataFolder, "runs")
}
