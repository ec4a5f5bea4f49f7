// Package remote runs Assay on other machines through the user's own ssh. A run started there continues even if the connection
// drops, and its bundle is copied here as it grows. Assay has no server or port of its own.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"assay/internal/plain"
)

// Host is a machine that can be reached by ssh and has Assay.
type Host struct {
	Name    string   // as ssh takes it: "studio", "ann@10.0.0.7"
	Program string   // the Assay executable there; "assay" if empty
	SSH     []string // the command to connect with, up to the host's name; {"ssh"} if empty
	Batch   bool     // never ask for a password, as without a terminal
}

// Check refuses names that ssh would misinterpret.
func (h Host) Check() error {
	if h.Name == "" || strings.HasPrefix(h.Name, "-") || strings.ContainsAny(h.Name, " \t\r\n\x00") {
		return fmt.Errorf("invalid host %q: want a name that ssh knows, such as studio or ann@studio.local", h.Name)
	}
	return nil
}

// dead is the number of seconds without an answer after which a connection counts as lost.
const dead = 15

// command runs Assay there. The remote shell gets one line, so each argument is quoted.
func (h Host) command(ctx context.Context, args ...string) *exec.Cmd {
	ssh := h.SSH
	if len(ssh) == 0 {
		ssh = []string{"ssh"}
	}
	line := []string{quoted(cmp.Or(h.Program, "assay"))}
	for _, a := range args {
		line = append(line, quoted(a))
	}
	all := append([]string{}, ssh[1:]...)
	all = append(all, "-T", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", fmt.Sprintf("ServerAliveCountMax=%d", dead/5))
	if h.Batch {
		all = append(all, "-o", "BatchMode=yes")
	}
	cmd := exec.CommandContext(ctx, ssh[0], append(all, "--", h.Name, strings.Join(line, " "))...)
	cmd.WaitDelay = 2 * time.Second
	return cmd
}

// quoted quotes a word for a POSIX shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ask runs Assay there and returns what it printed.
func (h Host) ask(ctx context.Context, args ...string) ([]byte, error) {
	if err := h.Check(); err != nil {
		return nil, err
	}
	var said tail
	cmd := h.command(ctx, args...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	return out, h.failed(ctx, err, said.String())
}

// failed says why a remote command did not succeed: ssh exits with 255 for its own errors, a shell with 127 if there is no such
// program.
func (h Host) failed(ctx context.Context, err error, said string) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &exit):
		return fmt.Errorf("cannot run ssh: %w", err)
	case exit.ExitCode() == 255, exit.ExitCode() < 0: // ssh's own error, or a signal, such as Control-C in its terminal
		return &LostError{Host: h.Name, Why: strings.TrimSuffix(cmp.Or(lastLine(said), "the connection ended"), ".")}
	case exit.ExitCode() == 127:
		return fmt.Errorf("%s has no program %q: install Assay there, or give its path with --remote-program", h.Name, cmp.Or(h.Program, "assay"))
	}
	return fmt.Errorf("%s: %s", h.Name, strings.TrimPrefix(cmp.Or(lastLine(said), exit.Error()), "assay: "))
}

// LostError is a connection that could not be made or ended early. Whatever runs there continues.
type LostError struct{ Host, Why string }

// Error is part of error.
func (e *LostError) Error() string { return fmt.Sprintf("no connection to %s: %s", e.Host, e.Why) }

// lastLine returns the last line with text, which is where ssh and Assay say what is wrong; it skips a usage hint that may follow.
// ssh also ends its lines with a carriage return.
func lastLine(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		if line = plain.Text(strings.Join(strings.Fields(line), " ")); line != "" && !strings.HasPrefix(line, "Run \"") {
			last = line
		}
	}
	return last
}

// tail keeps the end of what is written.
type tail struct{ b []byte }

// Write is part of io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const kept = 4096
	t.b = append(t.b, p...)
	if len(t.b) > kept {
		t.b = t.b[len(t.b)-kept:]
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.b) }
