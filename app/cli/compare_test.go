package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/stats"
	"assay/workloads"
)

// storedRun writes a bundle with one result of steady samples.
func storedRun(t *testing.T, c app.Config, id string, seconds float64, status workloads.Status) (dir string) {
	t.Helper()
	b, err := bundle.Create(c.RunsDir, bundle.Meta{
		ID: id, Version: "1.2.3", Started: time.Date(2026, 11, 20, 21, 45, 1, 0, time.UTC),
		Engine: gpu.Info{Engine: "fake", Device: "Fake device"}, Jobs: []bundle.Job{{Workload: "batching", Params: workloads.Values{}}},
	}, c.Workloads)
	if err != nil {
		t.Fatal(err)
	}
	r := workloads.Result{Workload: "batching", Case: "matmul 64", Variant: "f32", Status: status}
	if status == workloads.OK {
		for i := range 20 {
			r.Samples = append(r.Samples, seconds*(1+0.0001*float64(i%5)))
		}
		r.Values.Set(workloads.Time, stats.Median(r.Samples).Interval)
		r.Values.SetNumber(workloads.Samples, float64(len(r.Samples)))
	}
	if err := b.Results(r); err != nil {
		t.Fatal(err)
	}
	if err := b.Finish(bundle.Finished, nil); err != nil {
		t.Fatal(err)
	}
	return b.Dir()
}

func TestCompare(t *testing.T) {
	c := config(t, gputest.Script{})
	dir := storedRun(t, c, "base", 1e-3, workloads.OK)
	storedRun(t, c, "fast", 0.5e-3, workloads.OK)
	storedRun(t, c, "slow", 2e-3, workloads.OK)
	storedRun(t, c, "wrong", 0, workloads.Failed)
	for _, test := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{dir, "fast"}, 0, []string{"2.00× faster (2.00–2.00)", "\nNo slowdown shown. Faster in 1 of 1 row, by up to 2.00×.\n", "matmul 64", "1.00 ms", "500 µs"}},
		{[]string{"base", "slow"}, 1, []string{"2.00× slower", "\nSlower in 1 of 1 row, by up to 2.00×.\n"}},
		{[]string{"base", "base.assayrun"}, 0, []string{"within noise floor (2 %)", "No difference shown.", "are the same run", "Not recorded: the power source"}},
		{[]string{"base", "wrong"}, 1, []string{"not comparable: wrong result in this run", "Nothing could be compared: 1 result verified in the baseline but not in this run."}},
		{[]string{"wrong", "base"}, 1, []string{"Nothing could be compared: wrong result in the baseline."}},
		{[]string{"--markdown", "base", "fast"}, 0, []string{"| matmul 64 | f32", "Compared with baseline base, noise floor 2 %. Run fast on", "1.00 ms", "faster"}},
	} {
		code, out, errOut := assay(t, c, append([]string{"compare"}, test.args...)...)
		if code != test.code {
			t.Errorf("%v: exit %d, want %d: %s", test.args, code, test.code, errOut)
		}
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in\n%s", test.args, want, out)
			}
		}
	}
}

func TestCompareJSON(t *testing.T) {
	c := config(t, gputest.Script{})
	storedRun(t, c, "base", 1e-3, workloads.OK)
	storedRun(t, c, "slow", 2e-3, workloads.OK)
	storedRun(t, c, "wrong", 0, workloads.Failed)
	code, out, errOut := assay(t, c, "compare", "--json", "base", "slow")
	var got comparedRuns
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 1 {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errOut)
	}
	if len(got.Rows) != 1 || got.Rows[0].Verdict != stats.Slower || got.Rows[0].Words != "slower" || got.Rows[0].Floor != 0.02 || got.Passed || *got.Rows[0].Ratio > 0.51 || got.NoiseFloor != 0.02 {
		t.Errorf("comparison %+v", got)
	}
	_, out, _ = assay(t, c, "compare", "--json", "base", "wrong")
	if !strings.Contains(out, `"ratio": null`) || !strings.Contains(out, `"broken": true`) {
		t.Errorf("a wrong result: %s", out)
	}
}

// A row states its own noise floor, and distinguishes a difference within it from none.
func TestCompareJSONTellsTheFloor(t *testing.T) {
	ratio := stats.Interval{Median: 0.97, Lo: 0.96, Hi: 0.98}
	c := &report.Comparison{Base: &bundle.Meta{}, Run: &bundle.Meta{}, Floor: 0.1, Rows: []report.ComparisonRow{
		{Ratio: ratio, Verdict: stats.Unsure}, {Ratio: stats.Interval{Median: 1, Lo: 0.9, Hi: 1.1}, Verdict: stats.Unsure},
	}}
	text, err := json.Marshal(comparisonJSON(c))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"verdict":"unsure","verdict_text":"may be noise (floor 0 %)","noise_floor":0,`, `"verdict_text":"no difference shown"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestCompareUsage(t *testing.T) {
	c := config(t, gputest.Script{})
	storedRun(t, c, "base", 1e-3, workloads.OK)
	for want, args := range map[string][]string{
		"compare takes two runs":    {"base"},
		"--json and --markdown":     {"--json", "--markdown", "base", "base"},
		`no run "nothing": not a f`: {"base", "nothing"},
	} {
		code, _, errOut := assay(t, c, append([]string{"compare"}, args...)...)
		if code == 0 || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit %d, %s", args, code, errOut)
		}
	}
}

func TestRuns(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir()) // the trash
	c := config(t, gputest.Script{})
	if code, out, _ := assay(t, c, "runs"); code != 0 || !strings.Contains(out, "No runs in") {
		t.Errorf("exit %d: %s", code, out)
	}
	storedRun(t, c, "first", 1e-3, workloads.OK)
	dir := storedRun(t, c, "second", 0, workloads.Failed)
	steps := []struct {
		args []string
		code int
		want []string
	}{
		{[]string{}, 0, []string{"first", "second", "finished", "1 wrong", "Fake device"}},
		{[]string{"nothing"}, 0, []string{"No such run in"}},
		{[]string{"--label", "first", "--tag", "before fix", "--note", "fan off"}, 0, nil},
		{[]string{"BEFORE"}, 0, []string{"first", "[before fix]", "fan off"}},
		{[]string{"--label", "first", "--note", ""}, 0, nil},
		{[]string{"--label", "first", "--tag", "a,b"}, 1, []string{`holds ','`}},
		{[]string{"--label", "first"}, 2, []string{"give --tag or --note"}},
		{[]string{"--tag", "x"}, 2, []string{"go with --label"}},
		{[]string{"--delete", "second", "word"}, 2, []string{"choose one"}},
		{[]string{"--delete", "second"}, 0, []string{dir + " is in the trash."}},
		{[]string{"--delete", "second"}, 1, []string{"no run"}},
	}
	for _, step := range steps {
		code, out, errOut := assay(t, c, append([]string{"runs"}, step.args...)...)
		if code != step.code {
			t.Errorf("%v: exit %d, want %d: %s", step.args, code, step.code, errOut)
		}
		for _, want := range step.want {
			if !strings.Contains(out+errOut, want) {
				t.Errorf("%v: no %q in\n%s%s", step.args, want, out, errOut)
			}
		}
	}
	_, out, _ := assay(t, c, "runs", "--json")
	var got []listedRun
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != 1 || got[0].ID != "first" || got[0].Note != "" ||
		strings.Join(got[0].Tags, "|") != "before fix" || got[0].Verified != 1 || got[0].Dir != filepath.Join(c.RunsDir, "first.assayrun") {
		t.Errorf("%v: %s", err, out)
	}
}

// More than two runs are side by side; any run slower than the first fails the command.
func TestCompareMany(t *testing.T) {
	c := config(t, gputest.Script{})
	storedRun(t, c, "base", 1e-3, workloads.OK)
	storedRun(t, c, "fast", 0.5e-3, workloads.OK)
	storedRun(t, c, "fast2", 0.25e-3, workloads.OK)
	storedRun(t, c, "slow", 2e-3, workloads.OK)
	page := filepath.Join(t.TempDir(), "runs.html")
	code, out, errOut := assay(t, c, "compare", "base", "fast", "fast2", "--html", page)
	for _, want := range []string{"1: base on Fake device", "3: fast2 on", "2.00× faster", "4.00× faster", "3 against 1"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in %s, %s", code, want, out, errOut)
		}
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "4.00× faster") {
		t.Errorf("%v, %s", err, text)
	}
	code, out, _ = assay(t, c, "compare", "base", "fast", "slow", "--json")
	var got struct {
		Comparisons []struct {
			Run    string `json:"run_id"`
			Passed bool
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 1 || len(got.Comparisons) != 2 || !got.Comparisons[0].Passed || got.Comparisons[1].Run != "slow" || got.Comparisons[1].Passed {
		t.Errorf("exit %d, %v, %s", code, err, out)
	}
	if code, out, _ := assay(t, c, "compare", "base", "fast", "fast2", "--markdown"); code != 0 || !strings.Contains(out, "| Case | Variant | 1 | 2 | 2 against 1 |") {
		t.Errorf("exit %d, %s", code, out)
	}
}
