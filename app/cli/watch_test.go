package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/monitor"
)

// leaky builds the program that leaks deliberately.
func leaky(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "leaky")
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler")
	}
	if out, err := exec.Command("cc", "-O1", "-o", path, "../testdata/leaky/leaky.c", "-lpthread", "-lm").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return path
}

// watching runs `assay watch` on a machine without readings of its own: on a busy one its sources would delay the readings.
func watching(t *testing.T, c app.Config, args ...string) (code int, out, errOut string) {
	t.Helper()
	c.Sources = nil
	var o, e bytes.Buffer
	code = Main(t.Context(), c, append([]string{"watch"}, args...), &o, &e)
	return code, o.String(), e.String()
}

// enough is how many ticks watchingUntil waits for: a verdict takes 32 after the warm-up, which is a duration, so few may be left
// on a busy machine.
const enough = 80

// ticks is a source without readings that writes a file once it has been read often enough.
type ticks struct {
	n    int
	file string
}

func (*ticks) Name() string { return "ticks" }

func (s *ticks) Read(context.Context) []monitor.Reading {
	if s.n++; s.n == enough {
		_ = os.WriteFile(s.file, nil, 0o600)
	}
	return nil
}

// watchingUntil is watching, with a file that is written after enough ticks.
func watchingUntil(t *testing.T, c app.Config, file string, args ...string) (code int, out, errOut string) {
	t.Helper()
	c.Sources = []monitor.Source{&ticks{file: file}}
	var o, e bytes.Buffer
	code = Main(t.Context(), c, append([]string{"watch"}, args...), &o, &e)
	return code, o.String(), e.String()
}

func TestWatchExitStatus(t *testing.T) {
	c := config(t, gputest.Script{})
	for _, w := range []struct {
		name  string
		args  []string
		code  int
		wants []string
	}{
		{
			"a leak",
			[]string{"--interval", "50ms", "--warm-up", "300ms", "--tolerance", "1MB", "--mark", `epoch \d+`, "--tag", "mine", "--", leaky(t), "malloc", "5000000", "4"},
			1,
			[]string{"! Host memory: grows by", "Leak found: host memory", "exited with code 0", "Report:"},
		},
		{"too short", []string{"--", "sh", "-c", "exit 0"}, 3, []string{"No verdict: there were too few readings of host memory"}},
		{"a command that fails", []string{"--interval", "50ms", "--warm-up", "0", "sh", "-c", "sleep 2.2; exit 5"}, 3, []string{"exited with code 5"}},
		{"for a time", []string{"--interval", "50ms", "--for", "4s", "sleep", "100"}, 0, []string{"No leak found", "4.00 s were over, and the program was ended"}},
	} {
		t.Run(w.name, func(t *testing.T) {
			code, out, errOut := watching(t, c, w.args...)
			if code != w.code {
				t.Errorf("exit %d, want %d: %s", code, w.code, errOut)
			}
			for _, want := range w.wants {
				if !strings.Contains(errOut, want) {
					t.Errorf("%q is missing in:\n%s", want, errOut)
				}
			}
			if strings.Contains(out, "memory") {
				t.Errorf("standard output is the command's alone, and has %q", out)
			}
		})
	}
	code, out, errOut := assay(t, c, "runs", "watch")
	if code != 0 || strings.Count(out, "watch sh") != 2 || strings.Count(out, "watch leaky") != 1 || strings.Count(out, "watch sleep") != 1 {
		t.Errorf("runs: exit %d %s\n%s", code, errOut, out)
	}
}

// A watch is exported, and shown again.
func TestWatchIsExported(t *testing.T) {
	c, dir := config(t, gputest.Script{}), t.TempDir()
	html, file, read := filepath.Join(dir, "w.html"), filepath.Join(dir, "w.json"), filepath.Join(dir, "read")
	code, out, errOut := watchingUntil(t, c, read, "--interval", "50ms", "--mark", "go", "--html", html, "--json", file, "--", "sh", "-c",
		"echo go on; until [ -e "+read+" ]; do sleep 0.05; done")
	if code != 0 || out != "go on\n" {
		t.Fatalf("exit %d, output %q: %s", code, out, errOut)
	}
	page, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Watch: sh", "Host memory", "Handles", "<svg", "No leak found", "How it was measured"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Run     struct{ Watch bundle.Watch }
		Events  []bundle.Event
		Monitor []map[string]any
	}
	if err := json.Unmarshal(text, &run); err != nil || len(run.Run.Watch.Verdicts) != 4 || len(run.Monitor) < 40 {
		t.Errorf("%v, %+v with %d readings", err, run.Run.Watch, len(run.Monitor))
	}
	marked := 0
	for i := range run.Events {
		if run.Events[i].Kind == bundle.Marked {
			marked++
		}
	}
	if marked != 1 {
		t.Errorf("%d marks, want 1", marked)
	}
	for _, args := range [][]string{{"report", "last"}, {"report", "last", "--markdown"}} {
		if code, out, errOut := assay(t, c, args...); code != 0 || !strings.Contains(out, "Host memory") {
			t.Errorf("%v: exit %d: %s%s", args, code, out, errOut)
		}
	}
}

func TestWatchMisuse(t *testing.T) {
	c := config(t, gputest.Script{})
	for want, args := range map[string][]string{
		"want a command (assay watch -- COMMAND) or --pid": {},
		"leave out one":                         {"--pid", "1", "--", "true"},
		"--pid is -3":                           {"--pid", "-3"},
		"--interval is 0s":                      {"--interval", "0s", "true"},
		"below the minimum of 50ms":             {"--interval", "1ms", "true"},
		"--for is -1s":                          {"--for", "-1s", "true"},
		"nothing is left to judge":              {"--for", "10s", "--warm-up", "10s", "true"},
		`--tolerance is "many"`:                 {"--tolerance", "many", "true"},
		"--mark is not a regular expression":    {"--mark", "(", "true"},
		"the output of a command":               {"--mark", "x", "--pid", "1"},
		"the command writes to standard output": {"--json", "-", "true"},
		"watch has no flag --fro":               {"--fro", "1s", "true"},
	} {
		code, _, errOut := assay(t, c, append([]string{"watch"}, args...)...)
		if code != 2 || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit %d, %q; want 2 and %q", args, code, errOut, want)
		}
	}
	for want, args := range map[string][]string{
		"no process 2147483000 is running": {"--pid", "2147483000"},
		"start /no/such/program":           {"--", "/no/such/program"},
		"the folder for runs /dev/null":    {"--out", "/dev/null", "true"},
	} {
		code, _, errOut := assay(t, c, append([]string{"watch"}, args...)...)
		if code != 3 || !strings.Contains(errOut, want) || strings.Count(errOut, want) > 1 {
			t.Errorf("%v: exit %d, %q; want 3 and once %q", args, code, errOut, want)
		}
	}
}
