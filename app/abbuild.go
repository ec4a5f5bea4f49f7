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

// buildTime is the sampling of a case by another build, and maxBuildOutput what it may print.
const (
	buildTime      = 400 * time.Millisecond
	maxBuildOutput = 64 << 20
)

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

// measureBuild has another program of Assay measure the one case, as its command line does.
func measureBuild(ctx context.Context, w *workloads.Workload, side *ABSide, seed uint64) (ABTake, error) {
	dir, err := os.MkdirTemp("", "assay-ab-")
	if err != nil {
		return ABTake{}, err
	}
	defer os.RemoveAll(dir)
	args := []string{
		"run", w.Name, "--quick", "--time", buildTime.String(), "--engine", cmp.Or(side.Engine, "auto"), "--seed", strconv.FormatUint(seed, 10),
		"--json", filepath.Join(dir, "run.json"), "--out", dir,
	}
	args = append(args, settings(w, side.Params)...)
	cmd := exec.CommandContext(ctx, side.Program, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return ABTake{}, errors.Join(ctx.Err(), fmt.Errorf("%s: %w: %s", side.Program, err, lastLine(said.String())))
	}
	return readBuild(filepath.Join(dir, "run.json"), side)
}

// settings are the values as flags, without those that are the default anyway: an older build may lack a parameter.
func settings(w *workloads.Workload, v workloads.Values) []string {
	usual := w.Defaults(true)
	var flags []string
	for i := range w.Params {
		if name := w.Params[i].Name; v[name] != usual[name] {
			flags = append(flags, "--set", fmt.Sprintf("%s=%v", name, v[name]))
		}
	}
	return flags
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// readBuild finds the result of the side in the output of a build.
func readBuild(path string, side *ABSide) (ABTake, error) {
	f, err := os.Open(path)
	if err != nil {
		return ABTake{}, fmt.Errorf("%s wrote no results: %w", side.Program, err)
	}
	defer f.Close()
	var out buildOutput
	if err := json.NewDecoder(io.LimitReader(f, maxBuildOutput)).Decode(&out); err != nil {
		return ABTake{}, fmt.Errorf("read the results of %s: %w", side.Program, err)
	}
	if len(out.Results) == 0 {
		return ABTake{}, fmt.Errorf("%s has no result", side.Program)
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
		return ABTake{}, fmt.Errorf("%s has no variant %q", side.Program, side.Variant)
	case r.Status != string(workloads.OK) || !(r.Seconds > 0):
		return ABTake{}, fmt.Errorf("%s: %s, %s: %s: %s", side.Program, r.Case, r.Variant, r.Status, r.Reason)
	}
	take := ABTake{Seconds: r.Seconds, Work: r.Ops, Case: r.Case, Variant: r.Variant}
	for _, w := range r.Warnings {
		if w.Kind == string(measure.Disturbed) {
			take.Disturbed = w.Text
		}
	}
	return take, nil
}
