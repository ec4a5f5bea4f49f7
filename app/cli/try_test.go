package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

// tryFast is a workload with the fastest possible points.
var tryFast = []string{"try", "batching", "--set", "sweep=matmul", "--set", "library=false", "--set", "min_size=1"}

func TestTryMeasuresSettings(t *testing.T) {
	c := config(t, gputest.Script{})
	code, out, errOut := assay(t, c, append(tryFast, "--save", "max_size=4", "max_size=8")...)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	for _, want := range []string{"max_size=4 → matmul 4, f32: ", "max_size=8 → matmul 8, f32: ", "Time: ", "A short measurement", "the setting before, matmul 4"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if !strings.Contains(errOut, "Saved 2 results in ") {
		t.Errorf("not saved: %s", errOut)
	}
	if _, out, _ = assay(t, c, "runs"); !strings.Contains(out, "live tuning") {
		t.Errorf("the list of runs: %s", out)
	}
}

// Lines are executed one by one; a line that cannot be executed is reported, and ends nothing.
func TestTryReadsLines(t *testing.T) {
	c := config(t, gputest.Script{})
	var out, errOut bytes.Buffer
	cmd := &command{config: c, out: &out, errOut: &errOut}
	trial, err := cmd.trial("batching", &tryFlags{set: []string{"sweep=matmul library=false min_size=1"}, engine: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	lines := "# small\nmax_size=4 dtype=f32\nmax_size=none\ncompere\nmax_size=8\npoints\nsave\nsave\nquit\nmax_size=16\n"
	if err := cmd.runTrial(t.Context(), trial, nil, strings.NewReader(lines)); err != errFailed {
		t.Errorf("ends with %v", err)
	}
	if n := strings.Count(out.String(), "matmul 8, f32: "); n != 2 || strings.Contains(out.String(), "matmul 16") {
		t.Errorf("printed:\n%s", out.String())
	}
	for _, want := range []string{"max_size", `"compere" is neither a setting`, "compare", "Saved 2 results in ", "no setting was measured since"} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("no %q among the errors:\n%s", want, errOut.String())
		}
	}
}

// Each setting is a line of JSON, and a comparison is another.
func TestTryComparesInTurns(t *testing.T) {
	c := config(t, gputest.Script{})
	code, out, errOut := assay(t, c, append(tryFast, "--json", "--compare", "max_size=4", "max_size=8")...)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	var point tried
	var compared struct {
		Compared string
		Rounds   int
	}
	if err := json.Unmarshal([]byte(lines[1]), &point); err != nil || point.Setting != "max_size=8" || !(point.Results[0].Figures["time_s"] > 0) {
		t.Errorf("%v: %+v", err, point)
	}
	if err := json.Unmarshal([]byte(lines[2]), &compared); err != nil || compared.Rounds == 0 || !strings.Contains(compared.Compared, "matmul 8") {
		t.Errorf("%v: %+v", err, compared)
	}
}

func TestTryRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"want a workload":               {"try"},
		"no workload \"nosuch\"":        {"try", "nosuch", "a=1"},
		"no single settings to measure": {"try", "soak", "duration=1"},
		"want NAME=VALUE":               {"try", "batching", "max_size=4", "max_size"},
		"nosuch":                        {"try", "batching", "nosuch=4"},
		"no engine \"vulkan\"":          {"try", "batching", "max_size=4", "--engine", "vulkan"},
	} {
		code, out, errOut := assay(t, config(t, gputest.Script{}), args...)
		if code != exitUsage || !strings.Contains(errOut, want) || out != "" {
			t.Errorf("%q: exit %d, %s%s", args, code, out, errOut)
		}
	}
	wrong := gputest.Script{Steps: []gputest.Step{{Wrong: true}}, Repeat: true}
	if code, out, _ := assay(t, config(t, wrong), append(tryFast, "max_size=4")...); code != exitFailed || !strings.Contains(out, "has no time") {
		t.Errorf("a wrong output: exit %d, %s", code, out)
	}
}
