package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
)

func TestFilesThatAreNoDocuments(t *testing.T) {
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, told := assay(t, config(t, gputest.Script{}), notes)
	if code != 2 || !strings.Contains(told, "notes.txt is not a document Assay can open: want weights (.safetensors, .gguf) or a run (.assayrun)") {
		t.Errorf("exit %d, %s", code, told)
	}
}

// No command reports success for a bundle whose files were truncated after the run.
func TestCutBundlesAreToldOf(t *testing.T) {
	c := config(t, gputest.Script{})
	storedRun(t, c, "base", 1e-3, workloads.OK)
	results, samples := storedRun(t, c, "results", 1e-3, workloads.OK), storedRun(t, c, "samples", 1e-3, workloads.OK)
	for path, bytes := range map[string]int64{filepath.Join(results, "results.csv"): 300, filepath.Join(samples, "monitor.csv"): 5} {
		if err := os.Truncate(path, bytes); err != nil {
			t.Fatal(err)
		}
	}
	const lost = "results.csv is cut off: it has 0 of 1 result"
	const torn = "monitor.csv is cut off: it ends in the middle of a line"
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"report", results}, 1, lost},
		{[]string{"compare", "base", "results"}, 1, lost},
		{[]string{"compare", "results", "base"}, 1, lost},
		{[]string{"runs", "results"}, 0, lost},
		{[]string{"report", samples}, 1, torn},
		{[]string{"compare", "base", "samples"}, 1, torn},
		{[]string{"runs", "samples"}, 0, torn},
	} {
		code, out, errOut := assay(t, c, test.args...)
		if code != test.code || !strings.Contains(strings.Join(strings.Fields(out+errOut), " "), test.want) || strings.Contains(out, "No leaks found") {
			t.Errorf("%v: exit %d, %s%s, want exit %d and %q", test.args, code, out, errOut, test.code, test.want)
		}
	}
}
