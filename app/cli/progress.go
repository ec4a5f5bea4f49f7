package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"

	"assay/app"
	"assay/app/report"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor"
)

// progressView shows the progress of a run: a bar on a terminal, a line per result elsewhere.
type progressView struct {
	out     io.Writer
	bar     progress.Writer
	tracker *progress.Tracker
	mu      sync.Mutex
	stopped bool
	said    map[string]time.Time // when the printed alerts were raised, by ID
}

func newProgress(w io.Writer) *progressView { return newProgressOf(w, false) }

// newProgressOf shows only lines if the run is in quiet mode: a bar is drawn all the time.
func newProgressOf(w io.Writer, quiet bool) *progressView {
	p := &progressView{out: w, said: map[string]time.Time{}}
	if quiet || !isTerminal(w) {
		return p
	}
	p.bar = progress.NewWriter()
	p.bar.SetOutputWriter(w)
	p.bar.SetAutoStop(false)
	p.bar.SetUpdateFrequency(250 * time.Millisecond) // rarely, to avoid disturbing the measurement
	p.bar.SetTrackerPosition(progress.PositionRight)
	p.bar.SetStyle(progress.StyleBlocks)
	p.bar.Style().Visibility = progress.StyleVisibility{Percentage: true, Tracker: true, Time: true}
	p.tracker = &progress.Tracker{Message: "starting", Total: 1000}
	p.bar.AppendTracker(p.tracker)
	go p.bar.Render()
	return p
}

// update handles one of the session's updates.
func (p *progressView) update(u app.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	switch u := u.(type) {
	case app.ProgressUpdate:
		if p.tracker != nil {
			p.tracker.UpdateMessage(plain.Text(fmt.Sprintf("%s · %s · %s", u.Workload, u.Case, phase(u))))
			p.tracker.SetValue(int64(1000 * u.Fraction))
		}
	case app.ResultUpdate:
		if p.tracker == nil {
			p.say(fmt.Sprintf("%s: %s, %s: %s", u.Result.Workload, u.Result.Case, u.Result.Variant, outcome(u)))
		}
	case app.AlertUpdate:
		p.alert(u.Alert)
	case app.NoteUpdate:
		p.say(fmt.Sprintf("! %s: %s", u.Event.Title, u.Event.Text))
	}
}

// alert prints an alert once. The size of a leak is known at the end of the run, which reports it.
func (p *progressView) alert(a monitor.Alert) {
	if !a.Active() || p.said[a.ID].Equal(a.Raised) {
		return
	}
	p.said[a.ID] = a.Raised
	if app.IsLeak(a.ID) {
		p.say("! " + a.Title + "; see the end of the run")
		return
	}
	p.say(fmt.Sprintf("! %s: %s", a.Title, a.Cause))
}

// say prints a line, above the bar if there is one.
func (p *progressView) say(line string) {
	if p.bar != nil {
		p.bar.Log("%s", plain.Text(line))
		return
	}
	fmt.Fprintln(p.out, plain.Text(line))
}

func phase(u app.ProgressUpdate) string {
	s := u.Measure.Doing()
	if u.Left >= 1 {
		s += " · " + si.Duration(u.Left) + " left"
	}
	return s
}

func outcome(u app.ResultUpdate) string {
	r := u.Result
	if r.Failure.Text != "" {
		title, reason, _ := strings.Cut(r.WithoutTime(), ": ")
		return strings.ToLower(title) + ": " + reason
	}
	return report.FormatInterval(r.Time())
}

// stop ends the display.
func (p *progressView) stop() {
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	if p.bar == nil {
		return
	}
	p.tracker.MarkAsDone()
	p.bar.Stop()
	for p.bar.IsRenderInProgress() {
		time.Sleep(5 * time.Millisecond)
	}
}
