package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// Request is what to run.
type Request struct {
	Jobs   []bundle.Job
	Engine string // "auto" or an engine's name; empty is "auto"
	Quick  bool   // shorter budgets; parameters are the caller's
	Seed   uint64 // 0: 1
	Out    string // folder for the bundle; empty: Config.RunsDir
	// Capture is the .gputrace in which the device's debugger records the run; empty: none. It slows the run down.
	Capture string
	// Validate refuses the run unless the engine's validation layer is on.
	Validate bool
	// LeakTolerance is how much the process may grow during the run, in bytes; 0: leak.DefaultTolerance.
	LeakTolerance int64
	WhenBusy      Policy     // empty: GoOn
	Quiet         bool       // no readings of the monitor and no redraws of a window while something is timed
	QuietOnHost   bool       // Quiet except for series, if kernels run on the processor, which draws the window
	Upkeep        PoolUpkeep // of the pool's cache between workloads or cases
	// PressurePause is the maximum time that the run waits before a case while memory pressure is critical; 0: the constant of that
	// name; negative: it does not wait.
	PressurePause time.Duration
	again         *bundle.Run // see Again; nil: everything is measured
	Sampling      Sampling
	// Tuned uses the choices kept by Tunings instead of the defaults.
	Tuned      bool
	Throttling Throttling
	// Beside is an engine on which each job is measured first, so that results have their speedup over it; empty: none.
	Beside string
	// Target is what the run looks for among the configurations of each job; the zero value: nothing. It may need the energy of
	// each.
	Target workloads.Target
	// Purpose is why the advisor measures it; empty: the user asked for it.
	Purpose string
	// Labels are the run's initial tags and note.
	Labels bundle.Labels
}

// Budgets of a case; measure increases them for more than two variants.
const (
	budget      = 4 * time.Second
	quickBudget = 700 * time.Millisecond
)

// memoryShare is the share of the working set that a run may use; a working set of 0 is unknown and sets no budget.
const memoryShare = 0.8

// activeRun is a run in progress.
type activeRun struct {
	session  *Session
	lease    *Lease
	request  Request
	meta     bundle.Meta // as it was at the start
	cancel   context.CancelFunc
	ctx      context.Context
	bundle   *bundle.Bundle // nil until the run is open
	engine   gpu.Engine
	pool     *gpu.Pool
	ledger   *ledger
	began    time.Time
	left     timeLeft
	progress workloads.Progress // the newest
	quietly  ProgressUpdate     // the newest of what is timed in quiet mode
	job      int
	workload string                // of the job; empty before the first and after the last
	cases    int                   // number of cases begun
	lost     atomic.Pointer[error] // first failure to write the bundle
	leaks    atomic.Int64          // found so far

	prewarmed   gpu.Stats // of the pool at the start of the run
	acts        poolTally // of the pool, as events
	poolLog     *runLog
	energy      *measure.EnergyCounter // nil: energy is not measured
	used        runEnergy              // by the device, during the run
	spans       measure.Spans          // what was done when
	duty        *measure.Duty          // nil: the device works all the time
	kernels     choices                // of kernels
	beside      beside                 // the other engine
	incidents   incidents              // with results, so far
	poolChanged atomic.Bool            // by hand, since the last results
}

// Runs is the service for runs: one at a time.
type Runs struct{ session *Session }

// Runs is the service for runs.
func (s *Session) Runs() *Runs { return &Runs{s} }

// Do runs a request and returns when it is over. The run contains all results so far, even if an error or a canceled
// ctx ended it early.
func (r *Runs) Do(ctx context.Context, request Request) (*bundle.Run, error) {
	a, err := r.session.prepare(ctx, request)
	if err != nil {
		return nil, err
	}
	return a.execute()
}

// Start is Do in the background, reported by StartUpdate to EndUpdate. It waits until the device is free; Stop ends the wait
// with context.Canceled.
func (r *Runs) Start(request Request) error {
	a, err := r.session.prepare(r.session.ctx, request)
	if err != nil {
		return err
	}
	go func() { _, _ = a.execute() }() // begin has counted it in s.work
	return nil
}

// prepare checks the request, opens the engine and creates the bundle.
func (s *Session) prepare(ctx context.Context, r Request) (*activeRun, error) {
	if len(r.Jobs) == 0 {
		return nil, errors.New("nothing to run")
	}
	if r.Target.Powered() {
		r.Sampling.Energy = EnergyAuto
	}
	r.Jobs = slices.Clone(r.Jobs)
	for i, j := range r.Jobs {
		r.Jobs[i].Params = maps.Clone(j.Params)
		w, err := workloads.Find(s.config.Workloads, j.Workload)
		if err == nil {
			err = w.CheckAll(j.Params)
		}
		if err != nil {
			return nil, err
		}
	}
	labels, err := r.Labels.Tidy()
	if err = cmp.Or(err, r.Sampling.Check(), r.Throttling.Check(), r.Upkeep.Check()); err == nil {
		err = s.checkQuiet(ctx, &r)
	}
	if err != nil {
		return nil, err
	}
	r.Labels = labels
	a := &activeRun{session: s, request: r, began: s.config.Now(), incidents: incidents{}}
	a.ctx, a.cancel = context.WithCancel(ctx)
	if err := s.begin(a); err != nil {
		a.cancel()
		return nil, err
	}
	if err := a.takeDevice(); err != nil {
		a.cancel()
		s.retire(a)
		s.work.Done()
		return nil, err
	}
	return a, nil
}

// takeDevice acquires the device, which ends a tuning or a prewarming, and opens the run on it.
func (a *activeRun) takeDevice() error {
	if err := a.lease.wait(a.ctx); err != nil {
		return fmt.Errorf("start a run: %w", err)
	}
	a.session.tuner.closeBench() // its memory would count in the run's ledger
	if err := a.open(); err != nil {
		return err
	}
	a.lease.share()
	return nil
}

// open finds the engine, creates the bundle and opens the ledger.
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
	if err := cmp.Or(r.checkCapture(engine), r.checkAgain(engine), r.checkValidation(engine)); err != nil {
		return err
	}
	if a.duty, err = s.dutyCycle(a.ctx, engine, r.Throttling); err != nil {
		return err
	}
	o := a.options().WithDefaults()
	meta := bundle.Meta{
		Schema: bundle.Schema, ID: bundle.NewID(a.began, r.Jobs), Version: s.config.Version, Started: a.began,
		State: bundle.Running, Host: s.Host(), Engine: engine.Info(), EngineReason: why,
		Quick: r.Quick, Energy: r.Sampling.Energy.recorded(), Seed: r.Seed, Precision: o.Precision, Budget: o.Budget.Seconds(), MinSample: o.MinSamples, Warmups: r.Sampling.Warmups, WarmupTime: r.Sampling.WarmupTime.Seconds(),
		Schedule: r.Sampling.Schedule.String(),
		Jobs:     r.Jobs, Tuned: r.Tuned, Validation: gpu.Validation(engine), Capture: r.Capture, Target: r.Target.String(), Purpose: r.Purpose,
		Duty: r.Throttling.Duty, PowerCap: r.Throttling.PowerCap, Commit: commitOf(a.ctx, s.config.Folder),
	}
	if r.again != nil {
		meta.Again = r.again.Meta.ID
	}
	if err := a.openBeside(engine, &meta); err != nil {
		return err
	}
	meta.QuietOnHost = r.QuietOnHost && !r.Quiet && (onHost(engine) || onHost(a.beside.engine))
	meta.Quiet = r.Quiet || meta.QuietOnHost
	root := r.Out
	if root == "" {
		root = s.runsDir()
	}
	files, err := bundle.Create(root, meta, s.config.Workloads)
	if err != nil {
		return err
	}
	if err := bundle.WriteLabels(files.Dir(), r.Labels); err != nil {
		return errors.Join(err, files.Finish(bundle.Failed, err))
	}
	files.UseClock(s.config.Now)
	meta = files.Run().Meta // Create has completed it
	own, warmed := s.engines.pools.begin(engine, meta.ID)
	ledger := newLedger(a, own, warmed)
	s.mu.Lock() // the monitor reads these as soon as they are set
	defer s.mu.Unlock()
	a.engine, a.bundle, a.pool = engine, files, own.pool
	a.meta, a.prewarmed = meta, own.pool.Stats()
	if m, ok := gpu.As[gpu.Marker](engine); ok {
		a.spans.Mark = m.Mark
	}
	a.ledger, s.watched = ledger, ledger.watch
	a.poolLog = &runLog{runID: meta.ID, dir: files.Dir()}
	s.poolLog = a.poolLog
	return nil
}

func (a *activeRun) options() measure.Options {
	want := a.request.Sampling
	return measure.Options{
		Energy: a.energy, Budget: a.request.budget(), Precision: want.Precision, MinSamples: want.MinSamples, MinWarmups: want.Warmups, MinWarmTime: want.WarmupTime, Schedule: want.Schedule,
		Surroundings: a.session.surroundings(a.request.quietTimeout(), a.engine != nil && a.engine.Info().GPU, a.engine),
	}
}

// budget returns how long a case of one or two variants may take.
func (r *Request) budget() time.Duration {
	usual := budget
	if r.Quick {
		usual = quickBudget
	}
	return cmp.Or(r.Sampling.Time, usual)
}

// execute runs the jobs one after another and closes the ledger. When subscribers receive the EndUpdate, the next run
// may start; its StartUpdate comes later.
func (a *activeRun) execute() (*bundle.Run, error) {
	defer a.session.work.Done()
	defer a.cancel()
	defer monitor.HoldActivity("Assay measures")() // prevents App Nap and sleep
	a.session.clearOfRuns()
	a.session.publish(StartUpdate{a.meta})
	a.event(bundle.Event{Kind: bundle.RunStarted, Title: "Run started", Text: a.meta.EngineReason})
	a.standing()
	a.testDevice()
	a.notePool()
	a.openEnergy()
	a.openRunEnergy()
	before, _ := compiles(a.engine)
	err := a.captured()
	a.session.unhush()
	a.keep(a.bundle.Phases(a.spans.Take()))
	a.closeRunEnergy()
	a.bundle.Amend(a.kernels.record)
	a.noteCompiles(len(before))
	a.tell(a.incidents.rest()...)
	a.session.tickNow() // the last reading of the run, before its pool is emptied
	a.lease.unshare()
	a.ledger.close(err)
	a.takePoolEvents(true)
	a.finish(err)
	if lost := a.lost.Load(); lost != nil {
		err = errors.Join(err, *lost)
	}
	run := a.bundle.Run()
	a.session.publishAfter(func() { a.session.retire(a) }, EndUpdate{run, err})
	a.session.checkAfterRun()
	return run, err
}

func (a *activeRun) jobs() error {
	queue, err := a.engine.NewQueue("measurement")
	if err != nil {
		return err
	}
	defer queue.Close()
	tuned, err := a.tuned()
	if err != nil {
		return err
	}
	anchor := a.anchor()
	defer a.closeAnchor(anchor)
	defer func() { a.workload = "" }()
	for i, j := range a.request.Jobs {
		a.job, a.workload = i, j.Workload
		a.upkeep(i > 0 && !a.request.Upkeep.EachCase)
		w, err := workloads.Find(a.session.config.Workloads, j.Workload)
		if err != nil {
			return err
		}
		if err := a.measureBeside(w, &j); err != nil {
			return err
		}
		env := &workloads.Env{
			Workload: w, Job: i, Engine: a.engine, Queue: queue, Pool: a.pool, Options: a.options(), Seed: a.request.Seed,
			Observer: a, Spans: &a.spans, Earlier: a.request.earlier(i), Between: a.between, After: a.after, InFlight: a.ledger.abandon,
			Tuned: tuned, Keep: a.keepTuning, Anchor: anchor.Watch(), Duty: a.duty, Drifted: a.drifted, Rival: a.rival,
			Ran: func(used []workloads.KernelChoice) { a.kernels.add(w.Name, used) },
		}
		err = w.Run(a.ctx, env, j.Params)
		a.ledger.endOfJob(err) // a workload that was stopped or failed must have cleaned up too
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		a.prove(w, i)
		a.choose(w, i)
		a.learnPeaks(w.Name)
	}
	return nil
}

// learnPeaks keeps what the peaks workload measured, for later results, including those of other runs.
func (a *activeRun) learnPeaks(workload string) {
	if workload != workloads.PeaksName || a.meta.NotTiming() != "" {
		return
	}
	if err := a.session.keepPeaks(a.bundle.Run()); err != nil {
		a.event(bundle.Event{Kind: bundle.Noted, Severity: severity.Warning, Title: "Peaks not kept", Text: err.Error()})
	}
}

// finish writes the end of the bundle.
func (a *activeRun) finish(err error) {
	state := bundle.Finished
	switch {
	case errors.Is(err, context.Canceled):
		state, err = bundle.Stopped, nil
	case err != nil:
		state = bundle.Failed
		a.event(bundle.Event{Kind: bundle.ErrorSeen, Severity: severity.Critical, Title: "Run failed", Text: err.Error()})
	}
	if a.ledger.lost(err) { // maybe by the run's last command buffer
		a.session.engines.drop(a.engine)
		a.event(bundle.Event{Kind: bundle.Noted, Title: "Device lost", Text: "the next run reopens the engine"})
	}
	a.event(bundle.Event{Kind: bundle.RunEnded, Title: "Run " + string(state)})
	a.keep(a.bundle.Finish(state, err))
}

// runsDir returns the default folder for bundles.
func (s *Session) runsDir() string {
	if s.config.RunsDir != "" {
		return s.config.RunsDir
	}
	return DefaultRunsDir()
}
