package drill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/si"
)

// command is a run in a separate process.
func (s *stage) command(ctx context.Context, words ...string) *exec.Cmd {
	words = append(words, s.Program, "run", s.Workload, "--quick", "--throttle", string(app.ThrottleOff), "--engine", s.Engine, "--out", s.dir)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second
	return cmd
}

// bundleIn returns the run in the drill's folder.
func (s *stage) bundleIn() (*bundle.Run, error) {
	dirs, err := filepath.Glob(filepath.Join(s.dir, "*"+bundle.Extension))
	if err != nil || len(dirs) != 1 {
		return nil, errors.Join(fmt.Errorf("%d runs in the folder, want 1", len(dirs)), err)
	}
	return bundle.Load(dirs[0])
}

// killed kills a run once it has a result.
func killed(ctx context.Context, s *stage) (string, error) {
	cmd := s.command(ctx)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return "", err
	}
	var waited error
	ended := make(chan struct{})
	go func() {
		waited = cmd.Wait()
		close(ended)
	}()
	before := s.firstResults(ctx, ended)
	_ = cmd.Process.Kill() // an error if it has ended, which its state shows
	<-ended
	if waited = ignoreExit(waited); waited != nil {
		return "", waited
	}
	if cmd.ProcessState.Exited() {
		return "", errors.New("the run ended before it was killed" + reason(said.String()))
	}
	run, err := s.bundleIn()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("no result within %v", limit)
	case err != nil:
		return "", fmt.Errorf("the bundle cannot be read: %w", err)
	case len(run.Results) < before:
		return "", fmt.Errorf("%d of %d results are left", len(run.Results), before)
	case run.Meta.State != bundle.Running || bundle.Alive(run.Dir):
		return "", fmt.Errorf("the run does not count as cut off: it says that it is %s", run.Meta.State)
	}
	return fmt.Sprintf("The run was killed after %s. All are in the bundle, which counts as cut off", si.Counted(before, "result")), nil
}

// firstResults waits for results in the drill's folder or the end of the process, and returns how many there are.
func (s *stage) firstResults(ctx context.Context, ended <-chan struct{}) int {
	for {
		select {
		case <-ctx.Done():
			return 0
		case <-ended:
			return 0
		case <-time.After(20 * time.Millisecond):
		}
		if run, err := s.bundleIn(); err == nil && len(run.Results) > 0 {
			return len(run.Results)
		}
	}
}

// reason returns the last message of a process, after a colon; empty if there is none.
func reason(said string) string {
	if last := lastLine(said); last != "" {
		return ": " + last
	}
	return ""
}

// ignoreExit ignores how a process ended, which its state shows.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// fileLimit runs under a limit on file size, which looks like a full disk to the process.
func fileLimit(ctx context.Context, s *stage) (string, error) {
	cmd := s.command(ctx, "sh", "-c", `ulimit -f 64; exec "$0" "$@"`)
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the run did not end within %v", limit)
	case !errors.As(err, &exit) || exit.ExitCode() < 0:
		return "", fmt.Errorf("the run ended with %v, want an error of its own%s", err, reason(said.String()))
	case !strings.Contains(said.String(), "limit on file sizes"):
		return "", errors.New("it does not say that files cannot grow" + reason(said.String()))
	}
	run, err := s.bundleIn()
	if err != nil {
		return "", fmt.Errorf("the bundle cannot be read: %w", err)
	}
	return fmt.Sprintf("The run reported that files cannot grow, and ended with status %d. Its bundle can be read and has %s", exit.ExitCode(), si.Counted(len(run.Results), "result")), nil
}
