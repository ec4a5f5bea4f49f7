//go:build unix

package bundle

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/app/internal/runstest"
	"assay/workloads"
)

// childMode makes the test binary write a bundle into childRoot.
const (
	childMode = "ASSAY_REPORT_TEST_CHILD"
	childRoot = "ASSAY_REPORT_TEST_ROOT"
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(childMode) {
	case "":
		os.Exit(m.Run())
	case "forever":
		err = writeForever(os.Getenv(childRoot))
	case "stdout":
		fmt.Println("before")
		err = ReplaceFile(os.Getenv(childRoot), []byte("run\r\n"))
		fmt.Println("after")
	case "limited":
		err = writeLimited(os.Getenv(childRoot))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(t *testing.T, mode, root string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	runstest.Check(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childMode+"="+mode, childRoot+"="+root)
	return cmd
}

// writeForever adds case after case and prints the last one written.
func writeForever(root string) error {
	b, err := Create(root, plainMeta0(), []workloads.Workload{runstest.Workload()})
	if err != nil {
		return err
	}
	fmt.Println(b.Dir())
	for i := 0; ; i++ {
		if err := errors.Join(b.Results(runstest.Verified(i, 50)), b.Snapshot(runstest.Snapshot()), b.Event(Event{Kind: AlertRaised, Title: "hot"})); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// A kill at any moment loses at most the case in flight, and leaves every file readable.
func TestKill(t *testing.T) {
	cases := 0
	for range 24 {
		cases += killOnce(t, time.Duration(5+rand.IntN(80))*time.Millisecond)
	}
	if cases == 0 {
		t.Error("no child wrote a case before it was killed: the test has shown nothing")
	}
}

// killOnce kills a writer some time after its start, and returns the number of cases in the bundle.
func killOnce(t *testing.T, after time.Duration) int {
	t.Helper()
	cmd := child(t, "forever", t.TempDir())
	out, err := cmd.StdoutPipe()
	runstest.Check(t, err)
	runstest.Check(t, cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the child wrote no folder: %v", cmd.Wait())
	}
	dir := lines.Text()
	time.AfterFunc(after, func() { cmd.Process.Kill() }) //nolint:errcheck // Wait tells
	safe := -1
	for lines.Scan() {
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			safe = n
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	r, err := Load(dir)
	runstest.Check(t, err)
	if n := len(r.Results); n < safe+1 || n > safe+2 {
		t.Errorf("%d results on disk, %d were safe", n, safe+1)
	}
	if n := len(r.Snapshots) + len(r.Events); n < safe+2 && safe >= 0 {
		t.Errorf("%d snapshots and events on disk, %d cases were safe", n, safe+1)
	}
	for i := range r.Results {
		want := runstest.Verified(i, 50)
		want.ID = workloads.ResultID(0, i)
		runstest.Same(t, "killed run", r.Results[i], want)
	}
	return len(r.Results)
}

// writeLimited reaches the limit on file sizes, checks the error, and continues once the limit is lifted.
func writeLimited(root string) error {
	signal.Ignore(syscall.SIGXFSZ)
	b, err := Create(root, plainMeta0(), []workloads.Workload{runstest.Workload()})
	if err != nil {
		return err
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	low := old
	low.Cur = 5000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &low); err != nil {
		return err
	}
	failed, err := fill(b)
	if err != nil {
		return err
	}
	if failed == nil || !strings.Contains(failed.Error(), filepath.Join(b.Dir(), samplesFile)) ||
		!strings.Contains(failed.Error(), "limit on file sizes") {
		return fmt.Errorf("the error of a full disk is %w", failed)
	}
	r, err := Load(b.Dir())
	if err != nil || len(r.Results) == 0 || len(r.Results) == 40 {
		return fmt.Errorf("while full: %d results, %w", len(r.Results), err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	return b.Finish(Finished, nil)
}

// fill writes 40 cases into a bundle without enough space, checks after each that every row is whole, and returns the
// last write error.
func fill(b *Bundle) (failed, broken error) {
	for i := range 40 {
		if err := errors.Join(b.Results(runstest.Verified(i, 10)), b.Snapshot(runstest.Snapshot()), b.Event(Event{Kind: AlertRaised})); err != nil {
			failed = err
		}
		for _, name := range []string{resultsFile, samplesFile, monitorFile, eventsFile} {
			data, err := os.ReadFile(filepath.Join(b.Dir(), name))
			if err != nil || len(wholeLines(data)) != len(data) {
				return failed, fmt.Errorf("case %d: %s ends in half a row: %.60q… (%v)", i, name, data[len(wholeLines(data)):], err)
			}
		}
	}
	return failed, nil
}

// Records that a full disk rejects are written as soon as there is space: nothing is lost.
func TestFull(t *testing.T) {
	root := t.TempDir()
	if out, err := child(t, "limited", root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dirs, err := os.ReadDir(root)
	runstest.Check(t, err)
	r, err := Load(filepath.Join(root, dirs[0].Name()))
	runstest.Check(t, err)
	if len(r.Results) != 40 || r.Meta.State != Finished {
		t.Fatalf("%d results, state %s", len(r.Results), r.Meta.State)
	}
	for i := range r.Results {
		want := runstest.Verified(i, 10)
		want.ID = workloads.ResultID(0, i)
		runstest.Same(t, "after a full disk", r.Results[i], want)
	}
}

func TestDiskFull(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full on this system: ", err)
	}
	defer f.Close()
	l := &log{path: "/dev/full", file: f}
	for range 2 {
		err = l.append([]byte("line\n"), true)
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/dev/full: the disk is full (10 B needed, ") {
		t.Errorf("got %v", err)
	}
	if string(l.pending) != "line\nline\n" {
		t.Errorf("kept %q", l.pending)
	}
}

// The limit applies to what waits for a disk: a case of many samples is written at once.
func TestLargeRecordsAreWritten(t *testing.T) {
	l, err := createLog(filepath.Join(t.TempDir(), "log"), nil)
	runstest.Check(t, err)
	runstest.Check(t, l.append(make([]byte, maxPending+1), false))
	runstest.Check(t, l.close())
	l.pending = []byte("waits")
	if err := l.append(make([]byte, maxPending), false); err == nil || !strings.Contains(err.Error(), "5 B are already waiting") {
		t.Errorf("behind what waits: %v", err)
	}
}

// A bundle counts as being written exactly as long as its process lives.
func TestAlive(t *testing.T) {
	cmd := child(t, "forever", t.TempDir())
	out, err := cmd.StdoutPipe()
	runstest.Check(t, err)
	runstest.Check(t, cmd.Start())
	lines := bufio.NewScanner(out)
	lines.Scan()
	dir := lines.Text()
	lines.Scan() // the first case is safe
	if !Alive(dir) {
		t.Error("a process writes the bundle, and it does not count as alive")
	}
	s := Summarize(dir)
	if s.Resolve(); s.State != Running || s.Problem != "" {
		t.Errorf("its summary: %+v", s)
	}
	runstest.Check(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if Alive(dir) {
		t.Error("the process was killed, and the bundle counts as alive")
	}
	if s.Resolve(); s.State != CutOff {
		t.Errorf("state %s, want %s", s.State, CutOff)
	}
	if Alive(t.TempDir()) {
		t.Error("an empty folder counts as alive")
	}
}
