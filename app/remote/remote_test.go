package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary also acts as Assay on the other machine; this variable names the folder of its jobs.
const jobsVariable = "ASSAY_TEST_REMOTE_JOBS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(jobsVariable); dir != "" {
		ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt)
		if err := there(ctx, Jobs{dir}, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "assay:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func there(ctx context.Context, jobs Jobs, args []string) error {
	switch verb := strings.Join(args[:min(2, len(args))], " "); verb {
	case "remote start":
		self, err := os.Executable()
		if err != nil {
			return err
		}
		job, err := jobs.Start(self, args[3:], time.Now())
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(job))
	case "remote supervise":
		return Supervise(ctx, os.Args[0], args[2])
	case "remote send":
		have := map[string]int64{}
		return errors.Join(json.Unmarshal([]byte(args[3]), &have), jobs.Send(ctx, os.Stdout, args[2], have))
	case "remote stop":
		return jobs.Stop(args[2])
	case "remote remove":
		return jobs.Remove(args[2])
	case "remote list":
		all, err := jobs.List()
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(all))
	case "run --out":
		return measure(ctx, args[2], args[3:])
	default:
		return fmt.Errorf("no command %q", verb)
	}
}

// measure imitates a run: lines that come one after another, and a file that is replaced. Its argument is the number of lines.
func measure(ctx context.Context, out string, args []string) error {
	if args[0] == "refused" {
		os.Exit(2)
	}
	dir := filepath.Join(out, "20261123-run-ab12.assayrun")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	events, err := os.Create(filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return err
	}
	n := 0
	fmt.Sscan(args[0], &n)
	for i := range n {
		fmt.Fprintf(os.Stderr, "case %d\n", i)
		fmt.Fprintf(events, "{\"line\": %d, %q}\n", i, strings.Repeat("x", 900))
		text := fmt.Appendf(nil, "{\"lines\": %d}", i+1)
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "new"), text, 0o644), os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "run.json"))); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			os.Exit(130)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// elsewhere is a host whose ssh is a script: it runs the line, and the first connections that read a job break off after some
// bytes.
func elsewhere(t *testing.T, broken int) (Host, Jobs) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "ssh")
	text := fmt.Sprintf(`#!/bin/sh
for line; do :; done
case "$line" in
*"'remote' 'send'"*)
	if [ "$(ls %[1]s | wc -l)" -lt %[2]d ]; then
		mktemp %[1]s/XXXXXX >/dev/null
		sh -c "$line" | head -c 3000
		echo "Connection closed by remote host." >&2
		exit 255
	fi ;;
esac
exec sh -c "$line"
`, filepath.Join(dir, "broken"), broken)
	if err := errors.Join(os.WriteFile(script, []byte(text), 0o755), os.Mkdir(filepath.Join(dir, "broken"), 0o755)); err != nil {
		t.Fatal(err)
	}
	jobs := Jobs{filepath.Join(dir, "it's jobs")}
	t.Setenv(jobsVariable, jobs.Dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Host{Name: "studio", Program: self, SSH: []string{script}}, jobs
}

// same fails unless the bundle here equals the job's.
func same(t *testing.T, jobs Jobs, id, here string) {
	t.Helper()
	there := filepath.Join(jobs.Dir, id, runsFolder, filepath.Base(here))
	for _, name := range []string{"events.jsonl", "run.json"} {
		want, err := os.ReadFile(filepath.Join(there, name))
		got, errHere := os.ReadFile(filepath.Join(here, name))
		if err := errors.Join(err, errHere); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has %d bytes, want the %d of the other machine; %v", name, len(got), len(want), err)
		}
	}
}

func TestRunsElsewhere(t *testing.T) {
	for _, broken := range []int{0, 2} {
		t.Run(fmt.Sprintf("%d connections lost", broken), func(t *testing.T) {
			h, jobs := elsewhere(t, broken)
			job, err := h.Start(t.Context(), []string{"30", "it's"})
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			lost := 0
			o, err := h.Follow(t.Context(), job.ID, Following{Runs: t.TempDir(), Says: &said, Tries: time.Minute, Lost: func(error) { lost++ }})
			if err != nil || o.End.Code != 0 || len(o.Dirs) != 1 {
				t.Fatalf("%+v, %v", o, err)
			}
			if lost != broken {
				t.Errorf("%d connections lost, want %d", lost, broken)
			}
			same(t, jobs, job.ID, o.Dirs[0])
			if want := 30; strings.Count(said.String(), "case ") != want || !strings.HasSuffix(said.String(), "case 29\n") {
				t.Errorf("it said %q, want %d lines", said.String(), want)
			}
			all, err := h.List(t.Context())
			if err != nil || len(all) != 1 || all[0].State != Ended || !slices.Equal(all[0].Args, []string{"30", "it's"}) {
				t.Errorf("%+v, %v", all, err)
			}
		})
	}
}

// If a connection cannot be made again, the run continues, and it can be fetched later.
func TestFetchedLater(t *testing.T) {
	h, jobs := elsewhere(t, 1)
	job, err := h.Start(t.Context(), []string{"20"})
	if err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	var lost *LostError
	if _, err := h.Follow(t.Context(), job.ID, Following{Runs: runs}); !errors.As(err, &lost) || !strings.Contains(err.Error(), "Connection closed") {
		t.Fatalf("%v, want a lost connection", err)
	}
	o, err := h.Follow(t.Context(), job.ID, Following{Runs: runs})
	if err != nil {
		t.Fatal(err)
	}
	same(t, jobs, job.ID, o.Dirs[0])
	if err := h.Remove(t.Context(), job.ID); err != nil {
		t.Error(err)
	}
	if err := h.Remove(t.Context(), job.ID); err == nil || !strings.Contains(err.Error(), "studio: no job "+job.ID) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestStopsElsewhere(t *testing.T) {
	h, jobs := elsewhere(t, 0)
	job, err := h.Start(t.Context(), []string{"100000"})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Remove(t.Context(), job.ID); err == nil || !strings.Contains(err.Error(), "is running") {
		t.Errorf("removed while running: %v", err)
	}
	for len(job.Runs) == 0 { // until it handles signals
		if job, err = read(filepath.Join(jobs.Dir, job.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Stop(t.Context(), job.ID); err != nil {
		t.Fatal(err)
	}
	o, err := h.Follow(t.Context(), job.ID, Following{Runs: t.TempDir()})
	if err != nil || o.End.Code != 130 {
		t.Errorf("%+v, %v; want status 130", o, err)
	}
}

func TestRefusedElsewhere(t *testing.T) {
	h, _ := elsewhere(t, 0)
	job, err := h.Start(t.Context(), []string{"refused"})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := h.Follow(t.Context(), job.ID, Following{Runs: t.TempDir()}); err != nil || o.End.Code != 2 || len(o.Dirs) != 0 {
		t.Errorf("%+v, %v; want status 2 and no bundle", o, err)
	}
	h.Program = "/nowhere/assay"
	if _, err := h.Start(t.Context(), []string{"1"}); err == nil || !strings.Contains(err.Error(), `studio has no program "/nowhere/assay"`) {
		t.Errorf("%v", err)
	}
}

// A killed supervisor leaves a job that is cut off, not one that runs forever.
func TestSupervisorKilled(t *testing.T) {
	h, jobs := elsewhere(t, 0)
	job, err := h.Start(t.Context(), []string{"100000"})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := jobs.folder(job.ID)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := supervisor(dir)
	if err == nil {
		err = syscall.Kill(-pid, syscall.SIGKILL) // together with its run
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := h.Follow(t.Context(), job.ID, Following{Runs: t.TempDir()})
	if err != nil || !strings.Contains(o.End.Why, "went down") {
		t.Errorf("%+v, %v", o, err)
	}
	if all, err := h.List(t.Context()); err != nil || len(all) != 1 || all[0].State != CutOff {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestInvalidHosts(t *testing.T) {
	for _, name := range []string{"", "-oProxyCommand=x", "a b", "a\nb"} {
		if _, err := (Host{Name: name}).Start(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "invalid host") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestQuoted(t *testing.T) {
	for _, word := range []string{"", "plain", "it's", `a "b" $HOME \ *`, "two\nlines"} {
		if out, err := exec.Command("sh", "-c", "printf %s "+quoted(word)).Output(); err != nil || string(out) != word {
			t.Errorf("%q came out as %q, %v", word, out, err)
		}
	}
}

// ssh's message becomes one line without line endings, and escape sequences in it stay escaped.
func TestWordsOfSSH(t *testing.T) {
	for said, want := range map[string]string{
		"":     "no connection to studio: the connection ended",
		"\r\n": "no connection to studio: the connection ended",
		"ssh: Could not resolve hostname studio: Name or service not known\r\n": "no connection to studio: ssh: Could not resolve hostname studio: Name or service not known",
		"Warning: a new key.\r\r\nConnection closed\tby studio.\r\n\r\n":        "no connection to studio: Connection closed by studio",
		"Permission \x1b[31mdenied\r\n":                                         `no connection to studio: Permission \x1b[31mdenied`,
	} {
		h := Host{Name: "studio", SSH: []string{"sh", "-c", "printf %s \"$WORDS\" >&2; exit 255"}}
		t.Setenv("WORDS", said)
		var lost *LostError
		if _, err := h.List(t.Context()); !errors.As(err, &lost) || err.Error() != want {
			t.Errorf("%q became %v, want %s", said, err, want)
		}
	}
}
