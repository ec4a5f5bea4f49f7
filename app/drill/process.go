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
)

// command is a run in a process of its own.
func (s *stage) command(ctx context.Context, words ...string) *exec.Cmd {
	words = append(words, s.Program, "run", s.Workload, "--quick", "--throttle", string(app.ThrottleOff), "--engine", s.Engine, "--out", s.dir)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.WaitDelay = time.Second
	return cmd
}

// bundleIn is the run in the drill's folder.
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
	if err := cmd.Start(); err != nil {
		return "", err
	}
	before := 0
	for ctx.Err() == nil && before == 0 {
		time.Sleep(20 * time.Millisecond)
		if run, err := s.bundleIn(); err == nil {
			before = len(run.Results)
		}
	}
	err := cmd.Process.Kill()
	if err = errors.Join(err, ignoreExit(cmd.Wait())); err != nil || cmd.ProcessState.Exited() {
		return "", errors.Join(errors.New("the run ended before it was killed"), err)
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
	return fmt.Sprintf("killed after %d results: all are in the bundle, which counts as cut off", before), nil
}

// ignoreExit leaves out how a process ended, which its state tells.
func ignoreExit(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// fileLimit runs under a limit on the size of files, which is what a full disk looks like to one process.
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
		return "", fmt.Errorf("the run ended with %v, want an error of its own", err)
	case !strings.Contains(said.String(), "limit on file sizes"):
		return "", fmt.Errorf("it does not say that files cannot grow: %.200q", said.String())
	}
	run, err := s.bundleIn()
	if err != nil {
		return "", fmt.Errorf("the bundle cannot be read: %w", err)
	}
	return fmt.Sprintf("told, and ended with status %d; the bundle can be read and has %d results", exit.ExitCode(), len(run.Results)), nil
}
