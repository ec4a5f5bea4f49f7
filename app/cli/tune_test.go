package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"assay/app"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
)

// tuningConfig has an engine on which the naive GEMM is twice as fast as any other, and keeps tuned choices to itself.
func tuningConfig(t *testing.T) app.Config {
	t.Helper()
	c := config(t, gputest.Script{})
	c.TuningFile = filepath.Join(t.TempDir(), "tuning.json")
	c.Engines[0].Open = func() (gpu.Engine, error) {
		return &gputest.Paced{Engine: gputest.NewFake(gputest.Script{}), Factor: func(k *shaders.Kernel) float64 {
			return map[bool]float64{true: 0.5, false: 1}[k.Impl.Name == "naive"]
		}}, nil
	}
	return c
}

func TestTune(t *testing.T) {
	c := tuningConfig(t)
	if code, out, _ := assay(t, c, "tune", "list"); code != 0 || !strings.Contains(out, "No search has found anything yet") {
		t.Errorf("exit %d: %s", code, out)
	}
	code, out, errOut := assay(t, c, "tune", "matmul", "--quick", "--budget", "5s", "--set", "rows=8", "--set", "columns=8", "--set", "inner=8",
		"--set", "operands=cache", "--set", "candidates=4")
	if code != 0 || !strings.Contains(out, "use naive: 2.00× faster than the default matmul/simd/f32") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	code, out, errOut = assay(t, c, "tune", "list", "--json")
	var list []app.KeptTuning
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list) != 1 || list[0].Choice() != "matmul/naive/f32" {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errOut)
	}
	_, out, _ = assay(t, c, "tune", "list")
	for _, want := range []string{list[0].ID(), "M=8 N=8 K=8 Batch=1", "matmul/naive/f32", "2.00×", "scripted device", "used with --tuned", c.TuningFile} {
		if !strings.Contains(out, want) {
			t.Errorf("the list lacks %q:\n%s", want, out)
		}
	}
	run := []string{"run", "batching", "--quick", "--set", "sweep=matmul", "--set", "min_size=8", "--set", "max_size=8", "--set", "library=false", "--csv", "-"}
	for _, tuned := range []bool{false, true} {
		args := run
		if tuned {
			args = append(args, "--tuned")
		}
		if code, out, errOut := assay(t, c, args...); code != 0 || strings.Contains(out, "matmul/naive/f32: 2.00× faster than matmul/simd/f32") != tuned {
			t.Errorf("tuned %v: exit %d: %s%s", tuned, code, out, errOut)
		}
	}
}

func TestTuneTravels(t *testing.T) {
	c := tuningConfig(t)
	assay(t, c, "tune", "matmul", "--quick", "--budget", "5s", "--set", "rows=8", "--set", "columns=8", "--set", "inner=8", "--set", "candidates=4")
	file := filepath.Join(t.TempDir(), "tuned.json")
	if code, out, errOut := assay(t, c, "tune", "export", file); code != 0 || !strings.Contains(out, "1 tuned choice written to ") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	other := tuningConfig(t)
	if code, out, errOut := assay(t, other, "tune", "import", file); code != 0 || !strings.Contains(out, "1 tuned choice imported") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if code, out, errOut := assay(t, other, "tune", "clear", "--unused"); code != 0 || !strings.Contains(out, "0 tuned choices removed") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if code, out, errOut := assay(t, other, "tune", "clear", "--all"); code != 0 || !strings.Contains(out, "1 tuned choice removed") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
}

func TestTuneRefuses(t *testing.T) {
	c := tuningConfig(t)
	for words, args := range map[string][]string{
		"want one operation":                 {"tune"},
		`no operation "matmull" to tune`:     {"tune", "matmull"},
		`no entry "12345678"`:                {"tune", "clear", "12345678"},
		"want IDs, --all or --unused":        {"tune", "clear"},
		`budget must be a number`:            {"tune", "matmul", "--budget", "0s"},
		"--again takes the settings":         {"run", "--again", "last", "--tuned"},
		"rows must be a whole number from 1": {"tune", "matmul", "--set", "rows=0"},
		"has no kernel for dtype bf16":       {"tune", "relu", "--set", "dtype=bf16"},
		"tune export: want one file":         {"tune", "export"},
	} {
		if code, _, errOut := assay(t, c, args...); code != exitUsage || !strings.Contains(errOut, words) {
			t.Errorf("%q: exit %d: %s, want %q", args, code, errOut, words)
		}
	}
}
