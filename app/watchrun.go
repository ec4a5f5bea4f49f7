package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/monitor"
	"assay/monitor/target"
)

// activeWatch is a watch in progress.
type activeWatch struct {
	session *Session
	request WatchRequest
	began   time.Time
	cancel  context.CancelFunc
	ctx     context.Context
	command *command // nil: the program was already running
	bundle  *bundle.Bundle
	over    chan struct{} // closed when the program has ended

	mu       sync.Mutex
	reader   *target.Reader
	ending   sync.Once
	kinds    []*judged
	info     bundle.Watch
	costs    []float64
	latest   monitor.Snapshot
	machine  time.Time // when the machine's readings were last recorded
	marks    []WatchMark
	leaks    int
	lost     error // first failure to write the bundle
	finished bool
}

// open starts the program and the bundle. A folder that cannot be written is found before the program starts.
func (a *activeWatch) open() error {
	root := a.request.Out
	if root == "" {
		root = a.session.runsDir()
	}
	if err := bundle.CheckFolder(root); err != nil {
		return err
	}
	for _, j := range a.kinds {
		a.session.clear(j.Alert)
	}
	a.began = time.Now()
	pid, reader, err := a.attach()
	if err != nil {
		return err
	}
	if err := a.record(root, pid, reader); err != nil {
		if a.command != nil {
			a.command.end()
		}
		return err
	}
	return nil
}

// attach starts the program, if it is a command, and opens its reader; no reader if a command has already ended, as the end
// reports.
func (a *activeWatch) attach() (pid int, reader *target.Reader, err error) {
	if len(a.request.Command) == 0 {
		reader, err = target.Open(a.request.PID)
		return a.request.PID, reader, err
	}
	a.command, err = startCommand(&a.request, a.mark)
	if err != nil {
		return 0, nil, err
	}
	pid = a.command.pid()
	if reader, err = target.Open(pid); err != nil {
		return pid, nil, nil
	}
	return pid, reader, nil
}

// record creates the bundle, with the marks that the program has written so far.
func (a *activeWatch) record(root string, pid int, reader *target.Reader) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reader = reader
	a.info = a.describe(pid)
	info := a.info
	meta := bundle.Meta{
		ID: bundle.NewWatchID(a.began), Version: a.session.config.Version, Started: a.began, State: bundle.Running, Host: a.session.Host(),
		Commit: commitOf(a.ctx, a.session.config.Folder), Watch: &info,
	}
	files, err := bundle.Create(root, meta, nil)
	if err != nil {
		return err
	}
	if err := bundle.WriteLabels(files.Dir(), a.request.Labels); err != nil {
		return err
	}
	a.bundle = files
	for _, m := range a.marks {
		e := bundle.MarkEvent(m.Text)
		e.Time = m.At
		a.keep(a.bundle.Event(e))
	}
	return nil
}

// describe returns what is known of the program when the watch begins.
func (a *activeWatch) describe(pid int) bundle.Watch {
	r := &a.request
	w := bundle.Watch{
		Command: r.Command[:min(len(r.Command), maxArguments)], PID: pid, Name: programName(r.Command), Interval: a.session.config.Interval.Seconds(),
		Length: r.For.Seconds(), WarmUp: a.warmUp(r.For).Seconds(), Tolerance: r.Tolerance,
	}
	if a.reader != nil && w.Name == "" {
		w.Name = a.reader.Root().Name
	}
	if r.Mark != nil {
		w.Mark = r.Mark.String()
	}
	return w
}

// warmUp returns what is left out of a watch that lasted that long; 0 means a watch without an end.
func (a *activeWatch) warmUp(watched time.Duration) time.Duration {
	switch r := &a.request; {
	case r.WarmUp > 0:
		return r.WarmUp
	case r.WarmUp < 0 || a.command == nil && len(r.Command) == 0:
		return 0
	}
	return bundle.WarmUpOf(watched)
}

// execute waits for the end and records it.
func (a *activeWatch) execute() (*bundle.Run, error) {
	defer a.session.work.Done()
	defer a.cancel()
	defer monitor.HoldActivity("Assay watches a program")()
	a.event(bundle.Event{Kind: bundle.RunStarted, Title: "Watch started", Text: a.startWords()})
	a.publish()
	end := a.wait()
	a.finish(end)
	run := a.bundle.Run()
	a.session.retireWatch(a)
	a.publish()
	return run, a.lost
}

func (a *activeWatch) startWords() string {
	if a.command != nil {
		return fmt.Sprintf("started process %d", a.info.PID)
	}
	return fmt.Sprintf("attached to process %d", a.info.PID)
}

// watchEnd is why a watch ended.
type watchEnd struct {
	why   string
	state bundle.State
	code  *int
	tail  bool // the program ended by itself and released what it had
}

// wait returns when the watch is over.
func (a *activeWatch) wait() watchEnd {
	var timeout <-chan time.Time
	if a.request.For > 0 {
		timer := time.NewTimer(a.request.For)
		defer timer.Stop()
		timeout = timer.C
	}
	var exited <-chan struct{}
	if a.command != nil {
		exited = a.command.exited
	}
	select {
	case <-exited:
		return a.command.outcome()
	case <-a.over:
		return watchEnd{why: "the program ended", state: bundle.Finished, tail: true}
	case <-timeout:
		a.lastReading()
		end := watchEnd{why: fmt.Sprintf("%s were over", si.Time(a.request.For.Seconds())), state: bundle.Finished}
		if a.command != nil {
			a.command.end()
			end.why += ", and the program was ended"
		}
		return end
	case <-a.ctx.Done():
		a.lastReading()
		end := watchEnd{why: "stopped by the user", state: bundle.Finished}
		if a.request.For > 0 {
			end.state = bundle.Stopped
		}
		if a.command != nil {
			a.command.end()
			end.why += ", and the program was ended"
		}
		return end
	}
}

// lastReading ends the readings: later ones would show a program that is being ended.
func (a *activeWatch) lastReading() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finished = true
}

// read returns the watched program's readings.
func (a *activeWatch) read() []monitor.Reading {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reader == nil || a.finished {
		return nil
	}
	readings := a.reader.Read()
	if a.reader.Gone() && a.command == nil {
		a.ending.Do(func() { close(a.over) })
	}
	return readings
}

// watchSource reads the watched program, if there is one.
type watchSource struct{ session *Session }

// Name is the source's name.
func (w *watchSource) Name() string { return "watched program" }

// Read is part of monitor.Source.
func (w *watchSource) Read(context.Context) []monitor.Reading {
	if a := w.session.watching(); a != nil {
		return a.read()
	}
	return nil
}
