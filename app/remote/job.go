package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"assay/app/bundle"
)

// Names in a job's folder.
const (
	jobFile    = "job.json"
	endFile    = "end.json"
	aliveFile  = "alive" // locked by the process that waits for the job
	runsFolder = "runs"
)

// Job is a run that was started for another machine. It lives on the machine that runs it, in its own folder, which stays until
// it is removed.
type Job struct {
	ID      string    `json:"id"`
	Args    []string  `json:"args"` // of assay run
	Started time.Time `json:"started"`
	State   string    `json:"state"` // "running", "ended", or "cut off"
	End     *End      `json:"end,omitempty"`
	Runs    []string  `json:"runs,omitempty"` // names of its bundles
}

// States of a job.
const (
	Running = "running"
	Ended   = "ended"
	CutOff  = "cut off" // the machine or its Assay went down
)

// Jobs is the folder of the jobs on the machine that runs them.
type Jobs struct{ Dir string }

// Start starts `self run ARGS` in its own session, so that it outlives the connection, and returns once it has begun.
func (j Jobs) Start(self string, args []string, now time.Time) (Job, error) {
	job := Job{ID: bundle.NewID(now, nil), Args: args, Started: now, State: Running}
	dir := filepath.Join(j.Dir, job.ID)
	if err := os.MkdirAll(filepath.Join(dir, runsFolder), 0o755); err != nil {
		return job, err
	}
	text, err := json.Marshal(job)
	if err == nil {
		err = bundle.ReplaceFile(filepath.Join(dir, jobFile), text)
	}
	if err != nil {
		return job, err
	}
	cmd := exec.Command(self, "remote", "supervise", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return job, fmt.Errorf("cannot start %s: %w", self, err)
	}
	return job, waitAlive(dir)
}

// waitAlive waits until the supervisor holds its lock or has ended.
func waitAlive(dir string) error {
	for range 500 {
		if _, err := os.Stat(filepath.Join(dir, endFile)); err == nil || alive(dir) {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("the run did not start within 5 s")
}

// Supervise runs a job and records how it ended. When ctx ends, the run is interrupted, which keeps its results so far.
func Supervise(ctx context.Context, self, dir string) error {
	job, err := read(dir)
	if err != nil {
		return err
	}
	free, err := hold(dir)
	if err != nil {
		return err
	}
	defer free()
	text, err := json.Marshal(run(ctx, self, dir, job.Args))
	if err != nil {
		return err
	}
	return bundle.ReplaceFile(filepath.Join(dir, endFile), text)
}

// run runs Assay with its output in files.
func run(ctx context.Context, self, dir string, args []string) End {
	cmd := exec.CommandContext(ctx, self, append([]string{"run", "--out", filepath.Join(dir, runsFolder)}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := os.Create(filepath.Join(dir, outputFile))
	if err != nil {
		return End{Code: 1, Why: err.Error()}
	}
	defer out.Close()
	errs, err := os.Create(filepath.Join(dir, errorsFile))
	if err != nil {
		return End{Code: 1, Why: err.Error()}
	}
	defer errs.Close()
	cmd.Stdout, cmd.Stderr = out, errs
	err = cmd.Run()
	switch {
	case cmd.ProcessState == nil:
		return End{Code: 1, Why: err.Error()}
	case cmd.ProcessState.ExitCode() < 0:
		return End{Code: 1, Why: cmd.ProcessState.String()}
	}
	return End{Code: cmd.ProcessState.ExitCode()}
}

// Stop interrupts a job as Control-C does; its results so far are kept.
func (j Jobs) Stop(id string) error {
	dir, err := j.folder(id)
	if err != nil {
		return err
	}
	if !alive(dir) {
		return nil // it has ended
	}
	pid, err := supervisor(dir)
	if err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGINT)
}

// Remove removes a job that has ended, with its bundle.
func (j Jobs) Remove(id string) error {
	dir, err := j.folder(id)
	if err != nil {
		return err
	}
	if alive(dir) {
		return fmt.Errorf("job %s is running: stop it first", id)
	}
	return os.RemoveAll(dir)
}

// List lists the jobs, newest first.
func (j Jobs) List() ([]Job, error) {
	entries, err := os.ReadDir(j.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Job
	for _, e := range entries {
		if job, err := read(filepath.Join(j.Dir, e.Name())); err == nil {
			all = append(all, job)
		}
	}
	slices.SortFunc(all, func(a, b Job) int { return b.Started.Compare(a.Started) })
	return all, nil
}

// folder returns the folder of a job.
func (j Jobs) folder(id string) (string, error) {
	if !plainName.MatchString(id) {
		return "", fmt.Errorf("invalid job %q", id)
	}
	dir := filepath.Join(j.Dir, id)
	if _, err := os.Stat(filepath.Join(dir, jobFile)); err != nil {
		return "", fmt.Errorf("no job %s on this machine", id)
	}
	return dir, nil
}

// read reads a job and its state.
func read(dir string) (Job, error) {
	var job Job
	text, err := os.ReadFile(filepath.Join(dir, jobFile))
	if err == nil {
		err = json.Unmarshal(text, &job)
	}
	if err != nil {
		return job, err
	}
	job.State = CutOff
	if end := ended(dir); end != nil {
		job.State, job.End = Ended, end
	} else if alive(dir) {
		job.State = Running
	}
	runs, err := os.ReadDir(filepath.Join(dir, runsFolder))
	for _, r := range runs {
		job.Runs = append(job.Runs, r.Name())
	}
	return job, err
}

func ended(dir string) *End {
	text, err := os.ReadFile(filepath.Join(dir, endFile))
	var end End
	if err != nil || json.Unmarshal(text, &end) != nil {
		return nil
	}
	return &end
}
