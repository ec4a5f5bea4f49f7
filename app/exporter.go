package app

import (
	"sync"

	"assay/app/scrape"
)

// Exporter is the service that serves the monitor's readings to Prometheus: off unless it is started, and on this machine only.
type Exporter struct{ session *Session }

// Exporter is the service for Prometheus.
func (s *Session) Exporter() *Exporter { return &Exporter{s} }

// exporter is the state that is served while the exporter is on.
type exporter struct {
	mu     sync.Mutex
	server *scrape.Server // nil: off
	leave  func()         // ends the subscription

	told sync.Mutex // guards what follows
	run  *scrape.Run
	runs int
}

// Serve answers scrapes at a loopback address until Stop or the end of the session, and returns the address with its port. An
// earlier server ends first.
func (e *Exporter) Serve(address string) (at string, err error) {
	if err := scrape.CheckAddress(address); err != nil {
		return "", err
	}
	if err := e.Stop(); err != nil {
		return "", err
	}
	own := &e.session.exporter
	own.mu.Lock()
	defer own.mu.Unlock()
	leave := e.session.Subscribe(own.take)
	server, err := scrape.Serve(address, e.state)
	if err != nil {
		leave()
		return "", err
	}
	own.server, own.leave = server, leave
	return server.Address(), nil
}

// Stop ends the server, if there is one.
func (e *Exporter) Stop() error {
	own := &e.session.exporter
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.server == nil {
		return nil
	}
	own.leave()
	err := own.server.Close()
	own.server = nil
	own.told.Lock()
	defer own.told.Unlock()
	own.run = nil
	return err
}

// Address is where scrapes are answered; empty: nowhere.
func (e *Exporter) Address() string {
	own := &e.session.exporter
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.server == nil {
		return ""
	}
	return own.server.Address()
}

// state returns what is served now.
func (e *Exporter) state() scrape.State {
	s := e.session
	state := scrape.State{Version: s.Version(), Snapshot: s.snapshot(), Alerts: s.Alerts()}
	own := &s.exporter
	own.told.Lock()
	defer own.told.Unlock()
	state.Runs = own.runs
	if own.run != nil {
		run := *own.run
		state.Run = &run
	}
	return state
}

// take follows the run in progress.
func (e *exporter) take(u Update) {
	e.told.Lock()
	defer e.told.Unlock()
	switch u := u.(type) {
	case StartUpdate:
		e.run = &scrape.Run{ID: u.Meta.ID, Engine: u.Meta.Engine.Engine, Device: u.Meta.Engine.Device}
		if len(u.Meta.Jobs) > 0 {
			e.run.Workload = u.Meta.Jobs[0].Workload
		}
	case ProgressUpdate:
		if e.run != nil {
			e.run.Fraction, e.run.Left = u.Fraction, u.Left
		}
	case ResultUpdate:
		if e.run != nil {
			e.run.Results++
		}
	case EndUpdate:
		e.run = nil
		e.runs++
	}
}
