package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"assay/workloads"
	"assay/workloads/measure"
)

// maxBuildOutput limits the size of the JSON that is read from another build.
const maxBuildOutput = 64 << 20

// buildOutput is the part of a build's JSON that a comparison needs. It is the same in all versions.
type buildOutput struct {
	Run struct {
		Engine struct {
			Engine string `json:"engine"`
			Device string `json:"device"`
		} `json:"engine"`
	} `json:"run"`
	Results []struct {
		Case     string  `json:"case"`
		Variant  string  `json:"variant"`
		Baseline string  `json:"baseline"`
		Status   string  `json:"status"`
		Reason   string  `json:"reason"`
		Seconds  float64 `json:"time_s"`
		Ops      float64 `json:"ops"`
		Warnings []struct {
			Kind string `json:"kind"`
			Text string `json:"text"`
		} `json:"warnings"`
	} `json:"results"`
}

// versionWait is how long a program may take to print its version.
const versionWait = 10 * time.Second

// IsAssay returns an error unless a program prints its version the way Assay does.
func IsAssay(ctx context.Context, program string) error {
	info, err := os.Stat(program)
	switch {
	case err != nil:
		return fmt.Errorf("%s: there is no such program", program)
	case info.IsDir():
		return fmt.Errorf("%s is a folder, not a program of Assay", program)
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not a program: it may not be executed", program)
	}
	waited, cancel := context.WithTimeout(ctx, versionWait)
	defer cancel()
	cmd := exec.CommandContext(waited, program, "version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case waited.Err() != nil:
		return fmt.Errorf("%s is not Assay: it did not report its version within %v", program, versionWait)
	case err != nil:
		return fmt.Errorf("%s is not Assay: it failed when asked for its version (%w)", program, err)
	case !bytes.HasPrefix(out, []byte("assay ")):
		return fmt.Errorf("%s is not Assay: it did not report a version of Assay", program)
	}
	return nil
}

// measureBuild has another Assay executable measure the case through its command line, and returns the engine that it used.
func measureBuild(ctx context.Context, w *workloads.Workload, side *ABSide, p *ABPlan) (ABTake, string, error) {
	dir, err := os.MkdirTemp("", "assay-ab-")
	if err != nil {
		return ABTake{}, "", err
	}
	defer os.RemoveAll(dir)
	args := []string{
		"run", w.Name, "--quick", "--time", max(MinTime, cmp.Or(p.Take, tuneBudget)).String(), "--engine", cmp.Or(side.Engine, "auto"), "--seed", strconv.FormatUint(p.Seed, 10),
		"--json", filepath.Join(dir, "run.json"), "--out", dir,
	}
	args = append(args, SettingFlags(w, side.Params)...)
	cmd := exec.CommandContext(ctx, side.Program, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		why := fmt.Errorf("%s: %w", side.Program, err)
		if line := lastLine(said.String()); line != "" {
			why = fmt.Errorf("%w: %s", why, line)
		}
		return ABTake{}, "", errors.Join(ctx.Err(), why)
	}
	return readBuild(filepath.Join(dir, "run.json"), side)
}

// SettingFlags returns all values as flags of assay run: another build may have other defaults. A build that lacks a parameter
// says so.
func SettingFlags(w *workloads.Workload, v workloads.Values) []string {
	var flags []string
	for i := range w.Params {
		name := w.Params[i].Name
		flags = append(flags, "--set", fmt.Sprintf("%s=%v", name, v[name]))
	}
	return flags
}

// checkBuild refuses a take of a different case or engine than the build's earlier takes: their times are not comparable.
func (r *ABResult) checkBuild(take *ABTake) error {
	a, b := &r.Plan.A, &r.Plan.B
	if a.Program == "" || b.Program == "" || len(r.Takes) == 0 {
		return nil
	}
	if first := &r.Takes[0]; !r.differ && take.Case != first.Case {
		return fmt.Errorf("the builds measured different cases: %s, and %s", first.Case, take.Case)
	}
	if a.Engine == b.Engine && r.Engine[0] != r.Engine[1] && r.Engine[1] != "" {
		return fmt.Errorf("the builds used different engines: %s, and %s", r.Engine[0], r.Engine[1])
	}
	return nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// readBuild finds the result of the side in the output of a build, and the engine.
func readBuild(path string, side *ABSide) (ABTake, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return ABTake{}, "", fmt.Errorf("%s wrote no results", side.Program)
	}
	defer f.Close()
	var out buildOutput
	if err := json.NewDecoder(io.LimitReader(f, maxBuildOutput)).Decode(&out); err != nil {
		return ABTake{}, "", fmt.Errorf("read the results of %s: %w", side.Program, err)
	}
	if len(out.Results) == 0 {
		return ABTake{}, "", fmt.Errorf("%s has no result", side.Program)
	}
	at := 0
	for i, r := range out.Results {
		if side.Variant == r.Variant || side.Variant == "" && out.Results[at].Baseline == "" && r.Baseline != "" && r.Status == string(workloads.OK) {
			at = i
		}
	}
	r := out.Results[at]
	switch {
	case side.Variant != "" && r.Variant != side.Variant:
		return ABTake{}, "", fmt.Errorf("%s has no variant %q", side.Program, side.Variant)
	case r.Status != string(workloads.OK) || !(r.Seconds > 0):
		return ABTake{}, "", fmt.Errorf("%s: %s, %s: %s: %s", side.Program, r.Case, r.Variant, r.Status, r.Reason)
	}
	take := ABTake{Seconds: r.Seconds, Work: r.Ops, Case: r.Case, Variant: r.Variant}
	for _, w := range r.Warnings {
		if w.Kind == string(measure.Disturbed) {
			take.Disturbed = w.Text
		}
	}
	return take, fmt.Sprintf("%s on %s", out.Run.Engine.Engine, out.Run.Engine.Device), nil
}
