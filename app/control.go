package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/measure"
)

// SelfCheck is a run of every control: Assay must notice the faults they provoke, and nothing else. It is quick.
func SelfCheck(all []workloads.Workload, engine string) Request {
	r := Request{Engine: engine, Quick: true, Throttling: Throttling{Mode: ThrottleOff}} // controls have their own anchors
	for _, w := range workloads.Controls(all) {
		r.Jobs = append(r.Jobs, bundle.Job{Workload: w.Name, Params: w.Defaults(true)})
	}
	return r
}

// prove concludes from a job of a control.
func (a *activeRun) prove(w *workloads.Workload, job int) {
	if w.Prove == nil {
		return
	}
	run := a.bundle.Run()
	seen := workloads.Seen{Values: a.request.Jobs[job].Params, Results: resultsOf(run, job)}
	for _, e := range run.Leaks() {
		if e.Workload == w.Name {
			seen.Leaks = append(seen.Leaks, e.Title)
		}
	}
	f := w.Conclude(seen)
	a.Finding(f)
	if f.Kind == workloads.KindMissed {
		a.event(bundle.Event{Kind: bundle.ErrorSeen, Severity: severity.Critical, Title: "Control failed", Text: f.Text})
	}
}

// RivalCommand is the hidden command that calls ServeRival.
const RivalCommand = "serve-rival"

// rivalReady is what a rival prints once the device is busy.
const rivalReady = "busy"

// How long a rival may take to make the device busy, and to end.
const (
	rivalStart = 60 * time.Second
	rivalEnd   = 10 * time.Second
)

// rivalSeen is how many monitor intervals another process spends on a GPU before anything is measured beside it: some systems
// report what others do there only in a reading that covers the time before it.
const rivalSeen = 2

// letSee waits until readings of a GPU show another process.
func (a *activeRun) letSee(ctx context.Context) {
	if !a.engine.Info().GPU {
		return
	}
	select {
	case <-time.After(rivalSeen * a.session.config.Interval):
	case <-ctx.Done():
	}
}

// rival starts a process that keeps the run's device busy until stop, or until this process ends.
func (a *activeRun) rival(ctx context.Context) (stop func() error, err error) {
	words := slices.Clone(a.session.config.RivalProgram)
	if len(words) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		words = []string{self, RivalCommand}
	}
	words = append(words, a.meta.Engine.Engine, a.session.engines.chosen(a.meta.Engine.Engine))
	starting, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(rivalStart, cancel)
	cmd := exec.CommandContext(starting, words[0], words[1:]...)
	cmd.WaitDelay = rivalEnd
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start another process: %w", err)
	}
	stop = func() error {
		defer cancel()
		time.AfterFunc(rivalEnd, cancel)
		err := in.Close() // which ends it
		_, _ = io.Copy(io.Discard, out)
		return errors.Join(err, cmd.Wait())
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if timer.Stop(); err == nil && strings.TrimSpace(line) == rivalReady {
		a.letSee(ctx)
		return stop, nil
	}
	cancel()
	_ = stop() // it was killed
	return nil, errors.Join(ctx.Err(), fmt.Errorf("the other process did not start: %s", strings.TrimSpace(said.String()+" "+line)))
}

// ServeRival is the other process's side: it keeps a device busy with fixed work until `in` ends, and announces on `out` when it
// starts to.
func ServeRival(ctx context.Context, c Config, engine, device string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	e, err := openRival(c, engine, device)
	if err != nil {
		return err
	}
	defer e.Close()
	work, err := bench.NewAnchor(ctx, e, measure.AnchorOptions{})
	if err != nil {
		return err
	}
	defer work.Close()
	if _, err := fmt.Fprintln(out, rivalReady); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if _, err := work.Read(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

func openRival(c Config, engine, device string) (gpu.Engine, error) {
	for _, spec := range c.Engines {
		switch {
		case spec.Name != engine:
		case device != "" && spec.OpenOn != nil:
			return spec.OpenOn(device)
		case spec.Open != nil:
			return spec.Open()
		}
	}
	return nil, fmt.Errorf("no engine %q", engine)
}
