package own

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"assay/gpu/msl/clang"
	"assay/internal/plain"
	"assay/internal/si"
)

// Program is the command line of a process that calls Serve.
type Program []string

// ThisProgram is this program, run with the hidden command of that name.
func ThisProgram() (Program, error) {
	self, err := os.Executable()
	return Program{self, "kernel", ServeCommand}, err
}

// ServeCommand is the subcommand of "assay kernel" that calls Serve.
const ServeCommand = "serve-job"

// maxLine is the longest report, in bytes.
const maxLine = 64 << 20

// maxSilence is how long a child may send no sign of life; it sends one each second. It watches its own launches.
const maxSilence = 2 * time.Minute

// Start does a job in a child process, and calls each with every report of it, from this goroutine. Whatever happens to the child is a
// problem in the report: an endless kernel, a crash, exhausted memory. The error is ctx's, or that no child could be started.
func Start(ctx context.Context, p Program, job *Job, each func(*Report)) (*Report, error) {
	return start(ctx, p, job, each, func(int) {})
}

// start is like Start, and also passes on the child's process.
func start(ctx context.Context, p Program, job *Job, each func(*Report), began func(pid int)) (*Report, error) {
	child, cancel := context.WithCancel(ctx)
	defer cancel()
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	c := childOf(child, p, text)
	c.began = began
	c.silent = time.AfterFunc(maxSilence, cancel)
	defer c.silent.Stop()
	report := &Report{Path: job.Kernel.Path}
	started := time.Now()
	err = c.run(func(r *Report) {
		report = r
		each(r)
	})
	if ctx.Err() != nil {
		return report, ctx.Err()
	}
	if report.Done {
		return report, nil
	}
	report.Seconds = time.Since(started).Seconds()
	died, err := c.died(child, job, err)
	if err != nil {
		return report, err
	}
	report.end(died)
	each(report)
	return report, nil
}

// childProcess is a process that does a job.
type childProcess struct {
	*exec.Cmd
	job    []byte
	began  func(pid int)
	said   tail
	silent *time.Timer // kills it after a silence; nil: never
}

func childOf(ctx context.Context, p Program, job []byte) *childProcess {
	c := &childProcess{Cmd: exec.CommandContext(ctx, p[0], p[1:]...)}
	c.job, c.Stderr = job, &c.said
	c.Env = append(os.Environ(), clang.StayInGroup+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // along with the compilers that it runs
	c.WaitDelay = 2 * time.Second
	return c
}

// run starts the child and reads its reports until it ends.
func (c *childProcess) run(each func(*Report)) error {
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return &startError{err}
	}
	c.began(c.Process.Pid)
	go func() { _, _ = in.Write(c.job) }() // and stays open: the child ends when it is closed
	read := c.reports(out, each)
	waited := c.Wait()
	_ = c.Cancel() // a child that crashed leaves its compilers behind
	return errors.Join(waited, read)
}

// startError is the error of a child that did not start.
type startError struct{ error }

// Unwrap is the cause.
func (e *startError) Unwrap() error { return e.error }

// reports reads what a child writes. A line that is not a report ends it.
func (c *childProcess) reports(in io.Reader, each func(*Report)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if c.silent != nil {
			c.silent.Reset(maxSilence)
		}
		if len(lines.Bytes()) == 0 {
			continue
		}
		r := &Report{}
		if err := json.Unmarshal(lines.Bytes(), r); err != nil {
			return fmt.Errorf("read a report: %w", err)
		}
		each(r)
	}
	return lines.Err()
}

// died explains why a child ended before its work did; the error is Assay's, not the kernel's.
func (c *childProcess) died(ctx context.Context, job *Job, err error) (Problem, error) {
	var start *startError
	said := c.said.text()
	switch {
	case errors.As(err, &start):
		return Problem{}, fmt.Errorf("start %s: %w", c.Path, start.error)
	case ctx.Err() != nil:
		return Problem{Kind: Crashed, Message: fmt.Sprintf("the process that ran it hung: no sign of life for %s", si.Time(maxSilence.Seconds()))}, nil
	case outOfMemory(said):
		return Problem{Kind: Memory, Message: fmt.Sprintf("it needs more than %s (limits.memory)", si.Bytes(float64(job.memory())))}, nil
	case c.ProcessState == nil:
		return Problem{}, err
	}
	status, _ := c.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return Problem{Kind: Crashed, Message: fmt.Sprintf("the process that ran it was ended by signal %d (%s)", status.Signal(), status.Signal())}, nil
	}
	if crashed := firstLine(said, "fatal error:", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "panic:"); crashed != "" {
		return Problem{Kind: Crashed, Message: "the process that ran it crashed: " + crashed}, nil
	}
	if said == "" {
		said = c.ProcessState.String()
	}
	return Problem{}, errors.New(strings.TrimPrefix(strings.TrimSpace(said), "assay: "))
}

func outOfMemory(said string) bool {
	return firstLine(said, "out of memory", "cannot allocate memory", "failed to create new OS thread", "no memory for", "errno=12") != ""
}

// firstLine returns the first line that contains one of the words.
func firstLine(text string, words ...string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// end completes the report of a child that died: its current step has failed.
func (r *Report) end(p Problem) {
	for i := range r.Stages {
		if s := &r.Stages[i]; s.State == Started {
			s.State, s.Why = Failed, "did not end"
			p.Message += fmt.Sprintf(", in the step %s", s.Name)
		}
	}
	if p.File == "" {
		p.File, p.Line = r.Source, r.Line
	}
	r.Problems = append(r.Problems, p)
	r.Done = true
}

// tail keeps the beginning of a child's standard error.
type tail struct{ b []byte }

// Write is part of io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const most = 64 << 10
	t.b = append(t.b, p[:min(len(p), most-len(t.b))]...)
	return len(p), nil
}

func (t *tail) text() string {
	lines := strings.Split(string(t.b), "\n")
	for i := range lines {
		lines[i] = plain.Text(lines[i])
	}
	return strings.Join(lines, "\n")
}
