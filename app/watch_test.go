package app

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/internal/race"
	"assay/monitor"
)

// leaky builds the deliberately leaking program in testdata, once.
var leaky = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "leaky")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "leaky")
	out, err := exec.Command("cc", "-O1", "-o", path, "testdata/leaky/leaky.c", "-lpthread", "-lm").CombinedOutput()
	if err != nil {
		return "", &exec.Error{Name: string(out), Err: err}
	}
	return path, nil
})

func leakyProgram(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler")
	}
	path, err := leaky()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// watchSession is a session that reads nothing but the watched program.
func watchSession(t *testing.T) *Session {
	t.Helper()
	s, err := New(Config{Version: "test", RunsDir: t.TempDir(), Interval: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Start()
	return s
}

// onceRead returns the path of a file that appears once the watched program's memory has been read.
func onceRead(t *testing.T, s *Session) string {
	t.Helper()
	seen := filepath.Join(t.TempDir(), "seen")
	t.Cleanup(s.Subscribe(func(u Update) {
		w, ok := u.(WatchUpdate)
		if !ok || !w.Watch.Running {
			return
		}
		if bytes, read := w.Watch.Latest.Value(monitor.WatchedFootprint); read && bytes > 0 {
			_ = os.WriteFile(seen, nil, 0o600)
		}
	}))
	return seen
}

// verdict returns the verdict on a kind; without one the test fails, and gets an empty one.
func verdict(t *testing.T, run *bundle.Run, kind string) *bundle.WatchVerdict {
	t.Helper()
	for i := range run.Meta.Watch.Verdicts {
		if v := &run.Meta.Watch.Verdicts[i]; v.Kind == kind {
			return v
		}
	}
	t.Errorf("no verdict on %s", kind)
	return &bundle.WatchVerdict{}
}

// Real programs that leak deliberately are found, with their rate, and others are not accused. Time is scaled: what
// leaks over minutes does so in seconds here.
func TestWatchPrograms(t *testing.T) {
	if race.On {
		t.Skip("other processes: nothing to race with")
	}
	program := leakyProgram(t)
	var all sync.WaitGroup
	for _, c := range []struct {
		what, rate string
		leaks      string  // the kind
		perSecond  float64 // what the interval must contain
	}{
		{"malloc", "2000000", "memory", 2e6},
		{"mmap", "2000000", "memory", 2e6},
		{"fork", "2000000", "memory", 2e6}, // a child leaks
		{"handles", "20", "handles", 20},
		{"threads", "10", "threads", 10},
		{"cache", "3000000", "", 0},
		{"teeth", "20000000", "", 0},
		{"none", "0", "", 0},
	} {
		s := watchSession(t)
		all.Go(func() { // they mostly sleep
			run, err := watchLong(t.Context(), s, program, c.what, c.rate)
			if err != nil {
				t.Error(c.what, err)
				return
			}
			for _, k := range bundle.WatchKinds() {
				v := verdict(t, run, k.Name)
				// Threads have stacks, so leaked threads also leak memory.
				if want := k.Name == c.leaks; v.Leak != want && !(c.what == "threads" && k.Name == "memory") {
					t.Errorf("%s: %s: leak %v, want %v: %s", c.what, v.Title, v.Leak, want, v.Text)
				}
			}
			if c.leaks != "" {
				v := verdict(t, run, c.leaks)
				if len(v.Rate) != 3 || *v.Rate[0] < 0.8*c.perSecond || *v.Rate[0] > 1.2*c.perSecond {
					t.Errorf("%s, want about %g per second", v.Text, c.perSecond)
				}
			}
			if w := run.Meta.Watch; w.ExitCode == nil || *w.ExitCode != 0 || w.Readings < 40 || w.Cost <= 0 {
				t.Errorf("%+v", w)
			}
			if run.OK() != (c.leaks == "") {
				t.Errorf("OK is %v with %d leaks", run.OK(), len(run.Leaks()))
			}
			loaded, err := bundle.Load(run.Dir)
			if err != nil || len(loaded.Snapshots) == 0 || len(loaded.Leaks()) != len(run.Leaks()) || loaded.Meta.Watch.Name != "leaky" {
				t.Errorf("loaded %+v, %v", loaded, err)
			}
		})
	}
	all.Wait()
}

// watchLong watches the leaking program for 6 s, or longer on a machine too busy to read it often enough in that time.
func watchLong(ctx context.Context, s *Session, program, what, rate string) (run *bundle.Run, err error) {
	for _, seconds := range []string{"6", "15", "40"} {
		run, err = s.Watches().Do(ctx, WatchRequest{
			Command: []string{program, what, rate, seconds}, WarmUp: time.Second, Tolerance: 12e6,
		})
		if err != nil || run.Meta.Watch.Readings >= 40 {
			break
		}
	}
	return run, err
}

// Output is passed on unchanged; a match is a mark, and an event of the run.
func TestWatchMarks(t *testing.T) {
	var out, errOut bytes.Buffer
	s := watchSession(t)
	seen := onceRead(t, s)
	run, err := s.Watches().Do(t.Context(), WatchRequest{
		Command: []string{"sh", "-c", "echo epoch 1; printf 'epoch '; echo '2 loss'; echo nothing; echo epoch 3 >&2; until [ -e " + seen + " ]; do sleep 0.02; done; printf 'epoch 4'; exit 7"},
		Stdout:  &out, Stderr: &errOut, Mark: regexp.MustCompile(`epoch (\d+)`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != "epoch 1\nepoch 2 loss\nnothing\nepoch 4" || errOut.String() != "epoch 3\n" {
		t.Errorf("passed on %q and %q", out.String(), errOut.String())
	}
	var marks []string
	for _, e := range run.Events {
		if e.Kind == bundle.Marked {
			marks = append(marks, e.Text)
		}
	}
	slices.Sort(marks)
	if strings.Join(marks, ", ") != "epoch 1, epoch 2, epoch 3, epoch 4" {
		t.Errorf("marks %q", marks)
	}
	if w := run.Meta.Watch; w.ExitCode == nil || *w.ExitCode != 7 || w.Ended != "the program exited with code 7" {
		t.Errorf("ended %+v", w)
	}
	if v := verdict(t, run, "memory"); v.Known() || v.Leak || !strings.Contains(v.Text, "cannot be judged") && !strings.Contains(v.Text, "not available: read every") && !strings.Contains(v.Text, "has ended") {
		t.Errorf("a verdict after a moment: %+v", v)
	}
}

// Stopping ends the program with its children; what was seen is kept.
func TestWatchIsStopped(t *testing.T) {
	s := watchSession(t)
	ctx, cancel := context.WithCancel(t.Context())
	began := make(chan int, 1)
	defer s.Subscribe(func(u Update) {
		if w, ok := u.(WatchUpdate); ok && w.Watch.Running && w.Watch.Now > 0 {
			select {
			case began <- w.Watch.Info.PID:
			default:
			}
		}
	})()
	go func() { <-began; cancel() }()
	run, err := s.Watches().Do(ctx, WatchRequest{Command: []string{"sh", "-c", "sleep 100; exit 3"}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(run.Meta.Watch.Ended, "stopped by the user") || run.Meta.State != bundle.Finished {
		t.Errorf("ended %q, %s", run.Meta.Watch.Ended, run.Meta.State)
	}
	if c := s.lastWatch.command; !c.gone() {
		t.Error("still running")
	}
	if _, ok := s.Watches().Current(); !ok {
		t.Error("the last watch is forgotten")
	}
}

// A running process is watched until it ends; Assay does not end it.
func TestWatchAttached(t *testing.T) {
	s := watchSession(t)
	cmd := exec.Command("sh", "-c", "until [ -e "+onceRead(t, s)+" ]; do sleep 0.02; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	run, err := s.Watches().Do(t.Context(), WatchRequest{PID: cmd.Process.Pid})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the program: %v", err)
	}
	if w := run.Meta.Watch; w.Ended != "the program ended" || w.Name != "sh" || w.WarmUp != 0 {
		t.Errorf("%+v", w)
	}
	for _, snap := range run.Snapshots {
		if v, ok := snap.Value(monitor.WatchedFootprint); ok && v > 0 {
			return
		}
	}
	t.Error("no reading of its memory")
}

func TestWatchRequestsAreChecked(t *testing.T) {
	s := watchSession(t)
	for why, r := range map[string]WatchRequest{
		"want a command":                {},
		"leave out one":                 {Command: []string{"true"}, PID: 1},
		"want a positive number":        {PID: -4},
		"in the output of a command":    {PID: 1, Mark: regexp.MustCompile("x")},
		"must not be negative":          {PID: 1, Tolerance: -1},
		"no process 2147483000":         {PID: 2147483000},
		"start /no/such/program":        {Command: []string{"/no/such/program"}},
		"the folder for runs /dev/null": {Command: []string{"true"}, Out: "/dev/null"},
	} {
		if run, err := s.Watches().Do(t.Context(), r); err == nil || run != nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%+v gives %v, want %q", r, err, why)
		}
		if s.watching() != nil {
			t.Fatal("a watch that did not begin is in progress")
		}
	}
}

// A leak is reported while the program is watched, updated as more is known, and withdrawn when the memory comes back.
func TestWatchTellsAndWithdraws(t *testing.T) {
	s := watchSession(t)
	files, err := bundle.Create(t.TempDir(), bundle.Meta{Started: time.Unix(1000, 0), Watch: &bundle.Watch{Name: "x"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &activeWatch{session: s, request: WatchRequest{PID: 1, Tolerance: 0.5e6}, began: time.Unix(1000, 0), bundle: files}
	a.kinds = kindsToJudge()
	at := func(seconds int, bytes float64) {
		r := monitor.Template(monitor.WatchedFootprint, "test")
		r.Status, r.Value = monitor.OK, bytes
		a.observe(monitor.Snapshot{Time: a.began.Add(time.Duration(seconds) * time.Second), Readings: []monitor.Reading{r}})
	}
	for i := range 900 {
		at(i, 100e6+float64(i)*50e3)
		told := slices.ContainsFunc(s.Alerts(), func(al monitor.Alert) bool { return al.ID == bundle.WatchMemoryAlert })
		if told != (i >= 300) {
			t.Fatalf("after %d s the leak is told: %v", i, told)
		}
	}
	for i := 900; i < 1000; i++ {
		at(i, 100e6)
	}
	if len(s.Alerts()) > 0 || !a.bundle.Run().OK() {
		t.Errorf("memory that came back is still a leak: %+v", a.bundle.Run().Leaks())
	}
}

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "  ": "", "a b  c": "a|b|c", `a "b c" d`: "a|b c|d", `a 'b "c'`: `a|b "c`, `a\ b c`: "a b|c", `''`: "", `x="1 2"`: "x=1 2", `'a\b'`: `a\b`,
		"a\tb\n": "a|b", `"a\"b"`: `a"b`,
	} {
		if got, err := SplitCommand(line); err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q is %q, %v; want %q", line, got, err, want)
		}
	}
	if got, _ := SplitCommand(`''`); len(got) != 1 {
		t.Errorf("an empty argument is %d arguments", len(got))
	}
	for _, bad := range []string{`a "b`, `'`, `a \`} {
		if _, err := SplitCommand(bad); err == nil {
			t.Errorf("%q was split", bad)
		}
	}
}
