// Package app owns the session: it opens an engine, runs and stops workloads, runs the monitor, detects leaks, and
// writes the run bundle. It imports no window code; subscribers receive Updates.
package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"assay/monitor"
	"assay/workloads"
)

// Config is what main wires together.
type Config struct {
	Version   string
	Engines   []Engine // in the order "auto" tries them
	Device    string   // the device to open, with the first engine that has it; empty: each engine's own choice
	Workloads []workloads.Workload
	Sources   []monitor.Source // of this session only: a slow read may outlive it
	RunsDir   string           // where bundles go; empty: DefaultRunsDir
	// TuningFile is where tuned choices are kept; empty: DefaultTuningFile.
	TuningFile string
	AlertFile  string         // where changed alert rules are kept; empty: DefaultAlertFile
	Folder     string         // whose git commit a run records; empty: none
	Interval   time.Duration  // of the monitor; 0: 1 s
	Energy     EnergyCounters // for what runs may measure; none: not available
	Probe      func() Probe   // reads what disturbs measurements; nil: nothing is known
	// OwnProgram is the command line of a process that runs users' kernels (ServeOwn); empty: this program's own.
	OwnProgram []string
	// Validation are the environment variables that turn an engine's validation on at process start; none: it cannot be turned on.
	Validation []string
	// Capturing are the environment variables that enable captures; none: they cannot be enabled.
	Capturing []string
	// Restart replaces the process with a new one of this program, with the same arguments and these variables; nil: it cannot.
	Restart func(variables ...string) error
	// SelfTest is true if the first run on a device begins with a self-test.
	SelfTest bool
	// RivalProgram is the command line of a process that keeps a device busy (ServeRival); empty: this program's own.
	RivalProgram []string
	Now          func() time.Time // the clock of runs; nil: time.Now
	// OwnDraft is the file of the user's unsaved kernel; empty: one in the folder for data.
	OwnDraft string
}

// historySpan is the length of the monitor's history in memory.
const historySpan = 10 * time.Minute

// Session is one use of Assay, with or without a window. Its methods are safe for concurrent use.
type Session struct {
	config  Config
	engines *engines
	monitor *monitor.Monitor
	alerts  *monitor.Alerts
	cancel  context.CancelFunc // ends the monitor
	ctx     context.Context
	work    sync.WaitGroup

	device   device
	tuner    tuner
	rules    alertRules
	exporter exporter
	pressure pressure
	activity activity
	quiet    quiet
	peaks    keptPeaks
	hostOnce sync.Once
	hostInfo monitor.HostInfo

	ticking    sync.Mutex // serializes processing of snapshots
	publishing sync.Mutex // serializes calls of subscribers
	mu         sync.Mutex
	subs       map[int]func(Update)
	nextSub    int
	history    []monitor.Packed
	newest     monitor.Snapshot
	active     *activeRun
	watch      *activeWatch // the watched program; nil: there is none
	lastWatch  *activeWatch // the same, or the last one
	survey     func()       // cancels the survey in progress; nil: there is none
	watched    *liveWatch   // the live bytes of the run in progress, or of the last one; nil before the first
	poolLog    *runLog      // of the run in progress, or of the last one; nil before the first
	baseline   *leakBaseline
	leakAuto   leakAuto
	closed     bool
}

// New prepares a session. It opens no engine yet.
func New(c Config) (*Session, error) {
	if c.Interval == 0 {
		c.Interval = time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	alerts, err := monitor.NewAlerts(nil)
	if err != nil {
		return nil, err
	}
	s := &Session{config: c, engines: newEngines(slices.Clone(c.Engines)), alerts: alerts, subs: map[int]func(Update){}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.AlertRules().follow()
	if c.Device != "" {
		s.engines.only(c.Device)
	}
	for _, source := range c.Sources {
		if follower, ok := source.(monitor.Follower); ok {
			follower.Follow(s.engines.deviceID)
		}
	}
	sources := append(slices.Clone(c.Sources), &watchSource{s}, &engineSource{session: s},
		&overheadSource{footprint: monitor.Footprint, engine: s.engines.current})
	if s.monitor, err = monitor.New(sources, c.Interval); err != nil {
		return nil, err
	}
	s.monitor.UseClock(c.Now)
	return s, nil
}

// Start starts the monitor.
func (s *Session) Start() {
	s.work.Go(func() { _ = s.monitor.Run(s.ctx, s.tick) })
}

// Close stops a run and the monitor, waits for both, and closes the engine.
func (s *Session) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.Runs().Stop()
	s.Watches().Stop()
	s.Weights().Cancel()
	err := s.Exporter().Stop()
	s.cancel()
	s.work.Wait()
	lease, leaseErr := s.device.Acquire(context.Background(), UsePool) // prewarming and emptying a pool are not in s.work
	if leaseErr != nil {
		return errors.Join(err, leaseErr)
	}
	defer lease.Release()
	return errors.Join(err, s.engines.close())
}

// Subscribe calls f with every update from now on, one at a time, from the session's goroutines. f must return at
// once and must not call the session or cancel.
func (s *Session) Subscribe(f func(Update)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.nextSub
	s.nextSub++
	s.subs[id] = f
	return func() {
		s.publishing.Lock() // no call is in progress once cancel returns
		defer s.publishing.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, id)
	}
}

func (s *Session) publish(u Update) { s.publishAfter(func() {}, u) }

// publishAfter publishes an update right after do, with no other update in between.
func (s *Session) publishAfter(do func(), u Update) {
	s.publishing.Lock()
	defer s.publishing.Unlock()
	do()
	s.mu.Lock()
	subs := make([]func(Update), 0, len(s.subs))
	for _, f := range s.subs {
		subs = append(subs, f)
	}
	s.mu.Unlock()
	for _, f := range subs {
		f(u)
	}
}

// tick processes a snapshot at the monitor's interval, unless the session has become quiet while it was read.
func (s *Session) tick(snap monitor.Snapshot) {
	s.ticking.Lock()
	defer s.ticking.Unlock()
	if !s.quiet.timing() {
		s.take(snap)
	}
}

// take adds one snapshot to the history, the run's bundle, and the alerts. If the monitor and the end of a run read at
// nearly the same time, the older snapshot is dropped if it arrives late. The caller holds ticking.
func (s *Session) take(snap monitor.Snapshot) {
	s.activity.ticks.Add(1)
	if s.latest().After(snap.Time) {
		return
	}
	s.record(snap)
	if w := s.watching(); w != nil {
		w.observe(snap)
	}
	s.react(&snap)
	s.AlertRules().follow()
	for _, a := range s.alerts.Observe(snap) {
		s.announce(a)
	}
}

// record keeps a snapshot and publishes it. The caller holds ticking.
func (s *Session) record(snap monitor.Snapshot) {
	s.keep(snap)
	s.publish(TickUpdate{snap})
}

// keep adds a snapshot to the history and the run's bundle. The caller holds ticking.
func (s *Session) keep(snap monitor.Snapshot) {
	s.mu.Lock()
	keep := max(1, int(historySpan/s.config.Interval))
	if len(s.history) >= keep {
		s.history = slices.Delete(s.history, 0, len(s.history)-keep+1)
	}
	s.history = append(s.history, monitor.Pack(&snap, s.history))
	s.newest = snap
	s.mu.Unlock()
	if run := s.open(); run != nil {
		run.snapshot(snap)
	}
}

// latest returns the time of the newest snapshot.
func (s *Session) latest() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest.Time
}

// snapshot returns the newest one; empty before the first.
func (s *Session) snapshot() monitor.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest
}

// tickNow takes an extra snapshot outside the monitor's interval. If one was just taken it waits: rates need some time
// between two.
func (s *Session) tickNow() {
	select {
	case <-time.After(monitor.MinInterval - time.Since(s.latest())):
	case <-s.ctx.Done():
	}
	snap := s.monitor.Tick(s.ctx)
	if s.ctx.Err() == nil { // discard an interrupted tick
		s.ticking.Lock()
		defer s.ticking.Unlock()
		s.take(snap)
	}
}

// announce publishes an alert that was raised or cleared, and records it in the run.
func (s *Session) announce(a monitor.Alert) {
	if run := s.open(); run != nil {
		run.alert(a)
	}
	s.publish(AlertUpdate{a})
}

// Workloads lists what can be run.
func (s *Session) Workloads() []workloads.Workload { return s.config.Workloads }

// Version is Assay's own version.
func (s *Session) Version() string { return s.config.Version }

// History returns the snapshots of the last ten minutes, oldest first.
func (s *Session) History() []monitor.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return monitor.UnpackAll(s.history)
}

// Alerts lists the active alerts.
func (s *Session) Alerts() []monitor.Alert { return s.alerts.Active() }

// Tick reads all sources once, for a session that was not started.
func (s *Session) Tick(ctx context.Context) monitor.Snapshot { return s.monitor.Tick(ctx) }

// Monitor runs the monitor on the calling goroutine until ctx ends, for a session that was not started.
func (s *Session) Monitor(ctx context.Context, each func(monitor.Snapshot)) error {
	return s.monitor.Run(ctx, func(snap monitor.Snapshot) {
		s.mu.Lock()
		s.newest = snap
		s.mu.Unlock()
		each(snap)
	})
}

// Host describes the machine, read once: it does not change.
func (s *Session) Host() monitor.HostInfo {
	s.hostOnce.Do(func() { s.hostInfo, _ = monitor.Host(s.ctx) }) // fields that could not be read are empty
	return s.hostInfo
}

// Active reports whether a run is in progress.
func (r *Runs) Active() bool {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active != nil
}

// begin makes run the active one; it still has to wait for the device.
func (s *Session) begin(run *activeRun) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("start a run: the session is closed")
	}
	lease, err := s.device.reserve(UseRun)
	if err != nil {
		return err
	}
	run.lease, s.active = lease, run
	s.work.Add(1)
	return nil
}

// retire ends the active run: the next one may begin.
func (s *Session) retire(run *activeRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = nil
	run.lease.Release()
}

// open returns the active run if its bundle exists, else nil.
func (s *Session) open() *activeRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == nil || s.active.bundle == nil {
		return nil
	}
	return s.active
}

// Stop stops the run in progress, if any, and returns at once; its results are kept.
func (r *Runs) Stop() {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active != nil {
		s.active.cancel()
	}
}
