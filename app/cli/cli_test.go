package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/metric"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/suite"
)

func config(t *testing.T, script gputest.Script) app.Config {
	c := fakeConfig(script)
	c.RunsDir = t.TempDir()
	return c
}

func fakeConfig(script gputest.Script) app.Config {
	return app.Config{
		Version:   "1.2.3",
		Engines:   []app.Engine{{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) { return gputest.NewFake(script), nil }}},
		Workloads: suite.All(),
		Sources:   monitor.Sources(),
	}
}

// assay runs one command line. Each has its own sources, like a process: a slow read may outlive its session.
func assay(t *testing.T, c app.Config, args ...string) (code int, out, errOut string) {
	t.Helper()
	c.Sources = monitor.Sources()
	var o, e bytes.Buffer
	code = Main(context.Background(), c, args, &o, &e)
	return code, o.String(), e.String()
}

// tiny makes a run of a fraction of a second.
var tiny = []string{"--quick", "--set", "sweep=matmul", "--set", "min_size=4", "--set", "max_size=8", "--set", "library=false"}

func TestRunWritesWhatItSays(t *testing.T) {
	c := config(t, gputest.Script{})
	dir := t.TempDir()
	csvPath, jsonPath := filepath.Join(dir, "r.csv"), filepath.Join(dir, "r.json")
	bench := filepath.Join(dir, "r.txt")
	args := append([]string{"run", "batching", "--csv", csvPath, "--json", jsonPath, "--bench", bench}, tiny...)
	code, out, errOut := assay(t, c, args...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	for _, want := range []string{"matmul 4", "matmul 8", "CSV:", "Report:", csvPath, jsonPath} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	f, err := os.Open(csvPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d CSV rows, error %v; want a header and 2", len(rows), err)
	}
	for _, col := range strings.Fields(`run_id started_at workload case variant engine device param_size time_s time_lo_s time_hi_s
		samples flops_per_s bytes_per_s items_per_s bytes error_max error_rel status reason warnings`) {
		if !strings.Contains(","+strings.Join(rows[0], ",")+",", ","+col+",") {
			t.Errorf("results.csv has no column %s", col)
		}
	}
	b, err := os.ReadFile(jsonPath)
	if err != nil || !json.Valid(b) {
		t.Errorf("JSON export: %v, valid %v", err, json.Valid(b))
	}
	if b, err := os.ReadFile(bench); err != nil || !bytes.Contains(b, []byte("BenchmarkBatching/matmul_8/f32")) {
		t.Errorf("benchmark export: %v\n%s", err, b)
	}
	report := regexp.MustCompile(`Report: (\S+)`).FindStringSubmatch(out)
	if report == nil {
		t.Fatal("no report is named")
	}
	html := filepath.Join(dir, "again.html")
	if code, _, errOut := assay(t, c, "report", filepath.Dir(report[1]), "--html", html); code != 0 {
		t.Errorf("report: exit %d: %s", code, errOut)
	}
	if b, err := os.ReadFile(html); err != nil || !bytes.Contains(b, []byte("<svg")) {
		t.Errorf("the HTML report has no chart (error %v)", err)
	}
}

func TestPresets(t *testing.T) {
	c := &command{config: config(t, gputest.Script{})}
	jobs, err := c.jobs([]string{"batching", "fusion"}, runFlags{
		preset: []string{"batching.large-products", "half-precision"}, set: []string{"batching.min_size=1024"},
	})
	if err != nil {
		t.Fatal(err)
	}
	b, f := jobs[0].Params, jobs[1].Params
	if b["sweep"] != "matmul" || b["max_size"] != 4096 || b["min_size"] != 1024 || f["dtype"] != "f16" || f["pattern"] != "all" {
		t.Errorf("batching has %v, fusion %v", b, f)
	}
	code, out, errOut := assay(t, c.config, "list")
	if code != 0 || !strings.Contains(out, "large-products") || !strings.Contains(out, "sweep=matmul min_size=512 ") {
		t.Errorf("list: exit %d, %q, %q", code, errOut, out)
	}
	code, out, errOut = assay(t, c.config, "list", "fusion")
	if code != 0 || strings.Contains(out, "large-products") || strings.Contains(out, "choices)") || !strings.Contains(out, "multi-tensor add") {
		t.Errorf("list fusion: exit %d, %q, %q", code, errOut, out)
	}
	if code, _, errOut = assay(t, c.config, "list", "fusoin"); code != 2 || !strings.Contains(errOut, "fusion") {
		t.Errorf("list of an unknown workload: exit %d, %q", code, errOut)
	}
	var listed []listedWorkload
	_, out, _ = assay(t, c.config, "list", "--json")
	if err := json.Unmarshal([]byte(out), &listed); err != nil || listed[0].Question == "" || len(listed[0].Presets) < 2 || listed[0].Presets[1].Values["sweep"] != "mlp" {
		t.Errorf("list --json: %v, %+v", err, listed)
	}
}

// What an engine cannot measure is listed with the reason, for people and as JSON.
func TestListLacks(t *testing.T) {
	c := config(t, gputest.Script{Unsupported: gputest.Without("matmul_tiled_f16", "no half precision")})
	code, out, errOut := assay(t, c, "list", "batching")
	if code != 0 || !strings.Contains(out, "dtype=f16 is not available on Fake: no half precision") {
		t.Errorf("exit %d, %q, %q", code, errOut, out)
	}
	var listed []listedWorkload
	_, out, _ = assay(t, c, "list", "--json", "batching")
	if err := json.Unmarshal([]byte(out), &listed); err != nil {
		t.Fatal(err)
	}
	for _, p := range listed[0].Params {
		if p.Name == "dtype" && (p.Unavailable["f16"] != "no half precision" || p.Unavailable["f32"] != "") {
			t.Errorf("the formats are %+v", p)
		}
	}
	if code, _, errOut = assay(t, c, "list", "--engine", "warp"); code != 2 || !strings.Contains(errOut, "warp") {
		t.Errorf("an unknown engine: exit %d, %q", code, errOut)
	}
}

func TestExitCodes(t *testing.T) {
	wrong := gputest.Script{Steps: []gputest.Step{{Wrong: true}}, Repeat: true}
	for _, tc := range []struct {
		name   string
		script gputest.Script
		args   []string
		code   int
		says   string
	}{
		{"version", gputest.Script{}, []string{"version"}, 0, "assay 1.2.3 ("},
		{"version flag", gputest.Script{}, []string{"--version"}, 0, "assay 1.2.3 ("},
		{"no command", gputest.Script{}, []string{"frobnicate"}, 2, "no command \"frobnicate\"\nRun \"assay --help\""},
		{"misspelled command", gputest.Script{}, []string{"runn"}, 2, `no command "runn" (did you mean "run"?)`},
		{"misspelled kernel command", gputest.Script{}, []string{"kernel", "shwo"}, 2, `(did you mean "show"?)`},
		{"no file", gputest.Script{}, []string{"gone/model.bin"}, 2, "no file gone/model.bin"},
		{"no flag", gputest.Script{}, []string{"run", "--frob"}, 2, "assay run has no flag --frob\nRun \"assay run --help\""},
		{"misspelled flag", gputest.Script{}, []string{"run", "--quik"}, 2, `no flag --quik (did you mean "--quick"?)`},
		{"no short flag", gputest.Script{}, []string{"run", "-x"}, 2, "assay run has no flag -x\n"},
		{"misspelled workload", gputest.Script{}, []string{"run", "batchin"}, 2, `no workload "batchin" (did you mean "batching"?)`},
		{"misspelled parameter", gputest.Script{}, []string{"run", "batching", "--set", "max_siz=8"}, 2, `(did you mean "max_size"?)`},
		{"misspelled preset", gputest.Script{}, []string{"run", "batching", "--preset", "quick-lok"}, 2, `(did you mean "quick-look"?)`},
		{"bad tag", gputest.Script{}, []string{"run", "batching", "--tag", "a,b"}, 2, "holds ','"},
		{"no weights", gputest.Script{}, []string{"run", "quantization", "--set", "weights=file", "--set", "file=/nonexistent.safetensors"}, 2, "/nonexistent.safetensors"},
		{"no workload", gputest.Script{}, []string{"run", "nope"}, 2, "there are batching, matmul, "},
		{"no parameter", gputest.Script{}, []string{"run", "batching", "--set", "nope=1"}, 2, "min_size"},
		{"a file that cannot be written", gputest.Script{}, []string{"run", "batching", "--csv", "/proc/x.csv"}, 2, "/proc"},
		{"no value", gputest.Script{}, []string{"run", "batching", "--set", "min_size"}, 2, "NAME=VALUE"},
		{"range", gputest.Script{}, []string{"run", "batching", "--set", "min_size=0"}, 2, "from 1 to 4,096"},
		{"choice", gputest.Script{}, []string{"run", "batching", "--set", "sweep=x"}, 2, "both, matmul, mlp"},
		{"other workload", gputest.Script{}, []string{"run", "batching", "--set", "fusion.dtype=f16"}, 2, "fusion is not in this run"},
		{"no preset", gputest.Script{}, []string{"run", "batching", "--preset", "nope"}, 2, "want one of quick-look, small-models"},
		{"no workload's preset", gputest.Script{}, []string{"run", "--preset", "nope"}, 2, `no workload in this run has such a preset`},
		{"no workload's parameter", gputest.Script{}, []string{"run", "--set", "nope=1"}, 2, `no workload in this run has such a parameter`},
		{"other preset", gputest.Script{}, []string{"run", "batching", "--preset", "fusion.quick-look"}, 2, "fusion is not in this run"},
		{"no engine", gputest.Script{}, []string{"run", "batching", "--engine", "cuda"}, 2, "auto, fake"},
		{"report args", gputest.Script{}, []string{"report"}, 2, "report takes one run, not 0 arguments"},
		{"twice", gputest.Script{}, []string{"run", "fusion", "fusion"}, 2, "given twice"},
		{"commas", gputest.Script{}, []string{"run", "fusion,batching"}, 2, "separate names with spaces"},
		{"two values", gputest.Script{}, []string{"run", "batching", "--set", "min_size=2", "--set", "min_size=4"}, 2, "two values of min_size"},
		{"two presets", gputest.Script{}, []string{"run", "batching", "--preset", "quick-look", "--preset", "small-models"}, 2, "--preset gives workload batching two presets"},
		{"no name", gputest.Script{}, []string{"run", "batching", "--set", ".min_size=1"}, 2, "NAME=VALUE"},
		{"seed", gputest.Script{}, []string{"run", "--seed", "-1"}, 2, `--seed must be a whole number, 0 or more (you entered "-1")`},
		{"no unit", gputest.Script{}, []string{"monitor", "--interval", "5"}, 2, "such as 5s"},
		{"no interval", gputest.Script{}, []string{"monitor", "--interval", "0s"}, 2, "--interval is 0s"},
		{"twice to stdout", gputest.Script{}, []string{"run", "--csv", "-", "--json", "-"}, 2, "same file, -"},
		{"same file", gputest.Script{}, []string{"run", "--csv", "x", "--json", "x"}, 2, "same file, x"},
		{"no folder", gputest.Script{}, []string{"run", "--csv", "/nonexistent/x.csv"}, 2, "/nonexistent"},
		{"a folder", gputest.Script{}, []string{"run", "--csv", "/"}, 2, "want a file name"},
		{"report of nothing", gputest.Script{}, []string{"report", "/nonexistent"}, 1, "/nonexistent"},
		{"count", gputest.Script{}, []string{"monitor", "--count", "-1"}, 2, "--count"},
		{"interval", gputest.Script{}, []string{"monitor", "--interval", "1ms"}, 2, "50"},
		{"wrong result", wrong, append([]string{"run", "batching"}, tiny...), 1, "wrong result"},
		{"leak", gputest.Script{}, []string{"run", "leak", "--set", "duration=0.3"}, 1, "deliberate leak"},
		{"no leak", gputest.Script{}, []string{"run", "leak", "--set", "duration=0.3", "--set", "rate=0"}, 0, "No leaks found."},
		{"file as folder", gputest.Script{}, append([]string{"run", "batching", "--out", "/dev/null/runs"}, tiny...), 1, "; choose another folder with --out"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, out, errOut := assay(t, config(t, tc.script), tc.args...)
			if code != tc.code {
				t.Errorf("exit %d, want %d", code, tc.code)
			}
			if !strings.Contains(out+errOut, tc.says) {
				t.Errorf("says %q %q, want %q", out, errOut, tc.says)
			}
		})
	}
}

// A usage error is reported once and leaves no run behind.
func TestUsageErrorsLeaveNothing(t *testing.T) {
	c := config(t, gputest.Script{})
	code, out, errOut := assay(t, c, "run", "quantization", "--set", "weights=file", "--set", "file=/nonexistent.safetensors")
	if code != 2 || out != "" || strings.Count(errOut, "/nonexistent.safetensors") != 1 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if runs, _ := os.ReadDir(c.RunsDir); len(runs) != 0 {
		t.Errorf("left behind: %v", runs)
	}
}

// A run is found by any of its names; a file called - is standard output, and text for people then goes to standard error.
func TestNamesOfRunsAndStandardOutput(t *testing.T) {
	c := config(t, gputest.Script{})
	args := append([]string{"run", "batching", "--csv", "-", "--tag", "first", "--note", "fan off"}, tiny...)
	code, first, errOut := assay(t, c, args...)
	if code != 0 || !strings.HasPrefix(first, "run_id,") || !strings.Contains(errOut, "Report:") || strings.Contains(first, "Report:") {
		t.Fatalf("exit %d\n%s\n%s", code, first, errOut)
	}
	id, _, _ := strings.Cut(strings.Split(first, "\r\n")[1], ",")
	for _, name := range []string{id, id[:len(id)-1], id + ".assayrun", "last", filepath.Join(c.RunsDir, id+".assayrun")} {
		if code, out, errOut := assay(t, c, "report", name, "--csv", "-"); code != 0 || out != first {
			t.Errorf("report %s: exit %d, %s\n%s", name, code, errOut, out)
		}
	}
	code, out, errOut := assay(t, c, "report", "last", "--markdown")
	if code != 0 || !strings.Contains(out, "| matmul 8 | f32") {
		t.Errorf("Markdown: exit %d, %s\n%s", code, errOut, out)
	}
	_, out, _ = assay(t, c, "runs")
	for _, want := range []string{"quick · sweep matmul, library false, size 4 to 8 · [first] · fan off", "Settings and notes"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A run without names says first what it will do.
func TestRunWithoutNamesSaysHowLong(t *testing.T) {
	c := &command{config: config(t, gputest.Script{})}
	jobs, err := c.jobs(nil, runFlags{quick: true})
	if err != nil {
		t.Fatal(err)
	}
	said := c.announcement(app.Request{Jobs: jobs, Quick: true})
	names := workloads.Measuring(suite.All())
	list := fmt.Sprintf(`^Running %d workloads \(%s\), `, len(names), strings.Join(names, ", "))
	if !regexp.MustCompile(list + `[1-9]\d+ cases, about [1-9]\d* (s|min)\. `).MatchString(said) {
		t.Errorf("it says %q", said)
	}
	for d, want := range map[time.Duration]string{
		100 * time.Millisecond: "1 s", 2100 * time.Millisecond: "2 s", 38 * time.Second: "40 s", 99 * time.Second: "100 s", 100 * time.Second: "2 min", 29 * time.Minute: "29 min",
	} {
		if got := aboutHowLong(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestBuildInfo(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-11-22T14:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	if got := buildInfo(info, true); !strings.HasPrefix(got, "(commit 0123456789ab of 2026-11-22, modified, go") {
		t.Errorf("build %q", got)
	}
	info.Settings = append(info.Settings, debug.BuildSetting{Key: "-tags", Value: "no_emoji,headless"})
	if got := buildInfo(info, true); !strings.HasSuffix(got, ", headless)") {
		t.Errorf("a headless build: %q", got)
	}
	if got := buildInfo(nil, false); !strings.HasPrefix(got, "(go") {
		t.Errorf("a build that says nothing: %q", got)
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestOutputThatCannotBeWrittenIsNoSuccess(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"list"}, {"doctor"}} {
		var errOut bytes.Buffer
		if code := Main(context.Background(), config(t, gputest.Script{}), args, full{}, &errOut); code != 1 {
			t.Errorf("%v: exit %d, want 1", args, code)
		}
		if !strings.Contains(errOut.String(), "no space left") {
			t.Errorf("%v: says %q", args, errOut.String())
		}
	}
}

func TestGridFitsItsRoom(t *testing.T) {
	g := &grid{
		header: []string{"Case", "Samples", "GB/s", "Notes"}, right: []int{1, 2}, flex: 3, spare: []string{"Nope", "Samples"},
		rows: [][]string{{"matmul 64", "10", "1.5", "a long text that must be broken between its words to fit"}},
	}
	if got := g.drop(); got != "Samples" || len(g.header) != 3 || g.flex != 2 || len(g.right) != 1 || g.right[0] != 1 {
		t.Errorf("dropped %q: %+v", got, g)
	}
	if got := g.drop(); got != "" {
		t.Errorf("dropped %q, want nothing: Notes and Case must stay", got)
	}
	var out bytes.Buffer
	if left := g.render(&out); len(left) > 0 || !strings.Contains(out.String(), "between its words") {
		t.Errorf("left out %v\n%s", left, out.String())
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.HasSuffix(line, " ") {
			t.Errorf("trailing space in %q", line)
		}
	}
}

// The least important columns are dropped first; the names of a result and its time stay.
// Text of a bundle that is far too long does not fill the screen.
func TestGridCutsCells(t *testing.T) {
	long := strings.Repeat("x ", 3000)
	g := &grid{header: []string{"A", "B"}, flex: 1, lines: 2, rows: [][]string{{long, long}, {"short", "short"}}}
	var out bytes.Buffer
	g.render(&out)
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if len(lines) != 5 || !strings.Contains(lines[2], "…") || !strings.HasSuffix(lines[3], "…") {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
	g = &grid{header: []string{"A", "B"}, flex: 1, rows: [][]string{{"", long}}}
	out.Reset()
	g.render(&out)
	if n := strings.Count(out.String(), "x"); n != 3000 {
		t.Errorf("%d of 3000 words, where any number of lines is allowed", n)
	}
}

func TestResultColumnsThatGoFirst(t *testing.T) {
	r := workloads.Result{Workload: "batching", Case: "matmul 64", Variant: "f32", Status: workloads.OK}
	for _, name := range []metric.Name{
		workloads.Time, workloads.Samples, workloads.Ops, workloads.Bytes, workloads.ErrorMax, workloads.Cosine,
	} {
		r.Values.SetNumber(name, 2)
	}
	workloads.Metrics().Derive(&r.Values)
	all := suite.All()
	meta := bundle.Meta{Jobs: []bundle.Job{{Workload: "quantization"}}}
	g := gridOf(report.Table(&meta, all, []workloads.Result{r}))
	if want := []string{"Samples", "Cosine", "B/s", "Max error", "± %"}; !slices.Equal(g.spare, want) {
		t.Errorf("%q go, in that order; want %q", g.spare, want)
	}
	if g.header[0] != "Case" || g.header[1] != "Variant" || slices.Contains(g.right, 1) || !slices.Contains(g.right, 2) {
		t.Errorf("header %q, aligned to the right %v", g.header, g.right)
	}
}

func TestInterrupt(t *testing.T) {
	c := config(t, gputest.Script{})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	var out, errOut bytes.Buffer
	dir := t.TempDir()
	code := Main(ctx, c, []string{"run", "batching", "--out", dir, "--set", "max_size=64"}, &out, &errOut)
	if code != 130 {
		t.Errorf("exit %d, want 130: %s", code, errOut.String())
	}
	runs, err := filepath.Glob(filepath.Join(dir, "*", "results.csv"))
	if err != nil || len(runs) != 1 {
		t.Errorf("bundles %v, error %v; want one with results.csv", runs, err)
	}
}

// Without a home directory, as in some containers, a run says where it is kept.
func TestRunWithoutAHome(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Chdir(t.TempDir())
	c := config(t, gputest.Script{})
	c.RunsDir = ""
	code, _, errOut := assay(t, c, append([]string{"run", "batching"}, tiny...)...)
	kept, err := filepath.Glob("assay-runs/*/results.csv")
	if code != 0 || !strings.Contains(errOut, "HOME is not set: the run is kept in assay-runs in the current folder.") || len(kept) != 1 || err != nil {
		t.Errorf("exit %d, %s; kept %q, %v", code, errOut, kept, err)
	}
	if _, _, errOut = assay(t, c, append([]string{"run", "batching", "--out", "x"}, tiny...)...); strings.Contains(errOut, "HOME") {
		t.Errorf("with --out: %s", errOut)
	}
}

func TestListJSON(t *testing.T) {
	code, out, _ := assay(t, config(t, gputest.Script{}), "list", "--json")
	if code != 0 {
		t.Fatal("exit", code)
	}
	var all []map[string]any
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != len(suite.All()) {
		t.Errorf("%d workloads, want %d", len(all), len(suite.All()))
	}
	for _, w := range all {
		for _, key := range []string{"name", "title", "group", "about", "params"} {
			if _, ok := w[key]; !ok {
				t.Errorf("%v has no %s", w["name"], key)
			}
		}
		for _, p := range w["params"].([]any) {
			for _, key := range []string{"name", "type", "unit", "min", "max", "default", "about"} {
				if _, ok := p.(map[string]any)[key]; !ok {
					t.Errorf("%v: parameter %v has no %s", w["name"], p, key)
				}
			}
		}
	}
}

func TestMonitor(t *testing.T) {
	c := config(t, gputest.Script{})
	code, out, errOut := assay(t, c, "monitor", "--interval", "50ms", "--count", "3", "--json")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3", len(lines))
	}
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
	code, out, _ = assay(t, c, "monitor", "--interval", "50ms", "--count", "2", "--csv", "-")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if code != 0 || err != nil || len(rows) < 10 {
		t.Errorf("CSV: exit %d, %d rows, error %v", code, len(rows), err)
	}
	code, out, _ = assay(t, c, "monitor", "--metrics")
	for _, m := range monitor.Catalog() {
		if code != 0 || !strings.Contains(out, m.ID) {
			t.Errorf("the list of metrics has no %s", m.ID)
		}
	}
	code, out, _ = assay(t, c, "monitor", "--interval", "50ms", "--count", "1")
	if code != 0 || !strings.Contains(out, "\nNot available: ") || strings.Count(out, "no engine is open") > 1 || !regexp.MustCompile(`Host CPU +[0-9.]+ %`).MatchString(out) {
		t.Errorf("text: exit %d\n%s", code, out)
	}
}

func TestDoctorNamesLimits(t *testing.T) {
	for _, limited := range []bool{false, true} {
		var out strings.Builder
		c := &command{out: &out}
		d := diagnosis{}
		if limited {
			d.Host.CPUQuota, d.Host.MemoryLimit, d.Host.MemoryBytes = 1.5, 500e6, 8e9
		}
		c.printDiagnosis(d)
		const want = "Limited by the control group to 1.50 cores, 500 MB of memory\n"
		if strings.Contains(out.String(), want) != limited || strings.Contains(out.String(), "Limited") != limited {
			t.Errorf("limited %v:\n%s", limited, out.String())
		}
		if want := map[bool]string{false: "memory: not known\n", true: "memory: 500 MB, of the machine’s 8.00 GB\n"}[limited]; !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}

func TestDoctor(t *testing.T) {
	c := config(t, gputest.Script{})
	c.Engines = append([]app.Engine{{Name: "metal", Title: "Metal", Missing: "not part of this version"}}, c.Engines...)
	code, out, _ := assay(t, c, "doctor", "--json")
	var d diagnosis
	if err := json.Unmarshal([]byte(out), &d); code != 0 || err != nil {
		t.Fatalf("exit %d, error %v", code, err)
	}
	if len(d.Engines) != 2 || d.Engines[0].Available || d.Engines[0].Reason == "" || !d.Engines[1].Available {
		t.Errorf("engines %+v", d.Engines)
	}
	if len(d.Engines[0].Abilities) != 0 {
		t.Errorf("an engine that does not open has abilities %+v", d.Engines[0].Abilities)
	}
	available := map[string]bool{}
	for _, a := range d.Engines[1].Abilities {
		if available[a.Name] = a.Available; a.Title == "" || a.Available == (a.Detail == "") || a.Available == (a.Reason != "") {
			t.Errorf("ability %+v", a)
		}
	}
	if !available["no_copy"] || !available["stage_times"] || !available["concurrent"] || available["trace"] {
		t.Errorf("abilities of the fake engine: %v", available)
	}
	for _, s := range d.Sensors {
		if s.Status != monitor.OK && s.Reason == "" {
			t.Errorf("%s is %s without a reason", s.Metric, s.Status)
		}
	}
	code, out, _ = assay(t, c, "doctor")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"not part of this version", "Offered by fake", "3 dispatches took", "no system profiler"} {
		if !strings.Contains(out, want) {
			t.Errorf("the text lacks %q:\n%s", want, out)
		}
	}
}

// An error about two values says which of them are defaults.
func TestValuesByDefault(t *testing.T) {
	for _, c := range []struct {
		f    runFlags
		want string
	}{
		{runFlags{quick: true, set: []string{"min_size=4096"}}, "(the value of max_size is that of a quick run: set it as well)"},
		{runFlags{quick: true, set: []string{"max_size=2"}}, "(the value of min_size is the default: set it as well)"},
		{runFlags{set: []string{"batching.min_size=4096"}}, "(the value of max_size is the default: set it as well)"},
		{runFlags{set: []string{"min_size=64", "max_size=32"}}, "min_size is 64, above max_size, which is 32"},
	} {
		_, err := (&command{config: config(t, gputest.Script{})}).jobs([]string{"batching"}, c.f)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.f, err, c.want)
		}
	}
}
