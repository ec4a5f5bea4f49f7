package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"time"

	"assay/internal/plain"
)

// InProgram has an Assay executable run a drill in a separate process, which a fault may take down.
func InProgram(ctx context.Context, program, name, engine string) Outcome {
	began := time.Now()
	o := Outcome{Drill: name}
	ctx, cancel := context.WithTimeout(ctx, limit+10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "drill", name, "--engine", engine, "--json")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if json.Unmarshal(out, &o) == nil && o.Drill == name { // even if the drill failed, which its exit status also says
		return o
	}
	o.Pass, o.Took = false, time.Since(began)
	o.Saw = "its process said nothing of it"
	o.Saw += reason(said.String())
	if err != nil {
		o.Saw += " (" + err.Error() + ")"
	}
	return o
}

// lastLine returns the last message of a process.
func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return plain.Text(lines[len(lines)-1])
}
