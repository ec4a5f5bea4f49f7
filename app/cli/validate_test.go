package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/app"
	"assay/gpu"
	"assay/gpu/gputest"
)

// checking is an engine whose calls are checked.
type checking struct{ gpu.Engine }

func (checking) Validation() string { return "Test validation" }

func TestRunValidates(t *testing.T) {
	c := config(t, gputest.Script{})
	var started []string
	c.Validation = []string{"ASSAY_TEST_LAYER=1"}
	c.Restart = func(variables ...string) error {
		started = variables
		return nil
	}
	c.Engines = []app.Engine{{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) { return checking{gputest.NewFake(gputest.Script{})}, nil }}}
	csv := filepath.Join(t.TempDir(), "r.csv")
	code, out, errOut := assay(t, c, slices.Concat([]string{"run", "batching", "--validate", "--csv", csv}, tiny)...)
	if code != exitOK || !slices.Equal(started, c.Validation) || !strings.Contains(out, "not a timing run: Test validation was on") {
		t.Errorf("exit %d, started %q: %s%s", code, started, out, errOut)
	}
	if text, err := os.ReadFile(csv); err != nil || !strings.Contains(string(text), "not a timing run") {
		t.Errorf("%v: %s", err, text)
	}
	if _, out, _ = assay(t, c, "runs"); !strings.Contains(out, "not a timing run") {
		t.Errorf("the list of runs: %s", out)
	}
	if code, _, errOut = assay(t, c, "run", "batching", "--validate", "--baseline", "last"); code != exitUsage || !strings.Contains(errOut, "no timing run") {
		t.Errorf("exit %d: %s", code, errOut)
	}
	code, _, errOut = assay(t, config(t, gputest.Script{}), slices.Concat([]string{"run", "batching", "--validate"}, tiny)...)
	if code == exitOK || !strings.Contains(errOut, "validation is not available: engine fake has no validation layer") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

// A capture restarts the program with the variables that enable it, and is refused where times are needed.
func TestRunAllowsCaptures(t *testing.T) {
	c := config(t, gputest.Script{})
	var started []string
	c.Capturing = []string{"ASSAY_TEST_CAPTURE=1"}
	c.Restart = func(variables ...string) error {
		started = variables
		return nil
	}
	args := slices.Concat([]string{"run", "batching", "--capture", filepath.Join(t.TempDir(), "a.gputrace")}, tiny)
	code, _, errOut := assay(t, c, args...)
	if code == exitOK || !slices.Equal(started, c.Capturing) || !strings.Contains(errOut, "engine fake cannot capture") {
		t.Errorf("exit %d, started %q: %s", code, started, errOut)
	}
	if code, _, errOut = assay(t, c, append(args, "--baseline", "last")...); code != exitUsage || !strings.Contains(errOut, "--capture makes no timing run") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}
