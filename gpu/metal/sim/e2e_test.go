//go:build metalsim && cgo && linux && !race && !asan

package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/app"
	"assay/app/cli"
	"assay/gpu/metal"
	"assay/gpu/metal/sim"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/suite"
)

// runOf is the part of a run's JSON that the tests read.
type runOf struct {
	Run struct {
		State  string `json:"state"`
		Engine struct {
			Engine    string `json:"engine"`
			Device    string `json:"device"`
			Clock     string `json:"clock"`
			Simulated bool   `json:"simulated"`
		} `json:"engine"`
	} `json:"run"`
	Results []struct {
		Variant string `json:"variant"`
		Status  string `json:"status"`
		Reason  string `json:"reason"`
	} `json:"results"`
}

// assay runs the command line with only the Metal engine, in temporary folders.
func assay(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	for _, variable := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME"} {
		t.Setenv(variable, t.TempDir())
	}
	var text bytes.Buffer
	config := app.Config{
		Version:   "test",
		Engines:   []app.Engine{{Name: "metal", Title: "Metal", Open: metal.Open}},
		Workloads: suite.All(),
	}
	code = cli.Main(context.Background(), config, args, &text, &text)
	return code, text.String()
}

// A workload of each group completes and verifies on the simulated engine, from the command line. The terminal and each export
// say that the device is simulated; the ledger stays empty. gpu/metal runs every workload.
func TestWorkloads(t *testing.T) {
	for _, w := range firstOfGroups() {
		t.Run(w.Name, func(t *testing.T) {
			sim.Reset()
			dir := t.TempDir()
			name := func(ext string) string { return filepath.Join(dir, "run."+ext) }
			code, out := assay(t, append([]string{
				"run", w.Name, "--engine", "metal", "--quick", "--out", filepath.Join(dir, "bundle"),
				"--csv", name("csv"), "--json", name("json"), "--html", name("html"), "--bench", name("txt"),
			}, small(&w)...)...)
			if code != 0 {
				t.Fatalf("exit code %d:\n%s", code, out)
			}
			if !strings.Contains(out, "simulated") || !strings.Contains(out, "Simulated Metal") {
				t.Errorf("the terminal does not say that the device is simulated:\n%s", out)
			}
			for _, ext := range []string{"csv", "html", "txt"} {
				if text := read(t, name(ext)); !strings.Contains(strings.ToLower(text), "simulated") {
					t.Errorf("the %s export does not say that the device is simulated", ext)
				}
			}
			checkRun(t, read(t, name("json")))
			clean(t)
		})
	}
}

// firstOfGroups are the first workload of each group, without controls.
func firstOfGroups() []workloads.Workload {
	var first []workloads.Workload
	for _, w := range suite.All() {
		if !w.Control && !slices.ContainsFunc(first, func(f workloads.Workload) bool { return f.Group == w.Group }) {
			first = append(first, w)
		}
	}
	return first
}

// The leak control is detected, and its leaked buffers are freed with the engine.
func TestLeakControl(t *testing.T) {
	sim.Reset()
	code, out := assay(t, "run", "leak", "--engine", "metal", "--quick", "--out", filepath.Join(t.TempDir(), "bundle"))
	if code != 1 || !strings.Contains(out, "Live memory grows") || !strings.Contains(out, "deliberate leak") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	clean(t)
}

func checkRun(t *testing.T, text string) {
	t.Helper()
	var run runOf
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		t.Fatal(err)
	}
	if e := run.Run.Engine; !e.Simulated || e.Engine != "metal" || !strings.Contains(e.Clock, "simulator") {
		t.Errorf("the run's engine is %+v", e)
	}
	if run.Run.State != "finished" || len(run.Results) == 0 {
		t.Errorf("the run is %q, with %d results", run.Run.State, len(run.Results))
	}
	for _, r := range run.Results {
		if r.Status != string(workloads.OK) {
			t.Errorf("variant %s is %s: %s", r.Variant, r.Status, r.Reason)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// small returns parameters for a short run: the simulator is much slower than a GPU.
func small(w *workloads.Workload) []string {
	v := benchtest.Small(w)
	maps.Copy(v, map[string]workloads.Values{
		"quantization": {"rows": 64, "cols": 96, "weights": "normal"},
		"compile":      {"kernel": "add"},
		"soak":         {"size": 64, "duration": 2.0, "window": 0.1},
	}[w.Name])
	var flags []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		flags = append(flags, "--set", fmt.Sprintf("%s=%v", name, v[name]))
	}
	return flags
}
