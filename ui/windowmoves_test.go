package ui

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/app/bundle"
	"assay/ui/desk"
	"assay/workloads"
)

// How far an open window moves results (scripts/windowmoves.sh): one case is measured repeatedly, alternating between conditions,
// all in one process, since the same case moves by ± 1 % from one process to the next.
const (
	movesNone   = "none"   // nobody listens to the session, and the window's loop stands still
	movesWindow = "window" // open on the Monitor page, as it is by default
	movesLive   = "live"   // the same without quiet mode: it redraws at every reading
)

// movesVariable turns the test binary into a window that measures this; its value is the user's home.
const movesVariable = "ASSAY_TEST_MOVES"

var (
	movesRounds = flag.Int("moves", 0, "rounds of TestWindowMoves; 0: it is skipped")
	movesSize   = flag.Int("moves-size", 512, "rows of the product that it measures")
	movesTime   = flag.Duration("moves-time", time.Second, "sampling of each: the shorter, the less a machine's speed drifts between conditions")
	movesUnder  = flag.String("moves-under", movesNone+" "+movesWindow, "its conditions: none, window, live")
)

// TestWindowMoves prints a line for scripts/windowmoves.awk for each result, and judges nothing: what it prints are times.
func TestWindowMoves(t *testing.T) {
	if *movesRounds == 0 {
		t.Skip("it takes minutes on a quiet machine: sh scripts/windowmoves.sh")
	}
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), os.Args[0], strconv.Itoa(*movesRounds), strconv.Itoa(*movesSize), *movesUnder, movesTime.String())
	c.Env = append(os.Environ(), movesVariable+"="+dir, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		t.Fatalf("the window: %v", err)
	}
}

// measure takes all rounds, every other one backward.
func (u *user) measure() error {
	rounds, _ := strconv.Atoi(os.Args[1])
	size, _ := strconv.Atoi(os.Args[2])
	conditions := strings.Fields(os.Args[3])
	sampling, _ := time.ParseDuration(os.Args[4])
	request, err := u.movesRequest(size, sampling)
	if err != nil {
		return err
	}
	if err := u.seeEngines(); err != nil {
		return err
	}
	fyne.DoAndWait(func() { u.window.goTo(u.window.pageNamed(desk.PageMonitor)) })
	if _, err := u.under(movesNone, request); err != nil { // it opens the engine and warms up
		return err
	}
	for round := 1; round <= rounds; round++ {
		for _, condition := range conditions {
			line, err := u.under(condition, request)
			if err != nil {
				return err
			}
			fmt.Println(round, condition, size, line)
		}
		slices.Reverse(conditions)
	}
	fyne.Do(u.window.quit)
	return nil
}

// movesRequest returns the run to repeat.
func (u *user) movesRequest(size int, sampling time.Duration) (r app.Request, err error) {
	w, err := workloads.Find(u.session.Workloads(), "batching")
	if err != nil {
		return r, err
	}
	v := w.Defaults(false).With(workloads.Values{"sweep": "matmul", "min_size": size, "max_size": size, "library": false})
	return app.Request{Jobs: []bundle.Job{{Workload: w.Name, Params: v}}, Engine: "cpu", Sampling: app.Sampling{Time: sampling}}, w.Check(v)
}

// under measures the case under a condition: "time lo hi disturbed".
func (u *user) under(condition string, r app.Request) (string, error) {
	const settle = 300 * time.Millisecond
	r.QuietOnHost = condition != movesLive
	if condition != movesNone {
		fyne.DoAndWait(u.window.Desk.Listen)
		defer u.window.Desk.Unlisten()
		time.Sleep(settle)
		return u.once(r)
	}
	u.window.Desk.Unlisten()
	stopped, goOn := make(chan struct{}), make(chan struct{})
	go fyne.DoAndWait(func() { close(stopped); <-goOn })
	<-stopped
	defer close(goOn)
	time.Sleep(settle)
	return u.once(r)
}

// once measures the case once.
func (u *user) once(r app.Request) (string, error) {
	ended := make(chan app.EndUpdate, 1)
	var result workloads.Result
	defer u.session.Subscribe(func(up app.Update) {
		switch up := up.(type) {
		case app.ResultUpdate:
			result = up.Result
		case app.EndUpdate:
			ended <- up
		}
	})()
	if err := u.session.Runs().Start(r); err != nil {
		return "", err
	}
	end := <-ended
	if end.Err != nil || result.Status != workloads.OK {
		return "", errors.Join(end.Err, fmt.Errorf("the result is %q: %s", result.Status, result.Failure.Text))
	}
	disturbed := 0
	if _, yes := result.Disturbed(); yes {
		disturbed = 1
	}
	took := result.Time()
	return fmt.Sprintf("%.9g %.9g %.9g %d", took.Median, took.Lo, took.Hi, disturbed), nil
}
