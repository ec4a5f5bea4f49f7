package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"assay/app"
	"assay/gpu/gputest"
	"assay/monitor"
)

// busyProbe is a machine on which other programs use most of the CPU.
type busyProbe struct{}

func (busyProbe) Lap() monitor.Lap { return monitor.Lap{Others: 0.63} }

func TestBusyMachineIsTold(t *testing.T) {
	c := config(t, gputest.Script{})
	c.Probe = func() app.Probe { return busyProbe{} }
	const why = "other programs used 63.0 % of the CPU"
	code, out, errOut := assay(t, c, append([]string{"run", "batching", "--time", "300ms"}, tiny...)...)
	if code != 0 || !strings.Contains(errOut, "Is this machine quiet? No: "+why) || !strings.Contains(out, "disturbed: "+why) {
		t.Errorf("exit %d\n%s\n%s", code, out, errOut)
	}
	code, out, errOut = assay(t, c, append([]string{"run", "batching", "--when-busy", "refuse"}, tiny...)...)
	if code != 1 || out != "" || !strings.Contains(errOut, "not quiet: "+why) {
		t.Errorf("refuse: exit %d\n%s\n%s", code, out, errOut)
	}
	if _, _, errOut = assay(t, c, "run", "nothing-like-it", "--when-busy", "wait"); strings.Contains(errOut, "quiet") {
		t.Errorf("no run, yet it speaks of waiting: %s", errOut)
	}
	said := readinessOf(why, true, app.Wait)
	if said != "No: "+why+". Each case waits up to 30s for it to become quiet." || readinessOf("", true, app.Wait) != "Yes." ||
		readinessOf(why, true, app.GoOn) != "No: "+why+"." || readinessOf("", false, app.Wait) != "" {
		t.Errorf("waiting is announced as %q", said)
	}
	if code, out, _ = assay(t, c, "doctor"); code != 0 || !strings.Contains(out, "Ready to measure? No: "+why) {
		t.Errorf("doctor: exit %d\n%s", code, out)
	}
	for _, bad := range [][]string{{"--when-busy", "maybe"}, {"--precision", "90"}, {"--time", "1us"}, {"--min-samples", "-1"}, {"--schedule", "warmup=1"}} {
		if code, _, errOut := assay(t, c, append([]string{"run", "batching"}, bad...)...); code != 2 || !strings.Contains(errOut, "must be") && !strings.Contains(errOut, "want") {
			t.Errorf("%v: exit %d, %s", bad, code, errOut)
		}
	}
}

func TestScheduledRun(t *testing.T) {
	c := config(t, gputest.Script{})
	code, out, errOut := assay(t, c, append([]string{"run", "batching", "--schedule", "wait=1,warmup=2,active=2,repeat=2"}, tiny...)...)
	if code != 0 || !strings.Contains(out, "only 4 samples: too few for an interval") || strings.Contains(out, "within the target") {
		t.Errorf("exit %d, %s\n%s", code, errOut, out)
	}
	_, page, _ := strings.Cut(out, "Report: ")
	page, _, _ = strings.Cut(page, "\n")
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "1 step of waiting, 2 steps of warm-up and 2 that count, 2 times") {
		t.Errorf("the report does not tell the schedule: %v", err)
	}
	if code, _, errOut := assay(t, c, "run", "batching", "--schedule", "active=3", "--time", "1s"); code != 2 || !strings.Contains(errOut, "leave out --precision") {
		t.Errorf("a schedule and a time: exit %d, %s", code, errOut)
	}
}

func TestDisturbedCasesAreMeasuredAgain(t *testing.T) {
	c := config(t, gputest.Script{})
	c.Probe = func() app.Probe { return busyProbe{} }
	if code, _, errOut := assay(t, c, append([]string{"run", "batching", "--time", "300ms"}, tiny...)...); code != 0 {
		t.Fatal(errOut)
	}
	if _, out, _ := assay(t, c, "report", "last"); !strings.Contains(out, "Measure them again: assay run --again 2") {
		t.Errorf("what to do is not said:\n%s", out)
	}
	c.Probe = nil
	code, out, errOut := assay(t, c, "run", "--again", "last")
	if code != 0 || strings.Contains(out, "disturbed") || !strings.Contains(out, "matmul 8") {
		t.Errorf("exit %d\n%s\n%s", code, out, errOut)
	}
	if !strings.Contains(errOut, " again, about ") || strings.Contains(errOut, "are kept") || // every case was disturbed
		strings.Contains(errOut, "Running ") {
		t.Errorf("announced as %s", errOut)
	}
	for _, bad := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", "--again", "last"}, 1, "no case of the run was disturbed"},
		{[]string{"run", "fusion", "--again", "last"}, 2, "leave out fusion"},
		{[]string{"run", "--again", "last", "--quick"}, 2, "again"},
		{[]string{"run", "--again", "nothing-like-it"}, 1, "nothing-like-it"},
	} {
		if code, _, errOut := assay(t, c, bad.args...); code != bad.code || !strings.Contains(errOut, bad.want) {
			t.Errorf("%v: exit %d, %s", bad.args, code, errOut)
		}
	}
}

func TestSweepsAreExtended(t *testing.T) {
	c := config(t, gputest.Script{})
	_, out, errOut := assay(t, c, append([]string{"run", "batching"}, tiny...)...)
	if !strings.Contains(out, "Extend the sweep to 32.") || !strings.Contains(out, "assay run --extend 2") {
		t.Fatalf("what to do is not said:\n%s\n%s", out, errOut)
	}
	code, out, errOut := assay(t, c, "run", "--extend", "last")
	if code != 0 || !strings.Contains(errOut, "Measuring 2 cases, about 1 s.") || !strings.Contains(out, "matmul 8") || !strings.Contains(out, "matmul 32") ||
		!strings.Contains(out, "2 of 4 results measured earlier, in run 2") {
		t.Errorf("exit %d\n%s\n%s", code, out, errOut)
	}
	if _, out, _ := assay(t, c, "report", "last", "--markdown"); !strings.Contains(out, "2 of 4 results measured earlier") {
		t.Errorf("Markdown does not say where results are from:\n%s", out)
	}
	for _, bad := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", "--extend", "last", "--again", "last"}, 2, "leave out one"},
		{[]string{"run", "fusion", "--extend", "last"}, 2, "leave out fusion"},
		{[]string{"run", "--extend", "last", "--set", "max_size=64"}, 2, "leave out --set"},
	} {
		if code, _, errOut := assay(t, c, bad.args...); code != bad.code || !strings.Contains(errOut, bad.want) {
			t.Errorf("%v: exit %d, %s", bad.args, code, errOut)
		}
	}
}

// interrupting cancels once that text is written.
type interrupting struct {
	bytes.Buffer
	at     string
	cancel func()
}

func (w *interrupting) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.at)) {
		w.cancel()
	}
	return w.Buffer.Write(p)
}

// A run that is interrupted before its first result names no files: they would be empty.
func TestInterruptedWaitNamesNoFiles(t *testing.T) {
	c := config(t, gputest.Script{})
	c.Probe = func() app.Probe { return busyProbe{} }
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	errOut := &interrupting{at: "Is this machine quiet?", cancel: cancel}
	args := append([]string{"run", "batching", "--when-busy", "wait"}, tiny...)
	if code := Main(ctx, c, args, &out, errOut); code != 130 || strings.Contains(out.String(), "CSV:") || strings.Contains(out.String(), "Report:") {
		t.Errorf("exit %d\n%s\n%s", code, out.String(), errOut.String())
	}
	if !strings.Contains(errOut.String(), "Each case waits up to 30s") {
		t.Errorf("the wait is not announced: %s", errOut.String())
	}
}
