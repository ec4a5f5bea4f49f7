package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

// A run is saved as a baseline, and a later one compared with it.
func TestRunAgainstABaseline(t *testing.T) {
	c := config(t, gputest.Script{})
	run := append([]string{"run", "batching"}, tiny...)
	if code, _, errOut := assay(t, c, run...); code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	if code, _, errOut := assay(t, c, append(run, "--baseline", "release")...); code != exitUsage || !strings.Contains(errOut, "none is saved") {
		t.Errorf("before it is saved: exit %d, %s", code, errOut)
	}
	if code, out, errOut := assay(t, c, "baseline", "save", "release", "last"); code != 0 || !strings.Contains(out, "Baseline release of ") {
		t.Errorf("exit %d, %s, %s", code, out, errOut)
	}
	if code, out, _ := assay(t, c, "baseline", "list"); code != 0 || !strings.Contains(out, "release") {
		t.Errorf("exit %d, %s", code, out)
	}
	if code, out, errOut := assay(t, c, append(run, "--baseline", "release")...); !strings.Contains(out, "against the baseline ") {
		t.Errorf("exit %d, %s, %s", code, out, errOut)
	}
	if code, out, _ := assay(t, c, "baseline", "show", "release"); code != 0 || !strings.Contains(out, "matmul") {
		t.Errorf("exit %d, %s", code, out)
	}
	if code, _, _ := assay(t, c, "baseline", "remove", "release"); code != 0 {
		t.Errorf("exit %d", code)
	}
	if code, out, _ := assay(t, c, "baseline", "list"); code != 0 || !strings.Contains(out, "No baselines") {
		t.Errorf("exit %d, %s", code, out)
	}
}

func TestImportCommand(t *testing.T) {
	c, path := config(t, gputest.Script{}), filepath.Join(t.TempDir(), "llama.json")
	text := `[{"build_commit": "8cf427ff", "build_number": 5163, "backends": "CUDA", "gpu_info": "a GPU", "model_type": "qwen2 7B", "n_threads": 8, "n_gen": 128, "avg_ts": 118.88, "avg_ns": 1076767880}]`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := assay(t, c, "import", path)
	for _, want := range []string{"llama-bench", "qwen2 7B, tg128", "1.08 s", "118.9 tokens/s", "build 8cf427ff (5163), CUDA, a GPU, 8 threads", "Others’ figures"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in %s, %s", code, want, out, errOut)
		}
	}
	if code, _, errOut := assay(t, c, "import"); code != exitUsage || errOut == "" {
		t.Errorf("without files: exit %d", code)
	}
	if code, out, _ := assay(t, c, "import", "--remove", "llama.json", "--list"); code != 0 || !strings.Contains(out, "Nothing is imported") {
		t.Errorf("exit %d, %s", code, out)
	}
}

// Figures are placed beside a run, by file and by name, and its report shows them separately.
func TestImportBesideARun(t *testing.T) {
	c, path := config(t, gputest.Script{}), filepath.Join(t.TempDir(), "sleep.json")
	if err := os.WriteFile(path, []byte(`{"results": [{"command": "sleep 0.1", "median": 0.101}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code, _, errOut := assay(t, c, append([]string{"run", "batching"}, tiny...)...); code != 0 {
			t.Fatalf("exit %d: %s", code, errOut)
		}
	}
	for _, args := range [][]string{
		{"baseline", "save", "release", "last~1"},
		{"import", path, "baseline:release", "--beside", "last"},
		{"import", "sleep.json", "--beside", "last"}, // by the name that it was imported under
	} {
		if code, out, errOut := assay(t, c, args...); code != 0 {
			t.Errorf("%v: exit %d, %s, %s", args, code, out, errOut)
		}
	}
	if code, out, _ := assay(t, c, "report", "last"); code != 0 || strings.Count(out, "For reference: ") != 2 || !strings.Contains(out, "101 ms") {
		t.Errorf("exit %d, %s", code, out)
	}
	if code, out, _ := assay(t, c, "import", "--beside", "last", "--remove", "baseline:release"); code != 0 || strings.Contains(out, "release") || !strings.Contains(out, "sleep.json") {
		t.Errorf("exit %d, %s", code, out)
	}
	for _, args := range [][]string{{"import", "none.json", "--beside", "last"}, {"import", "--beside", "none"}} {
		if code, _, errOut := assay(t, c, args...); code != exitFailed || errOut == "" {
			t.Errorf("%v: exit %d, %s", args, code, errOut)
		}
	}
	if code, _, _ := assay(t, c, "import", "--beside", "last", "--list"); code != exitUsage {
		t.Errorf("two questions: exit %d", code)
	}
}
