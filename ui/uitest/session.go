package uitest

import (
	"cmp"
	"slices"
	"sync"

	"assay/app"
	"assay/gpu"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/suite/memory"
	"assay/workloads/suite/precision"
	"assay/workloads/suite/throughput"
)

// Session is a session without engine or monitor: tests say what happens.
type Session struct {
	Refuse     error         // what StartRun returns
	RefuseTune error         // what StartTune returns
	RefuseSave error         // what SaveTuning returns
	Runs       string        // where runs are kept; empty: a folder that is not there
	Hang       chan struct{} // Close waits for it, where not nil
	States     []app.EngineState
	Pool       // of its engine
	Leaks      // and what was found in it

	mu       sync.Mutex
	send     func(app.Update)
	requests []app.Request
	log      []string
	tunes    []app.TuneRequest
	points   map[string][]app.Tuned
}

// NewSession has a CPU engine, and no Metal.
func NewSession() *Session {
	return &Session{States: []app.EngineState{
		{Name: "metal", Title: "Metal", Reason: "needs macOS"},
		{Name: "cpu", Title: "CPU", Available: true, Info: gpu.Info{Engine: "cpu", Device: "Test CPU, 8 cores, AVX-512", Cores: 8}},
	}}
}

func (s *Session) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, what)
}

// Log lists Stop, Close and the end of the subscription, in order.
func (s *Session) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Requests lists the runs that were asked for.
func (s *Session) Requests() []app.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Send sends an update to the subscriber, as the session's goroutines do.
func (s *Session) Send(u app.Update) { s.send(u) }

// Subscribe is part of desk.Session.
func (s *Session) Subscribe(f func(app.Update)) func() {
	s.send = f
	return func() { s.note("unsubscribe") }
}

// Workloads is part of desk.Session.
func (s *Session) Workloads() []workloads.Workload { return Workloads() }

// Workloads are those that tests of the window show: not all, so that a picture does not change with each new one.
func Workloads() []workloads.Workload {
	return []workloads.Workload{throughput.Batching(), throughput.Fusion(), precision.Quantization(), memory.Leak()}
}

// Engines is part of desk.Session.
func (s *Session) Engines() []app.EngineState { return s.States }

// History is part of desk.Session.
func (s *Session) History() []monitor.Snapshot { return nil }

// Alerts is part of desk.Session.
func (s *Session) Alerts() []monitor.Alert { return nil }

// Version is part of desk.Session.
func (s *Session) Version() string { return "1.2.3" }

// RunsDir is part of desk.Session.
func (s *Session) RunsDir() string { return cmp.Or(s.Runs, "/home/ada/runs") }

// Library is part of desk.Session.
func (s *Session) Library() *app.Library { return app.NewLibrary(s.RunsDir()) }

// Stop is part of desk.Session.
func (s *Session) Stop() { s.note("stop") }

// StartRun is part of desk.Session.
func (s *Session) StartRun(r app.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return s.Refuse
}

// Close is part of desk.Session.
func (s *Session) Close() error {
	s.note("close")
	if s.Hang != nil {
		<-s.Hang
	}
	return nil
}
