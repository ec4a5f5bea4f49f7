package desk

import (
	"context"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/monitor"
	"assay/workloads"
)

// Session is what the window needs from app.Session: one service for each noun.
type Session struct {
	Events
	Runs     RunService
	Pool     PoolService
	Leaks    LeakService
	Watches  WatchService
	Tuner    TunerService
	Engines  EngineService
	Kernels  KernelService
	Tunings  TuningsService
	Rules    RulesService
	Exporter ExporterService
	Weights  WeightsService
	Own      PlaygroundService
	Advisor  AdvisorService
	Drills   DrillService
	Remote   RemoteService
	Library  *app.Library
}

// SessionOf returns the session with its services.
func SessionOf(s *app.Session) Session {
	return Session{
		s, s.Runs(), s.Pool(), s.Leaks(), s.Watches(), s.Tuner(), s.Engines(), s.Kernels(), s.Tunings(), s.AlertRules(), s.Exporter(), s.Weights(), s.Playground(), s.Advisor(), drillService{s}, sshService{}, s.Library(),
	}
}

// Events is what the session publishes, and its initial state.
type Events interface {
	Subscribe(func(app.Update)) (cancel func())
	Workloads() []workloads.Workload
	History() []monitor.Snapshot
	Alerts() []monitor.Alert
	Version() string
	Close() error
	Redrawn() // the window redraws what has changed; it counts as a cost of Assay's own
	// OnQuiet registers a function that keeps the window from redrawing while a run in quiet mode times something.
	OnQuiet(func(on bool)) (cancel func())
}

// RunService starts and stops runs, and ends their pauses. Starting may take a while: call it through Background.
type RunService interface {
	Start(app.Request) error
	Stop()
	GoOn()
}

// PoolService shows and changes the pool of buffers. Freeing or allocating buffers may take a while: call those through
// Background.
type PoolService interface {
	State(app.LiveOrder) (app.PoolState, error)
	Settings() app.PoolSettings
	Set(app.PoolSettings) error
	Clear() (gpu.Freed, error)
	ClearSize(bytes int) (gpu.Freed, error)
	Shrink(maxCached int64) (gpu.Freed, error)
	Prewarm(ctx context.Context, engine string, bytes, n int) (made int, err error)
	Log() (app.PoolLog, bool)
}

// LeakService looks for leaks. Baseline and check take tenths of a second: call them through Background.
type LeakService interface {
	SetBaseline() (app.LeakBaseline, error)
	Baseline() (app.LeakBaseline, bool)
	Check(tolerance int64) (app.LeakCheck, error)
	CheckAfterRuns(on bool, tolerance int64) error
	Last() (app.LeakCheck, bool)
	Curve() (app.LeakCurve, bool)
}

// TunerService measures single settings while they are moved.
type TunerService interface {
	Start(app.TuneRequest) error
	Compare(app.ABRequest) error
	// AB, Crossover and Variants return when they have measured: call them through Background. They call tell on another
	// goroutine.
	AB(ctx context.Context, p app.ABPlan, tell func(*app.ABResult)) (*app.ABResult, error)
	Crossover(ctx context.Context, p app.CrossPlan, tell func(*app.CrossResult)) (*app.CrossResult, error)
	Variants(ctx context.Context, workload string, side app.ABSide) ([]string, error)
	Stop()
	Points(workload string) []app.Tuned
	Clear(workload string) []app.Tuned
	Keep([]app.Tuned)
	Save(workload string) ([]*bundle.Run, error)
}

// EngineService opens engines, which may take a while.
type EngineService interface {
	List() []app.EngineState
	UseDevice(ctx context.Context, engine, device string) error
	// Abilities tries what an open engine offers, on its device.
	Abilities(ctx context.Context, engine string) ([]app.Ability, error)
	// SelfTest makes the device of an open engine compute small known answers, even if all were correct before.
	SelfTest(ctx context.Context, engine string) (*bundle.SelfTest, error)
}

// TuningsService keeps the results of searches for faster kernels. Listing may open engines: call it through Background.
type TuningsService interface {
	List() ([]app.KeptTuning, error)
	Clear(ids []string) (removed int, err error)
	Export(path string) (int, error)
	Import(path string) (taken int, err error)
}

// RulesService keeps the alert rules.
type RulesService interface {
	List() ([]monitor.Rule, error)
	Set(id string, texts map[string]string) error
	Reset(ids ...string) error
}

// ExporterService serves readings to Prometheus. Starting and ending may take a while: call them through Background.
type ExporterService interface {
	Serve(address string) (at string, err error)
	Stop() error
}

// KernelService describes the kernels, and keeps the compiled ones on disk. Calls that take an engine may open it: make them
// through Background.
type KernelService interface {
	List() []app.KernelInfo
	Support(engine string) (app.KernelSupport, error)
	Cache(engine string) (app.KernelCache, error)
	VerifyCache(ctx context.Context, engine string) (app.KernelCache, error)
	ClearCache(engine string, ids []string) (app.CacheFreed, error)
}
