package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/internal/severity"
	"assay/internal/si"
	"assay/monitor"
	"assay/monitor/leak"
	"assay/monitor/target"
)

// WatchRequest is which program to watch for leaks, and how.
type WatchRequest struct {
	Command []string // started by Assay; empty: PID is running
	PID     int

	// Of a command: where its input comes from and its output goes; nil is none.
	Stdin          *os.File
	Stdout, Stderr io.Writer

	For       time.Duration // 0: until the program ends
	WarmUp    time.Duration // left out of the verdicts; 0: DefaultWarmUp for a command, at most a fifth of the time; negative: none
	Tolerance float64       // growth in B/min that is no leak; 0: DefaultWatchTolerance
	Mark      *regexp.Regexp
	Out       string // folder for the bundle; empty: Config.RunsDir
	Labels    bundle.Labels
}

// Defaults and limits of a WatchRequest.
const (
	DefaultWarmUp         = 30 * time.Second
	DefaultWatchTolerance = 0.5e6 // B/min: what is to be found grows by twice as much
	MaxMarks              = 10_000
	maxArguments          = 100 // of a command, that are recorded
	warmUpPart            = 5   // of the time watched: a warm-up by default is no more
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

// activeWatch is a watch in progress.
type activeWatch struct {
	session *Session
	request WatchRequest
	began   time.Time
	cancel  context.CancelFunc
	ctx     context.Context
	command *command // nil: the program was running already
	bundle  *bundle.Bundle
	over    chan struct{} // closed when the program has ended

	mu       sync.Mutex
	reader   *target.Reader
	ending   sync.Once
	kinds    []*judged
	info     bundle.Watch
	costs    []float64
	latest   monitor.Snapshot
	machine  time.Time // when the machine's readings were recorded last
	marks    []WatchMark
	leaks    int
	lost     error // first failure to write the bundle
	finished bool
}

// WatchMark is a mark in a program's output.
type WatchMark struct {
	At   time.Time
	Text string
}

// Do watches a program, and returns when that has ended, the time is over, or ctx is canceled, which ends a program that
// it has started. The run has what was seen.
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

// Stop ends the watch in progress, if any, and a program that it has started.
func (w *Watches) Stop() {
	if a := w.session.watching(); a != nil {
		a.cancel()
	}
}

// watching is the watch in progress; nil: there is none.
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
	for _, k := range watchKinds() {
		a.kinds = append(a.kinds, &judged{watchKind: k})
	}
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

// open starts the program, and the bundle. A folder that cannot be written is found before the program starts.
func (a *activeWatch) open() error {
	root := a.request.Out
	if root == "" {
		root = a.session.runsDir()
	}
	if err := bundle.CheckFolder(root); err != nil {
		return err
	}
	for _, k := range watchKinds() {
		a.session.clear(k.alert)
	}
	a.began = time.Now()
	pid := a.request.PID
	if len(a.request.Command) > 0 {
		c, err := startCommand(&a.request, a.mark)
		if err != nil {
			return err
		}
		a.command, pid = c, c.pid()
	}
	reader, err := target.Open(pid)
	if err != nil {
		if a.command == nil {
			return err
		}
		reader = nil // it has ended already, which is told
	}
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
	if err == nil {
		err = bundle.WriteLabels(files.Dir(), a.request.Labels)
	}
	if err != nil && a.command != nil {
		a.command.end()
	}
	a.bundle = files
	for _, m := range a.marks {
		e := bundle.MarkEvent(m.Text)
		e.Time = m.At
		a.keep(a.bundle.Event(e))
	}
	return err
}

// describe is what is known of the program when the watch begins.
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

// warmUp is what is left out of a watch that has lasted for a time; of one without an end if that is 0.
func (a *activeWatch) warmUp(watched time.Duration) time.Duration {
	switch r := &a.request; {
	case r.WarmUp > 0:
		return r.WarmUp
	case r.WarmUp < 0 || a.command == nil && len(r.Command) == 0:
		return 0
	case watched > 0:
		return min(DefaultWarmUp, watched/warmUpPart)
	}
	return DefaultWarmUp
}

// execute waits for the end and writes it.
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
	tail  bool // the program ended by itself, and released what it had
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

// lastReading ends the readings: what comes later is of a program that is being ended.
func (a *activeWatch) lastReading() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finished = true
}

// read is the source of the watched program's readings.
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

// observe adds a snapshot.
func (a *activeWatch) observe(s monitor.Snapshot) {
	a.mu.Lock()
	if a.bundle == nil || a.finished {
		a.mu.Unlock()
		return
	}
	a.keep(a.bundle.Snapshot(a.part(s)))
	if cost, ok := s.Value(monitor.WatchedCost); ok {
		a.costs = append(a.costs, cost)
	}
	a.latest = s
	for _, j := range a.kinds {
		j.observe(&s)
		j.judge(a.began.Add(a.warmUp(s.Time.Sub(a.began))), s.Time, a.request.Tolerance)
		a.tell(j, s.Time)
	}
	a.mu.Unlock()
	a.publish()
}

// machineEvery is how often a watch records the machine's readings beside those of the program: it may last for days.
const machineEvery = 10 * time.Second

// part is what is recorded of a snapshot.
func (a *activeWatch) part(s monitor.Snapshot) monitor.Snapshot {
	if s.Time.Sub(a.machine) >= machineEvery {
		a.machine = s.Time
		return s
	}
	of := monitor.Watched()
	s.Readings = slices.DeleteFunc(slices.Clone(s.Readings), func(r monitor.Reading) bool { return !slices.Contains(of, r.Metric) })
	return s
}

// tell raises or clears the alert of a kind while the program is watched. Early on much looks like a leak: it waits.
func (a *activeWatch) tell(j *judged, now time.Time) {
	confirm := watchConfirm
	if half := a.request.For / 2; half > 0 {
		confirm = min(confirm, half)
	}
	watched := now.Sub(a.began) - a.warmUp(now.Sub(a.began))
	if watched < confirm {
		return
	}
	leaking := j.verdict.Shape.Leaking()
	switch {
	case leaking && (j.leakID == "" || watched > j.stated*5/4):
		a.state(j)
		j.stated = watched
	case !leaking && j.leakID != "":
		a.withdraw(j)
	}
}

// state records what is known of a leak by now.
func (a *activeWatch) state(j *judged) {
	if j.leakID == "" {
		a.leaks++
		j.leakID = fmt.Sprintf("leak-%d", a.leaks)
	}
	text := j.sentence(a.info.Name, a.began)
	e := bundle.LeakEvent(j.leakID, alertTitle(j.alert), text, j.verdict.Fit.PerSecond.Rate())
	e.Unit = j.unit + "/s"
	a.event(e)
	a.session.raise(j.alert, text)
}

func (a *activeWatch) withdraw(j *judged) {
	a.event(bundle.Event{
		Kind: bundle.LeakWithdrawn, ID: j.leakID, Severity: severity.Critical, Title: alertTitle(j.alert), Text: j.words(a.began),
	})
	j.leakID = ""
	a.session.clear(j.alert)
}

// finish judges all for the last time and closes the bundle.
func (a *activeWatch) finish(end watchEnd) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finished = true
	to := a.latest.Time
	if end.tail {
		to = to.Add(-min(watchTail, to.Sub(a.began)/tailShare))
	}
	for _, j := range a.kinds {
		j.judge(a.began.Add(a.warmUp(a.latest.Time.Sub(a.began))), to, a.request.Tolerance)
		switch leaking := j.verdict.Shape.Leaking(); {
		case leaking:
			a.state(j)
		case j.leakID != "":
			a.withdraw(j)
		}
		if !j.verdict.Shape.Leaking() {
			a.event(bundle.Event{Kind: bundle.Noted, Title: j.title, Text: j.words(a.began)})
		}
		a.info.Verdicts = append(a.info.Verdicts, j.record(a.began))
	}
	a.info.Ended, a.info.ExitCode, a.info.Readings = end.why, end.code, len(a.costs)
	if n := len(a.costs); n > 0 {
		slices.Sort(a.costs)
		a.info.Cost = a.costs[n/2]
	}
	a.bundle.Watched(a.info)
	a.event(bundle.Event{Kind: bundle.RunEnded, Title: "Watch ended", Text: end.why})
	a.keep(a.bundle.Finish(end.state, nil))
}

// mark records a mark in the program's output.
func (a *activeWatch) mark(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.finished || len(a.marks) > MaxMarks {
		return
	}
	a.marks = append(a.marks, WatchMark{time.Now(), text})
	if a.bundle == nil {
		return // open records it
	}
	if len(a.marks) > MaxMarks {
		a.event(bundle.Event{Kind: bundle.Noted, Title: "Marks", Text: fmt.Sprintf("only the first %d marks are kept", MaxMarks)})
		return
	}
	a.event(bundle.MarkEvent(text))
}

func (a *activeWatch) event(e bundle.Event) {
	e.Time = time.Now()
	a.keep(a.bundle.Event(e))
}

// keep records the first failure to write. The bundle continues in memory.
func (a *activeWatch) keep(err error) {
	if err != nil && a.lost == nil {
		a.lost = err
		a.session.raise(bundleAlert, err.Error())
	}
}

// watchSource reads the watched program, while there is one.
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

// Watch is how a watch stands.
type Watch struct {
	RunID    string
	Dir      string // of the bundle
	Running  bool
	Began    time.Time
	Latest   monitor.Snapshot
	Info     bundle.Watch // with its verdicts so far
	Verdicts []WatchState
	Marks    []WatchMark
	WarmUp   time.Duration
	Now      time.Duration // how long the program has been watched
}

// WatchState is one kind of reading so far.
type WatchState struct {
	bundle.WatchVerdict
	Reading monitor.Reading
	Early   bool // so early that growth says little
	Shaped  leak.Shape
}

// Current is the watch in progress, or the last one; false before the first.
func (w *Watches) Current() (Watch, bool) {
	s := w.session
	s.mu.Lock()
	a := s.lastWatch
	s.mu.Unlock()
	if a == nil {
		return Watch{}, false
	}
	return a.look(), true
}

// Run is what the watch in progress, or the last one, has recorded so far; nil before the first.
func (w *Watches) Run() *bundle.Run {
	s := w.session
	s.mu.Lock()
	a := s.lastWatch
	s.mu.Unlock()
	if a == nil {
		return nil
	}
	return a.bundle.Run()
}

// Processes lists the running programs of this user.
func (w *Watches) Processes() ([]target.Process, error) { return target.List() }

// WatchOf is the watch that a run has recorded.
func WatchOf(r *bundle.Run) Watch {
	w := Watch{RunID: r.Meta.ID, Dir: r.Dir, Began: r.Meta.Started, Info: *r.Meta.Watch, WarmUp: time.Duration(r.Meta.Watch.WarmUp * float64(time.Second))}
	if n := len(r.Snapshots); n > 0 {
		w.Latest = r.Snapshots[n-1]
	}
	w.Now = max(0, r.Meta.Finished.Sub(r.Meta.Started))
	for i := range r.Meta.Watch.Verdicts {
		w.Verdicts = append(w.Verdicts, WatchState{WatchVerdict: r.Meta.Watch.Verdicts[i]})
	}
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind == bundle.Marked {
			w.Marks = append(w.Marks, WatchMark{e.Time, e.Text})
		}
	}
	return w
}

// look copies how the watch stands.
func (a *activeWatch) look() Watch {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := Watch{
		Running: !a.finished, Began: a.began, Latest: a.latest, Info: a.info, Marks: slices.Clone(a.marks),
		WarmUp: a.warmUp(a.latest.Time.Sub(a.began)), Now: max(0, a.latest.Time.Sub(a.began)),
	}
	if a.bundle != nil {
		w.RunID, w.Dir = a.bundle.ID(), a.bundle.Dir()
	}
	for _, j := range a.kinds {
		w.Verdicts = append(w.Verdicts, WatchState{
			WatchVerdict: j.record(a.began), Reading: j.last, Shaped: j.verdict.Shape, Early: !a.finished && j.leakID == "",
		})
	}
	return w
}

func (a *activeWatch) publish() { a.session.publish(WatchUpdate{a.look()}) }
