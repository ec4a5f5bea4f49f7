package own

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// maxJob is the maximum job size, in bytes: two kernels and their descriptions.
const maxJob = 64 << 20

// Serve is the child's side: it reads a job as JSON, does it, and writes a report as a line of JSON after each step. The last report
// has Done set; without one, the child did not finish its work.
func Serve(ctx context.Context, in io.Reader, out io.Writer, engines []Engine) error {
	var job Job
	if err := json.NewDecoder(io.LimitReader(in, maxJob)).Decode(&job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	go orphaned(in)
	lines := &reporter{out: out}
	w := newWorker(&job, engines, lines.report)
	w.watchdog = &watchdog{expired: func(p Problem) {
		w.report.end(p)
		lines.report(w.report)
		endGroup()
	}}
	limitMemory(job.memory())
	stop := lines.beat()
	defer stop()
	return errors.Join(w.work(ctx), lines.failed)
}

// beating is how often a child sends a sign of life.
const beating = time.Second

// reporter writes reports as lines, and empty lines as signs of life.
type reporter struct {
	mu     sync.Mutex
	out    io.Writer
	failed error
}

func (l *reporter) report(r *Report) {
	b, err := json.Marshal(r)
	l.write(append(b, '\n'), err)
}

func (l *reporter) write(b []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.out.Write(b)
	}
	l.failed = cmp.Or(l.failed, err)
}

// beat writes signs of life until stop is called.
func (l *reporter) beat() (stop func()) {
	done := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() {
		tick := time.NewTicker(beating)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				l.write([]byte("\n"), nil)
			}
		}
	})
	return func() { close(done); beats.Wait() }
}

// endGroup kills this process and, if it leads their group, the compilers that it runs. Work on a device may keep a process from
// exiting normally.
func endGroup() {
	if syscall.Getpgrp() == os.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
	os.Exit(1)
}

// orphaned ends this process when its parent, which holds the other end of the input open, is gone: otherwise a kernel that never ends
// would outlive it.
func orphaned(in io.Reader) {
	_, _ = io.Copy(io.Discard, in)
	os.Exit(1)
}

func newWorker(job *Job, engines []Engine, tell func(*Report)) *worker {
	return &worker{job: job, engines: engines, report: &Report{}, tell: tell, began: time.Now()}
}

// Check compiles a kernel and matches its description against its source, in this process: no code of the kernel runs.
func Check(ctx context.Context, f Files, cache string) (*Report, error) {
	w := newWorker(&Job{Do: Checking, Kernel: f, Cache: cache}, nil, func(*Report) {})
	err := w.work(ctx)
	return w.report, err
}

// memory returns the larger memory limit of a job's two descriptions.
func (j *Job) memory() int64 {
	most := int64(0)
	for _, f := range []Files{j.Kernel, j.Other} {
		if f.Path != "" {
			most = max(most, f.parse().memory())
		}
	}
	return cmp.Or(most, defaultMemory)
}

// parse returns the description as far as it is valid.
func (f *Files) parse() *Description {
	if f.Description == "" {
		d, _ := Load(f.Path)
		return d
	}
	d, _ := Parse(f.Path, f.Description)
	return d
}

// memory returns the description's limit, or the default if Parse rejects it: the child must live to report that.
func (d *Description) memory() int64 {
	if d.Memory < minMemory || d.Memory > maxMemory {
		return defaultMemory
	}
	return d.Memory
}
