package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"assay/app/bundle"
)

// WatchRequest says which program to watch for leaks, and how.
type WatchRequest struct {
	Command []string // Assay starts it; empty: watch the running PID
	PID     int

	// For a command: where its input comes from and its output goes; nil is none.
	Stdin          *os.File
	Stdout, Stderr io.Writer

	For       time.Duration // 0: until the program ends
	WarmUp    time.Duration // left out of the verdicts; 0: DefaultWarmUp for a command, at most a fifth of the time; negative: none
	Tolerance float64       // growth in B/min that does not count as a leak; 0: DefaultWatchTolerance
	Mark      *regexp.Regexp
	Out       string // folder for the bundle; empty: Config.RunsDir
	Labels    bundle.Labels
}

// Defaults and limits of a WatchRequest.
const (
	DefaultWarmUp         = bundle.DefaultWarmUp
	DefaultWatchTolerance = 0.5e6 // B/min: leaks to be found grow twice as fast
	MaxMarks              = 10_000
	maxArguments          = 100 // of a command, that are recorded
)

// Check returns an error that names what is wrong.
func (r *WatchRequest) Check() error {
	switch {
	case len(r.Command) == 0 && r.PID == 0:
		return errors.New("want a command to start, or the ID of a running process")
	case len(r.Command) > 0 && r.PID != 0:
		return errors.New("a command to start and a process ID: leave out one")
	case r.PID < 0:
		return fmt.Errorf("process ID %d: want a positive number", r.PID)
	case r.Mark != nil && len(r.Command) == 0:
		return errors.New("marks are found in the output of a command that Assay starts; a running process writes elsewhere")
	case r.Tolerance < 0:
		return errors.New("the tolerance must not be negative")
	case r.For < 0:
		return errors.New("the time to watch must not be negative")
	}
	return nil
}

// Watches is the service that watches other programs for leaks: one at a time, beside runs.
type Watches struct{ session *Session }

// Watches is the service for leaks of other programs.
func (s *Session) Watches() *Watches { return &Watches{s} }

// Do watches a program and returns when the program has ended, the time is over, or ctx is canceled, which ends a program that
// Assay started. The run has what was seen.
func (w *Watches) Do(ctx context.Context, r WatchRequest) (*bundle.Run, error) {
	a, err := w.session.beginWatch(ctx, r)
	if err != nil {
		return nil, err
	}
	return a.execute()
}

// Start is Do in the background, reported by WatchUpdates.
func (w *Watches) Start(r WatchRequest) error {
	a, err := w.session.beginWatch(w.session.ctx, r)
	if err != nil {
		return err
	}
	go func() { _, _ = a.execute() }() // beginWatch has counted it in s.work
	return nil
}

// Stop ends the watch in progress, if any, and the program if Assay started it.
func (w *Watches) Stop() {
	if a := w.session.watching(); a != nil {
		a.cancel()
	}
}

// watching returns the watch in progress; nil: there is none.
func (s *Session) watching() *activeWatch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watch
}

// beginWatch starts the program and makes its watch the active one.
func (s *Session) beginWatch(ctx context.Context, r WatchRequest) (*activeWatch, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	labels, err := r.Labels.Tidy()
	if err != nil {
		return nil, err
	}
	r.Labels = labels
	if r.Tolerance == 0 {
		r.Tolerance = DefaultWatchTolerance
	}
	a := &activeWatch{session: s, request: r, over: make(chan struct{})}
	a.kinds = kindsToJudge()
	a.ctx, a.cancel = context.WithCancel(ctx)
	if err := s.reserveWatch(a); err != nil {
		a.cancel()
		return nil, err
	}
	if err := a.open(); err != nil {
		a.cancel()
		s.retireWatch(a)
		s.work.Done()
		return nil, err
	}
	s.mu.Lock()
	s.lastWatch = a
	s.mu.Unlock()
	return a, nil
}

func (s *Session) reserveWatch(a *activeWatch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errors.New("watch a program: the session is closed")
	case s.watch != nil:
		return fmt.Errorf("%w: another program is being watched", ErrBusy)
	}
	s.watch = a
	s.work.Add(1)
	return nil
}

func (s *Session) retireWatch(a *activeWatch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watch == a {
		s.watch = nil
	}
}
