package uitest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"assay/app"
	"assay/gpu"
	"assay/monitor"
	"assay/ui/desk"
	"assay/workloads"
	"assay/workloads/suite/controls"
	"assay/workloads/suite/precision"
	"assay/workloads/suite/throughput"
)

// Session is a session without engine or monitor: tests script what happens.
type Session struct {
	Refuse     error         // returned by the start of a run
	RefuseTune error         // returned by the start of a tuning
	RefuseSave error         // returned by saving points
	Runs       string        // folder of runs; empty: a missing folder
	Hang       chan struct{} // Close waits for it, if not nil
	States     []app.EngineState
	Offers     []workloads.Workload // nil: Workloads()
	Pool                            // of its engine
	Leaks                           // and what was found in it
	Watched                         // another program
	Disk       KernelCache          // of compiled kernels
	Tunings    Tunings              // what searches found
	Rules      Rules                // of alerts
	Exporter   Exporter             // for Prometheus
	Weighed                         // weight files
	Own        Playground           // of the user's kernels
	Compared                        // comparisons
	Machines                        // drills, other machines
	Advised    Advisor

	mu       sync.Mutex
	send     func(app.Update)
	requests []app.Request
	log      []string
	tunes    []app.TuneRequest
	points   map[string][]app.Tuned
}

// NewSession returns a session with a CPU engine and no Metal.
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

// Requests lists the requested runs.
func (s *Session) Requests() []app.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Send sends an update to the subscriber, as the session's goroutines do.
func (s *Session) Send(u app.Update) { s.send(u) }

// Subscribe is part of desk.Events.
func (s *Session) Subscribe(f func(app.Update)) func() {
	s.send = f
	return func() { s.note("unsubscribe") }
}

// Workloads is part of desk.Events.
func (s *Session) Workloads() []workloads.Workload {
	if s.Offers != nil {
		return s.Offers
	}
	return Workloads()
}

// Workloads are the workloads in tests of the window: not all, so that pictures do not change with each new one.
func Workloads() []workloads.Workload {
	return []workloads.Workload{throughput.Batching(), throughput.Fusion(), precision.Quantization(), controls.Leak()}
}

// Services returns the session for the window.
func (s *Session) Services() desk.Session {
	return desk.Session{
		Events: s, Runs: runService{s}, Pool: poolService{&s.Pool}, Leaks: leakService{&s.Leaks}, Watches: watchService{&s.Watched}, Tuner: tunerService{s},
		Engines: engineService{s}, Kernels: Kernels{&s.Disk}, Tunings: &s.Tunings, Rules: &s.Rules, Exporter: &s.Exporter, Weights: weightsService{&s.Weighed}, Own: playgroundService{&s.Own},
		Drills: drillService{&s.Machines}, Remote: remoteService{&s.Machines}, Advisor: advisorService{&s.Advised},
		Library: app.NewLibrary(s.RunsDir()),
	}
}

// engineService is a Session as desk.EngineService.
type engineService struct{ *Session }

// List is part of desk.EngineService.
func (s engineService) List() []app.EngineState { return s.States }

// UseDevice is part of desk.EngineService: the device comes first in the engine's list.
func (s engineService) UseDevice(_ context.Context, engine, device string) error {
	s.note("use " + engine + " " + device)
	for i := range s.States {
		devices := s.States[i].Devices
		at := slices.IndexFunc(devices, func(d gpu.Device) bool { return d.ID == device })
		if s.States[i].Name == engine && at >= 0 {
			s.States[i].Devices = slices.Insert(slices.Delete(slices.Clone(devices), at, at+1), 0, devices[at])
			return nil
		}
	}
	return fmt.Errorf("engine %s has no device %q", engine, device)
}

// runService is a Session as desk.RunService.
type runService struct{ *Session }

// History is part of desk.Events.
func (s *Session) History() []monitor.Snapshot { return nil }

// Alerts is part of desk.Events.
func (s *Session) Alerts() []monitor.Alert { return nil }

// Version is part of desk.Events.
func (s *Session) Version() string { return "1.2.3" }

// RunsDir returns the folder of runs.
func (s *Session) RunsDir() string { return cmp.Or(s.Runs, "/home/ada/runs") }

// Stop is part of desk.RunService.
func (s runService) Stop() { s.note("stop") }

// GoOn is part of desk.RunService.
func (s runService) GoOn() { s.note("go on") }

// Start is part of desk.RunService.
func (s runService) Start(r app.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return s.Refuse
}

// Redrawn is part of desk.Events.
func (s *Session) Redrawn() {}

// OnQuiet is part of desk.Events. Nothing is timed.
func (s *Session) OnQuiet(func(on bool)) (cancel func()) { return func() {} }

// Close is part of desk.Events.
func (s *Session) Close() error {
	s.note("close")
	if s.Hang != nil {
		<-s.Hang
	}
	return nil
}
