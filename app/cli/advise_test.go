package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// fusedRun stores a run of "fusion" in which the fused kernel is x times faster.
func fusedRun(t *testing.T, c app.Config, id string, x float64, more ...func(*workloads.Result)) {
	t.Helper()
	w, err := workloads.Find(c.Workloads, "fusion")
	if err != nil {
		t.Fatal(err)
	}
	params := w.Defaults(true).With(workloads.Values{"pattern": "add+relu", "min_elements": 64, "max_elements": 64})
	b, err := bundle.Create(c.RunsDir, bundle.Meta{
		ID: id, Started: time.Date(2026, 11, 20, 21, 45, 1, 0, time.UTC), Engine: gpu.Info{Engine: "fake", Device: "Fake device", GPU: true},
		Jobs: []bundle.Job{{Workload: "fusion", Params: params}},
	}, c.Workloads)
	if err != nil {
		t.Fatal(err)
	}
	at := []workloads.Setting{{Name: "pattern", Value: "add+relu"}, {Name: "elements", Value: 64}}
	separate := workloads.Result{ID: "1.1", Workload: "fusion", Case: "add+relu 64", Variant: "separate", Status: workloads.OK, Settings: at}
	separate.Values.Set(workloads.Time, stats.Interval{Median: 2e-3, Lo: 1.9e-3, Hi: 2.1e-3})
	fused := separate
	fused.ID, fused.Variant, fused.Baseline, fused.Values = "1.2", "fused", "separate", nil
	fused.Values.Set(workloads.Time, stats.Interval{Median: 2e-3 / x, Lo: 1.9e-3 / x, Hi: 2.1e-3 / x})
	fused.Values.Set(workloads.Speedup, stats.Interval{Median: x, Lo: 0.99 * x, Hi: 1.01 * x})
	for _, change := range more {
		change(&fused)
	}
	if err := b.Results(separate, fused); err != nil {
		t.Fatal(err)
	}
	if err := b.Finish(bundle.Finished, nil); err != nil {
		t.Fatal(err)
	}
}

func TestAdvise(t *testing.T) {
	c := config(t, gputest.Script{})
	fusedRun(t, c, "fused", 2)
	fusedRun(t, c, "alike", 1)
	fusedRun(t, c, "busy", 2, func(r *workloads.Result) { r.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: others") })
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"advise", "fused"}, 1, "One fused kernel is 2.00× faster than separate dispatches (1.98–2.02), in add+relu 64."},
		{[]string{"advise", "fused"}, 1, "Time, fused: 1.00 (0.950 to 1.05) ms (result 1.2: add+relu 64, fused)"},
		{[]string{"advise", "fused"}, 1, "Measure it: assay advise fused --measure unfused"},
		{[]string{"advise", "alike"}, 0, "Nothing to advise about alike, fake on Fake device: no rule has evidence in it."},
		{[]string{"advise", "busy"}, 0, "no rule has evidence in it.\n1 of 2 results is disturbed, and left out"},
		{[]string{"advise", "busy", "--json"}, 0, "\"results_disturbed\": 1"},
		{[]string{"advise", "--rules"}, 0, "results of separate and of fused kernels"},
		{[]string{"advise", "nosuchrun"}, 1, ""},
		{[]string{"advise", "fused", "--measure", "unfuse"}, exitUsage, ""},
		{[]string{"advise", "fused", "alike"}, exitUsage, ""},
	} {
		code, out, errOut := assay(t, c, test.args...)
		if code != test.code || !strings.Contains(out, test.want) {
			t.Errorf("%v: exit %d, %s%s", test.args, code, out, errOut)
		}
	}
	if _, _, errOut := assay(t, c, "advise", "--measure", "unfuse"); !strings.Contains(errOut, "unfused") {
		t.Errorf("a misspelled rule is answered by %s", errOut)
	}
}

// The gain of a piece of advice is measured; if that is impossible, the output says why.
func TestAdviseMeasures(t *testing.T) {
	c := config(t, gputest.Script{})
	fusedRun(t, c, "fused", 2)
	code, out, errOut := assay(t, c, "advise", "fused", "--measure", "all", "--rounds", "6", "--time", "1ms", "--json")
	var got struct {
		Run    string
		Advice []struct {
			Rule      string
			Gain      float64
			Basis     string `json:"gain_basis"`
			Not       string `json:"not_measured"`
			Evidence  []struct{ What, Source string }
			Measured  *struct{ Verdict, Before, After string }
			GainRange float64 `json:"gain_lo"`
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s, %s", err, out, errOut)
	}
	if code != 1 || got.Run != "fused" || len(got.Advice) != 1 {
		t.Fatalf("exit %d, %+v, %s", code, got, errOut)
	}
	p := got.Advice[0]
	if p.Rule != "unfused" || p.Gain != 2 || p.GainRange != 1.98 || p.Basis != "measured in this run" || len(p.Evidence) != 3 || p.Measured == nil || p.Measured.Verdict == "" {
		t.Errorf("%+v", p)
	}
}

// A run that has the figures ticks a checklist; figures that it lacks are not available.
func TestAdviseChecklist(t *testing.T) {
	c := config(t, gputest.Script{})
	fusedRun(t, c, "fused", 2)
	for _, test := range []struct {
		args []string
		code int
		want []string
	}{
		{
			[]string{"advise", "fused", "--checklist", "optimize"},
			exitNoVerdict,
			[]string{"Optimization: 3 of 8 lines done, 0 not done, 0 not certain, 5 not available", "[x] Device placement.", "[x] Kernel fusion.", "2.00× faster than separate dispatches", "[?] Data types."},
		},
		{[]string{"advise", "fused", "--checklist", "deploy", "--json"}, exitNoVerdict, []string{`"line": "measured"`, `"state": "done"`, `"run": "fused"`}},
		{[]string{"advise", "fused", "--checklist", "deply"}, exitUsage, nil},
		{[]string{"advise", "--checklist", "deploy", "--flow", "slow"}, exitUsage, nil},
		{[]string{"advise", "--flow", "slw"}, exitUsage, nil},
		{[]string{"advise", "fused", "--flow", "slow"}, exitUsage, nil},
		{[]string{"advise", "--flow", "slow", "--engine", "nonsense"}, exitUsage, nil},
	} {
		code, out, errOut := assay(t, c, test.args...)
		if code != test.code {
			t.Errorf("%v: exit %d, want %d: %s%s", test.args, code, test.code, out, errOut)
		}
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in %s", test.args, want, out)
			}
		}
	}
}

// A flow that cannot measure has no verdict, and each step says why.
func TestAdviseFlowWithoutDevice(t *testing.T) {
	c := config(t, gputest.Script{})
	c.Engines = []app.Engine{{Name: "gone", Title: "Gone", Missing: "unplugged"}}
	code, out, errOut := assay(t, c, "advise", "--flow", "transfers")
	for _, want := range []string{"1. Many small transfers", "unplugged", "→ Not certain.", "No verdict: 5 of 5 steps could not be decided. Many small transfers: "} {
		if code != exitNoVerdict || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in %s%s", code, want, out, errOut)
		}
	}
	var got struct {
		Flow  string
		Found bool
		Steps []struct{ Step, Branch, Saw string }
	}
	code, out, _ = assay(t, c, "advise", "--flow", "slow", "--json")
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitNoVerdict || got.Flow != "slow" || len(got.Steps) != 6 || got.Steps[0].Branch != "unsure" {
		t.Errorf("exit %d, %v: %+v", code, err, got)
	}
}
