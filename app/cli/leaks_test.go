package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

// Workloads run repeatedly, and what is in use is compared with the baseline after each pass.
func TestLeaksCommand(t *testing.T) {
	c := config(t, gputest.Script{})
	args := []string{"leaks", "matmul", "--set", "min_size=8", "--set", "max_size=8", "--passes", "2", "--tolerance", "1GB"}
	code, out, errOut := assay(t, c, args...)
	for _, want := range []string{"Engine’s live buffers", "unchanged", "No growth beyond the tolerance"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in %s, %s", code, want, out, errOut)
		}
	}
	if !strings.Contains(errOut, "Before the baseline") || !strings.Contains(errOut, "Pass 2: ") {
		t.Errorf("said %s", errOut)
	}
	code, out, _ = assay(t, c, append(args, "--json")...)
	var got struct {
		Checks []struct {
			Leaking bool
			Growth  map[string]struct {
				Baseline *int64 `json:"baseline_b"`
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 || len(got.Checks) != 2 || got.Checks[1].Growth["engine’s live buffers"].Baseline == nil {
		t.Errorf("exit %d, %v, %s", code, err, out)
	}
	for _, wrong := range [][]string{{"leaks"}, {"leaks", "nonsense"}, {"leaks", "matmul", "--passes", "0"}, {"leaks", "matmul", "--tolerance", "x"}, {"leaks", "matmul", "--engine", "x"}} {
		if code, _, errOut := assay(t, c, wrong...); code != exitUsage || errOut == "" {
			t.Errorf("%v: exit %d, %s", wrong, code, errOut)
		}
	}
}

// A leak that a run finds during its cases counts, even if the total growth stays within the tolerance afterward.
func TestLeaksOfARun(t *testing.T) {
	c := config(t, gputest.Script{})
	args := []string{"leaks", "leak", "--set", "duration=1", "--set", "rate=50", "--passes", "1", "--tolerance", "1GB"}
	code, out, errOut := assay(t, c, args...)
	if code != exitFailed || !strings.Contains(out, "A run found a leak during its cases") || !strings.Contains(errOut, "! ") {
		t.Errorf("exit %d, %s, %s", code, out, errOut)
	}
}
