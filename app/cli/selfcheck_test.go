package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/workloads"
)

// controlsConfig is a session whose controls are quick, and whose rival is this binary.
func controlsConfig(t *testing.T, script gputest.Script) app.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, script)
	c.RivalProgram = []string{self, servesRival}
	quick := map[string]map[string]any{"leak": {"duration": 0.3, "iterations": 100.0}, "throttle": {"size": 32, "rest": 0.2}}
	for i := range c.Workloads {
		if w := &c.Workloads[i]; quick[w.Name] != nil {
			w.Quick = quick[w.Name]
		}
	}
	return c
}

func TestSelfcheckRunsEveryControl(t *testing.T) {
	c := controlsConfig(t, gputest.Script{})
	code, out, errOut := assay(t, c, "selfcheck", "--json")
	var found selfChecked
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errOut)
	}
	for _, one := range found.Controls {
		if one.Verdict == app.CheckFailed || one.Why == "" || one.Title == "" {
			t.Errorf("%+v", one)
		}
	}
	if want := len(workloads.Controls(c.Workloads)); len(found.Controls) != want || want < 5 {
		t.Errorf("%d controls, want %d", len(found.Controls), want)
	}
	passed := slices.ContainsFunc(found.Controls, func(one app.Checked) bool { return one.Control == "wrong" && one.Verdict == app.CheckPassed })
	hog := found.Controls[slices.IndexFunc(found.Controls, func(one app.Checked) bool { return one.Control == "hog" })]
	if !passed || !strings.Contains(hog.Why, "other process") || strings.Contains(hog.Why, "no other process") {
		t.Errorf("%+v", found)
	}
	want := map[string]int{app.CheckPassed: exitOK, app.CheckOpen: exitNoVerdict}[found.Verdict]
	if code != want || found.Engine == "" || !strings.Contains(errOut, "What was seen") {
		t.Errorf("%s: exit %d, want %d: %s", found.Verdict, code, want, errOut)
	}
	run, err := bundle.Load(found.Run)
	if err != nil || len(run.Findings) < len(found.Controls) {
		t.Errorf("the run: %v, %d findings", err, len(run.Findings))
	}
}

// A control that fails ends the check with a special status, and says so.
func TestSelfcheckFails(t *testing.T) {
	c := controlsConfig(t, gputest.Script{})
	c.Workloads = slices.DeleteFunc(slices.Clone(c.Workloads), func(w workloads.Workload) bool { return w.Name != "wrong" })
	c.Workloads[0].Prove = func(workloads.Seen) workloads.Proof { return workloads.Missed("nobody noticed") }
	csv := filepath.Join(t.TempDir(), "c.csv")
	code, out, errOut := assay(t, c, "selfcheck", "--csv", csv)
	if code != exitFailed || !strings.Contains(out, "FAIL") || !strings.Contains(out, "nobody noticed") || !strings.Contains(out, "do not rely") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if text, err := os.ReadFile(csv); err != nil || !strings.Contains(string(text), "operands swapped") {
		t.Errorf("%v: %s", err, text)
	}
	code, _, errOut = assay(t, c, "selfcheck", "--engine", "none")
	if code != exitUsage {
		t.Errorf("exit %d: %s", code, errOut)
	}
}
